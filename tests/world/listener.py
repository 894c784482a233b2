"""A TCP listener that keeps a record of every connection, before anything is read from it."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from world.tripwire import unguarded

# Tests wait for events, not for time to pass; this only ends a wait for what never comes.
PATIENCE_S = 5.0


@dataclass(slots=True, eq=False)
class Connection:
    """One contact. It is recorded when the kernel accepts it, so a failed handshake leaves a trace too."""

    local: tuple[str, int]
    peer: tuple[str, int]
    server_name: str | None = None
    """What the client's TLS asked for."""
    protocol: str | None = None
    """What ALPN agreed on."""
    tls_error: Exception | None = None
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, repr=False)

    @property
    def reader(self) -> asyncio.StreamReader:
        assert self.streams is not None
        return self.streams[0]

    @property
    def writer(self) -> asyncio.StreamWriter:
        assert self.streams is not None
        return self.streams[1]

    async def send(self, content: bytes) -> None:
        self.writer.write(content)
        await self.writer.drain()
        # Draining gives way only when the peer is slow, and an endless body must not keep everything else waiting.
        await asyncio.sleep(0)

    async def closed_by_peer(self) -> None:
        """Wait until the other side is gone; what it sends meanwhile is dropped."""
        while await self.reader.read(65_536):
            pass

    def abort(self) -> None:
        """Drop the connection at once, without waiting for what was not sent yet."""
        if self.streams is not None:
            self.writer.transport.abort()

    def reset(self) -> None:
        """Drop the connection with a TCP reset instead of an orderly end."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        # A linger time of 0 s makes the kernel send RST.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.abort()


class Listener:
    """
    Accepts connections, writes them down, and hands each to `serve` in a task of its own.

    Without `serve` a connection is kept open and never answered.
    """

    def __init__(
        self,
        serve: Callable[[Connection], Awaitable[None]] | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.connections: list[Connection] = []
        self._serve = serve or Connection.closed_by_peer
        self._tls = tls
        self._wanted = (host, port)
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        family = socket.AF_INET6 if ":" in self._wanted[0] else socket.AF_INET
        self._socket = socket.create_server(self._wanted, family=family, backlog=512)
        self._socket.setblocking(False)
        self.host, self.port = self._socket.getsockname()[:2]
        with unguarded():
            self._start(self._accept())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._socket.close()
        for connection in self.connections:
            connection.abort()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait for what the record will show; fail after five seconds."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(happened)

    async def note(self) -> None:
        """Tell those who wait that the record has grown."""
        async with self._news:
            self._news.notify_all()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            raw, peer = await loop.sock_accept(self._socket)
            connection = Connection(local=raw.getsockname()[:2], peer=peer[:2])
            self.connections.append(connection)
            self._start(self._converse(connection, raw))

    async def _converse(self, connection: Connection, raw: socket.socket) -> None:
        await self.note()
        if not await self._open(connection, raw):
            return
        try:
            await self._serve(connection)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            # The client went away, which is its right.
            pass
        finally:
            await self._close(connection)

    async def _open(self, connection: Connection, raw: socket.socket) -> bool:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 20)
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await loop.connect_accepted_socket(lambda: protocol, raw, ssl=self._tls)
        except (OSError, ssl.SSLError) as error:
            connection.tls_error = error
            raw.close()
            await self.note()
            return False
        connection.streams = (reader, asyncio.StreamWriter(transport, protocol, reader, loop))
        tls = transport.get_extra_info("ssl_object")
        if tls is not None:
            connection.server_name = getattr(tls, "asked_for", None)
            connection.protocol = tls.selected_alpn_protocol()
        return True

    async def _close(self, connection: Connection) -> None:
        connection.writer.close()
        with suppress(ConnectionError, ssl.SSLError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await connection.writer.wait_closed()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
