"""Whether style rules leave an element without size, or put it where nobody looks."""

from __future__ import annotations

import re

from outrider.content.declarations import Declarations, four

LENGTH = re.compile(r"^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z%]*)$")
_OFF_SCREEN_PX = -500.0
_OFF_SCREEN_REM = -50.0
_OFF_SCREEN_PERCENT = -99.0
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
    r"translate(?:3d|x|y)?\(\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?\s*(?:,\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?)?"
    r"|matrix\((?:[^,()]*,){4}\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)"
)
_SHIFTED = {"px": -2_000.0, "em": -150.0, "rem": -150.0, "vw": -150.0, "vh": -150.0}
_NOTHING = r"[+-]?(?:0+(?:\.0*|\.00\d*)?|\.(?:0+|00\d*)|\d\.?\d*e-\d+)%?"
_NO_SCALE = re.compile(
    rf"scale(?:3d|x|y)?\(\s*{_NOTHING}\s*[,)]|scale(?:3d)?\([^,()]*,\s*{_NOTHING}\s*[,)]"
    r"|matrix(?:3d)?\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0\s*,"
)
_ON_EDGE = re.compile(
    r"rotate(?:[xy]|3d)\((?:[^()]*,)?\s*-?(?:(?:90|270)deg|0?\.[27]5turn|[13]00grad)\s*\)|skew[xy]?\(\s*90deg"
)
_CIRCLE = re.compile(r"(?:circle|ellipse)\(\s*0(?![\d.])|xywh\(\s*\S+\s+\S+\s+(?:0[a-z%]*\s|\S+\s+0[a-z%]*\s*[)r])")
_RECT = re.compile(r"rect\(([^()]*)\)")
_INSET = re.compile(r"inset\(\s*([^()a-z]*?(?:[^()]*?)?)\s*(?:round[^()]*)?\)")
_POLYGON = re.compile(r"polygon\(\s*(?:(?:evenodd|nonzero)\s*,)?([^()]*)\)")
_LEAST_FONT_PX = 1.0
_FONT = re.compile(r"(?:^|\s)0(?:px|em|rem|pt|%)?(?:[\s/]|$)")
_LEAST_ZOOM = 0.05
_CUTS = frozenset({"hidden", "clip"})
# These cut off too, and let scroll what has some height.
_SCROLLS = frozenset({"auto", "scroll", "overlay"})
_PIXELS = {"": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "pt": 4 / 3, "ex": 8.0, "lh": 20.0, "vw": 12.8, "vh": 8.0}
_HUGE_PX, _MOST_VALUE = 1_000.0, 400
# What a gradient may say without a colour.
_PLACES = ("linear", "radial", "conic", "gradient", "to", "top", "left", "right", "bottom", "deg", "at", "circle", "px")
_CLEAR_WORDS = frozenset({*_PLACES, "transparent", "#0000", "#00000000"})


def is_without_size(style: Declarations) -> bool:
    """Whether nothing of an element has an extent."""
    if "clip-path" in style and _clips_all(style["clip-path"]):
        return True
    if "clip" in style and style.get("position") in ("absolute", "fixed") and _is_cut_out(style["clip"]):
        return True
    if "transform" in style or "scale" in style or "rotate" in style:
        transform = _transform(style)
        if _NO_SCALE.search(transform) or _ON_EDGE.search(transform):
            return True
    if ("font-size" in style or "font" in style) and has_no_letters(style):
        return True
    if "zoom" in style and (zoom := LENGTH.match(style["zoom"])):
        return 0 < float(zoom[1]) <= _LEAST_ZOOM * (100 if zoom[2] == "%" else 1)
    return _is_cut_off(style)


def has_no_letters(style: Declarations) -> bool:
    """Whether the letters are too small to be seen."""
    size = LENGTH.match(style.get("font-size", ""))
    if not size:
        return "font-size" not in style and _FONT.search(style.get("font", "")) is not None
    amount, unit = float(size[1]), size[2]
    return amount == 0 or amount <= {"px": _LEAST_FONT_PX, "pt": _LEAST_FONT_PX, "%": 5.0, "em": 0.05}.get(unit, 0.02)


def is_off_screen(style: Declarations) -> bool:
    """Whether an element lies, or its text begins, far beyond the edges of the page."""
    position = style.get("position")
    if position in ("absolute", "fixed", "relative") and (
        _is_placed_far(style, "left", "right", position) or _is_placed_far(style, "top", "bottom", position)
    ):
        return True
    if _is_pushed_far(style, "left") or _is_pushed_far(style, "top"):
        return True
    if is_indented(style):
        return True
    if "transform" not in style and "translate" not in style:
        return False
    return any(_shifts(found) for found in _SHIFT.finditer(_transform(style)))


def is_indented(style: Declarations) -> bool:
    """Whether lines begin far beyond the edges of the page, or where their box ends and cuts them off."""
    if "text-indent" not in style:
        return False
    found = LENGTH.match(style["text-indent"])
    return _is_far(style["text-indent"], sideways=True) or (
        found is not None and found[2] == "%" and float(found[1]) >= 100 and bool(_overflow(style) & _CUTS)
    )


def is_masked(style: Declarations) -> bool:
    """Whether nothing of an element comes through its mask."""
    mask = style.get("mask-image") or style.get("mask", "")
    return "gradient(" in mask and _CLEAR_WORDS.issuperset(re.findall(r"#?[a-z]+|#\w+", mask[:_MOST_VALUE]))


def _transform(style: Declarations) -> str:
    """Everything that moves or turns an element, written as one value."""
    axis, _, angle = style.get("rotate", "").partition(" ")
    scale, shift = (",".join(style.get(name, "").split()) for name in ("scale", "translate"))
    return f"{style.get('transform', '')} rotate{axis}({angle}) scale({scale}) translate({shift})"


