"""Running sums over the pieces of a page, so that what any stretch of it holds is one subtraction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outrider.content.features_own import Own
    from outrider.content.segments import Segments


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """For each piece what all pieces before it hold together, and once more for the end."""

    words: list[int]
    linked: list[float]
    """Words in links."""
    points: list[int]
    """Commas and ends of sentences."""
    scores: list[float]
    """Words, times how much is said for their piece."""
    headings: list[int]

    @property
    def total(self) -> int:
        """Words of the page; 1 when there are none."""
        return self.words[-1] or 1


def sums_of(pieces: Segments, own: Own) -> Sums:
    """Sum up a page."""
    words = pieces.words
    return Sums(
        words=_counts(words),
        linked=_running([size * share for size, share in zip(words, own.linked, strict=True)]),
        points=_counts([stops + text.count(",") for stops, text in zip(own.stops, pieces.texts, strict=True)]),
        scores=_running([score * size for score, size in zip(own.scores, words, strict=True)]),
        headings=_counts([1 if level else 0 for level in own.headings]),
    )


def _running(values: Iterable[float]) -> list[float]:
    return list(accumulate(values, initial=0))


def _counts(values: Iterable[int]) -> list[int]:
    return list(accumulate(values, initial=0))
