"""Perplexity's search API."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.search import domains, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.tbs import american
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.perplexity.ai/search"

MAX_DOMAINS = 20


class Perplexity(HttpProvider):
    """Follows the vendor's SDK, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="perplexity",
        name="Perplexity",
        description="Web search with long extracts of the pages.",
        docs_url="https://docs.perplexity.ai/api-reference/search-post",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language"}),
        max_domains=MAX_DOMAINS,
        max_results=20,
        env={"api_key": ("PERPLEXITY_API_KEY", "PPLX_API_KEY")},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The domain list is all allowed or all denied; days are written the American way."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {"query": query.text, "max_results": count} | _filters(query)
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """The snippet is Markdown and may be long."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        return Answer(hits=collect(map(_hit, items)))


def _filters(query: Query) -> dict[str, Any]:
    found: dict[str, Any] = {"search_domain_filter": _domain_filter(query)}
    if query.country not in {"", "ALL"}:
        found["country"] = query.country
    if query.language:
        found["search_language_filter"] = [query.language.partition("-")[0]]
    fresh = query.freshness
    if fresh is not None and fresh.span:
        found["search_recency_filter"] = fresh.span
    elif fresh is not None:
        found["search_after_date_filter"] = american(fresh.start) if fresh.start else ""
        found["search_before_date_filter"] = american(fresh.end) if fresh.end else ""
    return {key: value for key, value in found.items() if value}


def _domain_filter(query: Query) -> list[str]:
    if query.allowed_domains:
        return domains.hosts(query.allowed_domains)
    return [f"-{host}" for host in domains.whole_hosts(query.blocked_domains)][:MAX_DOMAINS]


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("snippet"),
        date=item.get("date"),
        updated=item.get("last_updated"),
    )


PROVIDER = Perplexity
