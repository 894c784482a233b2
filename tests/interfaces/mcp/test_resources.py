from __future__ import annotations

import asyncio

import pytest
from mcp import MCPError
from mcp_types import TextResourceContents

from interfaces.mcp.conftest import LONG, Connect
from interfaces.mcp.serving import Door
from outrider import Scope, Web
from world.site import Site


async def test_a_page_that_was_read_is_a_resource(connect_anyhow: Connect, site: Site) -> None:
    async with connect_anyhow() as client:
        assert [] == (await client.list_resources()).resources
        await client.call_tool("web_fetch", {"url": site.at("/long"), "limit": 100})
        (resource,) = (await client.list_resources()).resources
        read = (await client.read_resource(resource.uri)).contents[0]

    assert resource.uri.startswith("web://")
    assert isinstance(read, TextResourceContents)
    assert "Paragraph 0 about" in read.text
    assert f"Paragraph {LONG.count('<p>') - 1} about" in read.text


async def test_a_page_can_be_named_by_its_id(connect_anyhow: Connect, site: Site) -> None:
    async with connect_anyhow() as client:
        names = {template.uri_template for template in (await client.list_resource_templates()).resource_templates}
        await client.call_tool("web_fetch", {"url": site.at("/short")})
        read = (await client.read_resource("outrider://page/w1")).contents[0]

    assert {"web://{host}/{key}", "outrider://page/{page_id}"} == names
    assert isinstance(read, TextResourceContents)
    assert "high water at noon" in read.text


@pytest.mark.parametrize("uri", ["web://127.0.0.1/0123456789abcdef", "outrider://page/w9", "file:///etc/passwd", "w1x"])
async def test_what_is_no_page_of_the_session_cannot_be_read(door: Door, uri: str) -> None:
    async with door.client() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)

    assert caught.value.data["code"] in ("page_not_found", "unknown_page_id")


async def test_the_pages_of_one_session_are_not_those_of_another(door: Door, site: Site) -> None:
    async with door.client() as one, door.client() as other:
        await one.call_tool("web_fetch", {"url": site.at("/short")})
        (mine,) = (await one.list_resources()).resources

        assert [] == (await other.list_resources()).resources
        with pytest.raises(MCPError):
            await other.read_resource(mine.uri)
        with pytest.raises(MCPError):
            await other.read_resource("outrider://page/w1")


async def test_a_long_list_comes_in_parts(door: Door, site: Site) -> None:
    paths = [f"/many/{number}" for number in range(60)]
    for path in paths:
        site.paths[path] = f"<h1>Page {path}</h1><p>It is high water at noon.</p>"
    async with door.client() as client:
        for start in range(0, 60, 6):
            items = [{"url": site.at(path)} for path in paths[start : start + 6]]
            await client.call_tool("web_fetch", {"items": items})
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        with pytest.raises(MCPError):
            await client.list_resources(cursor="; drop")

    assert (50, 10) == (len(first.resources), len(second.resources))
    assert 60 == len({resource.uri for resource in (*first.resources, *second.resources)})


async def test_a_sessions_pages_end_with_it(door: Door, site: Site, web: Web) -> None:
    async with door.client() as client:
        await client.call_tool("web_fetch", {"url": site.at("/short")})
        (scope,) = [seen.scope for seen in door.app.sessions._seen.values()]  # noqa: SLF001  (its own test)
        assert 1 == len(await web.pages.listed(scope=scope))

    # The client's goodbye is a request of its own, which the server answers before it has cleared up.
    for _ in range(500):
        if door.app.sessions.count == 0 and not await web.pages.listed(scope=scope):
            break
        await asyncio.sleep(0.01)
    assert 0 == door.app.sessions.count
    assert [] == await web.pages.listed(scope=scope)
    assert [] == await web.pages.listed(scope=Scope())
