"""A web site on loopback that misbehaves on request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal, Self

from world.authority import Authority
from world.http2 import serve_http2
from world.listener import Connection, Listener
from world.messages import Fields, Reply, Request, page

Raw = Callable[[Request, Connection], Awaitable[None]]
"""Writes whatever it likes to the connection, which is closed after it (HTTP/1 only)."""
Handler = Reply | str | Callable[[Request], Reply] | Raw


@dataclass(frozen=True, slots=True)
class Visit:
    """A request, and the connection it came over."""

    request: Request
    connection: Connection


class Site:
    """
    Serves paths, and remembers what was asked.

    A path's handler is HTML, a `Reply`, a function from request to `Reply`, or an async function that writes to the
    connection by itself. The path `*` answers everything else; without one the answer is 404.
    """

    def __init__(
        self,
        paths: Mapping[str, Handler],
        *,
        name: str | None = None,
        authority: Authority | None = None,
        certificate_names: list[str] | None = None,
        http2: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
        public: bool = False,
    ) -> None:
        self.paths: dict[str, Handler] = dict(paths)
        self.visits: list[Visit] = []
        self.name = name
        self.scheme = "https" if authority else "http"
        self.public = public
        """Seen from outside it listens on the scheme's own port; see `World.dialer`."""
        tls = None
        if authority is not None:
            offered = ("h2", "http/1.1") if http2 else ("http/1.1",)
            tls = authority.server(certificate_names or [name or "site.test", "localhost", host], alpn=offered)
        self.listener = Listener(self._serve, tls=tls, host=host, port=port)

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        await self._stack.enter_async_context(self.listener)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @property
    def authority(self) -> str:
        """Host and port, as they stand in a URL."""
        return self.shown if self.public else f"{self.shown}:{self.listener.port}"

    @property
    def shown(self) -> str:
        """The host, as it stands in a URL."""
        host = self.name or self.listener.host
        return f"[{host}]" if ":" in host else host

    @property
    def url(self) -> str:
        """The site's root, with the final slash."""
        return f"{self.scheme}://{self.authority}/"

    def at(self, path: str) -> str:
        """The URL of a path."""
        return self.url + path.removeprefix("/")

    @property
    def requests(self) -> list[Request]:
        return [visit.request for visit in self.visits]

    @property
    def connections(self) -> list[Connection]:
        return self.listener.connections

    async def until_requests(self, count: int) -> None:
        """Wait until so many requests have come, at most five seconds."""
        await self.listener.until(lambda: len(self.visits) >= count)

    async def _serve(self, connection: Connection) -> None:
        if connection.protocol == "h2":
            await serve_http2(connection, self._answer)
            return
        while (request := await read_request(connection)) is not None:
            handler = await self._note(request, connection)
            if not isinstance(handler, Reply | str):
                outcome = _call(handler, request, connection)
                if not isinstance(outcome, Reply):
                    await outcome
                    return
                handler = outcome
            reply = page(handler) if isinstance(handler, str) else handler
            await send_reply(connection, request, reply)
            if not reply.keep_alive or request.header("connection").lower() == "close":
                return

    async def _answer(self, request: Request, connection: Connection) -> Reply:
        """For HTTP/2, where nothing can be written past the protocol."""
        handler = await self._note(request, connection)
        if isinstance(handler, Reply | str):
            return page(handler) if isinstance(handler, str) else handler
        outcome = _call(handler, request, connection)
        assert isinstance(outcome, Reply), "a raw handler speaks HTTP/1"
        return outcome

    async def _note(self, request: Request, connection: Connection) -> Handler:
        self.visits.append(Visit(request, connection))
        await self.listener.note()
        return self.paths.get(request.path, self.paths.get("*", page("<p>Not here</p>", status=404)))


def _call(
    handler: Callable[[Request], Reply] | Raw, request: Request, connection: Connection
) -> Reply | Awaitable[None]:
    if asyncio.iscoroutinefunction(handler):
        return handler(request, connection)
    return handler(request)  # type: ignore[call-arg]  # told apart by the line above


async def read_request(connection: Connection) -> Request | None:
    """One HTTP/1 request; None when the client closed instead of sending one."""
    line = await connection.reader.readline()
    if not line.strip():
        return None
    method, target, version = line.decode("latin-1").split()
    fields: list[tuple[bytes, bytes]] = []
    while (line := await connection.reader.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = line.partition(b":")
        fields.append((name.strip().lower(), value.strip()))
    body = await _read_body(connection, dict(fields))
    number: Literal["1.0", "1.1"] = "1.0" if version == "HTTP/1.0" else "1.1"
    return Request(method=method, target=target, fields=tuple(fields), body=body, version=number)


async def _read_body(connection: Connection, fields: dict[bytes, bytes]) -> bytes:
    if b"chunked" not in fields.get(b"transfer-encoding", b""):
        return await connection.reader.readexactly(int(fields.get(b"content-length", b"0")))
    body = b""
    while (size := int(await connection.reader.readline(), 16)) > 0:
        body += await connection.reader.readexactly(size)
        await connection.reader.readline()
    await connection.reader.readline()
    return body


async def send_reply(connection: Connection, request: Request, reply: Reply) -> None:
    """Send a reply over HTTP/1."""
    await connection.send(head(reply))
    if request.method == "HEAD" or reply.status in (204, 304):
        return
    chunked = reply.framing == "chunked"
    left = reply.cut_after
    async for piece in reply.pieces():
        part = piece if left is None else piece[:left]
        await connection.send(b"%x\r\n%b\r\n" % (len(part), part) if chunked and part else part)
        if left is not None:
            left -= len(part)
            if left <= 0:
                connection.abort()
                raise ConnectionAbortedError
    if chunked:
        await connection.send(b"0\r\n\r\n")
    if reply.framing == "close":
        connection.writer.close()


def head(reply: Reply) -> bytes:
    """The status line and fields of a reply, with the framing that it does not declare itself."""
    fields: Fields = reply.fields
    if reply.framing == "chunked" and not reply.declares(b"transfer-encoding"):
        fields += ((b"transfer-encoding", b"chunked"),)
    if reply.framing == "length" and isinstance(reply.body, bytes) and not reply.declares(b"content-length"):
        fields += ((b"content-length", str(len(reply.body)).encode()),)
    if (reply.framing == "close" or not reply.keep_alive) and not reply.declares(b"connection"):
        fields += ((b"connection", b"close"),)
    known = HTTPStatus(reply.status).phrase if reply.status in set(HTTPStatus) else ""
    line = f"HTTP/1.1 {reply.status} {reply.reason or known}\r\n".encode("latin-1")
    return line + b"".join(name + b": " + value + b"\r\n" for name, value in fields) + b"\r\n"
