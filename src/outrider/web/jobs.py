"""Work of one session that another call of it may end by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from outrider.errors import Cancelled

T = TypeVar("T")


@dataclass(slots=True)
class Jobs:
    """The jobs of one session, numbered from 1. Whoever starts one waits for it."""

    _count: int = 0
    _running: dict[str, asyncio.Task[Any]] = field(default_factory=dict)

    async def run(self, kind: str, work: Coroutine[Any, Any, T], tell: Callable[[str], None]) -> T:
        """
        Work under a name such as `download:1`.

        Args:
            tell: Hears the name before the work begins.

        Raises:
            Cancelled: The job was ended by its name.
        """
        self._count += 1
        name = f"{kind}:{self._count}"
        tell(name)
        task = asyncio.create_task(work)
        self._running[name] = task
        try:
            return await task
        except asyncio.CancelledError:
            if _is_cancelling():
                # The call itself is given up, and its work with it.
                task.cancel()
                raise
            message = f"{name} was ended"
            raise Cancelled(message) from None
        finally:
            del self._running[name]

    def end(self, name: str) -> bool:
        """End a job; False when there is none of that name."""
        task = self._running.get(name)
        return task is not None and task.cancel()

    def close(self) -> None:
        """End them all."""
        for task in self._running.values():
            task.cancel()


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
