"""Every cut through a text: where a window ends, how to go on, and who gets how much of a budget."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

import regex

from outrider.errors import InvalidArgument
from outrider.types import Window

# A grapheme begins at ASCII, a line feed or an ideograph, whatever went before, save two things (UAX 29, GB3 and GB9b).
_SURE_START = regex.compile(r"(?r)[^\r\p{Grapheme_Cluster_Break=Prepend}][\n\x20-\x7e\u4e00-\u9fff]")
_GRAPHEME = regex.compile(r"\X")

_BLANK_LINE = regex.compile(r"(?r)\n[ \t]*+\r?\n")
_SENTENCE_END = regex.compile(r"""(?r)[.!?…]["')\]»”’]*\s|[。！？]""")
_SPACE = regex.compile(r"(?r)\s")

# A fence may stand in a quotation or a list. Group 1: quotation marks, 2: the fence, 3: what follows it on the line.
_FENCE = re.compile(
    r"^[ \t]*+((?:>[ \t]*+)*+)(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?(`{3,}+|~{3,}+)([^\n]*+)", re.MULTILINE
)
_DELIMITER_ROW = re.compile(
    r"^[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$", re.MULTILINE
)
_ROWS = re.compile(r"(?:[^\n|]*+\|[^\n]*+(?:\n|\Z))*+")
# A text made of nothing but fences or rows must not hold up the program: 8 MB of them took 3 s, this many take 0.05 s.
# What lies behind is still cut, at lines and words.
_MOST_MARKS = 20_000
_UNQUOTED_LINE = re.compile(r"^[ \t]*+(?!>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of text that is better not cut through."""

    start: int
    end: int
    kind: Literal["code", "table"]


def window(text: str, *, offset: int, limit: int) -> Window:
    """
    Cut a readable slice that ends at a block, line, sentence or word.

    Args:
        offset: Code points from the start, as a previous `next_offset` gave it.
        limit: Most code points to return; the slice may be shorter, never longer.

    Raises:
        InvalidArgument: `offset` lies beyond the end, or `limit` is below 1.
    """
    return Windows(text).cut(offset=offset, limit=limit)


class Windows:
    """
    The windows of one text.

    What a cut needs to know of the whole text (where its code blocks and tables are) is read once, at the first cut
    that needs it. After that a window costs what its own length costs, however long the text is.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def cut(self, *, offset: int, limit: int) -> Window:
        """
        As `window`.

        Raises:
            InvalidArgument: `offset` lies beyond the end, or `limit` is below 1.
        """
        length = len(self._text)
        _check(offset=offset, limit=limit, length=length)
        if offset + limit >= length:
            return Window(text=self._text[offset:], offset=offset, content_length=length, next_offset=None)
        end = self._end(offset, offset + limit)
        return Window(
            text=self._text[offset:end],
            offset=offset,
            content_length=length,
            next_offset=end,
            cut_inside=self._inside(end),
        )

    def _end(self, offset: int, hard: int) -> int:
        # Looking back over a quarter of the window keeps it at least three quarters full.
        floor = offset + (hard - offset) * 3 // 4
        end = self._block_end(floor, hard) or self._line_end(floor, hard) or self._word_end(floor, hard) or hard
        return grapheme_floor(self._text, end, after=offset) or hard

    def _block_end(self, floor: int, hard: int) -> int | None:
        index = bisect_left(self._starts, hard)
        if index < len(self._spans) and self._starts[index] == hard:
            return hard
        before = self._spans[index - 1] if index else _Span(0, 0, "code")
        if before.end > hard:
            return before.start if before.start > floor else None
        blank = _BLANK_LINE.search(self._text, max(floor, before.end), hard)
        if blank is not None:
            return blank.end()
        return before.end if before.end > floor else None

    def _line_end(self, floor: int, hard: int) -> int | None:
        return self._text.rfind("\n", floor, hard) + 1 or None

    def _word_end(self, floor: int, hard: int) -> int | None:
        found = _SENTENCE_END.search(self._text, floor, hard) or _SPACE.search(self._text, floor, hard)
        return found.end() if found else None

    def _inside(self, end: int) -> Literal["", "code", "table"]:
        index = bisect_left(self._starts, end) - 1
        return self._spans[index].kind if index >= 0 and end < self._spans[index].end else ""

    @cached_property
    def _starts(self) -> list[int]:
        return [span.start for span in self._spans]

    @cached_property
    def _spans(self) -> list[_Span]:
        """Fenced code blocks and tables, in order, none inside another."""
        fences = _fences(self._text)
        return sorted(fences + _tables(self._text, fences), key=lambda span: span.start)


def grapheme_floor(text: str, position: int, *, after: int = 0) -> int | None:
    """
    The last place at or before `position`, and after `after`, that is not inside a grapheme cluster.

    `after` must not be inside a cluster itself, or what is left of that cluster counts as one. None when one cluster
    reaches from `after` past `position`.
    """
    if position >= len(text):
        return len(text)
    sure = _SURE_START.search(text, after, position + 1)
    place = None
    # Whether a cluster ends at a place is known from what precedes it and from one character behind it.
    for cluster in _GRAPHEME.finditer(text, sure.start() + 1 if sure else after, position + 1):
        if cluster.start() > after:
            place = cluster.start()
    return place


def fair_shares(needs: list[int], budget: int) -> list[int]:
    """
    Share a budget so that what one does not need goes to the others.

    Nobody gets more than it needs, and whoever gets less than it needs gets as much as anybody else, give or take 1.
    All of the budget is used when the needs reach it.
    """
    shares = [0] * len(needs)
    left = max(0, budget)
    waiting = len(needs)
    for index in sorted(range(len(needs)), key=needs.__getitem__):
        shares[index] = min(max(0, needs[index]), -(-left // waiting))
        left -= shares[index]
        waiting -= 1
    return shares


def _check(*, offset: int, limit: int, length: int) -> None:
    if limit < 1:
        message = f"limit is {limit}, and the least is 1"
        raise InvalidArgument(message, hint="Leave limit out, or give a positive number.")
    if offset < 0:
        message = f"offset is {offset}, and the first character is 0"
        raise InvalidArgument(message, hint="Use next_offset of the answer before.")
    if offset == length > 0:
        message = f"offset {offset} is the end of the text: there is nothing more to read"
        raise InvalidArgument(message, hint="The text has been read to its end.")
    if offset > length:
        message = f"offset {offset} lies beyond the end of the text, which has {length} characters"
        raise InvalidArgument(message, hint="Use next_offset of the answer before.")


def _fences(text: str) -> list[_Span]:
    if "```" not in text and "~~~" not in text:
        return []
    spans: list[_Span] = []
    opened: re.Match[str] | None = None
    for line in islice(_FENCE.finditer(text), _MOST_MARKS):
        if opened is not None and opened[1] and not line[1]:
            spans.append(_Span(opened.start(), _quotation_end(text, opened.end()), "code"))
            opened = None
        if opened is None:
            opened = None if line[2][0] == "`" and "`" in line[3] else line
        elif line[2].startswith(opened[2]) and not line[3].strip():
            spans.append(_Span(opened.start(), min(line.end() + 1, len(text)), "code"))
            opened = None
    if opened is not None:
        spans.append(_Span(opened.start(), _quotation_end(text, opened.end()) if opened[1] else len(text), "code"))
    return spans


def _quotation_end(text: str, position: int) -> int:
    """A code block left open in a quotation ends with the quotation."""
    found = _UNQUOTED_LINE.search(text, min(position + 1, len(text)))
    return found.start() if found else len(text)


def _tables(text: str, fences: list[_Span]) -> list[_Span]:
    if "|" not in text:
        return []
    spans: list[_Span] = []
    starts = [fence.start for fence in fences]
    end = 0
    for row in islice(_DELIMITER_ROW.finditer(text), _MOST_MARKS):
        fence = bisect_right(starts, row.start()) - 1
        in_code = fence >= 0 and row.start() < fences[fence].end
        header = text.rfind("\n", 0, max(0, row.start() - 1)) + 1
        if in_code or header < end or "|" not in row[0] or "|" not in text[header : row.start()]:
            continue
        rows = _ROWS.match(text, row.start())
        end = rows.end() if rows else row.end()
        spans.append(_Span(header, end, "table"))
    return spans
