"""Ways to the MCP server, each with the same sites and the same search engine behind it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from interfaces.mcp.serving import Door, listening, started
from outrider import Web
from world.messages import Reply, page
from world.site import Site
from world.world import World

Connect = Callable[..., Client]
LONG = "<h1>Harbour</h1>" + "".join(
    f"<p>Paragraph {number} about the harbour. {'Word ' * 40}</p>" for number in range(60)
)
FOUND = {
    "query": "harbour",
    "results": [
        {"url": "https://example.org/harbour", "title": "The harbour", "content": "All about it.", "engine": "own"}
    ],
    "unresponsive_engines": [],
}


@pytest.fixture
async def site(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Site:
    """A site that every server of the test may reach, and its own search engine."""
    built = await world.site(
        {
            "/long": page(LONG),
            "/short": page("<h1>Short</h1><p>It is high water at noon.</p>"),
            "/search": Reply(body=json.dumps(FOUND).encode(), fields=((b"content-type", b"application/json"),)),
        }
    )
    monkeypatch.setenv("OUTRIDER_ALLOW_HOSTS", ",".join(world.allow_hosts))
    monkeypatch.setenv("SEARXNG_URL", built.url)
    monkeypatch.setenv("OUTRIDER_SEARCH_PROVIDER", "searxng")
    monkeypatch.setenv("OUTRIDER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return built


@pytest.fixture
async def web(site: Site) -> AsyncIterator[Web]:
    async with Web() as opened:
        yield opened


@pytest.fixture
async def door(web: Web) -> AsyncIterator[Door]:
    async with listening(web) as opened:
        yield opened


@pytest.fixture(params=("http legacy", "http modern"))
async def connect(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Connect]:
    """Makes a client; once in each era of the protocol."""
    async with _connecting(request.param) as made:
        yield made


@pytest.fixture(params=("stdio legacy", "stdio modern", "http legacy", "http modern"))
async def connect_anyhow(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Connect]:
    """The same over each transport too; starting a process takes its time, so few tests use it."""
    async with _connecting(request.param) as made:
        yield made


@pytest.fixture(params=("stdio legacy", "http legacy"))
async def connect_with_handshake(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Connect]:
    """Over each transport, for what only sessions with a handshake have."""
    async with _connecting(request.param) as made:
        yield made


@asynccontextmanager
async def _connecting(way: str) -> AsyncIterator[Connect]:
    transport, era = way.split()
    mode = "legacy" if era == "legacy" else "auto"
    if transport == "stdio":
        yield lambda **options: started(mode=mode, **options)
        return
    async with Web() as web, listening(web) as door:
        yield lambda **options: door.client(mode=mode, **options)
