"""Standard streams as a way to one client."""

from __future__ import annotations

import asyncio
import os

import pytest

from outrider.interfaces.mcp import pipe


async def _heard(sent: bytes) -> list[bytes]:
    source, client = os.pipe()
    reading, sink = os.pipe()
    try:
        way = pipe.Pipe(source, sink)
        os.write(client, sent)
        os.close(client)
        return [line async for line in way.lines()]
    finally:
        os.close(reading)
        await asyncio.sleep(0)


async def test_every_line_is_heard_the_last_one_too() -> None:
    assert await _heard(b'{"a":1}\n\n{"b":2}') == [b'{"a":1}\n', b'{"b":2}']


async def test_a_line_without_end_is_read_past_and_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "LONGEST_LINE", 256)

    heard = await _heard(b"x" * 1_000 + b"\n" + b'{"b":2}\n')

    assert heard == [b"x" * 100, b'{"b":2}\n']
