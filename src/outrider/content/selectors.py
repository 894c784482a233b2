"""Selectors of style rules: tags, classes, ids, plain attributes and places among siblings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outrider.content.dom import Key, Tree

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[^\s\w])+"
_PART = re.compile(
    rf"([.#]?)({_NAME}|\*)|\[\s*([\w-]+)\s*(?:([~|^$*]?)=\s*[\"']?([^\"'\]]*?)[\"']?)?\s*(?:\s[iIsS]\s*)?\]"
    r"|:([\w-]+)(?:\(([^()]*)\))?"
)
# A combinator, or a step with whatever stands in its brackets.
_WORD = re.compile(r"[>+~]|(?:[^\s>+~\[(\\]+|\\.|\[[^\]]*\]|\([^()]*\))+")
_ONE_OF_LIST = re.compile(r"(?:[^,(\[]+|\[[^\]]*\]|\([^()]*\))+")
_ESCAPED = re.compile(r"\\(.)")
_LONGEST = 300
_MOST_STEPS = 8
# Siblings that are counted to tell an element's place.
_MOST_SIBLINGS = 60
_PLACES = frozenset({"first-child", "last-child", "only-child"})
_LISTS = frozenset({"is", "where", "not"})


@dataclass(frozen=True, slots=True)
class Compound:
    """One step of a selector, such as `p.note[lang]`."""

    tag: str
    """"" for any."""
    classes: tuple[str, ...]
    id: str
    attributes: tuple[tuple[str, str, str], ...]
    """Name, operator ("" for equality, `?` for presence) and value."""
    places: tuple[tuple[str, int], ...] = ()
    """A place among the siblings, and its number where it has one."""
    lists: tuple[tuple[str, tuple[Compound, ...]], ...] = ()
    """`is`, `where` or `not`, and the steps of which one fits."""

    @property
    def key(self) -> str:
        """What an element must at least be or have: `#id`, `.class`, `[attribute]`, a tag, or `*`."""
        if self.id:
            return f"#{self.id}"
        if self.classes:
            return f".{self.classes[0]}"
        if self.attributes or self.tag:
            return f"[{self.attributes[0][0]}]" if self.attributes else self.tag
        # Of several that would do, an element need not be the first.
        return next((steps[0].key for name, steps in self.lists if name != "not" and len(steps) == 1), "*")


@dataclass(frozen=True, slots=True)
class Rule:
    """A selector and what it declares."""

    steps: tuple[Compound, ...]
    """The element's own step last."""
    joints: tuple[str, ...]
    """What stands before each step but the first: a blank for any ancestor, `>`, `+` or `~`."""
    declarations: dict[str, str]
    weight: tuple[int, int, int, int]
    """Specificity and order."""
    cost: int = 1
    """What trying it takes, counted in the simplest rules."""


# Siblings are walked through one by one.
_COST_OF_SIBLINGS = 20
_SIDEWAYS = frozenset("+~")


def listed(selectors: str) -> list[str]:
    """The selectors of a list; empty for one with a gap in it, which browsers drop as a whole."""
    parts = _ONE_OF_LIST.findall(selectors) if "(" in selectors or "[" in selectors else selectors.split(",")
    found = [part.strip() for part in parts]
    return found if all(found) and ",," not in selectors and selectors[-1:] != "," else []


def rule(selector: str, declared: dict[str, str], order: int) -> Rule | None:
    """A selector read; None for one with parts that are not known here."""
    if not selector or len(selector) > _LONGEST:
        return None
    if ":root" in selector:
        selector = selector.replace(":root", "html").replace("htmlhtml", "html")
    steps: list[Compound] = []
    joints: list[str] = []
    joint = " "
    for word in _words(selector):
        if word in (">", "+", "~"):
            joint = word
            continue
        step = _compound(word)
        if step is None:
            return None
        if steps:
            joints.append(joint)
        elif joint != " ":
            return None
        steps.append(step)
        joint = " "
    if not steps or len(steps) > _MOST_STEPS:
        return None
    ids = sum(bool(step.id) for step in steps)
    classes = sum(len(step.classes) + len(step.attributes) + len(step.places) + _listed(step) for step in steps)
    tags = sum(bool(step.tag) for step in steps)
    sideways = not _SIDEWAYS.isdisjoint(joints) or any(step.places for step in steps)
    cost = _COST_OF_SIBLINGS if sideways else 1
    return Rule(tuple(steps), tuple(joints), declared, (ids, classes, tags, order), cost)


