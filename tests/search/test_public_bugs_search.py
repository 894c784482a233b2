"""Faults that other tools' users reported, as this project behaves in their place; over real sockets."""

from __future__ import annotations

import pytest

from outrider.call import Call
from outrider.errors import ProviderAuthFailed, ProviderBadResponse, ProviderNotConfigured
from world.vendor import recorded
from world.world import World

CHALLENGE = b"<html><body><form id='challenge-form' action='//duckduckgo.com/anomaly.js'></form></body></html>"
FOUND = b'{"results": [{"title": "Tides", "url": "https://docs.example.org/tides", "snippet": "The sea rises."}]}'
HTML, JSON = {"content-type": "text/html"}, {"content-type": "application/json"}


async def test_a_challenge_under_202_marks_the_engine_blocked_and_the_next_is_asked(world: World) -> None:
    # deedy5/ddgs issue 319: the challenge was raised, or read as nothing found.
    await world.vendor("html.duckduckgo.com", [recorded(202, HTML, CHALLENGE)])
    await world.vendor("api.keenable.ai", [recorded(200, JSON, FOUND)])

    async with world.web(order=["duckduckgo", "keenable"]) as web:
        found = await web.search("tides")

    outcomes = [(attempt.provider, attempt.outcome) for attempt in found.answer.attempts]
    assert [("duckduckgo", "blocked"), ("keenable", "ok")] == outcomes
    assert ["https://docs.example.org/tides"] == [hit.url for hit in found.hits]


@pytest.mark.parametrize("through_the_tool", [False, True])
async def test_a_refused_key_is_an_error_and_not_a_result_with_an_error_inside(
    world: World,
    through_the_tool: bool,  # noqa: FBT001  # pytest passes it by name
) -> None:
    # tavily-ai/tavily-mcp issue 211.
    await world.vendor("api.tavily.com", [recorded(401, JSON, b'{"detail": {"error": "Unauthorized"}}')])
    settings = {"search.providers": {"tavily": {"api_key": "tvly-wrong-key"}}, "search.provider": "tavily"}

    async with world.web(**settings) as web:
        if through_the_tool:
            result = await web.call("web_search", {"query": "tides"}, Call())
            assert result.error is not None
            assert ("provider_auth_failed", False) == (result.error.code, result.error.retryable)
            assert "tvly-wrong-key" not in result.text
        else:
            with pytest.raises(ProviderAuthFailed):
                await web.search("tides")


async def test_a_missing_key_is_an_ordinary_error_that_names_the_setting(world: World) -> None:
    # tavily-ai/tavily-mcp issue 161: it looked like a crash.
    async with world.web(**{"search.provider": "brave"}) as web:
        result = await web.call("web_search", {"query": "tides"}, Call())
        with pytest.raises(ProviderNotConfigured):
            await web.search("tides")

    assert result.error is not None
    assert "provider_not_configured" == result.error.code
    assert "BRAVE_API_KEY" in result.error.message


@pytest.mark.parametrize("status", [200, 404])
async def test_a_good_body_around_a_pages_404_is_used_and_the_status_noted(world: World, status: int) -> None:
    # NousResearch/hermes-agent issue 5493: it came out as a failure.
    body = (
        b'{"success": true, "data": {"web": [{"url": "https://docs.example.org/gone", "title": "Moved",'
        b' "markdown": "# Moved", "metadata": {"statusCode": 404}}]}}'
    )
    await world.vendor("api.firecrawl.dev", [recorded(status, JSON, body)])

    async with world.web() as web:
        found = await web.search("tides", provider="firecrawl")

    assert "# Moved" == found.hits[0].hit.content
    assert any("404" in warning for warning in found.warnings)


async def test_a_key_does_not_follow_a_redirect(world: World) -> None:
    elsewhere = await world.site({"/": "caught"}, name="elsewhere.test")
    await world.vendor("api.search.brave.com", [recorded(302, {"location": f"{elsewhere.url}/"}, b"")])
    settings = {"search.providers": {"brave": {"api_key": "brave-key-123"}}}

    async with world.web(**settings) as web:
        with pytest.raises(ProviderBadResponse):
            await web.search("tides", provider="brave")

    assert [] == elsewhere.connections


async def test_every_engine_gets_the_configured_identity(world: World) -> None:
    # open-webui pull request 29682: a setting that one path forgot.
    vendor = await world.vendor("en.wikipedia.org", [recorded(200, JSON, b'{"query": {"search": []}}')])

    async with world.web(user_agent="Harbour/1.0 (+https://harbour.example.org)") as web:
        await web.search("tides", provider="wikipedia")

    assert "Harbour/1.0 (+https://harbour.example.org)" == vendor.requests[0].header("user-agent")
