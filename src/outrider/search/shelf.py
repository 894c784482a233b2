"""Answers kept for a short time, where the vendor's terms allow it."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from outrider.search.provider import Answer
from outrider.search.settings import ProviderSettings
from outrider.types import Query


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: Answer
    until: float
    settings: ProviderSettings


class Shelf:
    """
    The last good answers, by provider and query.

    Args:
        seconds: How long an answer is kept at most; 0 keeps none.
        size: Answers kept at one time.
        clock: Monotonic seconds.
    """

    def __init__(self, *, seconds: float = 60.0, size: int = 128, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._size = size
        self._clock = clock
        self._kept: OrderedDict[tuple[str, Query], _Kept] = OrderedDict()

    def find(self, provider: str, query: Query, settings: ProviderSettings) -> Answer | None:
        """The answer to the same query under the same settings, unless it is too old."""
        kept = self._kept.get((provider, query))
        if kept is None or kept.settings != settings or kept.until <= self._clock():
            return None
        return kept.answer

    def keep(
        self, provider: str, query: Query, settings: ProviderSettings, answer: Answer, *, allowed_s: float
    ) -> None:
        """Keep an answer that found something, for as long as the terms allow."""
        seconds = min(self._seconds, allowed_s)
        if seconds <= 0 or not answer.hits:
            return
        self._kept[provider, query] = _Kept(answer, self._clock() + seconds, settings)
        self._kept.move_to_end((provider, query))
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
