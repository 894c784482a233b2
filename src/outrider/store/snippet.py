"""The piece of a text that answers a question best, with the words marked. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice

from outrider.store.words import needles

# A hostile page may hold a word a million times; the first of them are enough to choose from.
_MOST_PLACES = 2_000
_SPACES = re.compile(r"\s+")
_WORD_EDGE = 20


def snippet(text: str, question: str, *, chars: int = 300) -> str:
    """
    The stretch of about so many characters with the most of a question's words, on one line, each word in `**`.

    Without any of the words it is the text's beginning.
    """
    pattern = _pattern(question)
    places = [match.span() for match in islice(pattern.finditer(text), _MOST_PLACES)] if pattern else []
    start, end = _stretch(text, places, chars)
    piece = text[start:end]
    marked = pattern.sub(lambda match: f"**{match[0]}**", _plain(piece)) if pattern else _plain(piece)
    return ("… " if start else "") + marked.strip() + (" …" if end < len(text) else "")


def _pattern(question: str) -> re.Pattern[str] | None:
    found = [_needle(needle) for needle in needles(question)]
    return re.compile("|".join(found), re.IGNORECASE) if found else None


def _needle(needle: str) -> str:
    escaped = re.escape(needle)
    return rf"\b{escaped}\b" if needle.isascii() else escaped


def _plain(piece: str) -> str:
    return _SPACES.sub(" ", piece.replace("*", ""))


def _stretch(text: str, places: list[tuple[int, int]], chars: int) -> tuple[int, int]:
    if not places:
        return 0, _word_end(text, min(chars, len(text)))
    starts = [start for start, _ in places]

    def worth(index: int) -> int:
        within = places[index : bisect_left(starts, starts[index] + chars)]
        return len({text[start:end].casefold() for start, end in within})

    # The first among equals: what stands early in a page is more often what it is about.
    best = max(range(len(places)), key=lambda index: (worth(index), -index))
    start = max(0, starts[best] - chars // 4)
    if start:
        space = text.find(" ", start, start + _WORD_EDGE)
        start = space + 1 if space >= 0 else start
    return start, _word_end(text, min(start + chars, len(text)))


def _word_end(text: str, end: int) -> int:
    if end == len(text):
        return end
    space = text.rfind(" ", end - _WORD_EDGE, end)
    return space if space > 0 else end
