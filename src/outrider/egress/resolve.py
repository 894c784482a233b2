"""Names to addresses."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any, Protocol

from outrider.errors import DnsFailed

if TYPE_CHECKING:
    import aiodns

RESOLVE_TIMEOUT_S = 5.0
MAX_IN_FLIGHT = 64
"""Lookups at one time; more wait, so that dead name servers cannot pile up work."""

# ares.h, ARES_AI_NOSORT: without it c-ares opens a socket towards every answer to rank it.
_NO_SORT = 1 << 7


class Resolver(Protocol):
    """Turns a name into addresses."""

    async def resolve(self, host: str, *, local: bool = False) -> list[str]:
        """
        Look a name up.

        Args:
            host: A lower-case ASCII name without a final dot.
            local: The name is the operator's own, so search domains and the hosts file may complete it.

        Raises:
            DnsFailed: There is no answer.
        """
        ...


class SystemResolver:
    """
    Asks the system's name servers through c-ares.

    c-ares is used instead of `getaddrinfo` because a lookup that hangs costs it nothing: with a thread pool, 40
    lookups to a dead server delayed the next good one by 1.4 s.
    """

    def __init__(self, *, timeout_s: float = RESOLVE_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._in_flight = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._cares: aiodns.DNSResolver | None = None

    async def resolve(self, host: str, *, local: bool = False) -> list[str]:
        """See `Resolver`."""
        try:
            async with asyncio.timeout(self._timeout_s), self._in_flight:
                # The final dot keeps search domains from turning a public name into an internal one.
                addresses = await self._ask(host if local else host + ".")
        except TimeoutError as error:
            raise _failed(host, "the name servers did not answer in time") from error
        if not addresses:
            raise _failed(host, "it has no address")
        return addresses

    async def aclose(self) -> None:
        """Free the lookup channel."""
        if self._cares is not None:
            await self._cares.close()
            self._cares = None

    async def _ask(self, name: str) -> list[str]:
        import aiodns

        if self._cares is None:
            self._cares = aiodns.DNSResolver(timeout=self._timeout_s, tries=2)
        try:
            answer: Any = await self._cares.getaddrinfo(name, type=socket.SOCK_STREAM, flags=_NO_SORT)
        except aiodns.error.DNSError as error:
            raise _failed(name.rstrip("."), "the name servers know no such name") from error
        texts = (node.addr[0] for node in answer.nodes)
        return list(dict.fromkeys(text.decode("ascii") if isinstance(text, bytes) else text for text in texts))


def _failed(host: str, why: str) -> DnsFailed:
    return DnsFailed(
        f"{host} could not be resolved: {why}", hint="Check the spelling of the host.", reason="dns-failure"
    )
