"""Parallel's search API."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.search import dates, domains, reading
from outrider.search.catalogue import Field, Option, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.parallel.ai/v1/search"

MAX_QUERY_CHARS = 200
"""Of one search query; the whole question goes as the objective."""

MAX_DOMAINS = 200


class Parallel(HttpProvider):
    """Follows the vendor's SDK, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="parallel",
        name="Parallel",
        description="Web search for agents, with excerpts chosen for the question.",
        docs_url="https://docs.parallel.ai/api-reference/search-beta/search",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains"}),
        # It knows the first day only.
        date_ranges=False,
        max_domains=MAX_DOMAINS,
        max_results=40,
        env={"api_key": ("PARALLEL_API_KEY",)},
        fields=(
            Field(
                key="mode",
                label="Mode",
                type="select",
                options=(
                    Option(value="", label="the vendor's default"),
                    *choices("turbo", "fast", "basic", "advanced"),
                ),
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The question is objective and query at once."""
        count, warnings = domains.lowered(query, self.info.max_results)
        short, _ = domains.cut(query.text, MAX_QUERY_CHARS)
        advanced: dict[str, Any] = {"max_results": count}
        if query.country not in {"", "ALL"}:
            advanced["location"] = query.country.lower()
        policy = _policy(query, today)
        if policy:
            advanced["source_policy"] = policy
        body: dict[str, Any] = {"objective": query.text, "search_queries": [short], "advanced_settings": advanced}
        if self.option("mode"):
            body["mode"] = self.option("mode")
        headers = {"x-api-key": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=body, warnings=warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """Excerpts make snippet and content; the vendor's warnings are passed on."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        warned = _warnings(body.get("warnings"))
        return Answer(
            hits=collect(map(_hit, items)),
            warnings=tuple(f"{self.info.name}: {plain(text)[:300]}" for text in warned if text.strip()),
        )


def _warnings(found: Any) -> list[str]:
    items = found if isinstance(found, list) else []
    return [reading.text(one) or reading.text(reading.at(one, "message")) for one in items[:20]]


def _policy(query: Query, today: date) -> dict[str, Any]:
    allowed = domains.hosts(query.allowed_domains)
    # Both lists together have one limit; what is not sent is filtered afterwards.
    blocked = domains.whole_hosts(query.blocked_domains)[: max(0, MAX_DOMAINS - len(allowed))]
    after = dates.days(query.freshness, today)[0] if query.freshness is not None else ""
    policy = {"include_domains": allowed, "exclude_domains": blocked, "after_date": after}
    return {key: value for key, value in policy.items() if value}


def _hit(item: reading.Record) -> Hit | None:
    excerpts = "\n\n".join(text.strip() for text in reading.texts(item.get("excerpts")))
    return hit(item.get("url"), item.get("title"), snippet=excerpts, date=item.get("publish_date"))


PROVIDER = Parallel
