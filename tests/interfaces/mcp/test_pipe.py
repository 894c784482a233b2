"""Standard streams as a way to one client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from itertools import repeat

import pytest

from outrider.interfaces.mcp import pipe

PATIENCE_S = 5.0


class Ends:
    """A way, and its client's two ends."""

    def __init__(self) -> None:
        source, self.write = os.pipe()
        self.read, self.sink = os.pipe()
        self.way = pipe.Pipe(source, self.sink)

    async def rest(self) -> list[bytes]:
        return [line async for line in self.way.lines()]


async def _heard(sent: bytes) -> list[bytes]:
    ends = Ends()
    os.write(ends.write, sent)
    os.close(ends.write)
    return await asyncio.wait_for(ends.rest(), PATIENCE_S)


async def test_every_line_is_heard_the_last_one_too() -> None:
    assert await _heard(b'{"a":1}\n\n{"b":2}') == [b'{"a":1}\n', b'{"b":2}']


async def test_a_line_without_end_is_read_past_and_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "LONGEST_LINE", 256)

    heard = await _heard(b"x" * 1_000 + b"\n" + b'{"b":2}\n')

    assert heard == [b"x" * 100, b'{"b":2}\n']


async def test_however_much_a_client_says_little_of_it_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "_lines", _endless)
    ends = Ends()
    lines = ends.way.lines()
    for _ in range(1_000):
        assert b"again\n" == await asyncio.wait_for(anext(lines), PATIENCE_S)

    assert ends.way._lines.qsize() <= pipe.LINES_AHEAD  # noqa: SLF001  (what waits is seen nowhere else)


def _endless(_: object) -> Iterator[bytes]:
    return repeat(b"again\n")


async def test_a_client_that_does_not_read_is_not_listened_to_until_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "MOST_UNREAD", 100)
    ends = Ends()
    os.write(ends.write, b"1\n2\n")
    lines = ends.way.lines()
    await anext(lines)
    # More than the system holds for a reader.
    left = ends.way.post({"text": "x" * 2**21})
    waiting = asyncio.ensure_future(anext(lines))
    await asyncio.to_thread(os.read, ends.read, 1)
    assert (False, False) == (waiting.done(), left.done())

    reading = asyncio.create_task(asyncio.to_thread(_read_all, ends.read))
    assert b"2\n" == await asyncio.wait_for(waiting, PATIENCE_S)
    assert left.done()
    os.close(ends.write)
    os.close(ends.sink)
    await asyncio.wait_for(reading, PATIENCE_S)


def _read_all(source: int) -> None:
    while os.read(source, 2**16):
        pass


async def test_a_client_that_closes_the_end_it_reads_has_left() -> None:
    ends = Ends()
    os.close(ends.read)
    _ = ends.way.post({"id": 1})

    assert [] == await asyncio.wait_for(ends.rest(), PATIENCE_S)
    os.close(ends.write)
