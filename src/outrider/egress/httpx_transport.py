"""The seam with other people's HTTP clients: their requests go out through our client, to one origin."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import replace
from typing import Protocol

import httpx2

from outrider.egress.message import Headers, Limits, Request
from outrider.errors import (
    ConnectionFailed,
    ConnectionTimeout,
    DecodingFailed,
    ReadTimeout,
    TotalTimeout,
    TruncatedBody,
    WebError,
)
from outrider.url import Url

# Follow from the request or belong to a connection; the identity and the codings are our client's own.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade",
     "accept-encoding", "user-agent", "cookie"}
)  # fmt: skip
# What described the transfer no longer holds for the decoded body, and no cookie is kept.
_NOT_HANDED_OVER = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie"})
# A time that runs out inside foreign code would look like a cancellation there: whoever calls bounds the whole.
_UNBOUNDED_S = 86_400.0
_MAX_CAUSES = 16


GuardedClient = httpx2.AsyncClient
"""What vendors' libraries take; made here it has no way out of its own."""


class Arriving(Protocol):
    """An answer whose body is still on its way."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Headers:
        """Its fields."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The decoded body, as it arrives."""
        ...


class Door(Protocol):
    """What makes the exchanges: our client."""

    def stream(self, request: Request, *, limits: Limits) -> AbstractAsyncContextManager[Arriving]:
        """One exchange, redirects as they are."""
        ...


def guarded_client(door: Door, *, origin: str, limits: Limits) -> GuardedClient:
    """
    A client for a vendor's library: nothing of the environment, no redirect, one origin.

    Its calls are bounded by `limits` save for the total, which is the caller's to bound.
    """
    return GuardedClient(
        transport=GuardedTransport(door, origin=origin, limits=limits),
        trust_env=False,
        follow_redirects=False,
        timeout=None,
    )


@contextmanager
def own_failures() -> Iterator[None]:
    """
    Let our own failure through as it was, however deep a library wrapped it.

    Raises:
        WebError: It is the cause of what the block raised.
    """
    try:
        yield
    except Exception as error:  # Only to look behind it: what is not ours is raised again.
        ours = _ours_behind(error)
        if ours is None:
            raise
        raise ours from None


class GuardedTransport(httpx2.AsyncBaseTransport):
    """
    Carries requests over our client.

    Args:
        origin: The only one that is reached; a key that the requests carry goes nowhere else.
    """

    def __init__(self, door: Door, *, origin: str, limits: Limits) -> None:
        self._door = door
        self._origin = origin
        self._limits = replace(limits, total_s=_UNBOUNDED_S)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2.AsyncBaseTransport`."""
        stack = AsyncExitStack()
        with _translated(request):
            ours = await self._read(request)
            arriving = await stack.enter_async_context(self._door.stream(ours, limits=self._limits))
        fields = [(name, value) for name, value in arriving.headers.fields if name not in _NOT_HANDED_OVER]
        return httpx2.Response(
            arriving.status,
            headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in fields],
            stream=_Body(arriving, stack, request),
            request=request,
        )

    async def _read(self, request: httpx2.Request) -> Request:
        url = Url.parse(str(request.url))
        if url.origin != self._origin:
            raise ConnectionFailed(f"{url.origin} is not {self._origin}, the only place that this client may reach")
        fields = [(name, value) for name, value in request.headers.multi_items() if name.lower() not in _OURS]
        return Request(url=url, method=request.method, headers=Headers(fields), body=await request.aread())


class _Body(httpx2.AsyncByteStream):
    """The body, piece by piece; closing it ends the exchange."""

    def __init__(self, arriving: Arriving, stack: AsyncExitStack, request: httpx2.Request) -> None:
        self._arriving = arriving
        self._stack = stack
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translated(self._request):
            async for piece in self._arriving.pieces():
                yield piece

    async def aclose(self) -> None:
        with _translated(self._request):
            await self._stack.aclose()


@contextmanager
def _translated(request: httpx2.Request) -> Iterator[None]:
    """Our failures as the library's own, which libraries above it know how to end on."""
    try:
        yield
    except WebError as error:
        raise _theirs(error)(error.message, request=request) from error


def _theirs(error: WebError) -> type[httpx2.RequestError]:
    match error:
        case ConnectionTimeout():
            return httpx2.ConnectTimeout
        case ReadTimeout() | TotalTimeout():
            return httpx2.ReadTimeout
        case TruncatedBody():
            return httpx2.RemoteProtocolError
        case DecodingFailed():
            return httpx2.DecodingError
        case _:
            return httpx2.ConnectError


def _ours_behind(error: BaseException) -> WebError | None:
    at: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if at is None or isinstance(at, WebError):
            return at
        at = at.__cause__ or at.__context__
    return None
