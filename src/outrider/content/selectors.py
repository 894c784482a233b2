"""Selectors of style rules: tags, classes, ids and plain attributes, joined by descent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outrider.content.dom import Key, Tree

_PART = re.compile(r"([.#]?)([\w-]+|\*)|\[\s*([\w-]+)\s*(?:([~|^$*]?)=\s*[\"']?([^\"'\]]*)[\"']?)?\s*(?:[iI]\s*)?\]")
_LONGEST = 300
_MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class Compound:
    """One step of a selector, such as `p.note[lang]`."""

    tag: str
    """"" for any."""
    classes: tuple[str, ...]
    id: str
    attributes: tuple[tuple[str, str, str], ...]
    """Name, operator ("" for equality, `?` for presence) and value."""

    @property
    def key(self) -> str:
        """What an element must at least be or have: `#id`, `.class`, `[attribute]`, a tag, or `*`."""
        if self.id:
            return f"#{self.id}"
        if self.classes:
            return f".{self.classes[0]}"
        return f"[{self.attributes[0][0]}]" if self.attributes else self.tag or "*"


@dataclass(frozen=True, slots=True)
class Rule:
    """A selector and what it declares."""

    steps: tuple[Compound, ...]
    """The element's own step last."""
    child: tuple[bool, ...]
    """For each step but the first: whether it must be a direct child of the one before."""
    declarations: dict[str, str]
    weight: tuple[int, int, int, int]
    """Specificity and order."""


def rule(selector: str, declared: dict[str, str], order: int) -> Rule | None:
    """A selector read; None for one with parts that are not known here."""
    if (
        not selector
        or ":" in selector
        or "+" in selector
        or "~" in selector.replace("~=", "")
        or len(selector) > _LONGEST
    ):
        return None
    steps: list[Compound] = []
    child: list[bool] = []
    direct = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            direct = True
            continue
        step = _compound(word)
        if step is None:
            return None
        if steps:
            child.append(direct)
        steps.append(step)
        direct = False
    if not steps or len(steps) > _MOST_STEPS:
        return None
    ids = sum(bool(step.id) for step in steps)
    classes = sum(len(step.classes) + len(step.attributes) for step in steps)
    tags = sum(bool(step.tag) for step in steps)
    return Rule(tuple(steps), tuple(child), declared, (ids, classes, tags, order))


def _compound(word: str) -> Compound | None:
    tag = id_ = ""
    classes: list[str] = []
    attributes: list[tuple[str, str, str]] = []
    at = 0
    for part in _PART.finditer(word):
        if part.start() != at:
            return None
        at = part.end()
        if part[3]:
            attributes.append((part[3].lower(), "?" if part[5] is None else part[4] or "", part[5] or ""))
        elif part[1] == ".":
            classes.append(part[2])
        elif part[1] == "#":
            id_ = part[2]
        elif part[2] != "*":
            tag = part[2].lower()
    return Compound(tag, tuple(classes), id_, tuple(attributes)) if at == len(word) else None


def fits(tree: Tree, key: Key, step: Compound) -> bool:
    """Whether an element is what a step asks for."""
    if step.tag and step.tag != tree.tags[key]:
        return False
    if not (step.classes or step.id or step.attributes):
        return True
    given = dict(tree.attributes(key))
    if step.id and given.get("id") != step.id:
        return False
    if step.classes and not set(step.classes) <= set((given.get("class") or "").split()):
        return False
    return all(_attribute_fits(given, *wanted) for wanted in step.attributes)


def _attribute_fits(given: dict[str, str | None], name: str, operator: str, value: str) -> bool:  # noqa: PLR0911
    if name not in given:
        return False
    found = given[name] or ""
    match operator:
        case "?":
            return True
        case "":
            return found == value
        case "~":
            return value in found.split()
        case "^":
            return bool(value) and found.startswith(value)
        case "$":
            return bool(value) and found.endswith(value)
        case "*":
            return bool(value) and value in found
        case _:
            return found == value or found.startswith(f"{value}-")
