"""Which elements a person would not see, by their attributes and the page's own styles."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from outrider.content import css
from outrider.content.css import Declarations, Styles
from outrider.content.dom import Key, Tree

# Text that is folded away until somebody asks for it is the page's own and is read.
_FOLDED = re.compile(
    r"accordion|collaps|\btabs?\b|tab[-_]?(?:pane|panel|content|item)|tabpanel|panel|expand|toggle|drawer"
    r"|disclosure|faq|answer|spoiler|read-?more|show-?more"
    r"|slide|carousel|swiper|dropdown-content|details|folded|hidden-content|more-text|truncat",
    re.IGNORECASE,
)
_HANDLE = re.compile(
    r"accordion|toggle|trigger|tab|header|heading|title|summary|question|button|btn|expand|collaps", re.IGNORECASE
)
# A part of a page that React sends late: a script moves it to its place as soon as it arrives.
_STREAMED = re.compile(r"S:[0-9a-f]+$")
# Hidden on small screens only, in the words of the two most used style frameworks.
_RESPONSIVE = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop):!?(?:block|flex|grid|inline|table|contents|visible|opacity-100)|d-(?:sm|md|lg|xl)-(?:block|flex|grid|inline|table))"
)
_FOLDED_ROLES = frozenset({"tabpanel", "region"})
# Text for screen readers is small by nature; a long one uses the name as a disguise.
_SCREEN_READER = re.compile(
    r"sr-only|visually-?hidden|screen-?reader|assistive|a11y|accessib|skip-?link|visuallyhidden|element-invisible",
    re.IGNORECASE,
)
_MOST_SCREEN_READER = 300
_MOST_SIBLINGS = 8
# Shown by a script once it comes into view.
_ANIMATED = re.compile(
    r"animat|fade|reveal|\baos\b|wow|motion|framer|elementor|lazy|in-?view|scroll|transition|parallax|load",
    re.IGNORECASE,
)
# A page that fades in as a whole is no hiding place.
_MOST_OF_PAGE = 0.3
_LEAST_OF_PAGE = 500
_LENGTH = re.compile(r"^(-?(?:\d+\.?\d*|\.\d+))\s*([a-z%]*)$")
_OFF_SCREEN_PX = -500.0
_OFF_SCREEN_REM = -50.0
_OFF_SCREEN_PERCENT = -99.0
_OFFSETS = ("left", "top", "right", "bottom", "margin-left", "margin-top", "inset-inline-start")
_SHIFT = re.compile(
    r"translate(?:3d|x|y)?\(\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?\s*(?:,\s*(-?[\d.]+)(px|%|vw|vh|em|rem)?)?", re.IGNORECASE
)
_NO_SCALE = re.compile(r"scale(?:3d|x|y)?\(\s*0*\.?0*\s*[,)]", re.IGNORECASE)
_CLIPPED = re.compile(
    r"rect\(\s*0(?:px)?[\s,]+0(?:px)?[\s,]+0(?:px)?|rect\(\s*1px[\s,]+1px[\s,]+1px|inset\(\s*(?:50|100)%|circle\(\s*0",
    re.IGNORECASE,
)
_NAMED_COLOURS = {"white": "ffffff", "black": "000000", "transparent": ""}
_HEX = re.compile(r"^#([0-9a-f]{3,8})$")
_RGB = re.compile(r"^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*([\d.]+%?))?\s*\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known of how an element shows."""

    given: dict[str, str | None]
    style: Declarations
    """The page's rules and the element's own, together."""

    @property
    def names(self) -> str:
        """Class, id and role in one text."""
        return f"{self.given.get('class') or ''} {self.given.get('id') or ''} {self.given.get('role') or ''}"


def look(tree: Tree, key: Key, styles: Styles | None) -> Look:
    """
    Gather what is declared for an element.

    Args:
        styles: The page's rules, where one of them can apply.
    """
    given = dict(tree.attributes(key))
    style = styles.of(tree, key) if styles is not None else {}
    own = given.get("style")
    if own:
        style = {**style, **css.declarations(own)}
    return Look(given=given, style=style)


def hides(style: Declarations) -> bool:
    """Whether declarations hide an element by themselves."""
    return _is_unseen(style) or _is_without_size(style) or _is_off_screen(style) or _is_transparent(style)


def is_hidden(tree: Tree, key: Key, found: Look, *, controls: Container[object]) -> bool:
    """
    Whether a person would not see an element.

    Args:
        controls: Ids that something in the page opens and closes.
    """
    if _is_undisplayed(found):
        return not _is_folded(tree, key, found, controls)
    if found.style and (_is_without_size(found.style) or _is_off_screen(found.style)):
        if _SCREEN_READER.search(found.names) and tree.text_length(key) <= _MOST_SCREEN_READER:
            return False
        return not _is_folded(tree, key, found, controls)
    if found.style and _is_transparent(found.style):
        if _ANIMATED.search(found.names) or _moves(found) or _is_the_page(tree, key):
            return False
        return not _is_folded(tree, key, found, controls)
    return False


def _is_the_page(tree: Tree, key: Key) -> bool:
    length = tree.text_length(key)
    return length > _LEAST_OF_PAGE and length > _MOST_OF_PAGE * tree.text_length(0)


def is_aria_hidden(found: Look) -> bool:
    """Whether an element is declared to be no text."""
    return found.given.get("aria-hidden") == "true"


def _is_undisplayed(found: Look) -> bool:
    if "hidden" in found.given and found.given["hidden"] != "until-found":
        return found.style.get("display", "none") in ("none", "")
    return bool(found.style) and _is_unseen(found.style)


