"""
The few style rules of a page that hide text.

Not a style engine: only rules of the page's own `<style>` elements that hide what they apply to are kept, with
selectors made of tags, classes, ids and plain attributes, joined by descent; and beside them the rules that show the
same elements again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from outrider.content.dom import Key, Tree

Declarations = dict[str, str]

# Sheets and rules beyond these are not looked at; pages of a real site stay far below.
_MOST_CHARACTERS = 2_000_000
_MOST_RULES = 4_000
# Kinds of elements whose every rule is looked up, each by a search through the sheets.
_MOST_KINDS = 60
_MOST_BODY = 4_000
_MOST_SELECTOR = 2_000
# Steps back to the start of a conditional block.
_MOST_STEPS = 3_000

# What hides is written with one of these, once the spaces after colons are gone. Plain searches: an expression over all
# sheets would cost more than everything else that is done to a page.
_SIGNS = (
    "display:none", "visibility:hidden", "opacity:0", "font-size:0", ":-9", ":-10", "rect(", "inset(", "scale(0",
    "(-9", "color:transparent",
    "height:0", "height:1px", "color:#fff", "font:0",
)  # fmt: skip
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_PART = re.compile(r"([.#]?)([\w-]+|\*)|\[\s*([\w-]+)\s*(?:([~|^$*]?)=\s*[\"']?([^\"'\]]*)[\"']?)?\s*(?:[iI]\s*)?\]")
_MEDIA_SHOWN = re.compile(r"^\s*(?:only\s+)?(?:screen|all)\s*$", re.IGNORECASE)
_MOST_ANCESTORS = 60
_WITHOUT_TEXT = frozenset(
    {
        "*",
        "img",
        "hr",
        "br",
        "input",
        "svg",
        "button",
        "iframe",
        "video",
        "audio",
        "canvas",
        "template",
        "body",
        "html",
        "select",
    }
)


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
    declarations: Declarations
    weight: tuple[int, int, int, int]
    """Specificity and order."""


class Styles:
    """
    The rules of a page's own sheets that hide.

    Args:
        sheets: The text of each `<style>`.
        hides: Whether declarations hide an element by themselves.
    """

    __slots__ = ("_fitting", "_hiding", "_others", "_sheets")

    def __init__(self, sheets: list[str], hides: Callable[[Declarations], bool]) -> None:
        self._sheets = _shortened(sheets)
        self._hiding: dict[str, list[Rule]] = {}
        # Whether an element is what a step asks for, by the two; ancestors are asked about again and again.
        self._fitting: dict[tuple[int, Key], bool] = {}
        # Every rule for an element of a kind, found when one of its kind is to be hidden.
        self._others: dict[str, list[Rule]] = {}
        for rule in _rules_at(self._sheets, _SIGNS):
            # A rule for every element, or for one without text, is about layout.
            if rule.steps[-1].key not in _WITHOUT_TEXT and hides(rule.declarations):
                self._hiding.setdefault(rule.steps[-1].key, []).append(rule)

    def candidates(self, tree: Tree) -> set[Key]:
        """Every element that a rule could hide."""
        if not self._hiding:
            return set()
        index = tree.index
        found: set[Key] = set()
        for name, keys in index.tags.items():
            if name in self._hiding:
                found.update(keys)
        if any(name[0] == "[" and name[1:-1] in index.attributes for name in self._hiding):
            found.update(self._with_attributes(tree))
        words = {name[1:] for name in self._hiding if name[0] == "."}
        if words:
            for classes, keys in index.classes.items():
                if not words.isdisjoint(classes.split()):
                    found.update(keys)
        if any(name[0] == "#" for name in self._hiding):
            found.update(key for key, id_ in index.ids.items() if f"#{id_}" in self._hiding)
        return found

    def _with_attributes(self, tree: Tree) -> Iterator[Key]:
        for key, value in enumerate(tree.values):
            if not isinstance(value, str) and any(f"[{name}]" in self._hiding for name, _ in value):
                yield key

    def of(self, tree: Tree, key: Key) -> Declarations:
        """What the rules declare for an element that one of them would hide, the strongest last; {} for any other."""
        kinds = [tree.tags[key]]
        for name, value in tree.attributes(key):
            kinds.append(f"[{name}]")
            if name == "class" and value:
                kinds += [f".{word}" for word in value.split()[:40]]
            elif name == "id" and value:
                kinds.append(f"#{value}")
        hiding = [
            rule
            for kind in kinds
            if kind in self._hiding
            for rule in self._hiding[kind]
            if self._matches(tree, key, rule)
        ]
        if not hiding:
            return {}
        for kind in kinds:
            if kind[0] in ".#":
                hiding += [rule for rule in self._all_of(kind) if self._matches(tree, key, rule)]
        result: Declarations = {}
        for rule in sorted(hiding, key=lambda rule: rule.weight):
            result.update(rule.declarations)
        return result

    def _all_of(self, kind: str) -> list[Rule]:
        if kind not in self._others:
            rules = _rules_at(self._sheets, (kind,)) if len(self._others) < _MOST_KINDS else []
            self._others[kind] = [rule for rule in rules if rule.steps[-1].key == kind]
        return self._others[kind]

    def _matches(self, tree: Tree, key: Key, rule: Rule) -> bool:
        if not _fits(tree, key, rule.steps[-1]):
            return False
        for step, direct in zip(reversed(rule.steps[:-1]), reversed(rule.child), strict=True):
            key = tree.parents[key]
            # An ancestor far up counts for little, and walks up a deep page must stay short.
            for _ in range(_MOST_ANCESTORS):
                if key < 0 or direct or self._fits(tree, key, step):
                    break
                key = tree.parents[key]
            if key < 0 or not self._fits(tree, key, step):
                return False
        return True

    def _fits(self, tree: Tree, key: Key, step: Compound) -> bool:
        known = self._fitting
        place = (id(step), key)
        if place not in known:
            known[place] = _fits(tree, key, step)
        return known[place]


def declarations(style: str) -> Declarations:
    """Read a `style` attribute or the body of a rule: names and values in lower case, `!important` left out."""
    found: Declarations = {}
    for part in style[:_MOST_BODY].split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return found


def _shortened(sheets: list[str]) -> list[str]:
    left = _MOST_CHARACTERS
    result: list[str] = []
    for sheet in sheets:
        text = sheet[:left]
        left -= len(text)
        if text:
            text = _COMMENT.sub("", text) if "/*" in text else text
            result.append(text.replace(" :", ":").replace(":  ", ":").replace(": ", ":"))
    return result


def _rules_at(sheets: list[str], signs: tuple[str, ...]) -> list[Rule]:
    """The rules in whose text one of the signs stands."""
    rules: list[Rule] = []
    order = 0
    for number, sheet in enumerate(sheets):
        depth = counted = 0
        seen = -1
        applies: dict[int, bool] = {}
        for at in _places(sheet, signs):
            start, end = _body(sheet, at)
            if start < 0 or start == seen:
                continue
            seen = start
            order += 1
            depth += sheet.count("{", counted, start) - sheet.count("}", counted, start)
            counted = start
            head_start = max(sheet.rfind("}", 0, start), sheet.rfind("{", 0, start), sheet.rfind(";", 0, start)) + 1
            head = sheet[head_start:start].strip()
            if (
                head[:1] == "@"
                or len(head) > _MOST_SELECTOR
                or end - start > _MOST_BODY
                or (depth > 0 and not _applies(sheet, start, applies))
            ):
                continue
            declared = declarations(sheet[start + 1 : end])
            rules += [
                rule
                for one in head.split(",")
                if (rule := _rule(one.strip(), declared, number * _MOST_CHARACTERS + start))
            ]
            if order > _MOST_RULES:
                return rules
    return rules


def _places(sheet: str, signs: tuple[str, ...]) -> list[int]:
    found: list[int] = []
    # Only in ASCII is a place in the one text sure to be the same place in the other.
    if signs is _SIGNS and sheet.isascii():
        sheet = sheet.lower()
    for sign in signs:
        at = sheet.find(sign)
        while at >= 0 and len(found) < 4 * _MOST_RULES:
            found.append(at)
            at = sheet.find(sign, at + len(sign))
    return sorted(found)


def _body(sheet: str, at: int) -> tuple[int, int]:
    """Where the body begins and ends that a place stands in, or whose selector it stands in."""
    opened, closed = sheet.rfind("{", 0, at), sheet.rfind("}", 0, at)
    inside = opened > closed
    if inside:
        next_open, end = sheet.find("{", at), sheet.find("}", at)
        if next_open < 0 or (0 <= end < next_open):
            return opened, end if end >= 0 else len(sheet)
    start = sheet.find("{", at)
    end = sheet.find("}", start)
    return (start, end if end >= 0 else len(sheet)) if start >= 0 else (-1, -1)


def _applies(sheet: str, start: int, known: dict[int, bool]) -> bool:
    """
    Whether the blocks around a rule hold on every screen.

    Args:
        known: Answers by place, kept between calls: rules of one block share theirs.
    """
    depth = 0
    at = start
    passed: list[int] = []
    answer = True
    for _ in range(_MOST_STEPS):
        opened, closed = sheet.rfind("{", 0, at), sheet.rfind("}", 0, at)
        if opened < 0:
            break
        at = max(opened, closed)
        if not depth:
            if at in known:
                answer = known[at]
                break
            passed.append(at)
        if closed > opened:
            depth += 1
        elif depth:
            depth -= 1
        else:
            head_start = max(sheet.rfind("}", 0, at), sheet.rfind("{", 0, at), sheet.rfind(";", 0, at)) + 1
            if not _always(sheet[head_start:at].strip()):
                answer = False
                break
    else:
        answer = False
    known.update(dict.fromkeys(passed, answer))
    return answer


def _always(head: str) -> bool:
    name, _, condition = head[1:].partition(" ")
    return name in ("layer", "supports") or (name == "media" and _MEDIA_SHOWN.match(condition) is not None)


def _rule(selector: str, declared: Declarations, order: int) -> Rule | None:
    """A selector read; None for one with parts that are not known here."""
    if not selector or ":" in selector or "+" in selector or "~" in selector.replace("~=", "") or len(selector) > 300:
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
    if not steps or len(steps) > 8:
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


def _fits(tree: Tree, key: Key, step: Compound) -> bool:
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
