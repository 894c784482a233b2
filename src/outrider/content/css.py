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

from outrider.content import declarations, selectors
from outrider.content.declarations import Declarations
from outrider.content.dom import Key, Tree
from outrider.content.selectors import Compound, Rule
from outrider.content.sheets import IMPORTANT, UNSURE, rules_at, shortened

# Kinds of elements whose every rule is looked up, each by a search through the sheets.
_MOST_KINDS = 150
# Rules tried on elements, all told: a page of many rules for one class and many elements of it would take minutes.
_MOST_MATCHES = 300_000

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
        self._sheets = shortened(sheets)
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
        for _, group in groupby(rules_at(self._sheets, signs, broadly=True), lambda rule: id(rule.steps)):
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
            own = declarations.of(tree.attribute(key, "style") or "")
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
            for rule in rules_at(self._sheets, (name,), loosely=True):
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
            rules = rules_at(self._sheets, (written,), widely=True) if len(self._others) < _MOST_KINDS else []
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
    weak, strong = declarations.read(style)
    return [Rule((), (), weak, (_OWN, 0, 0, 0)), Rule((), (), strong, (IMPORTANT + _OWN, 0, 0, 0))]


# More than any layer weighs, and less than what is important.
_OWN = 10_000


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
