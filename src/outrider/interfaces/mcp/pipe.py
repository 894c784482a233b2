"""Standard input and output as a way to one client: one JSON message a line."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

LONGEST_LINE = 16 * 2**20
"""Bytes of one message; a longer one is read past and answered as what it is: no JSON."""
FAREWELL_S = 1.0
"""How long a client that left may take to read what was said to it before."""


class Pipe:
    """
    Lines in and messages out, each by a thread: either may block for as long as the client likes.

    The threads are not waited for when the program ends, since nothing wakes one that reads.

    Args:
        source: The descriptor to read.
        sink: The descriptor to write.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._leaving: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        for work in (self._read, self._write):
            threading.Thread(target=work, name="outrider-mcp", daemon=True).start()

    async def lines(self) -> AsyncIterator[bytes]:
        """What the client says, until it closes its end."""
        while line := await self._lines.get():
            yield line

    def post(self, message: dict[str, Any]) -> asyncio.Future[None]:
        """Put a message on the way at once; the future is done when it has left."""
        left: asyncio.Future[None] = self._loop.create_future()
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        self._leaving.put((text.encode("utf-8", "replace") + b"\n", left))
        return left

    async def drain(self) -> None:
        """Wait, but not for long, until everything has left."""
        left: asyncio.Future[None] = self._loop.create_future()
        self._leaving.put((b"", left))
        with suppress(TimeoutError):
            await asyncio.wait_for(left, FAREWELL_S)

    def _read(self) -> None:
        with suppress(OSError), open(self._source, "rb", closefd=False) as source:
            for line in _lines(source):
                if line.strip():
                    self._tell(self._lines.put_nowait, line)
        self._tell(self._lines.put_nowait, b"")

    def _write(self) -> None:
        while True:
            text, left = self._leaving.get()
            # A client that no longer reads has left; that it did is told by its other end.
            with suppress(OSError):
                while text:
                    text = text[os.write(self._sink, text) :]
            self._tell(_done, left)

    def _tell(self, do: Any, what: object) -> None:
        # The loop may have ended while the thread was busy.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(do, what)


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while line := source.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = line[:100]
            while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line


def _done(left: asyncio.Future[None]) -> None:
    if not left.done():
        left.set_result(None)


@contextmanager
def standard_streams() -> Iterator[tuple[int, int]]:
    """
    The descriptors that the client holds the other ends of, for nobody else to read or write.

    Inside, what a library prints goes to standard error, and a child process finds nothing on its standard input. The
    two stay open afterwards, since a thread may still be reading.
    """
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield source, sink
    finally:
        sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.close(nothing)
