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

from outrider.errors import InvalidArgument

LONGEST_LINE = 16 * 2**20
"""Bytes of one message; a longer one is read past and answered as what it is: no JSON."""
LINES_AHEAD = 8
"""Lines that are read before the ones in front of them were looked at."""
MOST_UNREAD = 16 * 2**20
"""Bytes that wait for the client to read them; while there are more it is not listened to."""
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
        self._ahead = threading.Semaphore(LINES_AHEAD)
        self._leaving: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._unread = 0
        self._pace = asyncio.Event()
        self._pace.set()
        for work in (self._read, self._write):
            threading.Thread(target=work, name="outrider-mcp", daemon=True).start()

    async def lines(self) -> AsyncIterator[bytes]:
        """What the client says, until it closes one of the two ends."""
        while line := await self._lines.get():
            self._ahead.release()
            yield line
            await self._pace.wait()

    def post(self, message: dict[str, Any]) -> asyncio.Future[None]:
        """Put a message on the way at once; the future is done when it has left."""
        left: asyncio.Future[None] = self._loop.create_future()
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        self._leaving.put((text, left))
        self._count(len(text))
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
                    self._ahead.acquire()
                    self._tell(self._lines.put_nowait, line)
        self._tell(self._lines.put_nowait, b"")

    def _write(self) -> None:
        while True:
            text, left = self._leaving.get()
            size = len(text)
            try:
                while text:
                    text = text[os.write(self._sink, text) :]
            except OSError:
                # Nobody reads any more, so nothing is left to be asked for.
                self._tell(self._lines.put_nowait, b"")
            self._tell(self._gone, left, size)

    def _gone(self, left: asyncio.Future[None], size: int) -> None:
        self._count(-size)
        if not left.done():
            left.set_result(None)

    def _count(self, size: int) -> None:
        self._unread += size
        if self._unread > MOST_UNREAD:
            self._pace.clear()
        else:
            self._pace.set()

    def _tell(self, do: Any, *what: object) -> None:
        # The loop may have ended while the thread was busy.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(do, *what)


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while line := source.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = line[:100]
            while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line


@contextmanager
def standard_streams() -> Iterator[tuple[int, int]]:
    """
    The descriptors that the client holds the other ends of, for nobody else to read or write.

    Inside, what a library prints goes to standard error, and a child process finds nothing on its standard input. The
    two stay open afterwards, since a thread may still be reading.

    Raises:
        InvalidArgument: The process was started without one of them.
    """
    # Where Python found none, the numbers 0 and 1 belong to whatever was opened since, such as the index of pages.
    if sys.stdin is None or sys.stdout is None:
        message = "standard input and standard output must be open: the client speaks and listens there"
        raise InvalidArgument(message, hint="Let an MCP client start this, or serve with --http.")
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    _let_block(source, sink)
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nothing, 0)
        os.dup2(nothing if sys.stderr is None else 2, 1)
        yield source, sink
    finally:
        sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.close(nothing)


def _let_block(*descriptors: int) -> None:
    """A client may hand over ends that do not wait; an empty one would then read like a closed one."""
    if sys.platform != "win32":
        for descriptor in descriptors:
            os.set_blocking(descriptor, True)
