"""Which elements a person would not see, by their attributes and the page's own styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass

from outrider.content import colours, declarations, folded, geometry
from outrider.content.backdrop import Backdrop
from outrider.content.colours import CLEAR
from outrider.content.css import Styles
from outrider.content.declarations import Declarations
from outrider.content.dom import Key, Tree

# Text for screen readers is small by nature; a long one uses the name as a disguise.
_SCREEN_READER = re.compile(
    r"sr-only|visually-?hidden|screen-?reader|assistive|a11y|accessib|skip-?link|visuallyhidden|element-invisible",
    re.IGNORECASE,
)
_MOST_SCREEN_READER = 300
# Shown by a script once it comes into view.
_ANIMATED = re.compile(
    r"animat|fade|reveal|\baos\b|wow|motion|framer|elementor|lazy|in-?view|scroll|transition|parallax|load",
    re.IGNORECASE,
)
# Attributes of the libraries that show parts of a page with effects.
_EFFECTS = frozenset({"data-w-id", "data-aos", "data-framer-name", "data-sal", "data-scroll", "data-animate"})
# A page that fades in as a whole is no hiding place.
_MOST_OF_PAGE = 0.3
_LEAST_OF_PAGE = 500
_LEAST_OPACITY = 0.05
# Sizes that do not depend on the size around them.
_OWN_SIZE = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:px|rem|pt|vw|vh|mm|cm|q|pc|in)|(?:x{0,3}-)?(?:small|large)|medium")
# An element whose own size or colour is set again below for most of its text hides nothing.
_MOST_SET_AGAIN = 0.5
_MOST_BELOW = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known of how an element shows."""

    given: dict[str, str | None]
    style: Declarations
    """The page's rules and the element's own, together."""

    @property
    def names(self) -> str:
        """Class, id and role in one text."""
        return folded.names_of(self.given)


def look(tree: Tree, key: Key, styles: Styles | None) -> Look:
    """
    Gather what is declared for an element.

    Args:
        styles: The page's rules, where one of them can apply.
    """
    given = dict(tree.attributes(key))
    style = styles.of(tree, key) if styles is not None else declarations.of(given.get("style") or "")
    if tree.tags[key] == "font" and given.get("color") and "color" not in style:
        style = {**style, "color": (given["color"] or "").strip().lower()}
    if "popover" in given:
        # What browsers declare for it.
        style = {"--popover": "", **style}
    return Look(given=given, style=style)


def may_hide(*, tells_all: bool) -> Callable[[Declarations], bool]:
    """
    What tells whether a rule of a page can hide what it applies to.

    Args:
        tells_all: Whether all of the page's styles stand in it, so that a colour can be held against what is behind it.
    """
    return lambda style: hides({**_WITH_ANOTHER, **style}) or (tells_all and _has_ink(style))


# What another rule for the same element may add.
_WITH_ANOTHER = {"position": "absolute", "overflow": "hidden"}


def hides(style: Declarations) -> bool:
    """Whether declarations hide an element by themselves."""
    return (
        _is_unseen(style)
        or geometry.is_without_size(style)
        or geometry.is_off_screen(style)
        or _is_transparent(style)
        or _is_like(_ink(style), style)
    )


def is_hidden(tree: Tree, key: Key, found: Look, *, controls: Container[object], backdrop: Backdrop) -> bool:
    """
    Whether a person would not see an element.

    Args:
        controls: Ids that something in the page opens and closes.
    """
    if _is_undisplayed(key, found, backdrop) or (found.style and _is_out_of_sight(tree, key, found, backdrop)):
        if _is_only_invisible(found.style) and _is_declared_again(tree, key, backdrop, "visibility"):
            return False
        return not (folded.is_folded(tree, key, found.given, controls) or _is_opened(tree, key, found))
    return bool(found.style) and _blends(tree, key, found.style, backdrop) and not _is_the_page(tree, key)


def _is_out_of_sight(tree: Tree, key: Key, found: Look, backdrop: Backdrop) -> bool:
    style = found.style
    if geometry.is_without_size(style) or geometry.is_off_screen(style):
        if _SCREEN_READER.search(found.names) and tree.text_length(key) <= _MOST_SCREEN_READER:
            return False
        if geometry.is_indented(style) and _is_declared_again(tree, key, backdrop, "text-indent"):
            return False
        return not (geometry.has_no_letters(style) and _is_sized_again(tree, key, backdrop))
    if not _is_transparent(style):
        return False
    if _ink(style) == CLEAR and _is_coloured_again(tree, key, backdrop):
        return False
    return not (
        _ANIMATED.search(found.names) or _moves(found) or _is_the_page(tree, key) or _fades_in(tree, key, style)
    )


def _is_opened(tree: Tree, key: Key, found: Look) -> bool:
    # What waits to be opened is in its place and has letters.
    return not (geometry.is_off_screen(found.style) or geometry.has_no_letters(found.style)) and folded.is_opened(
        tree, key, found.given
    )


def _is_the_page(tree: Tree, key: Key) -> bool:
    length = tree.text_length(key)
    return length > _LEAST_OF_PAGE and length > _MOST_OF_PAGE * tree.text_length(0)


def is_aria_hidden(found: Look) -> bool:
    """Whether an element is declared to be no text."""
    return found.given.get("aria-hidden") == "true"