def _clips_all(clip: str) -> bool:
    if _CIRCLE.search(clip):
        return True
    if found := _INSET.search(clip):
        amounts = [_share(part) for part in found[1].split()]
        top, right, bottom, left = four(amounts if 0 < len(amounts) <= 4 else [0.0])
        return top + bottom >= 100 or left + right >= 100
    if found := _POLYGON.search(clip):
        points = [part.split() for part in found[1].split(",")]
        return any(len({point[side] for point in points if len(point) == 2}) == 1 for side in (0, 1))
    return _is_cut_out(clip)


def _share(side: str) -> float:
    """How much of an element, in hundredths, an inset takes away; a length does only when it is longer than any."""
    found = LENGTH.match(side)
    if not found:
        return 0.0
    return float(found[1]) if found[2] == "%" else 100.0 * (float(found[1]) >= _HUGE_PX)


def _is_cut_out(clip: str) -> bool:
    """Whether a `rect()` leaves nothing."""
    found = _RECT.search(clip)
    if not found:
        return False
    sides = [LENGTH.match(side) for side in found[1].replace(",", " ").split()]
    if len(sides) != 4:
        return False
    top, right, bottom, left = (float(side[1]) if side else None for side in sides)
    return (bottom is not None and bottom <= (top or 0)) or (right is not None and right <= (left or 0))


def _overflow(style: Declarations) -> set[str]:
    return {word for name in ("overflow", "overflow-x", "overflow-y") for word in style.get(name, "").split()}


def _is_cut_off(style: Declarations) -> bool:
    """Whether a box without an extent cuts its text off."""
    overflow, contained = _overflow(style), style.get("contain", "").split()
    cuts = not overflow.isdisjoint(_CUTS) or not {"paint", "strict", "content"}.isdisjoint(contained)
    if not (cuts or not overflow.isdisjoint(_SCROLLS)) or _grows(style):
        return False
    least = 1.0 if cuts else 0.0
    if cuts and not {"size", "strict"}.isdisjoint(contained) and _pixels(style.get("height", "0")) == 0:
        return _is_narrow(style, "height", least=least, default=0.0)
    return _is_narrow(style, "height", least=least) or _is_narrow(style, "width", least=least)


def _grows(style: Declarations) -> bool:
    """Whether a size is only where an element starts to grow from."""
    flex = style.get("flex-grow") or style.get("flex", "0")
    return flex[:1] not in ("0", "n", "i", "u")


def _is_narrow(style: Declarations, name: str, *, least: float, default: float | None = None) -> bool:
    sizes = [_pixels(style.get(name)), _pixels(style.get(f"max-{name}")), default]
    if not any(size is not None and 0 <= size <= least for size in sizes):
        return False
    if (_pixels(style.get(f"min-{name}")) or 0) > 1:
        return False
    # Padding makes room for what is placed in it.
    before, after = ("padding-top", "padding-bottom") if name == "height" else ("padding-left", "padding-right")
    return style.get(before, "")[-1:] != "%" and style.get(after, "0") in ("0", "0px", "0em", "0rem", "0%")


def _shifts(found: re.Match[str]) -> bool:
    amounts = ((found[1] or found[5], found[2], True), (found[3] or found[6], found[4], False))
    return any(
        float(amount) <= _SHIFTED.get(unit or ("px" if found[5] else ""), -float("inf"))
        or (sideways and "y(" not in found[0] and unit == "px" and float(amount) >= _LIMITS["px"][1])
        for amount, unit, sideways in amounts
        if amount and _is_number(amount)
    )


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and text not in ("-", ".", "-.")


def _is_placed_far(style: Declarations, side: str, opposite: str, position: str) -> bool:
    sideways = side == "left"
    value = style.get(side, "auto")
    if value != "auto":
        return _is_far(value, sideways=sideways) or (position == "fixed" and _is_beyond(value))
    value = style.get(opposite, "auto")
    # Far from the right edge is beyond the left one, and so with the others.
    return _is_far(value, sideways=True) or (
        position != "relative" and _is_beyond(value, only="vw vh" if position != "fixed" else "")
    )


def _is_beyond(value: str | None, *, only: str = "") -> bool:
    """Whether an offset is as large as the screen."""
    found = LENGTH.match(value or "")
    return found is not None and float(found[1]) >= 100 and found[2] in (only or "% vw vh").split()


def _is_pushed_far(style: Declarations, side: str) -> bool:
    margin, padding = style.get(f"margin-{side}"), style.get(f"padding-{side}")
    if margin is None or not _is_far(margin, sideways=side == "left"):
        return False
    # A background is drawn far out in this way, and the text stays in its place.
    pushed, back = LENGTH.match(margin), LENGTH.match(padding or "")
    return not (pushed and back and pushed[2] == back[2] and float(pushed[1]) + float(back[1]) > _OFF_SCREEN_REM)


def _is_far(value: str | None, *, sideways: bool) -> bool:
    found = LENGTH.match(value or "")
    if not found:
        return False
    amount, unit = float(found[1]), found[2]
    near, far = _LIMITS.get(unit, (_OFF_SCREEN_REM, _FAR_REM))
    # Pages are long, and not wide.
    return amount <= near or (sideways and amount >= far)


def _pixels(value: str | None) -> float | None:
    """A length in pixels; of a share only that it is nothing."""
    found = LENGTH.match(value or "")
    if not found or (found[2] == "%" and float(found[1])):
        return None
    return float(found[1]) * (_PIXELS.get(found[2]) or 0.0) if found[2] in _PIXELS or found[2] == "%" else None
