"""You.com's search API."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.search import domains, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

KEYED = "https://ydc-index.io/v1/search"
KEYLESS = "https://api.you.com/v1/agents/search"


class You(HttpProvider):
    """Follows the vendor's SDK, read autumn 2026; a flat list, which some clients expect, is read as well."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="you",
        name="You.com",
        description="Web and news search; about 100 questions a day without a key when it is named.",
        docs_url="https://docs.you.com/api-reference/search/v1-search",
        supports_optional_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        max_results=100,
        env={"api_key": ("YDC_API_KEY", "YOU_API_KEY")},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """With a key the index, without one the public door."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {"query": query.text, "count": count} | _filters(query)
        if not self.settings.api_key:
            return ApiRequest(url=KEYLESS, method="POST", json=body, warnings=warnings)
        headers = {"x-api-key": self.settings.api_key}
        return ApiRequest(url=KEYED, method="POST", headers=headers, json=body, warnings=warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """Either section may be missing."""
        body = self.body(reply)
        found = body.get("results")
        if isinstance(found, list):
            return Answer(hits=collect(map(_hit, self.listed(reply, found))))
        if not isinstance(found, dict) and "metadata" not in body:
            raise self.unclear(reply)
        web = self.listed(reply, self.within(reply, found, "web"), missing_is_empty=True)
        news = reading.records(reading.at(found, "news"))
        return Answer(hits=collect(map(_hit, web)), news=collect(map(_hit, news)))


def _filters(query: Query) -> dict[str, Any]:
    found: dict[str, Any] = {
        "country": "" if query.country == "ALL" else query.country,
        "language": query.language,
        "safesearch": query.safe,
        "include_domains": domains.hosts(query.allowed_domains),
        "exclude_domains": domains.whole_hosts(query.blocked_domains),
    }
    fresh = query.freshness
    if fresh is not None:
        found["freshness"] = fresh.span or f"{fresh.start or '1970-01-01'}to{fresh.end or '2100-01-01'}"
    return {key: value for key, value in found.items() if value}


def _hit(item: reading.Record) -> Hit | None:
    passages = "\n".join(reading.texts(item.get("snippets")))
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=reading.first_text(item, "description", "snippet") or passages,
        content=reading.first_text(item.get("contents"), "markdown", "html") or passages,
        date=item.get("page_age"),
    )


PROVIDER = You
