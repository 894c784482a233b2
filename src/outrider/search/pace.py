"""How often and how many at once: one gate for each provider."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from outrider.search.catalogue import Bounds


@dataclass(slots=True)
class _Gate:
    places: asyncio.Semaphore
    spacing_s: float
    next_start: float = float("-inf")
    order: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pace:
    """
    Keeps to the concurrency and the spacing that the catalogue names.

    Args:
        clock: Monotonic seconds.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._gates: dict[str, _Gate] = {}

    @asynccontextmanager
    async def turn(self, provider: str, bounds: Bounds) -> AsyncIterator[None]:
        """Wait for the provider's turn and hold a place until the block ends."""
        gate = self._gates.get(provider)
        if gate is None:
            gate = self._gates[provider] = _Gate(asyncio.Semaphore(bounds.concurrency), bounds.spacing_s)
        async with gate.places:
            if gate.spacing_s > 0:
                await self._space(gate)
            yield

    async def _space(self, gate: _Gate) -> None:
        async with gate.order:
            wait = gate.next_start - self._clock()
            if wait > 0:
                await self._sleep(wait)
            gate.next_start = self._clock() + gate.spacing_s
