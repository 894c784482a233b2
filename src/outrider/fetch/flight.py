"""One transfer for equal requests: those who want the same wait for the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from outrider.call import Progress

T = TypeVar("T")
Emit = Callable[[Progress], None]


@dataclass(slots=True, eq=False)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    listeners: list[Emit] = field(default_factory=list)
    """One for each who waits."""


class Flights(Generic[T]):
    """
    Work under way, by what it is for.

    It ends early only when nobody waits for it any more, whoever began it.
    """

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[T]] = {}
        self._ending: set[asyncio.Task[T]] = set()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._flights

    async def share(self, key: Hashable, begin: Callable[[Emit], Coroutine[Any, Any, T]], emit: Emit) -> T:
        """
        Begin the work, or wait for what is under way.

        Args:
            begin: Makes the work; its progress goes to all who wait.
            emit: Takes the progress while this caller waits.
        """
        flight = self._flights.get(key)
        if flight is None:
            flight = self._begin(key, begin)
        flight.listeners.append(emit)
        try:
            # The shield: who leaves, or runs out of time, leaves alone.
            return await asyncio.shield(flight.task)
        finally:
            flight.listeners.remove(emit)
            if not flight.listeners and not flight.task.done():
                self._end(key, flight)

    async def aclose(self) -> None:
        """End everything under way."""
        for key, flight in list(self._flights.items()):
            self._end(key, flight)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _begin(self, key: Hashable, begin: Callable[[Emit], Coroutine[Any, Any, T]]) -> _Flight[T]:
        listeners: list[Emit] = []

        def tell(progress: Progress) -> None:
            for listener in listeners:
                listener(progress)

        flight = _Flight(asyncio.create_task(begin(tell)), listeners)
        self._flights[key] = flight
        flight.task.add_done_callback(lambda task: self._landed(key, flight, task))
        return flight

    def _landed(self, key: Hashable, flight: _Flight[T], task: asyncio.Task[T]) -> None:
        self._ending.discard(task)
        if self._flights.get(key) is flight:
            del self._flights[key]
        if not task.cancelled():
            # Seen, also when nobody is left to whom it matters.
            task.exception()

    def _end(self, key: Hashable, flight: _Flight[T]) -> None:
        """Who comes now must not join what is being cancelled."""
        if self._flights.get(key) is flight:
            del self._flights[key]
        self._ending.add(flight.task)
        flight.task.cancel()
