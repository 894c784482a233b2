"""Keenable: a search API for programs that also answers without a key."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderAuthFailed, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Query

KEYED = "https://api.keenable.ai/v1/search"
KEYLESS = "https://api.keenable.ai/v1/search/public"


class Keenable(HttpProvider):
    """Follows the vendor's public command line tool and SDK of August 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="keenable",
        name="Keenable",
        description="Web search for agents; works without a key within an hourly allowance per address.",
        docs_url="https://docs.keenable.ai/",
        supports_optional_api_key=True,
        filters=frozenset({"freshness", "domains"}),
        max_domains=1,
        max_results=50,
        env={"api_key": ("KEENABLE_API_KEY",)},
        fields=(
            Field(
                key="mode",
                label="Mode",
                type="select",
                default="pro",
                options=choices("pro", "realtime"),
                description="`realtime` needs a key.",
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """With a key the full search, without one the public search under the application's name."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {"query": query.text, "max_results": count} | _filters(query, today)
        if not self.settings.api_key:
            headers = {"x-keenable-title": "Outrider"}
            return ApiRequest(url=KEYLESS, method="POST", headers=headers, json=body, warnings=warnings)
        headers = {"x-api-key": self.settings.api_key}
        body["mode"] = self.option("mode")
        return ApiRequest(url=KEYED, method="POST", headers=headers, json=body, warnings=warnings)

    def failure(self, reply: ApiReply) -> WebError:
        """Both 401 and 403 are about the key; a refused filter is named."""
        if reply.status in {401, 403}:
            return self.error(ProviderAuthFailed, reply)
        param = reading.text(reading.at(self.error_body(reply), "param"))
        return self.error(failures.kind_for(reply.status), reply, param=param or None)

    def parse(self, reply: ApiReply) -> Answer:
        """The snippet is text of the page; the description is often empty."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        return Answer(
            hits=collect(
                hit(
                    item.get("url"),
                    item.get("title"),
                    snippet=reading.first_text(item, "snippet", "description"),
                    date=item.get("published_at"),
                )
                for item in items
            )
        )


def _filters(query: Query, today: date) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if query.allowed_domains:
        found["site"] = domains.hosts(query.allowed_domains)[0]
    if query.blocked_domains:
        found["exclude_domains"] = domains.whole_hosts(query.blocked_domains)
    if query.freshness is not None:
        start, end = dates.days(query.freshness, today)
        found |= {"published_after": start, "published_before": end}
    return {key: value for key, value in found.items() if value}


PROVIDER = Keenable
