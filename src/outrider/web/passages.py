"""Found passages within an output budget."""

from __future__ import annotations

from dataclasses import replace

from outrider.content.find import Found, Passage
from outrider.content.window import grapheme_floor


def within(found: Found, *, chars: int, max_bytes: int | None = None) -> Found:
    """
    The first passages that fit together; the one that does not fit whole is cut, the ones behind it are left out.

    `total` still counts all matches.
    """
    kept: list[Passage] = []
    for passage in found.passages:
        cut = _cut(passage, chars, max_bytes)
        if cut is None:
            break
        kept.append(cut)
        chars -= len(cut.text)
        max_bytes = None if max_bytes is None else max_bytes - _size(cut.text)
    return replace(found, passages=tuple(kept))


def _cut(passage: Passage, chars: int, max_bytes: int | None) -> Passage | None:
    text = passage.text[: max(0, chars)]
    if max_bytes is not None:
        text = text.encode("utf-8", "replace")[: max(0, max_bytes)].decode("utf-8", "ignore")
    if len(text) == len(passage.text):
        return passage
    end = grapheme_floor(passage.text, len(text)) or 0
    shown = tuple(match for match in passage.matches if match[0] < passage.offset + end)
    return replace(passage, text=passage.text[:end], matches=shown) if shown else None


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
