from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from interfaces.mcp.conftest import Connect
from interfaces.mcp.serving import Door, started
from outrider import Config, Web
from outrider.interfaces.mcp.tools import as_tool
from world.site import Site


def _text(result: CallToolResult) -> str:
    first = result.content[0]
    assert isinstance(first, TextContent)
    return first.text


async def _calls(client: Client, site: Site) -> dict[str, CallToolResult]:
    """Every tool once."""
    read = await client.call_tool("web_fetch", {"url": site.at("/long"), "limit": 300})
    item = read.structured_content["items"][0]
    download = {"url": site.at("/short"), "path": "short.html", "overwrite": True}
    return {
        "download": await client.call_tool("download", download),
        "web_search": await client.call_tool("web_search", {"query": "harbour"}),
        "web_fetch": read,
        "read_page": await client.call_tool("read_page", {"path": item["page_id"], "limit": 3}),
    }


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch, site: Site) -> Site:
    """Downloads too need no approval."""
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "yolo")
    return site


async def test_every_tool_answers_in_text_and_in_data(unasked: Site, connect_anyhow: Connect, site: Site) -> None:
    async with connect_anyhow() as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        results = await _calls(client, site)

    assert set(results) == listed
    assert not [name for name, result in results.items() if result.is_error]
    assert "The harbour" in _text(results["web_search"])
    assert "https://example.org/harbour" == results["web_search"].structured_content["results"][0]["url"]
    assert "Paragraph 0 about the harbour." in _text(results["web_fetch"])
    assert results["web_fetch"].structured_content["items"][0]["content"] in _text(results["web_fetch"])
    assert "Harbour" in _text(results["read_page"])


async def test_structured_content_has_the_shape_that_was_promised(
    unasked: Site, connect: Connect, site: Site, tmp_path: Path
) -> None:
    async with connect() as client:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        results = await _calls(client, site)

    for name, result in results.items():
        schema = schemas[name]
        assert schema is not None
        jsonschema.validate(result.structured_content, schema)
    assert "high water at noon" in (tmp_path / "short.html").read_text()


async def test_a_page_id_of_one_call_is_known_to_the_next(connect: Connect, site: Site) -> None:
    async with connect() as client:
        await client.call_tool("web_fetch", {"url": site.at("/long"), "limit": 300})
        further = await client.call_tool("web_fetch", {"url": "w1", "offset": 300, "limit": 300})

    assert not further.is_error
    assert 300 == further.structured_content["items"][0]["offset"]


async def test_a_failure_sets_the_flag_and_carries_its_code(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("web_fetch", {"url": "http://169.254.169.254/latest"})

    assert result.is_error
    assert "ssrf_rejected" == result.structured_content["error"]["code"]
    assert "ssrf_rejected" in _text(result)


async def test_a_wrong_argument_is_a_failure_that_names_it(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("web_fetch", {"url": "http://example.org/", "nonsense": 1})

    assert result.is_error
    assert "invalid_argument" == result.structured_content["error"]["code"]


async def test_an_unknown_tool_is_an_error_of_the_protocol(connect_anyhow: Connect) -> None:
    async with connect_anyhow() as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("no_such_tool", {})

    assert INVALID_PARAMS == caught.value.code


async def test_progress_comes_while_a_page_is_read(connect_anyhow: Connect, site: Site) -> None:
    seen: list[tuple[float, str]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, message or ""))

    async with connect_anyhow() as client:
        await client.call_tool("web_fetch", {"url": site.at("/long")}, progress_callback=note)
        await client.call_tool("web_search", {"query": "harbour"}, progress_callback=note)

    stages = [message.partition(":")[0] for _, message in seen]
    assert {"connect", "search"} <= set(stages)
    fetch_steps = [number for number, message in seen if not message.startswith("search")]
    assert fetch_steps == sorted(set(fetch_steps))


async def test_the_instructions_hold_todays_date(connect_anyhow: Connect) -> None:
    async with connect_anyhow() as client:
        instructions = client.instructions
        search = await client.call_tool("web_search", {"query": "harbour"})

    assert instructions is not None
    assert search.structured_content["today"] in instructions
    assert search.structured_content["today"] in _text(search)


async def test_the_schemas_are_those_of_the_tools(door: Door, web: Web) -> None:
    async with door.client() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert [spec.name for spec in web.tools()] == list(listed)
    for spec in web.tools():
        assert dict(spec.parameters) == listed[spec.name].input_schema
        assert spec.description == listed[spec.name].description


async def test_hints_say_what_reads_and_what_leaves_the_machine(door: Door) -> None:
    async with door.client() as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    search, read = hints["web_search"], hints["read_page"]
    assert search is not None
    assert read is not None
    assert (True, True, True) == (search.read_only_hint, search.idempotent_hint, search.open_world_hint)
    assert (True, False) == (read.read_only_hint, read.open_world_hint)


def test_a_tool_that_writes_is_not_called_harmless() -> None:
    specs: dict[str, Any] = {spec.name: spec for spec in Web(Config()).dialect.tools()}

    tool = as_tool(specs["download"], dialect="outrider")

    assert (False, True) == (tool["annotations"]["readOnlyHint"], tool["annotations"]["destructiveHint"])


async def test_with_the_web_turned_off_there_are_no_tools(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_WEB_ENABLED", "false")
    async with started() as client:
        assert [] == (await client.list_tools()).tools
        with pytest.raises(MCPError):
            await client.call_tool("web_fetch", {"url": site.at("/long")})
