"""Firecrawl's search, with a small allowance without a key."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderBadResponse, ProviderBlocked, ProviderRateLimited, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.tbs import tbs
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.firecrawl.dev/v2/search"

_RETRY = re.compile(r"retry after (\d{1,6})\s*s", re.IGNORECASE | re.ASCII)


class Firecrawl(HttpProvider):
    """Follows the vendor's documentation, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="firecrawl",
        name="Firecrawl",
        description="Web search, with the pages as Markdown when asked for; works a little without a key when named.",
        docs_url="https://docs.firecrawl.dev/api-reference/endpoint/search",
        supports_optional_api_key=True,
        filters=frozenset({"country", "freshness", "domains"}),
        # A range of days is accepted and not applied, by public reports.
        date_ranges=False,
        max_results=100,
        max_query_chars=500,
        env={"api_key": ("FIRECRAWL_API_KEY",)},
        fields=(
            Field(
                key="markdown",
                label="Pages as Markdown",
                type="select",
                default="false",
                options=choices("false", "true"),
                description="Costs a credit for each page.",
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Allowed domains or blocked ones, never both; the vendor gives up a little before we do."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars)
        body: dict[str, Any] = {"query": text, "limit": count, "sources": ["web"]}
        body["timeout"] = int((self.info.bounds.total_s - 2) * 1_000)
        body |= _filters(query, today)
        if self.option("markdown") == "true":
            body["scrapeOptions"] = {"formats": ["markdown"]}
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=(*lowered, *cut))

    def read(self, reply: ApiReply) -> Answer:
        """A status that only repeats that of a page within a good body is no failure."""
        body = self.error_body(reply) if reply.status >= 400 else None
        if body is None or reading.at(body, "success") is not True or not reading.at(body, "data"):
            return super().read(reply)
        answer = self.parse(reply)
        return Answer(
            hits=answer.hits,
            news=answer.news,
            warnings=(*answer.warnings, f"{self.info.name} answered with status {reply.status}; its results were used"),
        )

    def failure(self, reply: ApiReply) -> WebError:
        """Without a key an address may be refused; the wait may stand in the words."""
        if reply.status == 403 and not self.settings.api_key:
            return self.error(ProviderBlocked, reply)
        found = super().failure(reply)
        match = _RETRY.search(failures.says(self.error_body(reply)))
        if isinstance(found, ProviderRateLimited) and found.retry_after_s is None and match is not None:
            found.retry_after_s = float(match.group(1))
        return found

    def parse(self, reply: ApiReply) -> Answer:
        """Lists by source, or one list from older and self-hosted servers."""
        body = self.body(reply)
        if body.get("success") is False:
            raise self.error(failures.kind_by_words(failures.says(body), ProviderBadResponse), reply)
        data = body.get("data")
        if data is None and "success" not in body:
            raise self.unclear(reply)
        found = data if isinstance(data, list) else self.within(reply, data, "web")
        items = self.listed(reply, found, missing_is_empty=True)
        news = reading.records(reading.at(data, "news"))
        return Answer(
            hits=collect(map(_hit, items)),
            news=collect(map(_hit, news)),
            warnings=tuple(_warnings(body.get("warning"), items)),
        )


def _filters(query: Query, today: date) -> dict[str, Any]:
    found: dict[str, Any] = {"country": "" if query.country == "ALL" else query.country}
    if query.allowed_domains:
        found["includeDomains"] = domains.hosts(query.allowed_domains)
    else:
        found["excludeDomains"] = domains.whole_hosts(query.blocked_domains)
    if query.freshness is not None:
        found["tbs"] = tbs(query.freshness, today)
    return {key: value for key, value in found.items() if value}


def _warnings(general: Json, items: list[reading.Record]) -> list[str]:
    found = [plain(reading.text(general))[:300]] if reading.text(general).strip() else []
    for item in items:
        status = reading.number(reading.at(item, "metadata", "statusCode"))
        if status is not None and status >= 400:
            found.append(f"{plain(reading.text(item.get('url')))[:200]} answered with status {status:.0f}")
    return found[:20]


def _hit(item: reading.Record) -> Hit | None:
    metadata = item.get("metadata")
    return hit(
        reading.text(item.get("url")) or reading.at(metadata, "sourceURL"),
        reading.text(item.get("title")) or reading.at(metadata, "title"),
        snippet=reading.first_text(item, "description", "snippet"),
        content=item.get("markdown"),
        date=item.get("date"),
    )


PROVIDER = Firecrawl
