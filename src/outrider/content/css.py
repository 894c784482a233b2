"""
The few style rules of a page that hide text.

Not a style engine: only rules of the page's own `<style>` elements that hide what they apply to are kept, with
selectors of the kinds that are known here; and beside them the rules that show the same elements again. What rules say
of one property is read when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

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
_MOST_KINDS = 150
# Rules tried on elements, all told: a page of many rules for one class and many elements of it would take minutes.
_MOST_MATCHES = 300_000
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
    "size:0", "size:.", "font:.", "font:1px", "right:99", "ity:collapse", "lay:var(", "ity:var(", "color:#000",
    "color:rgb(0 0 0", "color:rgba(",
    "color:hsl", "opacity(0", "matrix(0", "zoom:0", "zoom:.0", "mask", "ellipse(0", "scalex(0", "scaley(0",
    "scale3d(0", "xywh(",
)  # fmt: skip
# Where every colour may hide, even this one does.
_GREY = {"color": "#808080"}
# What moves something away is written with a minus and three digits or more.
_MINUS = (":-", "(-", " -")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_MOST_ANCESTORS, _MOST_SIBLINGS = 60, 20
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

    __slots__ = ("_customs", "_declaring", "_fitting", "_hiding", "_is_alone", "_left", "_others", "_sheets")

    def __init__(self, sheets: list[str], hides: Callable[[Declarations], bool]) -> None:
        self._sheets = _shortened(sheets)
        self._hiding: dict[str, list[Rule]] = {}
        self._left = _MOST_MATCHES
        # Values of custom properties, by name and element.
        self._customs: dict[str, dict[Key, str]] = {}
        # Whether nothing outside the page can set a custom property.
        self._is_alone = False
        # Whether an element is what a step asks for, by the two; ancestors are asked about again and again.
        self._fitting: dict[tuple[int, Key], bool] = {}
        # Every rule for an element of a kind, found when one of its kind is to be hidden.
        self._others: dict[str, list[Rule]] = {}
        # Every rule with a sign in it, by the kind of its elements; found when the sign is asked for.
        self._declaring: dict[str, dict[str, list[Rule]]] = {}
        signs = (*_SIGNS, "color:") if hides(_GREY) else _SIGNS
        for _, group in groupby(_rules_at(self._sheets, signs, broadly=True), lambda rule: id(rule.steps)):
            rules = list(group)
            key, told = rules[0].steps[-1].key, _together(rules)
            # A rule for every element, or for one without text, is about layout.
            if key not in _WITHOUT_TEXT and (_varies(told) or hides(told)):
                self._hiding.setdefault(key, []).extend(rules)

    def candidates(self, tree: Tree) -> set[Key]:
        """Every element that a rule could hide."""
        index = tree.index
        self._look_around(tree)
        # `<font>` has its colour from an attribute, and a value may stand elsewhere.
        found: set[Key] = set(index.tags.get("font", ()))
        found.update(key for key in index.telling if "var(" in (tree.attribute(key, "style") or ""))
        if "popover" in index.attributes:
            found.update(key for key in range(len(tree)) if tree.attribute(key, "popover") is not None)
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

    def _look_around(self, tree: Tree) -> None:
        scripted = is_scripted(tree)
        self._is_alone = not scripted and "link" not in tree.index.tags
        if scripted:
            self._hiding = {kind: [rule for rule in rules if not _waits(rule)] for kind, rules in self._hiding.items()}

    def _with_attributes(self, tree: Tree) -> Iterator[Key]:
        for key, value in enumerate(tree.values):
            if not isinstance(value, str) and any(f"[{name}]" in self._hiding for name, _ in value):
                yield key

    def of(self, tree: Tree, key: Key) -> Declarations:
        """What an element's own style and the rules declare, if one of them would hide it; else its own style alone."""
        own = _own(tree, key)
        kinds = _kinds(tree, key)
        hiding = self._matching(tree, key, [rule for kind in kinds for rule in self._hiding.get(kind, ())])
        if not hiding:
            return self._settled(tree, key, _together(own))
        others = [rule for kind in kinds if self._is_told_of(kind) for rule in self._all_of(kind)]
        return self._settled(tree, key, _together([*hiding, *self._matching(tree, key, others), *own]))

    def _is_told_of(self, kind: str) -> bool:
        """Whether what rules say of a kind is looked up: of most tags and attributes, they say little of this."""
        return kind[0] in ".#" or kind in _NAMING or kind in self._hiding

    def _settled(self, tree: Tree, key: Key, style: Declarations) -> Declarations:
        """Declarations with what custom properties say in the places of the values that matter most."""
        if not _varies(style):
            return style
        return {
            name: self._value(tree, key, value) if name in _SETTLED and "var(" in value else value
            for name, value in style.items()
        }

    def _value(self, tree: Tree, key: Key, value: str) -> str:
        for _ in range(_MOST_REFERENCES):
            found = _REFERENCE.search(value)
            if found is None:
                break
            known = self._custom(tree, key, found[1])
            if not known and not self._is_alone:
                break
            value = value[: found.start()] + (known or (found[2] or "").strip()) + value[found.end() :]
        return value.strip()

    def _custom(self, tree: Tree, key: Key, name: str) -> str:
        """The value of a custom property for an element; "" for none."""
        if name not in self._declaring and len(self._declaring) > _MOST_KINDS:
            return UNSURE
        known = self._customs.setdefault(name, {})
        passed: list[Key] = []
        found = ""
        for _ in range(_MOST_ANCESTORS):
            if key < 0 or key in known:
                found = known.get(key, "")
                break
            passed.append(key)
            own = declarations(tree.attribute(key, "style") or "")
            if found := own.get(name) or self.declared(tree, key, name).get(name, ""):
                break
            key = tree.parents[key]
        known.update(dict.fromkeys(passed, found))
        return found

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
            # Of a tag, which any sheet has hundreds of, only places among siblings are looked up.
            written = _SPECIAL.sub(r"\\\g<0>", kind.removesuffix("]")) if kind[0] in ".#[" else f"{kind}:"
            rules = _rules_at(self._sheets, (written,), widely=True) if len(self._others) < _MOST_KINDS else []
            self._others[kind] = [rule for rule in rules if rule.steps[-1].key == kind]
        return self._others[kind]

    def _matching(self, tree: Tree, key: Key, rules: list[Rule]) -> list[Rule]:
        """Those of some rules that are for an element; none once too many were looked at."""
        self._left -= sum([rule.cost for rule in rules])
        return [rule for rule in rules if self._matches(tree, key, rule)] if self._left >= 0 else []

    def _matches(self, tree: Tree, key: Key, rule: Rule) -> bool:
        if not selectors.fits(tree, key, rule.steps[-1]):
            return False
        at: Key | None = key
        for step, joint in zip(reversed(rule.steps[:-1]), reversed(rule.joints), strict=True):
            at = self._place(tree, at, step, joint) if at is not None else None
        return at is not None

    def _place(self, tree: Tree, key: Key, step: Compound, joint: str) -> Key | None:
        """The nearest element before or above one that is what a step asks for."""
        sideways = joint in "+~"
        # An element far away counts for little, and walks through a deep page must stay short.
        for _ in range(1 if joint in ">+" else _MOST_SIBLINGS if sideways else _MOST_ANCESTORS):
            before = selectors.before(tree, key) if sideways else tree.parents[key]
            if before is None or before < 0:
                return None
            key = before
            if self._fits(tree, key, step):
                return key
            self._left -= sideways
        return None

    def _fits(self, tree: Tree, key: Key, step: Compound) -> bool:
        known = self._fitting
        place = (id(step), key)
        if place not in known:
            known[place] = selectors.fits(tree, key, step)
        return known[place]


