"""Blocks of Markdown, one after the other, inside the lists and quotes that enclose them."""

from __future__ import annotations

from dataclasses import dataclass

# Deeper lists and quotes go on at this indentation: prefixes must not make a large text of a small page.
_WIDEST_PREFIX = 40


@dataclass(frozen=True, slots=True)
class Container:
    """What to return to when a list item, a quote or a note ends."""

    prefix: str
    lead: str | None
    count: int


class Blocks:
    """Collects blocks, with the prefix of what encloses them on every line."""

    __slots__ = ("_blank", "_lead", "_parts", "count", "gap", "prefix", "size")

    def __init__(self) -> None:
        self._parts: list[str] = []
        # Before the first line of the next block, instead of the prefix: a list item's marker.
        self._lead: str | None = None
        # The prefix that a blank line before the next block has: of what encloses both it and the block before.
        self._blank = ""
        self.prefix = ""
        """Before every line."""
        self.size = 0
        """Characters so far."""
        self.count = 0
        """Blocks so far."""
        self.gap = 2
        """Line ends before the next block: 1 inside a tight list."""

    @property
    def in_lead(self) -> bool:
        """Whether a marker waits for the block that it stands before."""
        return self._lead is not None

    def open(self, marker: str, prefix: str) -> Container:
        """Enter a container whose first line starts with the marker and every other one with the prefix."""
        before = Container(self.prefix, self._lead, self.count)
        if len(self.prefix) < _WIDEST_PREFIX:
            if marker or self._lead is not None:
                self._lead = (self.prefix if self._lead is None else self._lead) + (marker or prefix)
            self.prefix += prefix
        elif marker and self._lead is None:
            self._lead = self.prefix + marker
        return before

    def close(self, before: Container) -> None:
        """Leave a container."""
        self.prefix = before.prefix
        if self.count == before.count:
            self._lead = before.lead
        if len(self.prefix) < len(self._blank):
            self._blank = self.prefix

    def is_empty(self, container: Container) -> bool:
        """Whether nothing was written since a container was opened."""
        return self.count == container.count

    def add(self, text: str) -> int:
        """Write a block; answers the offset of its first line."""
        parts = self._parts
        if parts:
            separator = "\n" if self.gap == 1 else f"\n{self._blank.rstrip()}\n"
            parts.append(separator)
            self.size += len(separator)
        first = self.prefix if self._lead is None else self._lead
        offset = self.size
        if self.prefix and "\n" in text:
            text = _prefixed(text, self.prefix)
        written = first + text if text else first.rstrip()
        parts.append(written)
        self.size += len(written)
        self.count += 1
        self.gap = 2
        self._lead = None
        self._blank = self.prefix
        return offset

    def text(self) -> str:
        """Everything written."""
        return "".join(self._parts)


def _prefixed(text: str, prefix: str) -> str:
    bare = prefix.rstrip()
    return "\n".join(
        line if not number else prefix + line if line else bare for number, line in enumerate(text.split("\n"))
    )
