"""The guard: judges every address, pins one, and makes the connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from typing import TYPE_CHECKING, Protocol

from outrider.egress.policy import Policy, Verdict, is_literal
from outrider.egress.resolve import Resolver
from outrider.egress.stream import Stream, Wire
from outrider.errors import ConnectionFailed, ConnectionTimeout, SsrfRejected

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkStream

DIALLING: ContextVar[bool] = ContextVar("DIALLING", default=False)
"""True only inside the guard's own connect, so that a watcher can tell its sockets from any other."""

# RFC 8305 section 5: the pause before the next address is tried beside the one under way.
ATTEMPT_DELAY_S = 0.25
# At most so many addresses are tried for one connection.
_MAX_ATTEMPTS = 8


class Dialer(Protocol):
    """Opens connections by host and port."""

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> AsyncNetworkStream:
        """Connect, or raise a `WebError`."""
        ...


class Guard:
    """A dialer that connects to judged addresses only."""

    def __init__(self, policy: Policy, resolver: Resolver) -> None:
        self.policy = policy
        self._resolver = resolver

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> AsyncNetworkStream:
        """
        Judge the host, resolve it once, judge every answer, and connect to one of them.

        Args:
            host: In the normal form of `outrider.url.Url`.

        Raises:
            SsrfRejected: The destination is refused; nothing was sent to it.
            DnsFailed, ConnectionFailed, ConnectionTimeout: As they say.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._dial(host, port, await self.addresses(host, port))
        except TimeoutError as error:
            message = f"{host}:{port} did not accept a connection in time"
            raise ConnectionTimeout(message) from error

    async def addresses(self, host: str, port: int) -> list[str]:
        """
        The judged addresses of a host, in the order they are to be tried.

        Raises:
            SsrfRejected, DnsFailed: As for `connect`.
        """
        _, addresses = await self._judge(host, port)
        return addresses

    async def reaches_private(self, host: str, port: int) -> bool:
        """
        Whether the host is reached only because the operator's allow list lets it through.

        Raises:
            SsrfRejected, DnsFailed: As for `connect`.
        """
        verdict, _ = await self._judge(host, port)
        return verdict.private

    async def _judge(self, host: str, port: int) -> tuple[Verdict, list[str]]:
        verdict = self.policy.judge_host(host, port)
        refuse(verdict, host)
        if is_literal(host):
            return verdict, [host]
        answers = await self._resolver.resolve(host, local=self.policy.allow.names(host, port))
        verdict = self.policy.judge_addresses(host, port, answers)
        refuse(verdict, host)
        return verdict, _interleaved(answers)

    async def _dial(self, host: str, port: int, addresses: Sequence[str]) -> Stream:
        """Happy Eyeballs over addresses that were all judged already."""
        attempts: list[asyncio.Task[Stream]] = []
        try:
            for address in addresses[:_MAX_ATTEMPTS]:
                attempts.append(asyncio.create_task(_open(address, port)))
                stream = await _first_success(attempts, ATTEMPT_DELAY_S)
                if stream is not None:
                    return stream
            stream = await _first_success(attempts, None)
            if stream is not None:
                return stream
        finally:
            await _discard(attempts)
        message = f"{host}:{port} refused or dropped the connection"
        raise ConnectionFailed(message)


def refuse(verdict: Verdict, host: str) -> None:
    """
    Turn a refusal into its error.

    Raises:
        SsrfRejected: The verdict is a refusal.
    """
    if not verdict.allowed:
        message = f"{host} is not a public host, so it is not contacted"
        raise SsrfRejected(
            message, reason=verdict.reason, hint=verdict.hint or "Only public web addresses can be read."
        )


@contextmanager
def _marked() -> Iterator[None]:
    token = DIALLING.set(True)
    try:
        yield
    finally:
        DIALLING.reset(token)


async def _open(address: str, port: int) -> Stream:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    raw = socket.socket(family, socket.SOCK_STREAM)
    try:
        raw.setblocking(False)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        loop = asyncio.get_running_loop()
        with _marked():
            await loop.sock_connect(raw, (address, port))
        # The kernel may have rewritten the destination (a transparent proxy); the pin must still hold.
        if ip_address(raw.getpeername()[0]) != ip_address(address):
            message = "the connection leads to another address"
            raise ConnectionError(message)
        wire = Wire()
        await loop.create_connection(lambda: wire, sock=raw)
    except BaseException:
        raw.close()
        raise
    return Stream(wire)


async def _first_success(attempts: list[asyncio.Task[Stream]], wait_s: float | None) -> Stream | None:
    """The first stream that opens within the time; None when none does, at once when all have failed."""
    pending = {task for task in attempts if not task.done()}
    loop = asyncio.get_running_loop()
    due = None if wait_s is None else loop.time() + wait_s
    while pending:
        left = None if due is None else max(0.0, due - loop.time())
        done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if task.exception() is None:
                attempts.remove(task)
                return task.result()
        if not done or wait_s is not None:
            # A failed attempt starts the next one without waiting out the pause.
            return None
    return None


async def _discard(attempts: Iterable[asyncio.Task[Stream]]) -> None:
    tasks = list(attempts)
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Stream):
            await outcome.aclose()


def _interleaved(answers: Sequence[str]) -> list[str]:
    """RFC 8305 section 4: families in turn, IPv6 first, the resolver's order within each."""
    six = [text for text in answers if ":" in text]
    four = [text for text in answers if ":" not in text]
    ordered: list[str] = []
    for index in range(max(len(six), len(four))):
        ordered += six[index : index + 1] + four[index : index + 1]
    return ordered
