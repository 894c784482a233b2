"""What a `style` attribute, or the body of a style rule, declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

Declarations = dict[str, str]
"""Names and values in lower case, by the plain names of what shorthands stand for."""

_T = TypeVar("_T")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)


def of(style: str) -> Declarations:
    """What a `style` attribute or the body of a rule declares in the end: names and values in lower case."""
    weak, strong = read(style)
    return {**weak, **strong} if strong else weak


def read(style: str) -> tuple[Declarations, Declarations]:
    """What a `style` attribute or the body of a rule declares plainly, and what it declares important."""
    weak: Declarations = {}
    strong: Declarations = {}
    for part in plain(style).split(";"):
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


def plain(text: str) -> str:
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
        into.update({form % side: one for side, one in zip(sides, four(values), strict=False)})
        return
    if name == "font" and (size := _FONT_SIZE.search(value[:_MOST_VALUE])):
        into["font-size"] = size[1]
    into[_SAME.get(name, name)] = value


def four(values: Sequence[_T]) -> Sequence[_T]:
    """
    For each side its value, from the top and on to the right, out of one to four.

    One is for all sides, two are for both of each pair, three leave the left to the right one's.
    """
    return (*values, values[1]) if len(values) == 3 else (tuple(values) * 4)[:4]


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