def _words(selector: str) -> list[str]:
    if _BRACKETS.isdisjoint(selector):
        return selector.replace(">", " > ").replace("+", " + ").replace("~", " ~ ").split()
    return _WORD.findall(selector)


_BRACKETS = frozenset("[(\\")


def _listed(step: Compound) -> int:
    return sum(name != "where" for name, _ in step.lists)


def _compound(word: str, *, nested: bool = False) -> Compound | None:  # noqa: C901  # one branch for each kind of part
    tag = id_ = ""
    classes: list[str] = []
    attributes: list[tuple[str, str, str]] = []
    places: list[tuple[str, int]] = []
    lists: list[tuple[str, tuple[Compound, ...]]] = []
    at = 0
    for part in _PART.finditer(word):
        if part.start() != at:
            return None
        at = part.end()
        if part[3]:
            attributes.append((part[3].lower(), "?" if part[5] is None else part[4] or "", part[5] or ""))
        elif part[6]:
            if (place := _place(part[6].lower(), part[7])) is not None:
                places.append(place)
            elif part[6].lower() in _LISTS and not nested and (steps := _steps(part[7] or "")):
                lists.append((part[6].lower(), steps))
            else:
                return None
        elif part[1] == ".":
            classes.append(_ESCAPED.sub(r"\1", part[2]))
        elif part[1] == "#":
            id_ = _ESCAPED.sub(r"\1", part[2])
        elif part[2] != "*":
            tag = part[2].lower()
    if at != len(word):
        return None
    return Compound(tag, tuple(classes), id_, tuple(attributes), tuple(places), tuple(lists))


def _place(name: str, number: str | None) -> tuple[str, int] | None:
    if name in _PLACES and number is None:
        return name, 0
    if name == "nth-child" and number and number.strip().isdecimal():
        return name, int(number.strip()[:4])
    return None


def _steps(selectors: str) -> tuple[Compound, ...]:
    """The steps of a list in brackets; () where one of them is more than a step or not known."""
    steps = [_compound(one.strip(), nested=True) if one.strip() else None for one in selectors.split(",")[:20]]
    return tuple(step for step in steps if step) if all(steps) else ()


def fits(tree: Tree, key: Key, step: Compound) -> bool:
    """Whether an element is what a step asks for."""
    if step.tag and step.tag != tree.tags[key]:
        return False
    if not (step.classes or step.id or step.attributes or step.places or step.lists):
        return True
    given = dict(tree.attributes(key))
    if step.id and given.get("id") != step.id:
        return False
    if step.classes and not set(step.classes) <= set((given.get("class") or "").split()):
        return False
    return (
        all(_attribute_fits(given, *wanted) for wanted in step.attributes)
        and all(_place_fits(tree, key, *place) for place in step.places)
        and all(any(fits(tree, key, one) for one in steps) is (name != "not") for name, steps in step.lists)
    )


def before(tree: Tree, key: Key) -> Key | None:
    """The element before an element."""
    sibling = tree.previous(key)
    while sibling is not None and not tree.tags[sibling]:
        sibling = tree.previous(sibling)
    return sibling


def _place_fits(tree: Tree, key: Key, name: str, number: int) -> bool:
    if name == "nth-child":
        return number == _number(tree, key)
    first = name == "last-child" or before(tree, key) is None
    return first and (name == "first-child" or _is_last(tree, key))


def _number(tree: Tree, key: Key) -> int:
    """Which child an element is; 0 for one far down."""
    sibling: Key | None = key
    for number in range(1, _MOST_SIBLINGS):
        sibling = before(tree, sibling) if sibling is not None else None
        if sibling is None:
            return number
    return 0


def _is_last(tree: Tree, key: Key) -> bool:
    after, end = tree.ends[key], tree.ends[tree.parents[key]] if key else len(tree)
    while after < end and not tree.tags[after]:
        after += 1
    return after >= end


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
