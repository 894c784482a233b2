"""How fast and how often: concurrency per host, Retry-After, retries."""

from __future__ import annotations

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from outrider.errors import Http429

MAX_HONOURED_S = 3_600.0
"""Longer waits that a server asks for are cut to this."""

MAX_WAIT_S = 10.0
"""A call waits so long for a host that asked for rest; beyond it, it fails at once and says when to come back."""

_MAX_RESTS = 1_024


@dataclass(slots=True)
class _Slot:
    gate: asyncio.Semaphore
    users: int = 0


class Pace:
    """
    Keeps one client polite.

    Args:
        per_host: Exchanges at one time with one host.
        overall: Exchanges at one time in all.
        clock: Monotonic seconds.
    """

    def __init__(self, *, per_host: int = 4, overall: int = 64, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_host = per_host
        self._overall = asyncio.Semaphore(overall)
        self._clock = clock
        self._slots: dict[str, _Slot] = {}
        self._rests: OrderedDict[str, float] = OrderedDict()

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """
        Wait for the host's turn and hold it.

        Raises:
            Http429: The host asked for a rest longer than a call may wait.
        """
        await self._rest(host)
        slot = self._slots.setdefault(host, _Slot(asyncio.Semaphore(self._per_host)))
        slot.users += 1
        try:
            async with slot.gate, self._overall:
                yield
        finally:
            slot.users -= 1
            if slot.users == 0:
                del self._slots[host]

    def rest(self, host: str, seconds: float) -> None:
        """Leave a host alone for a while, because it asked for it."""
        self._rests[host] = self._clock() + min(seconds, MAX_HONOURED_S)
        self._rests.move_to_end(host)
        while len(self._rests) > _MAX_RESTS:
            self._rests.popitem(last=False)

    async def _rest(self, host: str) -> None:
        left = self._rests.get(host, 0.0) - self._clock()
        if left <= 0:
            self._rests.pop(host, None)
            return
        if left > MAX_WAIT_S:
            message = f"{host} asked for a pause of {left:.0f} more seconds"
            raise Http429(message, retry_after_s=round(left, 1), status=429, hint="Wait, or use another source.")
        await asyncio.sleep(left)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """
    Read a Retry-After header: seconds or an HTTP date.

    Returns:
        Seconds from now, 0 to `MAX_HONOURED_S`; None when the header is missing or unreadable.
    """
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_HONOURED_S) if len(text) < 12 else MAX_HONOURED_S
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    left = (when - (now or datetime.now(UTC))).total_seconds()
    return min(max(0.0, left), MAX_HONOURED_S)


def backoff(attempt: int) -> float:
    """Seconds before the next try, with jitter; the first attempt is 0."""
    return float(random.uniform(0.5, 1.0) * 0.5 * 2**attempt)  # noqa: S311  (jitter, not a secret)
