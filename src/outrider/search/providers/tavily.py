"""Tavily: search for agents, with a small allowance without a key."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderQuotaExceeded, ProviderRateLimited, WebError
from outrider.search import domains, reading, regions
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.tavily.com/search"

# Statuses of the vendor's own: the plan's limit, the pay-as-you-go limit.
_SPENT = {432, 433}


class Tavily(HttpProvider):
    """Follows the vendor's reference and its Python client of June 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="tavily",
        name="Tavily",
        description="Web search for agents; works a little without a key when it is named.",
        docs_url="https://docs.tavily.com/documentation/api-reference/endpoint/search",
        supports_optional_api_key=True,
        filters=frozenset({"country", "freshness", "domains"}),
        countries=frozenset(regions.NAMES),
        max_results=20,
        env={"api_key": ("TAVILY_API_KEY",)},
        fields=(
            Field(
                key="search_depth",
                label="Search depth",
                type="select",
                default="basic",
                options=choices("basic", "advanced", "fast", "ultra-fast"),
                description="`advanced` costs two credits instead of one.",
            ),
            Field(
                key="topic",
                label="Topic",
                type="select",
                default="general",
                options=choices("general", "news", "finance"),
            ),
            Field(
                key="include_answer",
                label="Direct answer",
                type="select",
                default="false",
                options=choices("false", "basic", "advanced"),
            ),
            Field(
                key="include_raw_content",
                label="Page text",
                type="select",
                default="false",
                options=choices("false", "markdown", "text"),
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Without a key the vendor's keyless mode is asked for."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {"query": query.text, "max_results": count}
        body |= {"search_depth": self.option("search_depth"), "topic": self.option("topic")}
        for key in ("include_answer", "include_raw_content"):
            if self.option(key) != "false":
                body[key] = self.option(key)
        warnings += self._add_filters(body, query)
        headers = self.bearer or {"x-tavily-access-mode": "keyless"}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=body, warnings=warnings)

    def _add_filters(self, body: dict[str, Any], query: Query) -> tuple[str, ...]:
        if query.freshness is not None and query.freshness.span:
            body["time_range"] = query.freshness.span
        elif query.freshness is not None:
            body |= {"start_date": query.freshness.start, "end_date": query.freshness.end}
        body["include_domains"] = domains.hosts(query.allowed_domains)
        body["exclude_domains"] = domains.whole_hosts(query.blocked_domains)
        warnings: tuple[str, ...] = ()
        if query.country not in {"", "ALL"} and self.option("topic") == "general":
            body["country"] = regions.NAMES[query.country].lower()
        elif query.country not in {"", "ALL"}:
            warnings = (f"country was not applied: the topic {self.option('topic')} does not know it",)
        for key in [key for key, value in body.items() if value in ("", [])]:
            del body[key]
        return warnings

    def failure(self, reply: ApiReply) -> WebError:
        """Two statuses of its own for spent plans; only the limit of those without a key names a wait in the body."""
        if reply.status in _SPENT:
            return self.error(ProviderQuotaExceeded, reply)
        wait_s = reading.number(reading.at(self.error_body(reply), "error", "retry_after_seconds"))
        if wait_s is not None and wait_s >= 0:
            return self.error(ProviderRateLimited, reply, retry_after_s=wait_s)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """Only news carry a date."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        return Answer(
            hits=collect(map(_hit, items)),
            answer=plain(reading.text(body.get("answer"))),
        )


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("content"),
        content=item.get("raw_content"),
        date=item.get("published_date"),
        score=item.get("score"),
    )


PROVIDER = Tavily
