from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

import pytest
from mcp import Client

from interfaces.mcp.conftest import Connect
from interfaces.mcp.serving import Door, listening
from outrider import Web
from world.site import Site
from world.tripwire import unguarded

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="no such signals")]
PATIENCE_S = 30.0
_PROGRAM = """
import asyncio, sys
from mcp import Client

async def main(url, page, mode):
    async with Client(url, mode=mode) as client:
        await client.call_tool("web_fetch", {"url": page})

asyncio.run(main(*sys.argv[1:]))
"""


class Stuck:
    """A page that begins, and ends when it is told to or when its reader leaves."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.left = asyncio.Event()

    async def serve(self, request: Any, connection: Any) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>It is high water ")
        self.begun.set()
        reading = asyncio.ensure_future(connection.reader.read())
        waiting = asyncio.ensure_future(self.go_on.wait())
        await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not self.go_on.is_set():
            self.left.set()
        for task in (reading, waiting):
            task.cancel()


async def _killed_client(door: Door, site: Site, stuck: Stuck, mode: str) -> None:
    """A client of its own process that is killed while its call is answered."""
    site.paths["/stuck"] = stuck.serve
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PROGRAM, door.url, site.at("/stuck"), mode), env=dict(os.environ)
    )
    await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def test_a_call_that_its_client_gives_up_stops_its_transfer_and_the_next_is_answered(
    connect_anyhow: Connect, site: Site
) -> None:
    stuck = Stuck()
    site.paths["/stuck"] = stuck.serve
    async with connect_anyhow() as client:
        call = asyncio.create_task(client.call_tool("web_fetch", {"url": site.at("/stuck")}))
        await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)
        call.cancel()
        await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)
        further = await client.call_tool("web_fetch", {"url": site.at("/short")})

    assert not further.is_error


async def test_a_ping_is_answered_in_a_session(connect_with_handshake: Connect) -> None:
    async with connect_with_handshake() as client:
        await client.session.send_ping()


async def test_the_call_of_a_killed_client_ends_where_nobody_can_ask_for_its_answer(door: Door, site: Site) -> None:
    stuck = Stuck()
    await _killed_client(door, site, stuck, "auto")

    await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)


async def test_a_killed_clients_session_goes_on_alone_and_the_others_do_not_notice(door: Door, site: Site) -> None:
    stuck = Stuck()
    async with door.client() as other:
        await _killed_client(door, site, stuck, "legacy")
        beside = await other.call_tool("web_fetch", {"url": site.at("/short")})
        # The protocol does not take a lost connection for a cancellation.
        assert not stuck.left.is_set()
        stuck.go_on.set()
        listed = (await other.list_resources()).resources

    assert not beside.is_error
    assert [site.at("/short")] == [
        resource.description.partition(" ")[0] for resource in listed if resource.description
    ]


async def test_a_server_that_ends_ends_every_session(web: Web, site: Site) -> None:
    stuck = Stuck()
    async with listening(web) as door:
        await _killed_client(door, site, stuck, "legacy")
        (scope,) = [seen.scope for seen in door.app.sessions._seen.values()]  # noqa: SLF001  (its own test)
    await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)

    assert 0 == door.app.sessions.count
    assert [] == await web.pages.listed(scope=scope)


async def test_the_command_listens_says_where_and_ends_when_told(site: Site) -> None:
    environment = {**os.environ, "OUTRIDER_MCP_TOKEN": "token-0123456789abcdef"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "outrider", "mcp", "--http", "--port", "0"),
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    said = (await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)).decode()
    url = said.split()[-1]
    door = Door(url=url, app=None)  # type: ignore[arg-type]  # it runs elsewhere

    with unguarded():
        async with door.client(token="token-0123456789abcdef") as client:
            result = await client.call_tool("web_fetch", {"url": site.at("/short")})
        with pytest.raises(BaseException):  # noqa: B017, PT011  (a group, whose kind is the client library's matter)
            async with Client(url, mode="legacy"):
                pass
    process.send_signal(signal.SIGTERM)

    assert said.startswith("listening on http://127.0.0.1:")
    assert not result.is_error
    assert await asyncio.wait_for(process.wait(), PATIENCE_S) in (0, -signal.SIGTERM)
    assert b"" == await process.stderr.read()
