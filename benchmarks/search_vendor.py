"""A search vendor on loopback that answers what it is told, and the guarded client that reaches it by its true name."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trustme

from outrider.egress.client import Client
from outrider.egress.guard import Guard
from outrider.egress.pace import Pace
from outrider.egress.policy import AllowList, Policy
from outrider.egress.transport import Transport

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkStream


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as the vendor saw it."""

    method: str
    host: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer; `content-length` is added."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    body: bytes = b""


Script = Callable[[Asked], Reply | Awaitable[Reply]]
"""Decides what is answered."""


class Vendor:
    """Serves http and https on loopback and remembers what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.ports: dict[int, int] = {}
        """The local port for each port of the real services."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it is closed."""
        try:
            while (asked := await _read_request(reader)) is not None:
                self.asked.append(asked)
                reply = self.script(asked)
                await _write(writer, reply if isinstance(reply, Reply) else await reply)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Asked | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method=method, host=headers.get("host", ""), target=target, headers=headers, body=body)


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> None:
    lines = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in reply.headers.items())]
    lines.append(f"content-length: {len(reply.body)}")
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + reply.body)
    await writer.drain()


@dataclass(frozen=True, slots=True)
class _Detour:
    """A dialer that leads every name to the vendor, through the guard."""

    guard: Guard
    ports: Mapping[int, int]

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> AsyncNetworkStream:
        return await self.guard.connect("127.0.0.1", self.ports[port], timeout_s=timeout_s)


class _NoNames:
    """A resolver that is never needed."""

    async def resolve(self, host: str, *, local: bool = False) -> list[str]:
        raise AssertionError(host)


@asynccontextmanager
async def vendor(script: Script, *, hosts: Iterable[str], at_once: int = 4) -> AsyncIterator[tuple[Vendor, Client]]:
    """
    A running vendor with certificates for its hosts, and a client whose every connection ends there.

    The client is the real one: policy, transport, TLS and limits are those of production; only the addresses differ.

    Args:
        at_once: Exchanges at one time with one host.
    """
    authority = trustme.CA()
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*hosts).configure_cert(served)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    running = Vendor(script)
    plain = await asyncio.start_server(running.serve, "127.0.0.1", 0, backlog=512)
    secure = await asyncio.start_server(running.serve, "127.0.0.1", 0, ssl=served, backlog=512)
    running.ports = {80: plain.sockets[0].getsockname()[1], 443: secure.sockets[0].getsockname()[1]}
    guard = Guard(Policy(allow=AllowList.parse(["127.0.0.0/8"])), _NoNames())
    detour = _Detour(guard, running.ports)
    client = Client(
        guard,
        Transport({"http": detour, "https": detour}, lambda: trusted),
        user_agent="Outrider/test",
        pace=Pace(per_host=at_once, overall=max(64, at_once)),
    )
    async with plain, secure:
        try:
            yield running, client
        finally:
            await client.aclose()
