"""Handlers that break the rules of HTTP, each in one way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable, Mapping

from world.listener import Connection
from world.messages import Reply, Request, fields_of
from world.site import Raw

_HTML = "text/html; charset=utf-8"
# Far more than any client accepts, and an end all the same.
_ENDLESS_PIECES = 1_000_000


def raw(*parts: bytes, keep_open: bool = False) -> Raw:
    """Send bytes as they are, then close, or wait for the client to close."""

    async def handler(_: Request, connection: Connection) -> None:
        for part in parts:
            await connection.send(part)
        if keep_open:
            await connection.closed_by_peer()

    return handler


def silence() -> Raw:
    """Read the request and never answer."""
    return raw(keep_open=True)


def reset() -> Raw:
    """Drop the connection with a TCP reset instead of answering."""

    async def handler(_: Request, connection: Connection) -> None:
        connection.reset()

    return handler


def stall(start: bytes = b"<p>The beginning", *, headers: Mapping[str, str] | None = None) -> Raw:
    """Send the beginning of a longer page and then nothing, for as long as the client waits."""
    fields = fields_of({"content-type": _HTML, "content-length": "1000000"} | dict(headers or {}))
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
    return raw(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n" + start, keep_open=True)


def short(body: bytes = b"<p>The beginning", *, declared: int = 1_000_000) -> Reply:
    """Declare a length and close before it is reached."""
    return Reply(
        fields=fields_of({"content-type": _HTML, "content-length": str(declared)}), body=body, cut_after=len(body)
    )


def drip(parts: Iterable[bytes], *, pause_s: float) -> Reply:
    """Send a chunked body with a pause before each part."""

    async def each() -> AsyncIterable[bytes]:
        for part in parts:
            await asyncio.sleep(pause_s)
            yield part

    return Reply(fields=fields_of({"content-type": _HTML}), body=each(), framing="chunked")


def endless(piece: bytes = b"x" * 65_536, *, headers: Mapping[str, str] | None = None) -> Reply:
    """A chunked body without an end."""

    async def each() -> AsyncIterable[bytes]:
        for _ in range(_ENDLESS_PIECES):
            yield piece

    return Reply(fields=fields_of({"content-type": _HTML} | dict(headers or {})), body=each(), framing="chunked")


def endless_headers(line: bytes = b"x-filler: " + b"y" * 1_000 + b"\r\n") -> Raw:
    """Header fields without an end."""

    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\n")
        for _piece in range(_ENDLESS_PIECES):
            await connection.send(line)

    return handler


def bad_chunk() -> Raw:
    """A chunk whose size is not a number."""
    return raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n")
