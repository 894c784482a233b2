"""An HTTP proxy that tunnels by CONNECT and writes down what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

from world.listener import Connection, Listener
from world.messages import Reply, Request
from world.names import Names
from world.site import head, read_request
from world.tripwire import unguarded


class ConnectProxy:
    """
    Tunnels to where the target's name leads in the world, or refuses with a chosen reply.

    Any other method than CONNECT is written down and refused with 405.
    """

    def __init__(self, names: Names, *, refuse: Reply | None = None, ports: Mapping[tuple[str, int], int]) -> None:
        self._names = names
        self._refuse = refuse
        self._ports = ports
        self.requests: list[Request] = []
        self.listener = Listener(self._serve)

    async def __aenter__(self) -> Self:
        await self.listener.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.listener.__aexit__()

    @property
    def url(self) -> str:
        return f"http://{self.listener.host}:{self.listener.port}"

    @property
    def targets(self) -> list[str]:
        """What tunnels were asked for, as `host:port`."""
        return [request.target for request in self.requests if request.method == "CONNECT"]

    async def _serve(self, connection: Connection) -> None:
        request = await read_request(connection)
        if request is None:
            return
        self.requests.append(request)
        await self.listener.note()
        if self._refuse is not None or request.method != "CONNECT":
            refusal = self._refuse or Reply(status=405, keep_alive=False)
            await connection.send(head(refusal) + (refusal.body if isinstance(refusal.body, bytes) else b""))
            return
        await self._tunnel(connection, request.target)

    async def _tunnel(self, connection: Connection, target: str) -> None:
        host, _, port = target.rpartition(":")
        bare = host.strip("[]")
        answer = self._names.answer(bare) if bare in self._names else [bare]
        address = answer[0] if isinstance(answer, list | tuple) else bare
        with unguarded():
            reader, writer = await asyncio.open_connection(address, self._ports.get((bare, int(port)), int(port)))
        await connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pipe(connection.reader, writer))
                both.create_task(_pipe(reader, connection.writer))
        finally:
            writer.close()


async def _pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()
    with suppress(OSError, RuntimeError, NotImplementedError):
        if target.can_write_eof():
            target.write_eof()
