"""OpenAI's web search tool: a model answers and names its sources."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, ClassVar

from outrider.call import Call, Progress
from outrider.errors import (
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, Terms
from outrider.search.hits import MAX_HITS, collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import NotJson
from outrider.search.responses import Responding, query_of
from outrider.search.text import body_text, plain
from outrider.search.urls import target
from outrider.search.wire import ApiReply, ApiRequest, Exchange
from outrider.types import Hit, Query

ENDPOINT = "https://api.openai.com/v1/responses"

_CODES: dict[str, type[ProviderError]] = {
    "insufficient_quota": ProviderQuotaExceeded,
    "billing_hard_limit_reached": ProviderQuotaExceeded,
    "rate_limit_exceeded": ProviderRateLimited,
    "server_error": ProviderUnavailable,
    "invalid_api_key": ProviderAuthFailed,
}


class OpenAI(HttpProvider):
    """Follows the vendor's documentation and SDK types, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="openai",
        name="OpenAI",
        description="A model's answer from the web, with the pages it cites and the others it read.",
        docs_url="https://platform.openai.com/docs/guides/tools-web-search",
        requires_api_key=True,
        filters=frozenset({"country", "domains"}),
        max_domains=100,
        max_results=20,
        bounds=Bounds(total_s=60.0),
        env={"api_key": ("OPENAI_API_KEY",)},
        fields=(Field(key="model", label="Model", default="gpt-5-mini"),),
        terms=Terms(note="Citations have to be shown, and be clickable."),
        automatic=False,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """One streamed response with the search tool; all its sources are asked for."""
        tool: dict[str, Any] = {"type": "web_search"}
        if query.allowed_domains:
            tool["filters"] = {"allowed_domains": domains.hosts(query.allowed_domains)}
        if query.country not in {"", "ALL"}:
            tool["user_location"] = {"type": "approximate", "country": query.country}
        body = {
            "model": self.option("model"),
            "input": f"Search the web and answer: {query.text}",
            "stream": True,
            "tools": [tool],
            "include": ["web_search_call.action.sources"],
        }
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body)

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """What is searched for is told as it becomes known."""
        responding = Responding(tell=lambda told: call.emit(Progress(stage="search", data=told)))
        request = self.request(query, call.now().date())
        reply = await self.ask_aloud(request, query, exchange, call, responding.hear)
        return self._answer_or_failure(reply, responding)

    def _answer_or_failure(self, reply: ApiReply, responding: Responding) -> Answer:
        # The pieces are heard already; reading them again would tell everything twice.
        return self.read(reply) if reply.status >= 300 else self._read(reply, responding)

    def failure(self, reply: ApiReply) -> WebError:
        """The code decides."""
        error = reading.record(reading.at(self.error_body(reply), "error"))
        return self._failed(reply, error, failures.kind_for(reply.status))

    def _failed(self, reply: ApiReply, error: reading.Record, default: type[ProviderError]) -> ProviderError:
        code = reading.text(error.get("code")) or reading.text(error.get("type"))
        kind = _CODES.get(code) or default
        # The vendor's words about a key repeat it.
        says = "it refuses the key" if issubclass(kind, ProviderAuthFailed) else reading.text(error.get("message"))
        return self.error(kind, reply, says=says, code=code or None, param=reading.text(error.get("param")) or None)

    def parse(self, reply: ApiReply) -> Answer:
        """A stream or one response: cited pages first, then the others that were read."""
        responding = Responding()
        responding.hear(reply.body)
        return self._read(reply, responding)

    def _read(self, reply: ApiReply, responding: Responding) -> Answer:
        try:
            body = responding.close(reply)
        except NotJson:
            body = self.body(reply)
        if not isinstance(body, dict):
            raise self.unclear(reply)
        if body.get("error") is not None and not body.get("output"):
            raise self._failed(reply, reading.record(body["error"]), ProviderBadResponse)
        output = self.listed(reply, body.get("output"))
        if responding.broke_off and not output:
            raise self.unclear(reply)
        calls = [item for item in output if item.get("type") == "web_search_call"]
        warned = (f"{self.info.name}: the answer broke off before its end",) if responding.broke_off else ()
        return Answer(
            hits=collect(_hits(output, calls)),
            answer=body_text(_words(output)),
            # Without a search call the model did not search.
            searched=bool(calls),
            query_used=next(filter(None, map(query_of, calls)), ""),
            warnings=warned,
            usage={"web_search_requests": len(calls)},
            stop_reason=plain(reading.text(reading.at(body, "incomplete_details", "reason"))),
        )


def _hits(output: list[reading.Record], calls: list[reading.Record]) -> Iterator[Hit | None]:
    """Cited pages, then the other sources; a source's title is known from its citation only, which came before."""
    for url, title in _citations(output).items():
        yield hit(url, title)
    for one in calls:
        for source in reading.records(reading.at(one, "action", "sources")):
            yield hit(source.get("url"), "")


def _parts(output: list[reading.Record]) -> list[reading.Record]:
    messages = [item for item in output if item.get("type") == "message"]
    return [part for message in messages for part in reading.records(message.get("content"))]


def _words(output: list[reading.Record]) -> str:
    return "\n".join(text for part in _parts(output) if (text := reading.text(part.get("text")).strip()))


def _citations(output: list[reading.Record]) -> dict[str, str]:
    """Title by address, in the order of the text."""
    found: dict[str, str] = {}
    for part in _parts(output):
        for note in reading.records(part.get("annotations"))[:MAX_HITS]:
            address = target(reading.text(note.get("url")))
            if len(found) >= MAX_HITS:
                return found
            if note.get("type") == "url_citation" and address:
                found.setdefault(address, reading.text(note.get("title")))
    return found


PROVIDER = OpenAI
