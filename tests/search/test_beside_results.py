"""What a search gives beside its results: sources, news, counts, and whether anybody searched."""

from __future__ import annotations

import json
from typing import Any

from outrider import Web
from search.typical import TYPICAL
from world.messages import answer_json
from world.vendor import recorded
from world.world import World

JSON = {"content-type": "application/json"}
NEWS = {
    "metadata": {},
    "results": {
        "web": [{"url": "https://a.test/", "title": "A", "description": "words"}],
        "news": [
            {"url": "https://n.test/1", "title": "Flood", "page_age": "2026-02-03T00:00:00"},
            {"url": "https://blocked.test/2", "title": "Ebb"},
        ],
    },
}
FROM_MEMORY = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "4"}]}]}


async def told(web: Web, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """A search's text and data, as a model and a machine get them."""
    result = await web.search("tides", **arguments)
    rendered = web.parts.dialect.render(result)
    return rendered.text, rendered.data


async def test_a_source_is_named_where_its_terms_ask_for_it(world: World) -> None:
    await world.vendor("en.wikipedia.org", [recorded(200, JSON, TYPICAL["wikipedia"].raw)])

    async with world.web() as web:
        text, data = await told(web, provider="wikipedia")

    assert ["Wikipedia, CC BY-SA"] == data["attribution"]
    assert text.endswith("Source: Wikipedia, CC BY-SA.")


async def test_nothing_is_named_where_no_terms_ask_for_it(world: World) -> None:
    await world.vendor("api.keenable.ai", [recorded(200, JSON, TYPICAL["keenable"].raw)])

    async with world.web() as web:
        _, data = await told(web, provider="keenable")

    assert {"attribution", "news", "usage", "searched"}.isdisjoint(data)


async def test_news_stand_beside_the_results(world: World) -> None:
    await world.vendor("api.you.com", [answer_json(NEWS)])

    async with world.web() as web:
        text, data = await told(web, provider="you", blocked_domains=["blocked.test"])

    assert ["https://a.test/"] == [hit["url"] for hit in data["results"]]
    assert [("Flood", "https://n.test/1", "2026-02-03T00:00:00")] == [
        (hit["title"], hit["url"], hit["published"]) for hit in data["news"]
    ]
    assert "- Flood (2026-02-03T00:00:00) https://n.test/1" in text


async def test_an_answer_from_memory_says_so(world: World) -> None:
    await world.vendor("api.openai.com", [answer_json(FROM_MEMORY)])

    async with world.web(**{"search.providers": {"openai": {"api_key": "k"}}}) as web:
        text, data = await told(web, provider="openai")

    assert data["searched"] is False
    assert ["not_searched"] == [attempt["outcome"] for attempt in data["attempts"]]
    assert "without searching" in text


async def test_what_a_vendor_counted_is_in_the_data_once(world: World) -> None:
    stream = {"content-type": "text/event-stream"}
    vendor = await world.vendor("api.anthropic.com", [recorded(200, stream, TYPICAL["anthropic"].raw)])
    fixed = {"search.provider": "anthropic", "search.providers": {"anthropic": {"api_key": "k"}}}

    async with world.web(**fixed) as web:
        _, first = await told(web)
        _, again = await told(web)

    assert 1 == first["usage"]["web_search_requests"]
    assert "usage" not in again
    assert 1 == len(vendor.requests)
    assert json.dumps(first["results"]) == json.dumps(again["results"])


async def test_no_answer_is_given_again_when_the_cache_is_off(world: World) -> None:
    reply = recorded(200, JSON, TYPICAL["keenable"].raw)
    vendor = await world.vendor("api.keenable.ai", [reply, reply])

    async with world.web(order=["keenable"], **{"search.cache_s": 0}) as web:
        await web.search("tides")
        await web.search("tides")

    assert 2 == len(vendor.requests)


async def test_several_are_asked_at_once_when_the_configuration_says_so(world: World) -> None:
    await world.vendor("api.keenable.ai", [recorded(200, JSON, TYPICAL["keenable"].raw)])
    await world.vendor("en.wikipedia.org", [recorded(200, JSON, TYPICAL["wikipedia"].raw)])

    async with world.web(order=["keenable", "wikipedia"], **{"search.fan_out": 2}) as web:
        found = await web.search("tides")

    assert {"keenable", "wikipedia"} == {attempt.provider for attempt in found.answer.attempts}
    assert "keenable, wikipedia" == found.answer.provider
