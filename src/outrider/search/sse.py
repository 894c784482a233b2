"""Server-sent events, read piece by piece (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

MAX_EVENT_CHARS = 4 * 1024 * 1024
"""A longer event is dropped."""


class Events:
    """Turns pieces of a stream, cut anywhere, into the data of its events."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors="replace").decode
        self._rest: list[str] = []
        """A line that has not ended, in pieces."""
        self._data: list[str] = []
        self._size = 0
        self._after_return = False

    def feed(self, piece: bytes) -> Iterator[str]:
        """The data of every event that this piece completes."""
        yield from self._lines(self._decode(piece))

    def end(self) -> Iterator[str]:
        """The data of the event that the stream's end completes. Vendors end streams without the last blank line."""
        yield from self._lines("\n\n")

    def _lines(self, text: str) -> Iterator[str]:
        if self._after_return and text.startswith("\n"):
            text = text[1:]
        if text:
            self._after_return = text.endswith("\r")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines[:-1]:
            self._rest.append(line)
            whole = "".join(self._rest)
            self._rest.clear()
            yield from self._line(whole)
        if lines[-1]:
            self._rest.append(lines[-1])

    def _line(self, line: str) -> Iterator[str]:
        if not line:
            if self._data and self._size <= MAX_EVENT_CHARS:
                yield "\n".join(self._data)
            self._data.clear()
            self._size = 0
            return
        name, _, value = line.partition(":")
        if name == "data":
            value = value.removeprefix(" ")
            self._size += len(value)
            if self._size <= MAX_EVENT_CHARS:
                self._data.append(value)
