"""Gemini with grounding in Google's search: a model answers and names its sources."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, ClassVar

from outrider.call import Call, Progress
from outrider.errors import ProviderInvalidRequest, ProviderMisconfigured, WebError
from outrider.search import dates, google, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, Terms
from outrider.search.hits import MAX_HITS, collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.text import body_text, plain
from outrider.search.urls import host
from outrider.search.wire import ApiReply, ApiRequest, Exchange
from outrider.types import Freshness, Hit, Query

BASE = "https://generativelanguage.googleapis.com/v1beta/models/"

_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_MAX_SUPPORTS = 1_000
_REDIRECTOR = "vertexaisearch.cloud.google.com"


class Gemini(HttpProvider):
    """Follows the vendor's documentation and SDK types, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="gemini",
        name="Gemini",
        description="A model's answer grounded in Google's search; its links are redirectors that expire.",
        docs_url="https://ai.google.dev/gemini-api/docs/google-search",
        requires_api_key=True,
        filters=frozenset({"freshness"}),
        max_results=20,
        bounds=Bounds(total_s=60.0),
        env={"api_key": ("GEMINI_API_KEY",)},
        fields=(Field(key="model", label="Model", default="gemini-2.5-flash"),),
        terms=Terms(
            cache_s=0,
            note="The vendor's search suggestions have to be shown with the answer; links must not be stored.",
        ),
        automatic=False,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """
        One turn with the search tool.

        Raises:
            ProviderMisconfigured: The model's name is none.
        """
        model = self.option("model").removeprefix("models/")
        if not _MODEL.fullmatch(model):
            raise self.error(ProviderMisconfigured, says="the configured model is not a model's name")
        search: dict[str, Any] = {}
        if query.freshness is not None:
            search["time_range_filter"] = _range(query.freshness, today)
        body = {
            "contents": [{"role": "user", "parts": [{"text": f"Search the web and answer: {query.text}"}]}],
            "tools": [{"google_search": search}],
        }
        headers = {"x-goog-api-key": self.settings.api_key}
        return ApiRequest(url=f"{BASE}{model}:generateContent", method="POST", headers=headers, json=body)

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """
        As every provider; then what was searched for is told.

        The vendor's stream would tell it no sooner: the grounding comes with its last event.
        """
        answer = await super().search(query, exchange, call)
        if answer.query_used:
            told = {"type": "query_update", "query": answer.query_used}
            call.emit(Progress(stage="search", data=told))
            found = {**told, "type": "search_results_received", "resultCount": len(answer.hits)}
            call.emit(Progress(stage="search", data=found))
        return answer

    def failure(self, reply: ApiReply) -> WebError:
        """As all of Google's; the wait stands in the body."""
        body = self.error_body(reply)
        return self.error(google.kind(body, reply.status), reply, retry_after_s=google.wait_s(body))

    def parse(self, reply: ApiReply) -> Answer:
        """Without grounding the model did not search."""
        body = self.body(reply)
        candidate = reading.at(body, "candidates", 0)
        if candidate is None and reading.at(body, "promptFeedback", "blockReason"):
            raise self.error(ProviderInvalidRequest, reply, says="the model refuses the question")
        if not isinstance(candidate, dict):
            raise self.unclear(reply)
        words = "".join(
            reading.text(part.get("text")) for part in reading.records(reading.at(candidate, "content", "parts"))
        )
        grounding = reading.record(candidate.get("groundingMetadata"))
        queries = reading.texts(grounding.get("webSearchQueries"))
        hits = _hits(grounding, words)
        return Answer(
            hits=hits,
            answer=body_text(words),
            searched=bool(queries or hits),
            query_used=plain(queries[0]) if queries else "",
            warnings=self._warnings(hits),
            usage=_usage(body, len(queries)),
            stop_reason=plain(reading.text(candidate.get("finishReason"))),
        )

    def _warnings(self, hits: tuple[Hit, ...]) -> tuple[str, ...]:
        if not any(host(one.url) == _REDIRECTOR for one in hits):
            return ()
        return (f"{self.info.name}: the links are redirectors that expire; the title names the site",)


def _range(freshness: Freshness, today: date) -> dict[str, str]:
    start, end = dates.closed_days(freshness, today)
    return {"start_time": f"{start}T00:00:00Z", "end_time": f"{end}T23:59:59Z"}


def _usage(body: reading.Record, queries: int) -> dict[str, int]:
    total = reading.number(reading.at(body, "usageMetadata", "totalTokenCount"))
    return {"web_search_requests": queries, **({"total_tokens": int(total)} if total is not None else {})}


def _hits(grounding: reading.Record, words: str) -> tuple[Hit, ...]:
    chunks = reading.at(grounding, "groundingChunks")
    listed = chunks[:MAX_HITS] if isinstance(chunks, list) else []
    supports = _supports(grounding, words)
    return collect(_hit(reading.at(chunk, "web"), supports.get(at, [])) for at, chunk in enumerate(listed))


def _hit(web: Json, passages: list[str]) -> Hit | None:
    return hit(reading.at(web, "uri"), reading.at(web, "title"), snippet=" ".join(dict.fromkeys(passages)))


def _supports(grounding: reading.Record, words: str) -> dict[int, list[str]]:
    """The passages of the answer that each chunk supports."""
    raw = words.encode("utf-8", "replace")
    found: dict[int, list[str]] = {}
    for support in reading.records(grounding.get("groundingSupports"))[:_MAX_SUPPORTS]:
        passage = reading.text(reading.at(support, "segment", "text")) or _passage(support, raw)
        indices = reading.at(support, "groundingChunkIndices")
        for index in indices[:MAX_HITS] if isinstance(indices, list) else []:
            if isinstance(index, int) and passage:
                found.setdefault(index, []).append(passage)
    return found


def _passage(support: reading.Record, raw: bytes) -> str:
    """Indices count bytes of UTF-8; the first may be left out."""
    start = reading.number(reading.at(support, "segment", "startIndex")) or 0
    end = reading.number(reading.at(support, "segment", "endIndex")) or 0
    return raw[max(0, int(start)) : max(0, int(end))].decode("utf-8", "replace")


PROVIDER = Gemini