_NAMING = ("[class]", "[id]", "[hidden]")
_SPECIAL = re.compile(r"(?<!^)[^\w-]")
_REFERENCE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_MOST_REFERENCES = 5
# What is looked up; colours and sizes in general vary with the theme, which is not known.
_SETTLED = ("display", "visibility", "opacity", "position", "left", "top", "clip-path", "transform", "font-size")
_TELLING = ("display", "visibility", "opacity")


# Types of scripts that run, and may paint and name.
_RUNS = (None, "", "module", "text/javascript", "application/javascript")


def is_scripted(tree: Tree) -> bool:
    """Whether a script of the page runs."""
    return any(tree.attribute(key, "type") in _RUNS for key in tree.index.tags.get("script", ()))


def _waits(rule: Rule) -> bool:
    """Whether a rule holds until a script gives something a name."""
    return any(name == "not" for step in rule.steps for name, _ in step.lists)


def _varies(style: Declarations) -> bool:
    """Whether custom properties tell if an element shows."""
    return any("var(" in style.get(name, "") for name in _TELLING)


def _own(tree: Tree, key: Key) -> list[Rule]:
    """The element's own style as two rules: the one beats every rule, the other all but the important ones."""
    style = tree.attribute(key, "style")
    if not style:
        return []
    weak, strong = read(style)
    return [Rule((), (), weak, (_OWN, 0, 0, 0)), Rule((), (), strong, (_IMPORTANT + _OWN, 0, 0, 0))]


