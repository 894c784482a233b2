"""Whether style rules leave an element without size, or put it where nobody looks."""

from __future__ import annotations

import re

from outrider.content.css import Declarations

LENGTH = re.compile(r"^(-?(?:\d+\.?\d*|\.\d+))\s*([a-z%]*)$")
_OFF_SCREEN_PX = -500.0
_OFF_SCREEN_REM = -50.0
_OFF_SCREEN_PERCENT = -99.0
_OFFSETS = (
    "left", "top", "right", "bottom", "inset", "inset-inline-start", "inset-block-start",
)  # fmt: skip
_MARGINS = ("margin-left", "margin-top", "margin-inline-start")
_SIDEWAYS = frozenset({"left", "right", "inset", "inset-inline-start", "margin-left", "margin-inline-start"})
# Beyond which nobody looks, to the one side and to the other.
_FAR_REM = 500.0
_LIMITS = {
    "px": (_OFF_SCREEN_PX, 5_000.0),
    "": (_OFF_SCREEN_PX, 5_000.0),
    "%": (_OFF_SCREEN_PERCENT, 500.0),
    "vw": (_OFF_SCREEN_PERCENT, 500.0),
    "vh": (_OFF_SCREEN_PERCENT, 500.0),
}
_SHIFT = re.compile(
    r"translate(?:3d|x|y)?\(\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?\s*(?:,\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?)?", re.IGNORECASE
)
_SHIFTED = {"px": -2_000.0, "em": -150.0, "rem": -150.0, "vw": -150.0, "vh": -150.0}
_NO_SCALE = re.compile(r"scale(?:3d|x|y)?\(\s*0*(?:\.(?:0*|00\d*))?\s*[,)]", re.IGNORECASE)
_ON_EDGE = re.compile(r"rotate[xy]\(\s*-?(?:90|270)deg\s*\)")
_CLIPPED = re.compile(
    r"rect\(\s*0(?:px)?[\s,]+0(?:px)?[\s,]+0(?:px)?|rect\(\s*1px[\s,]+1px[\s,]+1px|(?:circle|ellipse)\(\s*0",
    re.IGNORECASE,
)
_INSET = re.compile(r"inset\(\s*([^()a-z]*?)\s*(?:round[^()]*)?\)")
_POLYGON = re.compile(r"polygon\(\s*(?:(?:evenodd|nonzero)\s*,)?([^()]*)\)")
_LEAST_FONT_PX = 1.0
_FONT = re.compile(r"(?:^|\s)0(?:px|em|rem|pt|%)?(?:[\s/]|$)")
_CUTS = ("hidden", "clip", "hidden hidden", "clip clip", "hidden auto", "auto hidden")
_SIZES = ("width", "height", "max-height", "max-width", "block-size", "inline-size")


def is_without_size(style: Declarations) -> bool:
    """Whether nothing of an element has an extent."""
    if ("clip" in style or "clip-path" in style) and _clips_all(
        f"{style.get('clip', '')} {style.get('clip-path', '')}"
    ):
        return True
    if "transform" in style or "scale" in style:
        transform = f"{style.get('transform', '')} scale({style.get('scale', '1')})"
        if _NO_SCALE.search(transform) or _ON_EDGE.search(transform):
            return True
    if ("font-size" in style or "font" in style) and has_no_letters(style):
        return True
    if any(style.get(name) in _CUTS for name in ("overflow", "overflow-x", "overflow-y")):
        sizes = [_number(style.get(name)) for name in _SIZES]
        return any(size is not None and 0 <= size <= 1 for size in sizes)
    return False


def has_no_letters(style: Declarations) -> bool:
    """Whether the letters are too small to be seen."""
    size = LENGTH.match(style.get("font-size", ""))
    if not size:
        return _FONT.search(style.get("font", "")) is not None
    amount, unit = float(size[1]), size[2]
    return amount == 0 or amount <= {"px": _LEAST_FONT_PX, "pt": _LEAST_FONT_PX, "%": 5.0, "em": 0.05}.get(unit, 0.02)


def is_off_screen(style: Declarations) -> bool:
    """Whether an element lies, or its text begins, far beyond the edges of the page."""
    if style.get("position") in ("absolute", "fixed", "relative") and any(
        _is_far(style.get(name), sideways=name in _SIDEWAYS) for name in _OFFSETS
    ):
        return True
    if any(_is_far(style.get(name), sideways=name in _SIDEWAYS) for name in _MARGINS if name in style):
        return True
    if "text-indent" in style and (_is_far(style["text-indent"], sideways=True) or _is_indented_away(style)):
        return True
    if "transform" not in style and "translate" not in style:
        return False
    transform = f"{style.get('transform', '')} translate({style.get('translate', '').replace(' ', ',')})"
    return any(_shifts(found) for found in _SHIFT.finditer(transform))


def _clips_all(clip: str) -> bool:
    if _CLIPPED.search(clip):
        return True
    if found := _INSET.search(clip):
        sides = [LENGTH.match(part) for part in found[1].split()]
        amounts = [float(side[1]) if side and side[2] == "%" else 0.0 for side in sides]
        # One value is for all sides, two are for both of each pair, three leave the left to the right one's.
        top, right, bottom, left = (amounts * 4)[:4] if len(amounts) != 3 else (*amounts, amounts[1])
        return top + bottom >= 100 or left + right >= 100
    if found := _POLYGON.search(clip):
        points = [part.split() for part in found[1].split(",")]
        return any(len({point[side] for point in points if len(point) == 2}) == 1 for side in (0, 1))
    return False


def _shifts(found: re.Match[str]) -> bool:
    return any(
        float(amount) <= _SHIFTED.get(unit or "", -float("inf"))
        for amount, unit in ((found[1], found[2]), (found[3], found[4]))
        if amount and _is_number(amount)
    )


def _is_indented_away(style: Declarations) -> bool:
    """Whether a line begins where its box ends, and what sticks out is cut off."""
    found = LENGTH.match(style.get("text-indent", ""))
    return found is not None and found[2] == "%" and float(found[1]) >= 100 and "hidden" in style.get("overflow", "")


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and text not in ("-", ".", "-.")


def _is_far(value: str | None, *, sideways: bool) -> bool:
    found = LENGTH.match(value or "")
    if not found:
        return False
    amount, unit = float(found[1]), found[2]
    near, far = _LIMITS.get(unit, (_OFF_SCREEN_REM, _FAR_REM))
    # Pages are long, and not wide.
    return amount <= near or (sideways and amount >= far)


def _number(value: str | None) -> float | None:
    found = LENGTH.match(value or "")
    return float(found[1]) if found and found[2] in ("", "px", "em", "rem", "pt", "%", "ex") else None
