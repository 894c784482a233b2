"""The MCP server as a client meets it: a process on standard streams, or an address on loopback."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from outrider import Web
from outrider.interfaces.mcp.http import PATH, Listening, Watched, _listen, http_app
from world.tripwire import unguarded

PATIENCE_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Door:
    """Where a server can be reached over HTTP."""

    url: str
    app: Watched

    def client(self, *, mode: str = "legacy", token: str = "", **options: Any) -> Client:
        if not token:
            return Client(self.url, mode=mode, **options)
        return Client(_with_token(self.url, token), mode=mode, **options)


@asynccontextmanager
async def _with_token(url: str, token: str) -> AsyncIterator[Any]:
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def started(*words: str, mode: str = "legacy", **options: Any) -> Client:
    """A client of a server that it starts itself, in the environment that the test has made."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "outrider", "mcp", *words], env=dict(os.environ)
    )
    return Client(command, mode=mode, **options)


@asynccontextmanager
async def listening(web: Web, settings: Listening | None = None) -> AsyncIterator[Door]:
    """The server of a `Web`, in this loop; its own connections are guarded, those of the test's clients are not."""
    settings = settings or Listening(port=0)
    with _listen(settings) as door:
        port = door.getsockname()[1]
        app = http_app(web, settings, port=port)
        server = _Quiet(uvicorn.Config(app, log_config=None, ws="none", lifespan="on", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve(sockets=[door]))
        while not server.started:  # noqa: ASYNC110  (it says so by nothing else)
            await asyncio.sleep(0)
        try:
            with unguarded():
                yield Door(url=f"http://127.0.0.1:{port}{PATH}", app=app)
        finally:
            server.should_exit = True
            await serving
            await app.sessions.close_all()


class _Quiet(uvicorn.Server):
    """Leaves the signals of the test run alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
