"""The seam with the HTTP library: one exchange over a dialer, its errors in our words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpcore2

from outrider.egress.decode import Body
from outrider.egress.message import Headers, Limits, Request
from outrider.egress.stream import METER, Meter
from outrider.errors import (
    BodyTooLarge,
    ConnectionFailed,
    ConnectionTimeout,
    HeadersTooLarge,
    ReadTimeout,
    TruncatedBody,
)
from outrider.url import Url

if TYPE_CHECKING:
    import ssl

    from outrider.egress.guard import Dialer
    from outrider.egress.trust import TlsFactory

MAX_CONNECTION_AGE_S = 60.0
"""Connections older than that are not reused, so that a name cannot live for ever on an old answer."""

_KEEP_ALIVE_S = 15.0
_MAX_CONNECTIONS, _MAX_IDLE = 256, 32

_SKIPPED_BYTES, _SKIP_S = 16_384, 0.5
_CHUNKS_AT_ONCE = 64

# RFC 9110: the statuses whose answers have no body.
_BODILESS = frozenset({204, 205, 304})


class DialerBackend(httpcore2.AsyncNetworkBackend):
    """Lets the HTTP library connect through a dialer, and in no other way."""

    def __init__(self, dialer: Dialer) -> None:
        self._dialer = dialer

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect through the dialer."""
        del local_address, socket_options
        return await self._dialer.connect(host, port, timeout_s=timeout)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Any = None
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse."""
        del path, timeout, socket_options
        message = "local sockets are not reached"
        raise ConnectionFailed(message)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class _Generation:
    """Connections that were opened within one span of time."""

    pool: httpcore2.AsyncConnectionPool
    born: float
    users: int = 0


class Incoming:
    """An answer whose body is still on its way."""

    def __init__(
        self, response: httpcore2.Response, request: Request, limits: Limits, timeouts: dict[str, Any]
    ) -> None:
        self.status: int = response.status
        self.headers = Headers((_text(name), _text(value)) for name, value in response.headers)
        self.http_version: str = response.extensions.get("http_version", b"HTTP/1.1").decode("ascii")
        self.truncated = False
        self._response = response
        self._request = request
        self._limits = limits
        self._timeouts = timeouts

    async def pieces(self) -> AsyncIterator[bytes]:
        """
        The decoded body, in pieces of at most 64 KiB.

        Raises:
            BodyTooLarge: It exceeds the limit on the wire or decoded, and the limits do not say to cut.
            TruncatedBody, DecodingFailed, ReadTimeout: As they say.
        """
        if self._request.method == "HEAD" or self.status in _BODILESS:
            return
        self._timeouts["read"] = self._limits.stall_s
        if self._declares_too_much() and self._limits.on_excess == "error":
            raise self._too_large()
        body = Body(self.headers.every("content-encoding"))
        on_wire = decoded = chunks = 0
        with _translated(self._request.url, in_body=True):
            async for chunk in self._response.stream:  # type: ignore[union-attr]
                on_wire += len(chunk)
                chunks += 1
                if chunks % _CHUNKS_AT_ONCE == 0:
                    # One read may hold thousands of tiny chunks; the program's other work goes on between them.
                    await asyncio.sleep(0)
                # Before decoding: compressed bytes that yield nothing must end as well.
                if on_wire > self._limits.max_body_bytes + len(chunk):
                    yield self._cut(b"")
                    return
                for piece in body.feed(chunk):
                    room = self._limits.max_body_bytes - decoded
                    if len(piece) > room:
                        yield self._cut(piece[:room])
                        return
                    decoded += len(piece)
                    yield piece
        body.finish()

    async def skip(self) -> None:
        """Read past a small body, so that its connection can be used again; a larger one costs the connection."""
        declared = self.headers.get("content-length", "")
        if not (declared.isascii() and declared.isdigit() and int(declared[:20]) <= _SKIPPED_BYTES):
            return
        self._timeouts["read"] = _SKIP_S
        with suppress(httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException):
            async for _ in self._response.stream:  # type: ignore[union-attr]
                pass

    def _declares_too_much(self) -> bool:
        declared = self.headers.get("content-length", "")
        return declared.isascii() and declared.isdigit() and int(declared[:20]) > self._limits.max_body_bytes

    def _cut(self, piece: bytes) -> bytes:
        if self._limits.on_excess == "error":
            raise self._too_large()
        self.truncated = True
        return piece

    def _too_large(self) -> BodyTooLarge:
        message = f"{self._request.url.host} sent more than {self._limits.max_body_bytes} bytes"
        return BodyTooLarge(
            message, hint="Use download for large files.", details={"max_bytes": self._limits.max_body_bytes}
        )


class Transport:
    """
    Exchanges messages over pooled connections.

    Args:
        dialers: By scheme, `http` and `https`: who opens connections.
        tls: Makes the verifying TLS context; called once, at the first https exchange.
        clock: Monotonic seconds, by which connections grow old.
    """

    def __init__(
        self,
        dialers: Mapping[str, Dialer],
        tls: TlsFactory,
        *,
        http2: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._dialers = dialers
        self._tls = tls
        self._tls_context: ssl.SSLContext | None = None
        self._http2 = http2
        self._generations: dict[str, _Generation] = {}
        self._retired: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self, request: Request, limits: Limits) -> AsyncIterator[Incoming]:
        """
        Send a request, and hold its connection while the answer is read.

        Raises:
            WebError: Any code of the guard or of the network.
        """
        timeouts = {"connect": limits.connect_s, "read": limits.first_byte_s, "write": limits.stall_s}
        meter = Meter(limits.max_header_bytes)
        token = METER.set(meter)
        try:
            async with self._pool(request.url.scheme) as pool:
                with _given_up(request.url, meter):
                    response = await self._begin(pool, request, limits, timeouts)
                meter.in_headers = False
                try:
                    _check_headers(response, limits)
                    yield Incoming(response, request, limits, timeouts)
                finally:
                    await response.aclose()
        finally:
            # Entered and left in different contexts when the caller is a generator that is closed late.
            try:
                METER.reset(token)
            except ValueError:
                METER.set(None)

    async def aclose(self) -> None:
        """Close every connection."""
        generations, self._generations = list(self._generations.values()), {}
        for generation in generations:
            await generation.pool.aclose()
        await asyncio.gather(*self._retired, return_exceptions=True)

    async def _begin(
        self, pool: httpcore2.AsyncConnectionPool, request: Request, limits: Limits, timeouts: dict[str, Any]
    ) -> httpcore2.Response:
        raw = httpcore2.Request(
            method=request.method.encode("ascii"),
            url=_raw_url(request.url),
            headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in request.headers.fields],
            content=request.body or None,
            extensions={"timeout": timeouts},
        )
        with _translated(request.url, in_body=False):
            try:
                async with asyncio.timeout(limits.connect_s + limits.first_byte_s):
                    return await pool.handle_async_request(raw)
            except TimeoutError as error:
                message = f"{request.url.host} did not finish its response headers in time"
                raise ReadTimeout(message) from error

    @asynccontextmanager
    async def _pool(self, scheme: str) -> AsyncIterator[httpcore2.AsyncConnectionPool]:
        generation = self._current(scheme)
        generation.users += 1
        try:
            yield generation.pool
        finally:
            generation.users -= 1
            if generation.users == 0 and generation is not self._generations.get(scheme):
                await generation.pool.aclose()

    def _current(self, scheme: str) -> _Generation:
        now = self._clock()
        current = self._generations.get(scheme)
        if current is not None and now - current.born < MAX_CONNECTION_AGE_S:
            return current
        if current is not None and current.users == 0:
            task = asyncio.create_task(current.pool.aclose())
            self._retired.add(task)
            task.add_done_callback(self._retired.discard)
        fresh = _Generation(self._new_pool(scheme), now)
        self._generations[scheme] = fresh
        return fresh

    def _new_pool(self, scheme: str) -> httpcore2.AsyncConnectionPool:
        if scheme == "https" and self._tls_context is None:
            self._tls_context = self._tls()
        return httpcore2.AsyncConnectionPool(
            ssl_context=self._tls_context,
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_IDLE,
            keepalive_expiry=_KEEP_ALIVE_S,
            http2=self._http2,
            network_backend=DialerBackend(self._dialers[scheme]),
        )


def _raw_url(url: Url) -> httpcore2.URL:
    """The parts that our parser read, handed over without another parser in between."""
    return httpcore2.URL(
        scheme=url.scheme.encode("ascii"),
        host=url.host.encode("ascii"),
        port=url.port,
        target=url.target.encode("ascii"),
    )


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _check_headers(response: httpcore2.Response, limits: Limits) -> None:
    size = sum(len(name) + len(value) + 4 for name, value in response.headers)
    if size > limits.max_header_bytes:
        message = f"the response headers are larger than {limits.max_header_bytes} bytes"
        raise HeadersTooLarge(message)


@contextmanager
def _given_up(url: Url, meter: Meter) -> Iterator[None]:
    """A kept connection that the server closed meanwhile gives no byte: no broken HTTP, so it may be tried again."""
    try:
        yield
    except ConnectionFailed as error:
        if meter.seen or error.reason != "protocol":
            raise
        message = f"{url.host} closed the connection without an answer"
        raise ConnectionFailed(message) from error


@contextmanager
def _translated(url: Url, *, in_body: bool) -> Iterator[None]:
    """Turn the HTTP library's errors into ours."""
    host = url.host
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        message = f"{host}:{url.port} did not accept a connection in time"
        raise ConnectionTimeout(message) from error
    except httpcore2.ReadTimeout as error:
        message = f"{host} stopped sending" if in_body else f"{host} did not answer in time"
        raise ReadTimeout(message) from error
    except (httpcore2.WriteTimeout, httpcore2.PoolTimeout) as error:
        message = f"{host} did not take the request in time"
        raise ReadTimeout(message) from error
    except (httpcore2.RemoteProtocolError, httpcore2.LocalProtocolError) as error:
        if _is_oversized(error):
            message = f"{host} sent response headers larger than allowed"
            raise HeadersTooLarge(message) from error
        if in_body:
            raise _truncated(host) from error
        message = f"{host} did not answer with valid HTTP"
        raise ConnectionFailed(message, reason="protocol") from error
    except (httpcore2.NetworkError, OSError) as error:
        if in_body:
            raise _truncated(host) from error
        message = f"the connection to {host}:{url.port} broke"
        raise ConnectionFailed(message) from error


def _truncated(host: str) -> TruncatedBody:
    return TruncatedBody(f"{host} closed the connection before the body was complete", hint="Try again.")


def _is_oversized(error: Exception) -> bool:
    cause = error.args[0] if error.args else None
    return getattr(cause, "error_status_hint", None) == 431 or type(cause).__name__ == "DenialOfServiceError"
