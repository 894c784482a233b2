"""Storage in this process's memory: for tests, for programs that keep nothing, and for what may be lost."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

MAX_SHARED_BYTES = 64 * 1024 * 1024


class MemoryBlobs:
    """Bodies in a dictionary."""

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def put(self, key: str, body: bytes) -> None:
        """See `Blobs`."""
        self._bodies.setdefault(key, body)

    def get(self, key: str) -> bytes | None:
        """See `Blobs`."""
        return self._bodies.get(key)

    def has(self, key: str) -> bool:
        """See `Blobs`."""
        return key in self._bodies

    def remove(self, key: str) -> None:
        """See `Blobs`."""
        self._bodies.pop(key, None)

    def mark(self, key: str) -> str:
        """Nothing survives a crash, so there is nothing to mark."""
        return key

    def unmark(self, mark: str) -> None:
        """See `mark`."""

    def marks(self) -> Iterator[tuple[str, str]]:
        """See `mark`."""
        return iter(())


class MemoryShared:
    """
    Values in a dictionary; the one unused for longest goes when they get too large.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, *, max_bytes: int = MAX_SHARED_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._values: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0
        self._clock = clock

    async def get(self, key: str) -> bytes | None:
        """See `Shared`."""
        until, value = self._values.get(key, (0.0, b""))
        if until <= self._clock():
            self._drop(key)
            return None
        self._values.move_to_end(key)
        return value

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """See `Shared`."""
        self._drop(key)
        self._values[key] = (self._clock() + seconds, value)
        self._bytes += len(value)
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._values)))

    async def remove(self, key: str) -> None:
        """See `Shared`."""
        self._drop(key)

    def _drop(self, key: str) -> None:
        _, value = self._values.pop(key, (0.0, b""))
        self._bytes -= len(value)


class _Memory:
    schemes = frozenset({"memory"})

    def open(self, url: str) -> Any:
        """`memory://blobs`, or `memory://shared`."""
        return MemoryShared() if url.endswith("shared") else MemoryBlobs()


BACKEND = _Memory()
