from __future__ import annotations

import asyncio
import gc
import re
from collections import Counter
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent

from interfaces.mcp.serving import Door
from outrider import Scope, Web
from outrider.interfaces.mcp.sessions import Sessions
from world.listener import Connection
from world.messages import Request
from world.site import Site

COUNT = 50


def _own_page(number: int) -> str:
    paragraphs = "".join(f"<p>Secret {number} stands in paragraph {part}. {'Word ' * 60}</p>" for part in range(12))
    return f"<h1>Page of client {number}</h1>{paragraphs}"


def _secrets(result: CallToolResult) -> set[str]:
    assert isinstance(result.content[0], TextContent)
    return set(re.findall(r"Secret (\d+) stands", result.content[0].text))


async def _one_client(door: Door, site: Site, number: int, mode: str, together: asyncio.Barrier) -> dict[str, Any]:
    """Reads its own page in pieces, and asks for progress all the while."""
    steps: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message or "")

    url = site.at(f"/own/{number}")
    async with door.client(mode=mode) as client:
        await together.wait()
        first = await client.call_tool("web_fetch", {"url": url, "limit": 500}, progress_callback=note)
        item = first.structured_content["items"][0]
        second = await client.call_tool(
            "web_fetch", {"url": item["page_id"], "offset": item["next_offset"], "limit": 500}, progress_callback=note
        )
        listed = (await client.list_resources()).resources
        await together.wait()
    return {"first": first, "second": second, "listed": listed, "steps": steps, "page_id": item["page_id"]}


async def _crowd(door: Door, site: Site, mode: str, count: int = COUNT) -> list[dict[str, Any]]:
    for number in range(count):
        site.paths[f"/own/{number}"] = _own_page(number)
    together = asyncio.Barrier(count)
    return await asyncio.gather(*(_one_client(door, site, number, mode, together) for number in range(count)))


@pytest.mark.slow
async def test_fifty_sessions_at_once_each_see_their_own(door: Door, site: Site, web: Web) -> None:
    outcomes = await _crowd(door, site, "legacy")

    for number, outcome in enumerate(outcomes):
        assert {str(number)} == _secrets(outcome["first"]) == _secrets(outcome["second"])
        assert [f"Page of client {number}"] == [resource.title for resource in outcome["listed"]]
        assert "w1" == outcome["page_id"]
        assert outcome["steps"]
    assert 0 == door.app.sessions.count


@pytest.mark.slow
async def test_fifty_clients_without_sessions_each_read_what_they_asked_for(door: Door, site: Site) -> None:
    outcomes = await _crowd(door, site, "auto")

    for number, outcome in enumerate(outcomes):
        assert {str(number)} == _secrets(outcome["first"]) == _secrets(outcome["second"])
        assert outcome["steps"]
    assert COUNT == len({outcome["page_id"] for outcome in outcomes})


@pytest.mark.slow
async def test_sessions_that_came_and_went_leave_nothing_behind(door: Door, site: Site, web: Web) -> None:
    await _crowd(door, site, "legacy", 10)
    before = _tasks()
    for _ in range(2):
        await _crowd(door, site, "legacy", 10)

    assert 0 == door.app.sessions.count
    assert [] == [scope for scope in web._sessions if scope.session.startswith("mcp-")]  # noqa: SLF001  (a leak is not public)
    after = _tasks()
    assert sum(after.values()) <= sum(before.values()) + 5


def _tasks() -> Counter[str]:
    gc.collect()
    return Counter(task.get_coro().__qualname__ for task in asyncio.all_tasks())  # type: ignore[union-attr]  # coroutines


class _Stuck:
    """A page that begins and never ends; it says when its reader left."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, request: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>begun")
        self.begun.set()
        await connection.reader.read()
        self.left.set()


async def _stuck(site: Site) -> _Stuck:
    stuck = _Stuck()

    async def raw(request: Request, connection: Connection) -> None:
        await stuck(request, connection)

    site.paths["/stuck"] = raw
    return stuck


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_cancelled_call_stops_the_transfer_and_the_session_goes_on(door: Door, site: Site, mode: str) -> None:
    stuck = await _stuck(site)
    async with door.client(mode=mode) as client:
        call = asyncio.create_task(client.call_tool("web_fetch", {"url": site.at("/stuck")}))
        await asyncio.wait_for(stuck.begun.wait(), 5)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(stuck.left.wait(), 5)

        result = await client.call_tool("web_fetch", {"url": site.at("/short")})
    assert not result.is_error


async def test_a_cancelled_call_leaves_the_calls_beside_it_alone(door: Door, site: Site) -> None:
    stuck = await _stuck(site)
    async with door.client() as client:
        call = asyncio.create_task(client.call_tool("web_fetch", {"url": site.at("/stuck")}))
        await asyncio.wait_for(stuck.begun.wait(), 5)
        beside = asyncio.create_task(client.call_tool("web_fetch", {"url": site.at("/long"), "limit": 100}))
        call.cancel()
        result = await beside
        with pytest.raises(asyncio.CancelledError):
            await call

    assert not result.is_error


async def test_silent_sessions_end_and_busy_ones_do_not() -> None:
    now = 0.0
    ended: list[Scope] = []

    async def end(scope: Scope) -> None:
        ended.append(scope)

    sessions = Sessions(end, idle_s=10, clock=lambda: now)
    quiet, busy = (_Request(name) for name in (b"quiet", b"busy"))
    wanted = sessions.scope(quiet)
    sessions.scope(busy)

    async with sessions.visit(busy.scope):
        now = 11.0
        async with sessions.visit(_Request(b"other").scope):
            pass

    assert [wanted] == ended
    assert 1 == sessions.count


async def test_a_session_name_that_nobody_opened_is_not_remembered() -> None:
    async def end(scope: Scope) -> None:
        raise AssertionError(scope)

    sessions = Sessions(end)
    for number in range(100):
        async with sessions.visit(_Request(str(number).encode()).scope):
            pass

    assert 0 == sessions.count


class _Request:
    def __init__(self, name: bytes) -> None:
        self.scope: dict[str, Any] = {"headers": [(b"mcp-session-id", name)]}
