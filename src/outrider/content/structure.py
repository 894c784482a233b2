"""The headings that belong to the kept pieces of a page, whether or not a reader would count them as its content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outrider.content.pagehead import squeezed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outrider.content.features import Sheet

_LONGEST_HEADING = 30
# How far before the first kept piece the page's first heading may stand: a byline, a date, a list of tags between.
_MOST_PIECES_BETWEEN = 20
_MOST_WORDS_BETWEEN = 120
_ALL_LINK = 0.9
_SITE_NAMES = frozenset({"logo", "brand", "branding", "masthead", "site"})
_TITLE_PARTS = re.compile(r"\s[|\-\u2013\u2014\u00b7:\u00bb]\s")


def headings_of(sheet: Sheet, kept: Sequence[bool]) -> list[int]:
    """The pieces that are not kept but head what is: the page's first heading, and those right before kept text."""
    found = _introductions(sheet, kept)
    first = _first_heading(sheet, kept)
    return found if first < 0 or first in found else [first, *found]


def _introductions(sheet: Sheet, kept: Sequence[bool]) -> list[int]:
    """Headings whose text is kept; of those in a row, each that a deeper one follows."""
    levels, words = sheet.headings, sheet.pieces.words
    found: list[int] = []
    follows = False
    for at in range(len(kept) - 1, -1, -1):
        level = levels[at]
        below = levels[at + 1] if at + 1 < len(kept) else 0
        if level and follows and not kept[at] and words[at] <= _LONGEST_HEADING and (not below or below > level):
            if level > 1 or not _is_site_name(sheet, at):
                found.append(at)
        else:
            follows = kept[at]
    return found[::-1]


def _first_heading(sheet: Sheet, kept: Sequence[bool]) -> int:
    """The page's first heading right before or among what is kept; -1 when it is kept already, and without one."""
    levels, words = sheet.headings, sheet.pieces.words
    first = kept.index(True)
    last = len(kept) - 1 - kept[::-1].index(True)
    ones = [at for at, level in enumerate(levels) if level == 1 and words[at] <= _LONGEST_HEADING]
    if any(kept[at] for at in ones):
        return -1
    ones = [at for at in ones if not _is_site_name(sheet, at)]
    for at in reversed([at for at in ones if first - _MOST_PIECES_BETWEEN <= at < first]):
        if sum(words[at + 1 : first]) <= _MOST_WORDS_BETWEEN:
            return at
    return next((at for at in ones if first < at < last), -1)


def _is_site_name(sheet: Sheet, at: int) -> bool:
    """Whether a heading names the site rather than the page."""
    pieces = sheet.pieces
    labels, parents = pieces.labels, pieces.tree.parents
    container = pieces.containers[at]
    around = (pieces.parents[at], container, parents[container])
    if any(not _SITE_NAMES.isdisjoint(labels[key].parts) for key in around):
        return True
    text = pieces.texts[at]
    if pieces.links[at] < _ALL_LINK * len(text):
        return False
    longest = max(_TITLE_PARTS.split(sheet.head.title), key=len)
    return longest != squeezed(text)