# Ids that no selector has as many of: what the origin of a rule weighs.
_LAYERED, _OWN, _IMPORTANT = 1_000, 10_000, 1_000_000


def _together(rules: list[Rule]) -> Declarations:
    """What rules declare together, the strongest last."""
    result: Declarations = {}
    for rule in sorted(rules, key=lambda rule: rule.weight):
        if "all" in rule.declarations:
            result.clear()
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
    """What a `style` attribute or the body of a rule declares in the end: names and values in lower case."""
    weak, strong = read(style)
    return {**weak, **strong} if strong else weak


def read(style: str) -> tuple[Declarations, Declarations]:
    """What a `style` attribute or the body of a rule declares plainly, and what it declares important."""
    weak: Declarations = {}
    strong: Declarations = {}
    for part in _plain(style).split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        into = weak
        value = value.strip().lower()
        if "!" in value:
            value, _, mark = value.rpartition("!")
            if mark.strip() != "important":
                continue
            into, value = strong, value.rstrip()
        name = name.strip().lower()
        if _is_possible(name, value):
            _declare(into, name, _calculated(value) if "calc(" in value else value)
    return weak, strong


def _plain(text: str) -> str:
    """A text without comments and without letters in disguise."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    return _LETTER.sub(_letter, text) if "\\" in text else text


# `\64`, `\000064 ` and `\s` are letters as well.
_LETTER = re.compile(r"\\(?:0{0,4}([46][1-9a-f]|[57][0-9a])(?![0-9a-f])[ \t\n]?|([g-z]))", re.IGNORECASE)


def _letter(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]


_ANYWHERE = r"inherit|initial|unset|revert|revert-layer|.*var\(.*"
_DISPLAYS = (
    r"none|-(?:webkit|moz|ms)-[a-z-]+|(?:block|inline|run-in)(?: ?[a-z -]*)?|inline-[a-z]+|flex|grid|contents|list-item"
    r"|flow-root|flow|math|ruby(?:-[a-z-]+)?|table(?:-[a-z-]+)?"
)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
# A value that a browser does not know leaves the one before in force.
_POSSIBLE = {
    "display": re.compile(f"{_ANYWHERE}|{_DISPLAYS}"),
    "visibility": re.compile(f"{_ANYWHERE}|visible|hidden|collapse"),
    "opacity": re.compile(f"{_ANYWHERE}|{_NUMBER}%?|(?:calc|min|max|clamp)\\(.*"),
    "position": re.compile(f"{_ANYWHERE}|static|relative|absolute|fixed|(?:-webkit-)?sticky"),
}


def _is_possible(name: str, value: str) -> bool:
    return bool(value) and (name not in _POSSIBLE or _POSSIBLE[name].fullmatch(value) is not None)


_SIDES = ("top", "right", "bottom", "left")
# Shorthands of four sides, and of two.
_AROUND = {"margin": "margin-%s", "padding": "padding-%s", "inset": "%s"}
_PAIRS = {
    **{f"{name}-inline": (f"{form}", ("left", "right")) for name, form in _AROUND.items()},
    **{f"{name}-block": (f"{form}", ("top", "bottom")) for name, form in _AROUND.items()},
}
# Other names of the same, as text runs here.
_SAME = {
    **{f"{name}-{logical}": form % side for name, form in _AROUND.items() for logical, side in (
        ("inline-start", "left"), ("inline-end", "right"), ("block-start", "top"), ("block-end", "bottom"),
    )},
    **{f"{most}{logical}": f"{most}{plain}" for most in ("", "max-", "min-") for logical, plain in (
        ("block-size", "height"), ("inline-size", "width"),
    )},
    **{f"-webkit-{name}": name for name in ("clip-path", "mask", "mask-image", "transform", "filter")},
    "overflow-block": "overflow-y", "overflow-inline": "overflow-x",
}  # fmt: skip
_VALUES = re.compile(r"(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+")
_FONT_SIZE = re.compile(rf"(?:^|\s)({_NUMBER}(?:[a-z]+|%)|0|(?:x{{0,3}}-)?(?:small|large)|medium)(?=\s|/|$)")


def _declare(into: Declarations, name: str, value: str) -> None:
    """Note what is declared, by the plain names of the parts where it stands for several."""
    if name in _AROUND or name in _PAIRS:
        form, sides = _PAIRS.get(name) or (_AROUND[name], _SIDES)
        values = _VALUES.findall(value[:_MOST_VALUE])[:4] or [value]
        # One value is for all sides, two are for both of each pair, three leave the left to the right one's.
        values = [*values, values[1]] if len(values) == 3 else (values * 4)[:4]
        into.update({form % side: one for side, one in zip(sides, values, strict=False)})
        return
    if name == "font" and (size := _FONT_SIZE.search(value[:_MOST_VALUE])):
        into["font-size"] = size[1]
    into[_SAME.get(name, name)] = value


_MOST_VALUE = 400
_CALC = re.compile(r"calc\(([^()]*)\)")
_TERM = re.compile(rf"\s*(?:([+-])\s+)?({_NUMBER})([a-z]*)\s*(?:([*/])\s*({_NUMBER})([a-z]*)\s*)?")
_PIXELS = {"": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "pt": 4 / 3, "in": 96.0, "vw": 12.8, "vh": 8.0}


def _calculated(value: str) -> str:
    """A value with plain sums worked out, in pixels of an ordinary screen."""
    return _CALC.sub(_sum, value[:_MOST_VALUE])


def _sum(found: re.Match[str]) -> str:
    total, at, lengths = 0.0, 0, False
    while at < len(found[1]):
        term = _TERM.match(found[1], at)
        if term is None or term[3] not in _PIXELS or (at > 0 and not term[1]):
            return found[0]
        amount = float(term[2]) * _PIXELS[term[3]]
        if term[4]:
            factor = float(term[5]) * _PIXELS.get(term[6], 0.0)
            amount = amount * factor if term[4] == "*" else amount / factor if factor else 0.0
        total += -amount if term[1] == "-" else amount
        lengths = lengths or bool(term[3] or term[6])
        at = term.end()
    return f"{total:.3f}{'px' if lengths else ''}"


def _shortened(sheets: list[str]) -> list[str]:
    left = _MOST_CHARACTERS
    result: list[str] = []
    for sheet in sheets:
        text = sheet[:left]
        left -= len(text)
        if text:
            result.append(_plain(text).replace(" :", ":").replace(":  ", ":").replace(": ", ":"))
    return result


def _rules_at(
    sheets: list[str], signs: tuple[str, ...], *, loosely: bool = False, widely: bool = False, broadly: bool = False
) -> list[Rule]:
    """
    The rules in whose text one of the signs stands.

    Args:
        loosely: Take rules that apply at times too, with `UNSURE` for their values.
        widely: Take what rules show on an ordinary screen too.
        broadly: Find the signs in capitals, and what moves things away.
    """
    rules: list[Rule] = []
    order = 0
    for number, sheet in enumerate(sheets):
        depth = counted = 0
        seen = -1
        known: dict[int, _Around] = {}
        for at in _places(sheet, signs, broadly=broadly):
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
            around = _around(sheet, start, known) if depth > 0 else _PLAINLY
            if not (around.always or loosely or (widely and around.on_desktops)):
                continue
            place = number * _MOST_CHARACTERS + start
            if loosely:
                rules += _loose_rules(head, declarations(sheet[start + 1 : end]), place, always=around.always)
            else:
                rules += _strict_rules(head, read(sheet[start + 1 : end]), place, around)
            if order > _MOST_RULES:
                return rules
    return rules


def _strict_rules(
    head: str, declared: tuple[Declarations, Declarations], place: int, around: _Around
) -> Iterator[Rule]:
    """The rules of a list of selectors, one for what is declared plainly and one for what is important."""
    weak, strong = declared
    if not around.always:
        # Of a rule that depends on the screen, only that it shows is believed.
        weak, strong = ({n: value for n, value in told.items() if value not in _HIDING} for told in declared)
    for one in selectors.listed(head):
        rule = selectors.rule(one, weak, place)
        if rule is None:
            continue
        # Layers are weaker than what stands outside, and stronger in what is important.
        if weak:
            yield _raised(rule, -_LAYERED) if around.layered else rule
        if strong:
            yield replace(_raised(rule, _IMPORTANT + _LAYERED * around.layered), declarations=strong)


def _raised(rule: Rule, by: int) -> Rule:
    return replace(rule, weight=(rule.weight[0] + by, *rule.weight[1:]))


_HIDING = ("none", "hidden", "0", "collapse")


def _loose_rules(head: str, declared: Declarations, place: int, *, always: bool) -> list[Rule]:
    """Rules with their states and pseudo-elements left away."""
    unsure = dict.fromkeys(declared, UNSURE)
    rules: list[Rule] = []
    for one in head.split(","):
        selector = one.strip().replace(":root", "html")
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


def _places(sheet: str, signs: tuple[str, ...], *, broadly: bool) -> list[int]:
    found: list[int] = []
    # Only in ASCII is a place in the one text sure to be the same place in the other.
    if broadly and sheet.isascii():
        sheet = sheet.lower()
    for sign in signs:
        at = sheet.find(sign)
        while at >= 0 and len(found) < 4 * _MOST_RULES:
            found.append(at)
            at = sheet.find(sign, at + len(sign))
    for sign in _MINUS if broadly else ():
        at = sheet.find(sign)
        while at >= 0 and len(found) < 4 * _MOST_RULES:
            if sheet[at + 2 : at + 5].isdigit():
                found.append(at)
            at = sheet.find(sign, at + 2)
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


class _Around(NamedTuple):
    """What the blocks around a rule say of it."""

    always: bool = True
    """It holds on every screen."""
    on_desktops: bool = True
    layered: bool = False


_PLAINLY = _Around()
_NEVER = _Around(always=False, on_desktops=False)


def _around(sheet: str, start: int, known: dict[int, _Around]) -> _Around:
    """
    What the blocks around a rule say of it.

    Args:
        known: Answers by place, kept between calls: rules of one block share theirs.
    """
    depth = 0
    at = start
    passed: list[int] = []
    answer = _PLAINLY
    for _ in range(_MOST_STEPS):
        opened, closed = sheet.rfind("{", 0, at), sheet.rfind("}", 0, at)
        if opened < 0:
            break
        at = max(opened, closed)
        if not depth:
            if at in known:
                answer = _both(answer, known[at])
                break
            passed.append(at)
        if closed > opened:
            depth += 1
        elif depth:
            depth -= 1
        else:
            head_start = max(sheet.rfind("}", 0, at), sheet.rfind("{", 0, at), sheet.rfind(";", 0, at)) + 1
            answer = _both(answer, _block(sheet[head_start:at].strip()))
            if not answer.on_desktops:
                break
    else:
        answer = _NEVER
    known.update(dict.fromkeys(passed, answer))
    return answer


def _both(one: _Around, other: _Around) -> _Around:
    return _Around(one.always and other.always, one.on_desktops and other.on_desktops, one.layered or other.layered)


def _block(head: str) -> _Around:
    found = _BLOCK.match(head.lower())
    if found is None:
        return _NEVER
    name, condition = found[1], found[2].strip()
    if name == "layer":
        return _Around(layered=True)
    if name == "supports":
        # What is not supported is older than any reader of today.
        return _NEVER if condition.startswith("not") else _PLAINLY
    queries = [_query(one) for one in condition[:_MOST_SELECTOR].split(",")] if condition else [_PLAINLY]
    return _Around(any(query.always for query in queries), any(query.on_desktops for query in queries))


_BLOCK = re.compile(r"@(layer|supports|media)\b(.*)", re.DOTALL)
_FEATURE = re.compile(r"\(\s*(?:(min|max)-)?(width|height)\s*(:|[<>]=?)\s*(\d+\.?\d*)\s*(px|r?em)?\s*\)")
# In pixels: no screen is smaller or larger than the outer two, and the middle one is an ordinary desktop's.
_SCREENS = {"width": (320, 1280, 10_000), "height": (1, 720, 10_000)}


def _query(query: str) -> _Around:
    """What one media query says: only types and sizes are looked into."""
    answer = _PLAINLY
    for part in query.split(" and "):
        word = part.strip().removeprefix("only ").strip()
        if word in ("screen", "all", "not print", "not speech", "(color)"):
            continue
        found = _FEATURE.fullmatch(word)
        if found is None:
            return _NEVER
        amount = float(found[4]) * (16 if "em" in (found[5] or "") else 1)
        smallest, ordinary, largest = _SCREENS[found[2]]
        if found[1] == "min" or found[3][0] == ">":
            answer = _both(answer, _Around(amount <= smallest, amount <= ordinary))
        elif found[1] == "max" or found[3][0] == "<":
            answer = _both(answer, _Around(amount >= largest, amount >= ordinary))
        else:
            return _NEVER
    return answer
