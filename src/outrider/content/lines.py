"""A text by its lines: windows that count lines and bytes, and the line that an offset lies in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from outrider.content.window import grapheme_floor
from outrider.errors import InvalidArgument

MAX_LINES = 2_000
MAX_BYTES = 51_200
"""Of one window, in UTF-8."""

# Line feeds are counted for stretches of this many characters; the place of a line is then found in its stretch. A
# list of all line starts would be far larger than a text made of line feeds.
_STRETCH = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class LineWindow:
    """A slice of a text that begins and, where it can, ends with a line."""

    text: str
    start: int
    """Code points from the start of the full text."""
    line: int
    """Number of the first line, from 1."""
    line_offset: int
    """Code points of that line that were passed over."""
    last_line: int
    """Number of the last line of which something is shown."""
    total_lines: int
    next_offset: int | None
    """Line to go on with; None at the end."""
    next_line_offset: int
    """Code points of that line that have been shown."""

    @property
    def truncated(self) -> bool:
        """Whether more text follows."""
        return self.next_offset is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLimits:
    """How much one window may hold."""

    lines: int = MAX_LINES
    bytes: int = MAX_BYTES
    chars: int = 32_000


class Lines:
    """
    The lines of one text. A line ends with its line feed, so all lines joined are the text.

    What is known of the whole text is read once; after that a window costs what its own length costs.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def total(self) -> int:
        """How many lines there are."""
        feeds = self._feeds_before[-1]
        return feeds if not self._text or self._text.endswith("\n") else feeds + 1

    def line_of(self, offset: int) -> int:
        """Number, from 1, of the line that a code point lies in."""
        stretch = min(offset // _STRETCH, len(self._feeds_before) - 1)
        return self._feeds_before[stretch] + self._text.count("\n", stretch * _STRETCH, offset) + 1

    def start_of(self, line: int) -> int:
        """
        Where a line begins, in code points; the end of the text for the line after the last.

        Raises:
            InvalidArgument: There is no such line.
        """
        if not 1 <= line <= self.total + 1:
            message = f"offset {line} lies beyond the end of the page, which has {self.total} lines"
            raise InvalidArgument(message, details={"field": "offset"}, hint="Lines are counted from 1.")
        if line == self.total + 1:
            return len(self._text)
        feeds = line - 1
        if feeds == 0:
            return 0
        # The last stretch before which fewer feeds stand than precede the line.
        stretch = bisect_right(self._feeds_before, feeds - 1) - 1
        place = stretch * _STRETCH
        for _ in range(feeds - self._feeds_before[stretch]):
            place = self._text.find("\n", place) + 1
        return place

    def cut(
        self, *, line: int, line_offset: int = 0, limits: LineLimits | None = None, end: int | None = None
    ) -> LineWindow:
        """
        A window from a place on.

        Whole lines are shown while they fit; a line that alone is too long is cut between graphemes.

        Args:
            line: First line, from 1.
            line_offset: Code points of that line to pass over.
            end: Where the text is taken to end, in code points; its own end when left out.

        Raises:
            InvalidArgument: There is no such place, or nothing may be shown.
        """
        limits = limits or LineLimits()
        over = len(self._text) if end is None else end
        start = self._place(line, line_offset)
        if min(limits.lines, limits.bytes, limits.chars) < 1:
            message = "limit must be 1 or more"
            raise InvalidArgument(message, details={"field": "limit"})
        stop = self._stop(start, over, limits)
        more = stop < over
        next_line = self.line_of(stop) if more else None
        return LineWindow(
            text=self._text[start:stop],
            start=start,
            line=line,
            line_offset=line_offset,
            last_line=self.line_of(stop - 1) if stop > start else line,
            total_lines=self.total,
            next_offset=next_line,
            next_line_offset=stop - self.start_of(next_line) if next_line is not None else 0,
        )

    def _place(self, line: int, line_offset: int) -> int:
        start = self.start_of(line)
        if line > max(1, self.total):
            message = f"offset {line} lies beyond the end of the page, which has {self.total} lines"
            raise InvalidArgument(message, details={"field": "offset"}, hint="The page has been read to its end.")
        length = self.start_of(min(line, self.total) + 1) - start
        if not 0 <= line_offset < max(1, length):
            message = f"line_offset must lie in line {line}, from 0 to {max(0, length - 1)}"
            raise InvalidArgument(message, details={"field": "line_offset"})
        return start + line_offset

    def _stop(self, start: int, over: int, limits: LineLimits) -> int:
        stop, lines, size = start, 0, 0
        while stop < over and lines < limits.lines:
            found = self._text.find("\n", stop, min(over, stop + limits.chars))
            # A line whose end is not near is too long for what is left, or the text ends with it.
            end = found + 1 if found >= 0 else min(over, stop + limits.chars + 1)
            size += len(self._text[stop:end].encode("utf-8", "replace"))
            if size > limits.bytes or end - start > limits.chars:
                break
            stop, lines = end, lines + 1
        if stop == start < over:
            return self._within_line(start, over, limits)
        return stop

    def _within_line(self, start: int, over: int, limits: LineLimits) -> int:
        most = min(over, start + limits.chars)
        # Bytes cut inside a character are dropped with it.
        fitting = self._text[start:most].encode("utf-8", "replace")[: limits.bytes].decode("utf-8", "ignore")
        hard = start + max(1, len(fitting))
        return grapheme_floor(self._text, hard, after=start) or hard

    @cached_property
    def _feeds_before(self) -> list[int]:
        """For each stretch how many line feeds stand before it, and last how many there are in all."""
        counts = [0]
        for at in range(0, len(self._text), _STRETCH):
            counts.append(counts[-1] + self._text.count("\n", at, at + _STRETCH))
        return counts
