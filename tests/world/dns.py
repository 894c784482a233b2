"""Resolving: a resolver inside the process, and a real name server on loopback over UDP and TCP."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal, Self

from dnslib import AAAA, CNAME, QTYPE, RCODE, RR, A, DNSHeader, DNSRecord

from outrider.errors import DnsFailed
from world.listener import Connection, Listener
from world.names import MAX_ALIASES, Alias, Names, Trouble, Truncated
from world.tripwire import unguarded

_CODES = {Trouble.NXDOMAIN: RCODE.NXDOMAIN, Trouble.SERVFAIL: RCODE.SERVFAIL, Trouble.REFUSED: RCODE.REFUSED}


class ChosenResolver:
    """Honours the guard's `Resolver` protocol with the answers of a table."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.asked: list[str] = []

    async def resolve(self, host: str, *, local: bool = False) -> list[str]:
        self.asked.append(host)
        name = host
        for _ in range(MAX_ALIASES):
            answer = self._names.answer(name)
            if isinstance(answer, Alias):
                name = answer.target
                continue
            if isinstance(answer, Trouble):
                return await _fail(host, answer)
            return list(answer.addresses if isinstance(answer, Truncated) else answer)
        return await _fail(host, Trouble.SERVFAIL)

    async def aclose(self) -> None:
        """There is nothing to close."""


async def _fail(host: str, trouble: Trouble) -> list[str]:
    if trouble is Trouble.SILENCE:
        await asyncio.Event().wait()
    message = f"{host} could not be resolved: {trouble.value}"
    raise DnsFailed(message)


@dataclass(frozen=True, slots=True)
class DnsQuery:
    """One question that reached the server."""

    name: str
    kind: str
    """`A`, `AAAA`, …"""
    transport: Literal["udp", "tcp"]


class DnsServer:
    """Answers A and AAAA questions from a table; `address` is where."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.queries: list[DnsQuery] = []
        self._tcp = Listener(self._serve_tcp)

    async def __aenter__(self) -> Self:
        await self._tcp.__aenter__()
        self.address = (self._tcp.host, self._tcp.port)
        with unguarded():
            # The same number over both transports, as resolvers expect.
            self._udp, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: _Datagrams(self._reply), local_addr=self.address
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._udp.close()
        await self._tcp.__aexit__()

    async def _serve_tcp(self, connection: Connection) -> None:
        while True:
            (length,) = struct.unpack("!H", await connection.reader.readexactly(2))
            reply = self._reply(await connection.reader.readexactly(length), "tcp")
            if reply is not None:
                await connection.send(struct.pack("!H", len(reply)) + reply)

    def _reply(self, packet: bytes, transport: Literal["udp", "tcp"]) -> bytes | None:
        request = DNSRecord.parse(packet)
        name, kind = str(request.q.qname).rstrip(".").lower(), QTYPE[request.q.qtype]
        self.queries.append(DnsQuery(name, kind, transport))
        reply = DNSRecord(DNSHeader(id=request.header.id, qr=1, aa=1, ra=1, rd=request.header.rd), q=request.q)
        answer = self._follow(reply, name, kind)
        if answer is Trouble.SILENCE:
            return None
        if isinstance(answer, Trouble):
            reply.header.rcode = _CODES[answer]
        elif isinstance(answer, Truncated) and transport == "udp":
            reply.header.tc = 1
        else:
            _add(reply, kind, answer.addresses if isinstance(answer, Truncated) else answer)
        return bytes(reply.pack())

    def _follow(self, reply: DNSRecord, name: str, kind: str) -> Sequence[str] | Trouble | Truncated:
        """What the name leads to; the aliases on the way are added to the reply."""
        owner = name
        for _ in range(MAX_ALIASES):
            answer = self._names.answer(owner, kind)
            if not isinstance(answer, Alias):
                return answer
            reply.add_answer(RR(owner, QTYPE.CNAME, rdata=CNAME(answer.target), ttl=0))
            owner = answer.target
        return Trouble.SERVFAIL


def _add(reply: DNSRecord, kind: str, addresses: Sequence[str]) -> None:
    owner = str(reply.rr[-1].rdata.label) if reply.rr else str(reply.q.qname)
    for text in addresses:
        version = ip_address(text).version
        if kind == {4: "A", 6: "AAAA"}[version]:
            data = A(text) if version == 4 else AAAA(text)
            reply.add_answer(RR(owner, getattr(QTYPE, kind), rdata=data, ttl=0))


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, reply: Callable[[bytes, Literal["udp"]], bytes | None]) -> None:
        self._reply = reply

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Python 3.11's transport has the methods, but not the class.
        self._transport: asyncio.DatagramTransport = transport  # type: ignore[assignment]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        reply = self._reply(data, "udp")
        if reply is not None:
            self._transport.sendto(reply, addr)