def _is_undisplayed(key: Key, found: Look, backdrop: Backdrop) -> bool:
    given, style = found.given, found.style
    if "popover" in given or ("hidden" in given and (given["hidden"] or "").lower() != "until-found"):
        # Every rule that displays beats the attribute; a sheet that is not here most often says otherwise.
        shown = backdrop.declared(key, "display") if backdrop.tells_all else {}
        return {**shown, **style}.get("display", "none") == "none" or _is_unseen(style)
    return bool(style) and _is_unseen(style)


def _is_only_invisible(style: Declarations) -> bool:
    """Whether an element hides by what another below it can take back."""
    return (
        style.get("visibility") in ("hidden", "collapse")
        and style.get("display") != "none"
        and not (geometry.is_off_screen(style) or _is_transparent(style))
    )


def _is_unseen(style: Declarations) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or style.get("content-visibility") == "hidden"
    )


def _is_sized_again(tree: Tree, key: Key, backdrop: Backdrop) -> bool:
    """Whether most of the text below has a size of its own: no size closes the gaps between blocks in a line."""

    def sizes(below: Key) -> bool:
        style = backdrop.declared(below, "font")
        return _OWN_SIZE.search(
            style.get("font-size") or style.get("font", "")
        ) is not None and not geometry.has_no_letters(style)

    return _is_set_again(tree, key, sizes)


def _is_coloured_again(tree: Tree, key: Key, backdrop: Backdrop) -> bool:
    return _is_set_again(tree, key, lambda below: bool(_ink(backdrop.declared(below, "color"))))


def _is_declared_again(tree: Tree, key: Key, backdrop: Backdrop, name: str) -> bool:
    """Whether most of the text below is set to be seen after all."""
    return _is_set_again(tree, key, lambda below: backdrop.declared(below, name).get(name) in ("visible", "0", "0px"))


def _is_set_again(tree: Tree, key: Key, sets: Callable[[Key], bool]) -> bool:
    """Whether most text below an element stands in elements for which something holds."""
    total, again = tree.text_length(key), 0
    at, end = key + 1, min(tree.ends[key], key + _MOST_BELOW)
    while at < end:
        if tree.tags[at] and sets(at):
            again += tree.text_length(at)
            at = tree.ends[at]
            continue
        at += 1
    return again > 0 and again >= _MOST_SET_AGAIN * total


def _is_transparent(style: Declarations) -> bool:
    opacity = geometry.LENGTH.match(style.get("opacity", ""))
    if opacity and float(opacity[1]) / (100 if opacity[2] == "%" else 1) <= _LEAST_OPACITY:
        return True
    if _NO_OPACITY.search(style.get("filter", "")) or geometry.is_masked(style):
        return True
    return _ink(style) == CLEAR and not _is_outlined(style) and not _is_painted_through(style)


def _is_painted_through(style: Declarations) -> bool:
    """Whether a background shows through letters without a colour."""
    clip = style.get("background-clip", "") + style.get("-webkit-background-clip", "") + style.get("background", "")
    return "text" in clip


_NO_OPACITY = re.compile(r"opacity\(\s*0*(?:\.0\d*)?%?\s*\)")


def _ink(style: Declarations) -> str | None:
    """The colour that is declared for the text."""
    if "color" not in style and "-webkit-text-fill-color" not in style:
        return None
    return colours.colour(style.get("-webkit-text-fill-color") or style.get("color"))


def _has_ink(style: Declarations) -> bool:
    return bool(_ink(style))


def _is_outlined(style: Declarations) -> bool:
    """Whether a shadow or a stroke shows letters that have no colour of their own."""
    return any(
        style.get(name, "none") not in ("none", "", "0", "initial", "unset") and _NO_SHADOW.search(style[name]) is None
        for name in ("text-shadow", "-webkit-text-stroke")
    )


# Without a colour, or without an extent in white.
_NO_SHADOW = re.compile(r"transparent|#0{4}(?:0{4})?\b|(?:^|\s)(?:white|#fff|#ffffff)(?:\s|$)")


def _is_like(ink: str | None, style: Declarations) -> bool:
    """Whether text has the colour of its own background."""
    value = style.get("background-color") or style.get("background") or ""
    if not value or "background-image" in style:
        return False
    if value == "currentcolor" or (value == style.get("color") and value.isalpha() and value not in _NO_COLOUR):
        return True
    paper = colours.paper(value)
    return bool(ink) and bool(paper) and colours.are_near(ink or "", paper or "")


_NO_COLOUR = frozenset({"inherit", "initial", "unset", "revert", "transparent", "none"})


def _blends(tree: Tree, key: Key, style: Declarations, backdrop: Backdrop) -> bool:
    """Whether the text has the colour of what is behind it."""
    ink = _ink(style)
    if not _is_like(ink, style) and not (ink and backdrop.swallows(key, ink)):
        return False
    if _is_outlined(style):
        return False

    def paints(below: Key) -> bool:
        return tree.tags[below] == "a" or backdrop.declares(below, ("color", "background", "background-color"))

    return not _is_set_again(tree, key, paints)


def _fades_in(tree: Tree, key: Key, style: Declarations) -> bool:
    """Whether a page that shows its parts with effects has yet to show one of them."""
    return not _EFFECTS.isdisjoint(tree.index.attributes) and not _is_unseen(style) and folded.has_structure(tree, key)


def _moves(found: Look) -> bool:
    style = found.style
    return any(
        style.get(name, "none") not in ("none", "auto")
        for name in ("transform", "transition", "animation", "will-change")
    ) or any(
        name.startswith(("data-aos", "data-animation", "data-w-id", "data-framer", "data-scroll", "data-anim"))
        for name in found.given
    )
