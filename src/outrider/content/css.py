"""
The few style rules of a page that hide text.

Not a style engine: only rules of the page's own `<style>` elements that hide what they apply to are kept, with
selectors made of tags, classes, ids and plain attributes, joined by descent; and beside them the rules that show the
same elements again. What rules say of one property is read when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from outrider.content import selectors
from outrider.content.dom import Key, Tree
from outrider.content.selectors import Compound, Rule

Declarations = dict[str, str]
UNSURE = "?"
"""What is declared under conditions that are not looked into: another screen, a state, a part of the element."""

# Sheets and rules beyond these are not looked at; pages of a real site stay far below.
_MOST_CHARACTERS = 2_000_000
_MOST_RULES = 4_000
# Kinds of elements whose every rule is looked up, each by a search through the sheets.
_MOST_KINDS = 60
# Rules tried on elements, all told: a page of many rules for one class and many elements of it would take minutes.
_MOST_MATCHES = 500_000
_MOST_BODY = 4_000
_MOST_SELECTOR = 2_000
# Steps back to the start of a conditional block.
_MOST_STEPS = 3_000

# What hides is written with one of these, once the spaces after colons are gone. Plain searches: an expression over all
# sheets would cost more than everything else that is done to a page.
_SIGNS = (
    "display:none", "visibility:hidden", "opacity:0", "opacity:.0", "font-size:0", "font-size:1px", "font-size:.0",
    "font:0", ":-9", ":-10", "left:99", "top:99", "indent:99", "indent:1", "(-9", "rect(", "inset(", "polygon(",
    "circle(0", "scale(0", "scale(.0", "scale:0", "rotatex(90", "rotatey(90", "color:transparent", "color:#fff",
    "color:#fe", "color:#fd", "color:white", "height:0", "height:1px", "max-width:0", ";width:0", "{width:0",
)  # fmt: skip
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
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


class Styles:
    """
    The rules of a page's own sheets that hide.

    Args:
        sheets: The text of each `<style>`.
        hides: Whether declarations hide an element by themselves.
    """

    __slots__ = ("_declaring", "_fitting", "_hiding", "_left", "_others", "_sheets")

    def __init__(self, sheets: list[str], hides: Callable[[Declarations], bool]) -> None:
        self._sheets = _shortened(sheets)
        self._hiding: dict[str, list[Rule]] = {}
        self._left = _MOST_MATCHES
        # Whether an element is what a step asks for, by the two; ancestors are asked about again and again.
        self._fitting: dict[tuple[int, Key], bool] = {}
        # Every rule for an element of a kind, found when one of its kind is to be hidden.
        self._others: dict[str, list[Rule]] = {}
        # Every rule with a sign in it, by the kind of its elements; found when the sign is asked for.
        self._declaring: dict[str, dict[str, list[Rule]]] = {}
        for rule in _rules_at(self._sheets, _SIGNS):
            # A rule for every element, or for one without text, is about layout.
            if rule.steps[-1].key not in _WITHOUT_TEXT and hides(rule.declarations):
                self._hiding.setdefault(rule.steps[-1].key, []).append(rule)

    def candidates(self, tree: Tree) -> set[Key]:
        """Every element that a rule could hide."""
        index = tree.index
        # `<font>` has its colour from an attribute.
        found: set[Key] = set(index.tags.get("font", ()))
        if not self._hiding:
            return found
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
        kinds = _kinds(tree, key)
        hiding = self._matching(tree, key, [rule for kind in kinds for rule in self._hiding.get(kind, ())])
        if not hiding:
            return {}
        others = [rule for kind in kinds if kind[0] in ".#" for rule in self._all_of(kind)]
        return _together([*hiding, *self._matching(tree, key, others)])

    def declared(self, tree: Tree, key: Key, name: str) -> Declarations:
        """
        What the rules that speak of a property declare of it for an element, `UNSURE` where that depends.

        Args:
            name: The property, or the beginning that several share, such as `background`.
        """
        if name not in self._declaring:
            kinds = self._declaring[name] = {}
            for rule in _rules_at(self._sheets, (name,), loosely=True):
                told = {one: value for one, value in rule.declarations.items() if one.startswith(name)}
                if told:
                    kinds.setdefault(rule.steps[-1].key, []).append(replace(rule, declarations=told))
        declaring = self._declaring[name]
        if not declaring:
            return {}
        rules = [rule for kind in ("*", *_kinds(tree, key)) for rule in declaring.get(kind, ())]
        found = _together(self._matching(tree, key, rules))
        return found if self._left >= 0 else {name: UNSURE}

    def mentions(self, word: str) -> bool:
        """Whether a word stands anywhere in the rules."""
        return any(word in sheet for sheet in self._sheets)

    def _all_of(self, kind: str) -> list[Rule]:
        if kind not in self._others:
            rules = _rules_at(self._sheets, (kind,)) if len(self._others) < _MOST_KINDS else []
            self._others[kind] = [rule for rule in rules if rule.steps[-1].key == kind]
        return self._others[kind]

    def _matching(self, tree: Tree, key: Key, rules: list[Rule]) -> list[Rule]:
        """Those of some rules that are for an element; none once too many were looked at."""
        self._left -= len(rules)
        return [rule for rule in rules if self._matches(tree, key, rule)] if self._left >= 0 else []

    def _matches(self, tree: Tree, key: Key, rule: Rule) -> bool:
        if not selectors.fits(tree, key, rule.steps[-1]):
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
            known[place] = selectors.fits(tree, key, step)
        return known[place]


def _together(rules: list[Rule]) -> Declarations:
    """What rules declare together, the strongest last."""
    result: Declarations = {}
    for rule in sorted(rules, key=lambda rule: rule.weight):
        result.update(rule.declarations)
    return result


def _kinds(tree: Tree, key: Key) -> list[str]:
    """The keys that steps for an element can have."""
    kinds = [tree.tags[key]]
    for name, value in tree.attributes(key):
        kinds.append(f"[{name}]")
        if name == "class" and value:
            kinds += [f".{word}" for word in value.split()[:40]]
        elif name == "id" and value:
            kinds.append(f"#{value}")
    return kinds


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


def _rules_at(sheets: list[str], signs: tuple[str, ...], *, loosely: bool = False) -> list[Rule]:
    """
    The rules in whose text one of the signs stands.

    Args:
        loosely: Take rules that apply at times too, with `UNSURE` for their values.
    """
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
            if head[:1] == "@" or len(head) > _MOST_SELECTOR or end - start > _MOST_BODY:
                continue
            always = depth <= 0 or _applies(sheet, start, applies)
            if not always and not loosely:
                continue
            declared = declarations(sheet[start + 1 : end])
            place = number * _MOST_CHARACTERS + start
            if loosely:
                rules += _loose_rules(head, declared, place, always=always)
            else:
                rules += [rule for one in head.split(",") if (rule := selectors.rule(one.strip(), declared, place))]
            if order > _MOST_RULES:
                return rules
    return rules


def _loose_rules(head: str, declared: Declarations, place: int, *, always: bool) -> list[Rule]:
    """Rules with their states and pseudo-elements left away."""
    unsure = dict.fromkeys(declared, UNSURE)
    rules: list[Rule] = []
    for one in head.split(","):
        selector = one.strip()
        depends = not _CONDITIONS.isdisjoint(selector)
        if depends:
            # Of what stands beside another or in a state, only the element itself is looked at.
            left = _STATES.sub("", selector).replace("+", " ").replace("~", " ").split()
            selector = left[-1] if left and not _OTHER_PARTS.search(selector) else ""
        rule = selectors.rule(selector, declared if always and not depends else unsure, place)
        if rule is not None:
            rules.append(rule)
    return rules


_CONDITIONS = frozenset(":+~")
_STATES = re.compile(r"::?[\w-]+(?:\([^()]*\))?")
# What is painted through these is not the element's own place.
_OTHER_PARTS = re.compile(r"::(?!before|after)")


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
