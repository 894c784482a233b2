"""One connected byte stream, in the form the HTTP library reads and writes."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from httpcore2 import AsyncNetworkStream, ConnectError, ReadError, ReadTimeout, WriteError, WriteTimeout

from outrider.errors import ConnectionTimeout, HeadersTooLarge, TlsFailed

# Above this much unread data the transport is paused; below half of it resumed.
_HIGH_WATER = 256 * 1024


@dataclass(slots=True)
class Meter:
    """Counts what an exchange reads, so that headers without end are stopped before they are parsed."""

    max_header_bytes: int
    in_headers: bool = True
    seen: int = 0

    def count(self, size: int) -> None:
        """
        Add bytes read.

        Raises:
            HeadersTooLarge: The answer's headers, 1xx answers included, do not end.
        """
        self.seen += size
        # One read may already hold the first part of the body, hence the slack of one buffer.
        if self.in_headers and self.seen > self.max_header_bytes + _HIGH_WATER:
            message = f"the response headers are larger than {self.max_header_bytes} bytes"
            raise HeadersTooLarge(message)


METER: ContextVar[Meter | None] = ContextVar("METER", default=None)
"""The meter of the exchange that the current task makes over HTTP/1."""


class Wire(asyncio.Protocol):
    """Buffers one transport with back-pressure in both directions."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.peername: Any = None
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._eof = False
        self._error: Exception | None = None
        self._paused = False
        self._readable = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over a transport, or its TLS successor."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.peername = transport.get_extra_info("peername")

    def data_received(self, data: bytes) -> None:
        """Buffer, and stop the transport when nobody reads."""
        self._chunks.append(data)
        self._size += len(data)
        self._readable.set()
        if self._size > _HIGH_WATER and not self._paused and self.transport is not None:
            self._paused = True
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        """The other side is done."""
        self._eof = True
        self._readable.set()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake whoever waits."""
        self._eof = True
        self._error = exc
        self._readable.set()
        self._writable.set()

    def pause_writing(self) -> None:
        """The transport is full."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """The transport takes more."""
        self._writable.set()

    @property
    def buffered(self) -> bool:
        """Whether bytes came that nobody has read."""
        return bool(self._chunks)

    @property
    def pending(self) -> bool:
        """Whether a read would return at once."""
        return self.buffered or self._eof

    async def receive(self, max_bytes: int) -> bytes:
        """Up to `max_bytes`, or nothing at the end of the stream."""
        while not self._chunks:
            if self._error is not None:
                raise self._error
            if self._eof:
                return b""
            self._readable.clear()
            await self._readable.wait()
        data = self._chunks.popleft()
        if len(data) > max_bytes:
            self._chunks.appendleft(data[max_bytes:])
            data = data[:max_bytes]
        self._size -= len(data)
        if self._paused and self._size < _HIGH_WATER // 2 and self.transport is not None:
            self._paused = False
            self.transport.resume_reading()
        return data

    async def send(self, data: bytes) -> None:
        """Hand data to the transport, and wait until it can take more."""
        if self._eof and self._error is not None:
            raise self._error
        if self.transport is None or self.transport.is_closing():
            message = "the connection is closed"
            raise ConnectionResetError(message)
        self.transport.write(data)
        await self._writable.wait()


class Stream(AsyncNetworkStream):
    """A connection to a judged address."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        # Over HTTP/2 one task reads for all exchanges of a connection, and that library bounds the headers itself.
        self._metered = True

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """At most `max_bytes`; empty at the end."""
        try:
            if self._wire.pending:
                data = await self._wire.receive(max_bytes)
            else:
                async with asyncio.timeout(timeout):
                    data = await self._wire.receive(max_bytes)
        except TimeoutError as error:
            raise ReadTimeout(str(error)) from error
        except OSError as error:
            raise ReadError(str(error)) from error
        meter = METER.get()
        if meter is not None and self._metered:
            meter.count(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of the buffer."""
        if not buffer:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._wire.send(buffer)
        except TimeoutError as error:
            raise WriteTimeout(str(error)) from error
        except OSError as error:
            raise WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Close at once, without waiting for the other side."""
        if self._wire.transport is not None:
            self._wire.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> AsyncNetworkStream:
        """
        Speak TLS from here on, verified against the host's name.

        Raises:
            TlsFailed: The certificate or the handshake is bad.
            ConnectionTimeout: The handshake did not finish.
        """
        assert self._wire.transport is not None
        if self._wire.buffered:
            # A TLS server never speaks first. Kept, these bytes would later pass for its decrypted answer.
            await self.aclose()
            message = f"{server_hostname} sent plain bytes before the TLS handshake"
            raise TlsFailed(message, reason="tls-handshake")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                transport = await loop.start_tls(
                    self._wire.transport, self._wire, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError as error:
            await self.aclose()
            message = f"{server_hostname} did not finish the TLS handshake in time"
            raise ConnectionTimeout(message) from error
        except ssl.SSLCertVerificationError as error:
            await self.aclose()
            message = f"the certificate of {server_hostname} is not valid: {error.verify_message}"
            raise TlsFailed(
                message,
                reason="tls-verification",
                hint="If the server uses a private certificate authority, set egress.ca_file.",
            ) from error
        except ssl.SSLError as error:
            await self.aclose()
            message = f"{server_hostname} does not speak TLS here: {error.reason or error}"
            raise TlsFailed(message, reason="tls-handshake") from error
        except OSError as error:
            await self.aclose()
            raise ConnectError(str(error)) from error
        except BaseException:
            await self.aclose()
            raise
        assert transport is not None
        self._wire.transport = transport
        self._metered = transport.get_extra_info("ssl_object").selected_alpn_protocol() != "h2"
        return self

    def get_extra_info(self, info: str) -> Any:
        """What the HTTP library asks about: `ssl_object`, `server_addr`, `is_readable`."""
        if self._wire.transport is None:
            return None
        match info:
            case "ssl_object":
                return self._wire.transport.get_extra_info("ssl_object")
            case "server_addr":
                return self._wire.peername
            case "is_readable":
                return self._wire.pending
            case _:
                return None
