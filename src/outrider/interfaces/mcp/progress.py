"""A call's steps as progress notifications."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from outrider.call import Progress
from outrider.interfaces.mcp.protocol import Report

MAX_WAITING = 64
"""Steps that wait for a slow client; the oldest are dropped, since the newest says most."""


class Steps:
    """Takes a call's steps and sends them on one after the other."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: deque[Progress] = deque(maxlen=MAX_WAITING)
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._count = 0
        self._finished = False

    def emit(self, step: Progress) -> None:
        """What `Call.emit` gets; from any thread."""
        self._waiting.append(step)
        self._loop.call_soon_threadsafe(self._news.set)

    async def send(self) -> None:
        """Send until `finish` is called and nothing waits."""
        while True:
            while self._waiting:
                step = self._waiting.popleft()
                # The protocol asks for a number that only grows; what is done and left differs from stage to stage.
                self._count += 1
                await self._report(float(self._count), None, in_words(step))
            if self._finished:
                return
            self._news.clear()
            await self._news.wait()

    def finish(self) -> None:
        """Say that no further step comes."""
        self._finished = True
        self._news.set()


@asynccontextmanager
async def reporting(report: Report | None) -> AsyncIterator[Callable[[Progress], None]]:
    """Where a call's steps go inside the block: to the client when it asked for them; all are sent at its end."""
    if report is None:
        yield _ignore
        return
    steps = Steps(report)
    async with asyncio.TaskGroup() as group:
        group.create_task(steps.send())
        try:
            yield steps.emit
        finally:
            steps.finish()


def _ignore(_: Progress) -> None:
    return None


def in_words(step: Progress) -> str:
    """One line for a person who waits."""
    about = step.message or str(step.data.get("query", ""))
    if step.done is None:
        return f"{step.stage}: {about}" if about else step.stage
    size = f"{step.done:,} of {step.total:,}" if step.total else f"{step.done:,}"
    return f"{step.stage}: {about} ({size})" if about else f"{step.stage} ({size})"
