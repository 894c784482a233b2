"""A small web on loopback: a harbour's site, a recorded search engine, traps, a service that must stay untouched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from importlib import resources
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"
METADATA = "http://169.254.169.254/latest/meta-data/iam/"
"""Where a cloud's machines find their own credentials: what a redirect trap is after."""

_MAX_HEAD_BYTES = 16_384
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the site."""

    status: str = "200 OK"
    content_type: str = "text/html; charset=utf-8"
    location: str = ""
    body: bytes = b""

    def encode(self) -> bytes:
        """The whole HTTP/1.1 message."""
        fields = [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.body)}", "Connection: close"]
        if self.location:
            fields.append(f"Location: {self.location}")
        return "\r\n".join((f"HTTP/1.1 {self.status}", *fields, "", "")).encode("ascii") + self.body


@dataclass(slots=True)
class Harbour:
    """The servers while they stand; an async context manager."""

    base: str = ""
    """Origin of the site, such as `http://127.0.0.1:40123`."""
    internal: str = ""
    """Origin of the service next door, which nothing may reach."""
    requests: list[str] = field(default_factory=list)
    """Paths that the site was asked for."""
    touched: int = 0
    """Connections that the service next door saw."""
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        self.base = await self._listen(self._serve)
        self.internal = await self._listen(self._count)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop listening."""
        await self._stack.aclose()

    @property
    def allowed(self) -> str:
        """The one `host:port` that the demonstration may reach."""
        return self.base.removeprefix("http://")

    async def _listen(self, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> str:
        server = await asyncio.start_server(serve, HOST, 0, limit=_MAX_HEAD_BYTES)  # noqa: TID251  (an interface listens)
        self._stack.callback(server.close)
        return f"http://{HOST}:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._answer(head).encode())
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _count(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.touched += 1
        writer.close()

    def _answer(self, head: bytes) -> Reply:
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        path = words[1].partition("?")[0] if len(words) == 3 else ""
        self.requests.append(path)
        make = self._pages().get(path)
        return make() if make is not None else Reply(status="404 Not Found", body=b"<p>There is no such page.</p>")

    def _pages(self) -> dict[str, Callable[[], Reply]]:
        return {
            "/": lambda: Reply(body=_file("index.html")),
            "/handbook": lambda: Reply(body=_file("handbook.html")),
            "/news": lambda: Reply(body=_file("news.html")),
            "/api/tides.json": lambda: Reply(content_type="application/json", body=_file("tides.json")),
            "/search": self._search,
            "/free-credits": lambda: Reply(status="302 Found", location=METADATA),
            "/office-party": lambda: Reply(status="302 Found", location=f"{self.internal}/admin"),
        }

    def _search(self) -> Reply:
        """A recorded answer in the shape of SearXNG's; its addresses are those of this run."""
        body = _file("search.json").replace(b"{base}", self.base.encode("ascii"))
        return Reply(content_type="application/json", body=body)


def _file(name: str) -> bytes:
    return resources.files("outrider.interfaces.demo").joinpath("pages", name).read_bytes()
