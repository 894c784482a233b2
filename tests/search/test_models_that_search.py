"""OpenAI's and Gemini's searches: what is told on the way, and what a stream can come to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from outrider.call import Call, Progress
from outrider.errors import ProviderAuthFailed, ProviderBadResponse, ProviderError, ProviderRateLimited
from outrider.search.providers.gemini import Gemini
from outrider.search.settings import ProviderSettings
from outrider.types import Query
from search.doubles import Replies, Watcher, reply, says
from search.test_conformance import made
from world.messages import Reply, fields_of
from world.world import World

SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "tides now", "sources": [{"type": "url", "url": "https://b.test/"}]},
}
MESSAGE = {
    "type": "message",
    "content": [
        {
            "type": "output_text",
            "text": "High water at nine.",
            "annotations": [{"type": "url_citation", "url": "https://a.test/?utm_source=openai", "title": "A"}],
        }
    ],
}
RESPONSE = {"status": "completed", "output": [SEARCH, MESSAGE], "error": None}
TOLD = [
    {"type": "query_update", "query": "tides now", "tool_use_id": "ws_1"},
    {"type": "search_results_received", "resultCount": 1, "query": "tides now", "tool_use_id": "ws_1"},
]


def event(kind: str, **rest: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **rest})}\n\n".encode()


BEGUN = event("response.created", response={"status": "in_progress", "output": []})
ADDED = event("response.output_item.added", item={**SEARCH, "status": "in_progress"})
DONE = event("response.output_item.done", item=SEARCH)
SAID = event("response.output_item.done", item=MESSAGE)
COMPLETED = event("response.completed", response=RESPONSE)


async def test_openais_search_is_told_while_the_answer_still_arrives(world: World) -> None:
    told: list[dict[str, Any]] = []
    heard = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield BEGUN + ADDED[:40]
        yield ADDED[40:] + DONE
        await asyncio.wait_for(heard.wait(), 5)
        yield SAID + COMPLETED

    def watch(step: Progress) -> None:
        if "type" in step.data:
            told.append(step.data)
        if len(told) == 2:
            heard.set()

    stream = Reply(fields=fields_of({"content-type": "text/event-stream"}), body=slowly(), framing="chunked")
    await world.vendor("api.openai.com", [stream])

    async with world.web(**{"search.providers": {"openai": {"api_key": "k"}}}) as web:
        found = await web.search("tides", provider="openai", call=Call(emit=watch))

    assert TOLD == told
    assert ["https://a.test/", "https://b.test/"] == [hit.url for hit in found.hits]
    assert "High water at nine." == found.answer.answer
    assert {"web_search_requests": 1} == found.answer.usage


async def test_a_response_that_comes_whole_is_told_as_well() -> None:
    watcher = Watcher()
    exchange = Replies({"api.openai.com": says(RESPONSE)})

    answer = await made("openai").search(Query(text="x"), exchange, watcher.call())

    assert TOLD == [step.data for step in watcher.seen]
    assert "tides now" == answer.query_used


def test_a_stream_without_its_end_gives_what_came() -> None:
    answer = made("openai").read(reply(BEGUN + DONE + SAID))

    assert ["https://a.test/", "https://b.test/"] == [hit.url for hit in answer.hits]
    assert any("broke off" in warning for warning in answer.warnings)


ERROR = {"code": "rate_limit_exceeded", "message": "slow down"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (BEGUN + event("response.failed", response={"output": [], "error": ERROR}), ProviderRateLimited),
        (BEGUN + event("error", **ERROR), ProviderRateLimited),
        (BEGUN + event("error", error=ERROR), ProviderRateLimited),
        (event("error", code="invalid_api_key", message="Incorrect API key provided: a-key"), ProviderAuthFailed),
        (event("response.completed", response=None), ProviderError),
        (b"data: [1]\n\n", ProviderBadResponse),
        (b"[]", ProviderBadResponse),
    ],
)
def test_an_error_inside_a_stream_is_a_failure(body: bytes, kind: type[ProviderError]) -> None:
    with pytest.raises(kind) as raised:
        made("openai", ProviderSettings(api_key="a-key")).read(reply(body))

    assert "a-key" not in raised.value.message


async def test_gemini_tells_what_it_searched_for() -> None:
    grounding = {
        "webSearchQueries": ["tides now"],
        "groundingChunks": [{"web": {"uri": "https://a.test/", "title": "a.test"}}],
    }
    body = {"candidates": [{"content": {"parts": [{"text": "x"}]}, "groundingMetadata": grounding}]}
    watcher = Watcher()
    exchange = Replies({"generativelanguage.googleapis.com": says(body)})

    await Gemini(ProviderSettings(api_key="k")).search(Query(text="x"), exchange, watcher.call())

    assert [
        {"type": "query_update", "query": "tides now"},
        {"type": "search_results_received", "resultCount": 1, "query": "tides now"},
    ] == [step.data for step in watcher.seen]
