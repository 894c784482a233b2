from __future__ import annotations

import pytest
from mcp_types import TextContent

from interfaces.mcp.serving import started
from world.messages import Reply
from world.site import Site
from world.world import World

pytestmark = pytest.mark.slow


async def test_the_dialect_of_the_reference_server_has_its_one_tool_and_its_prompt(site: Site) -> None:
    async with started("--dialect", "mcp-fetch") as client:
        tools = (await client.list_tools()).tools
        prompts = (await client.list_prompts()).prompts
        result = await client.call_tool("fetch", {"url": site.at("/short")})

    assert ["fetch"] == [tool.name for tool in tools]
    assert None is tools[0].output_schema
    assert ["fetch"] == [prompt.name for prompt in prompts]
    assert None is result.structured_content
    assert isinstance(result.content[0], TextContent)
    assert f"Contents of {site.at('/short')}:" == result.content[0].text.splitlines()[0]


async def test_its_tool_asks_robots_txt_and_its_prompt_does_not(site: Site) -> None:
    site.paths["/robots.txt"] = Reply(body=b"User-agent: *\nDisallow: /", fields=((b"content-type", b"text/plain"),))
    async with started("--dialect", "mcp-fetch") as client:
        refused = await client.call_tool("fetch", {"url": site.at("/short")})
        prompted = await client.get_prompt("fetch", {"url": site.at("/short")})
    async with started("--dialect", "mcp-fetch", "--ignore-robots-txt") as client:
        read = await client.call_tool("fetch", {"url": site.at("/short")})

    assert refused.is_error
    assert not read.is_error
    assert isinstance(prompted.messages[0].content, TextContent)
    assert "high water at noon" in prompted.messages[0].content.text


async def test_private_addresses_are_reached_only_when_the_option_says_so(world: World) -> None:
    site = await world.site({"/": "<p>It is high water at noon.</p>"})
    async with started("--dialect", "mcp-fetch") as client:
        refused = await client.call_tool("fetch", {"url": site.url})
    async with started("--dialect", "mcp-fetch", "--allow-private-ips") as client:
        read = await client.call_tool("fetch", {"url": site.url})
        metadata = await client.call_tool("fetch", {"url": "http://169.254.169.254/"})

    assert (True, False, True) == (refused.is_error, read.is_error, metadata.is_error)


async def test_the_identity_is_the_one_given(site: Site) -> None:
    async with started("--dialect", "mcp-fetch", "--user-agent", "Reader/7") as client:
        await client.call_tool("fetch", {"url": site.at("/short")})

    assert "Reader/7" == site.requests[-1].header("user-agent")
