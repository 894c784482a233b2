"""Text that is folded away until somebody asks for it: it belongs to the page and is read."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from outrider.content.dom import Key, Tree

_FOLDED = re.compile(
    r"accordion|collaps|\btabs?\b|tab[-_]?(?:pane|panel|content|item)|tabpanel|panel|expand|toggle|drawer"
    r"|disclosure|faq|answer|spoiler|read-?more|show-?more"
    r"|slide|carousel|swiper|dropdown-content|details|folded|hidden-content|more-text|truncat",
    re.IGNORECASE,
)
_SLIDE = re.compile(r"slide|carousel|swiper")
_FOLDED_ROLES = frozenset({"tabpanel", "region"})
_HANDLE = re.compile(
    r"accordion|toggle|trigger|tab|header|heading|title|summary|question|button|btn|expand|collaps", re.IGNORECASE
)
# A part of a page that React sends late: a script moves it to its place as soon as it arrives.
_STREAMED = re.compile(r"S:[0-9a-f]+$")
# Hidden on small screens only, in the words of the two most used style frameworks.
_RESPONSIVE = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop):!?(?:block|flex|grid|inline|table|contents|visible|opacity-100)|d-(?:sm|md|lg|xl)-(?:block|flex|grid|inline|table))"
)
_MOST_SIBLINGS = 8
# What opens over a page rather than in it: menus, dialogs, baskets, hints.
_OVERLAY = re.compile(
    r"menu|\bnav|dropdown|modal|popup|popover|dialog|tooltip|overlay|cart|basket|search|share|cookie|consent|login"
    r"|newsletter",
    re.IGNORECASE,
)
_OVERLAY_ROLES = frozenset(
    {"menu", "menubar", "navigation", "listbox", "dialog", "alertdialog", "alert", "tooltip", "status"}
)
_OVERLAY_TAGS = frozenset({"nav", "header", "footer", "form", "dialog"})
_MOST_ABOVE = 12
# A part of a page has structure of its own, other than a sentence that was slipped in.
_STRUCTURE = frozenset({"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "tr", "pre", "blockquote"})
_LEAST_STRUCTURE = 2
_MOST_BELOW = 2_000
_WRAPPERS, _OPENER_NODES = 3, 6
_MOST_TWINS = 24

_Given = Mapping[str, str | None]


def is_folded(tree: Tree, key: Key, given: _Given, controls: Container[object]) -> bool:
    """
    Whether an element opens and closes, so that its text belongs to the page.

    Args:
        given: The element's attributes.
        controls: Ids that something in the page opens and closes.
    """
    name = given.get("id")
    if name and (name in controls or _STREAMED.match(name)):
        return True
    names = names_of(given)
    if _RESPONSIVE.search(names) and "none" not in (given.get("style") or ""):
        return True
    if given.get("role") in _FOLDED_ROLES or "aria-labelledby" in given:
        return True
    found = _FOLDED.search(names)
    return found is not None and (_has_handle(tree, key) or _is_one_of_several(tree, key, found[0].lower()))


def is_opened(tree: Tree, key: Key, given: _Given) -> bool:
    """Whether something beside an element tells that it opens and closes, whatever its names."""
    return (has_opener(tree, key) or _has_twin(tree, key, given)) and not _is_overlay(tree, key, given)


def has_opener(tree: Tree, key: Key) -> bool:
    """Whether right before an element, or before one that it begins, stands what opens it."""
    for start, _ in zip((key, *tree.ancestors(key)), range(_WRAPPERS), strict=False):
        before = _element_before(tree, start)
        if before is not None:
            return _is_opener(tree, before, key)
    return False


def has_structure(tree: Tree, key: Key) -> bool:
    """Whether an element holds paragraphs, headings, items or rows."""
    found = 0
    for tag in tree.tags[key + 1 : min(tree.ends[key], key + _MOST_BELOW)]:
        if tag in _STRUCTURE:
            found += 1
            if found >= _LEAST_STRUCTURE:
                return True
    return False


def names_of(given: _Given) -> str:
    """Class, id and role of an element in one text."""
    return f"{given.get('class') or ''} {given.get('id') or ''} {given.get('role') or ''}"


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
                # Buttons never read, and open things all the same.
                if (not tree.skip[sibling] or tree.tags[sibling] == "button") and _is_handle(
                    tree, sibling, beside=elements == 1
                ):
                    return True
            sibling = tree.previous(sibling)
    return False


def _is_one_of_several(tree: Tree, key: Key, name: str) -> bool:
    """Whether a slide stands beside one that shows."""
    if not _SLIDE.search(name):
        return False
    shown = (dict(tree.attributes(at)) for at in _beside(tree, key))
    return any(name in (given.get("class") or "").lower() and _is_displayed(given) for given in shown)


def _beside(tree: Tree, key: Key) -> Iterator[Key]:
    """The first siblings of an element that are not marked."""
    at, end = tree.parents[key] + 1, tree.ends[tree.parents[key]]
    for _ in range(_MOST_TWINS):
        if at >= end:
            break
        if at != key and not tree.skip[at]:
            yield at
        at = tree.ends[at]


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


def _element_before(tree: Tree, key: Key) -> Key | None:
    """The node before an element with something to see: text, or an element other than a sheet or a script."""
    sibling = tree.previous(key)
    for _ in range(_MOST_SIBLINGS):
        if sibling is None or not _is_nothing(tree, sibling):
            break
        sibling = tree.previous(sibling)
    return sibling


def _is_nothing(tree: Tree, key: Key) -> bool:
    tag = tree.tags[key]
    return tag in ("style", "script") if tag else tree.text(key).isspace()


def _is_opener(tree: Tree, key: Key, opened: Key) -> bool:
    tag = tree.tags[key]
    if has_structure(tree, key):
        return False
    if tag == "summary" or any(_opens(tree, below) for below in range(key, min(tree.ends[key], key + _OPENER_NODES))):
        return True
    return tag == "button" and has_structure(tree, opened)


def _opens(tree: Tree, key: Key) -> bool:
    return bool(tree.tags[key]) and any(
        name == "aria-expanded" or (name == "role" and value == "button") for name, value in tree.attributes(key)
    )


def _has_twin(tree: Tree, key: Key, given: _Given) -> bool:
    """Whether an element of the same names stands beside it and shows: panels of which one is open."""
    names = given.get("class")
    if not names or not ("style" in given or "hidden" in given) or not has_structure(tree, key):
        return False
    twins = (dict(tree.attributes(at)) for at in _beside(tree, key) if tree.tags[at] == tree.tags[key])
    return any(twin.get("class") == names and _is_displayed(twin) for twin in twins)


def _is_displayed(given: _Given) -> bool:
    style = (given.get("style") or "").replace(" ", "")
    return "hidden" not in given and "none" not in style and "hidden" not in style


def _is_overlay(tree: Tree, key: Key, given: _Given) -> bool:
    if given.get("role") in _OVERLAY_ROLES or "aria-modal" in given or _OVERLAY.search(names_of(given)):
        return True
    above = zip(tree.ancestors(key), range(_MOST_ABOVE), strict=False)
    return any(tree.tags[element] in _OVERLAY_TAGS for element, _ in above)
