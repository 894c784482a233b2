"""Rest periods: who is not asked for a while, and why."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from outrider.search.failures import Outcome

MAX_HONOURED_S = 3_600.0
"""Longer waits that a vendor asks for are cut to this."""


@dataclass(frozen=True, slots=True)
class _Period:
    """How long a cause keeps a provider out: at first, and at most after repeats, each of which doubles it."""

    first_s: float
    most_s: float


_PERIODS: dict[Outcome, _Period] = {
    "rate_limited": _Period(30, 900),
    # A block of DuckDuckGo lasts minutes to about an hour.
    "blocked": _Period(600, 3_600),
    "quota": _Period(1_800, 3_600),
    "auth": _Period(300, 3_600),
    "forbidden": _Period(300, 3_600),
    "config": _Period(60, 900),
    "gone": _Period(3_600, 3_600),
    "upstream": _Period(15, 300),
    "timeout": _Period(15, 300),
    "bad_response": _Period(60, 900),
}

_PASSING = frozenset({"upstream", "timeout", "bad_response", "config"})
"""Causes under which it does no harm to ask again when nobody else is left."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A provider's rest period."""

    cause: Outcome
    remaining_s: float

    @property
    def may_be_cut_short(self) -> bool:
        """Asking all the same does no harm when nobody else is left."""
        return self.cause in _PASSING


@dataclass(slots=True)
class _State:
    cause: Outcome
    until: float
    repeats: int


class Health:
    """
    Remembers how providers fared.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: dict[str, _State] = {}

    def rest(self, provider: str) -> Rest | None:
        """The rest period that a provider is in, or None."""
        state = self._states.get(provider)
        remaining = state.until - self._clock() if state is not None else 0.0
        return Rest(state.cause, remaining) if state is not None and remaining > 0 else None

    def failed(self, provider: str, cause: Outcome, *, wait_s: float | None = None) -> None:
        """
        Note a failure.

        Args:
            wait_s: The wait that the vendor named; it counts instead of our own, up to an hour.
        """
        period = _PERIODS.get(cause)
        if period is None:
            return
        before = self._states.get(provider)
        repeats = before.repeats + 1 if before is not None and before.cause == cause else 0
        own = min(period.most_s, period.first_s * 2.0 ** min(repeats, 16))
        seconds = own if wait_s is None else min(MAX_HONOURED_S, max(0.0, wait_s))
        self._states[provider] = _State(cause, self._clock() + seconds, repeats)

    def succeeded(self, provider: str, *, pause_s: float | None = None) -> None:
        """
        Note a success; it forgets every earlier failure.

        Args:
            pause_s: A pause that the vendor asks for all the same.
        """
        self._states.pop(provider, None)
        if pause_s is not None:
            self.failed(provider, "rate_limited", wait_s=pause_s)