def _is_unseen(style: Declarations) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or style.get("content-visibility") == "hidden"
    )


def _is_folded(tree: Tree, key: Key, found: Look, controls: Container[object]) -> bool:
    """Whether an element opens and closes, so that its text belongs to the page."""
    name = found.given.get("id")
    if name and (name in controls or _STREAMED.match(name)):
        return True
    if _RESPONSIVE.search(found.names) and "none" not in (found.given.get("style") or ""):
        return True
    if found.given.get("role") in _FOLDED_ROLES or "aria-labelledby" in found.given:
        return True
    return _FOLDED.search(found.names) is not None and _has_handle(tree, key)


def _has_handle(tree: Tree, key: Key) -> bool:
    """Whether something to click stands right before an element or its parent, or its siblings are panels as well."""
    for start in (key, tree.parents[key]):
        if start < 0 or tree.parents[start] < 0:
            return False
        sibling = tree.previous(start)
        elements = 0
        for _ in range(_MOST_SIBLINGS):
            if sibling is None or elements > 2:
                break
            if tree.tags[sibling]:
                elements += 1
                if not tree.skip[sibling] and _is_handle(tree, sibling, beside=elements == 1):
                    return True
            sibling = tree.previous(sibling)
    return False


def _is_handle(tree: Tree, key: Key, *, beside: bool) -> bool:
    tag = tree.tags[key]
    if tag in ("button", "summary", "label", "input", "dt", "h1", "h2", "h3", "h4", "h5", "h6"):
        return beside
    if tag not in ("a", "div", "span", "ul", "header"):
        return False
    return (
        tree.attribute(key, "aria-expanded") is not None
        or _HANDLE.search(tree.attribute(key, "class") or "") is not None
    )


def _is_without_size(style: Declarations) -> bool:
    clip = style.get("clip", "") + style.get("clip-path", "")
    if clip and _CLIPPED.search(clip):
        return True
    transform = style.get("transform", "")
    if transform and _NO_SCALE.search(transform):
        return True
    if _number(style.get("font-size")) == 0 or _font_is_nothing(style.get("font", "")):
        return True
    if "hidden" in style.get("overflow", "") or "clip" in style.get("overflow", ""):
        sizes = [_number(style.get(name)) for name in ("width", "height", "max-height", "max-width")]
        return any(size is not None and 0 <= size <= 1 for size in sizes)
    return False


def _font_is_nothing(font: str) -> bool:
    return bool(re.match(r"0(?:px|em|rem|pt|%)?[\s/]", font))


def _is_off_screen(style: Declarations) -> bool:
    if style.get("position") in ("absolute", "fixed", "relative") or any(
        name in style for name in ("margin-left", "margin-top")
    ):
        for name in _OFFSETS:
            if _is_far(style.get(name)):
                return True
    if _is_far(style.get("text-indent")):
        return True
    transform = style.get("transform", "")
    if transform and (found := _SHIFT.search(transform)):
        amounts = ((found[1], found[2]), (found[3], found[4]))
        return any(
            amount and unit == "px" and float(amount) <= -2000
            for amount, unit in amounts
            if amount and _is_number(amount)
        )
    return False


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and text not in ("-", ".")


def _is_far(value: str | None) -> bool:
    found = _LENGTH.match(value or "")
    if not found:
        return False
    amount, unit = float(found[1]), found[2]
    limit = {
        "px": _OFF_SCREEN_PX,
        "": _OFF_SCREEN_PX,
        "%": _OFF_SCREEN_PERCENT,
        "vw": _OFF_SCREEN_PERCENT,
        "vh": _OFF_SCREEN_PERCENT,
    }
    return amount <= limit.get(unit, _OFF_SCREEN_REM)


def _number(value: str | None) -> float | None:
    found = _LENGTH.match(value or "")
    return float(found[1]) if found and found[2] in ("", "px", "em", "rem", "pt", "%", "ex") else None


def _is_transparent(style: Declarations) -> bool:
    opacity = style.get("opacity", "")
    if opacity:
        found = _LENGTH.match(opacity)
        if found and float(found[1]) <= (1 if found[2] == "%" else 0.01):
            return True
    if "opacity(0" in style.get("filter", ""):
        return True
    ink = colour(style.get("color"))
    if ink is None:
        return False
    if ink == "":
        return "text" not in style.get("background-clip", "") + style.get("-webkit-background-clip", "")
    return ink == paper(style)


def _moves(found: Look) -> bool:
    style = found.style
    return any(name in style for name in ("transform", "transition", "animation", "will-change")) or any(
        name.startswith(("data-aos", "data-animation", "data-w-id", "data-framer", "data-scroll", "data-anim"))
        for name in found.given
    )


def paper(style: Declarations) -> str | None:
    """The colour behind the text of an element, as far as it is declared."""
    value = style.get("background-color") or style.get("background") or ""
    return colour(value) if value else None


def colour(value: str | None) -> str | None:
    """A colour as six hexadecimal digits; "" for a transparent one, None for one that is not told here."""
    value = (value or "").strip()
    if value in _NAMED_COLOURS:
        return _NAMED_COLOURS[value]
    if found := _HEX.match(value):
        digits = found[1]
        if len(digits) in (3, 4):
            digits = "".join(digit * 2 for digit in digits)
        return "" if len(digits) == 8 and digits[6:] == "00" else digits[:6]
    if found := _RGB.match(value):
        if found[4] is not None and float(found[4].rstrip("%") or 1) == 0:
            return ""
        return "".join(f"{min(255, int(part)):02x}" for part in found.group(1, 2, 3))
    return None
