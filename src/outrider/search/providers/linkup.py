"""Linkup's search API."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderError, ProviderForbidden, ProviderQuotaExceeded, ProviderRateLimited, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Query

ENDPOINT = "https://api.linkup.so/v1/search"

_CODES: dict[str, type[ProviderError]] = {
    "TOO_MANY_REQUESTS": ProviderRateLimited,
    "INSUFFICIENT_FUNDS_CREDITS": ProviderQuotaExceeded,
    "EXCEED_BUDGET_LIMIT": ProviderQuotaExceeded,
    "PAYMENT_REQUIRED": ProviderQuotaExceeded,
    "IP_NOT_WHITELISTED": ProviderForbidden,
}


class Linkup(HttpProvider):
    """Follows the vendor's documentation and client, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="linkup",
        name="Linkup",
        description="Web search with the pages' texts.",
        docs_url="https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search",
        requires_api_key=True,
        filters=frozenset({"freshness", "domains"}),
        max_results=100,
        env={"api_key": ("LINKUP_API_KEY",)},
        fields=(
            Field(
                key="depth",
                label="Depth",
                type="select",
                default="standard",
                options=choices("standard", "fast", "deep"),
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Spans become days."""
        body: dict[str, Any] = {
            "q": query.text,
            "depth": self.option("depth"),
            "outputType": "searchResults",
            "maxResults": query.max_results,
        }
        start, end = dates.days(query.freshness, today) if query.freshness is not None else ("", "")
        optional: dict[str, Any] = {
            "fromDate": start,
            "toDate": end,
            "includeDomains": domains.hosts(query.allowed_domains),
            "excludeDomains": domains.whole_hosts(query.blocked_domains),
        }
        body |= {key: value for key, value in optional.items() if value}
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body)

    def means_nothing_found(self, reply: ApiReply) -> bool:
        """A 400 with a code of its own."""
        return self._code(reply) == "SEARCH_QUERY_NO_RESULT"

    def failure(self, reply: ApiReply) -> WebError:
        """The code decides: 429 is haste or an empty account."""
        code = self._code(reply)
        return self.error(_CODES.get(code) or failures.kind_for(reply.status), reply, code=code or None)

    def _code(self, reply: ApiReply) -> str:
        return reading.text(reading.at(self.error_body(reply), "error", "code"))

    def parse(self, reply: ApiReply) -> Answer:
        """Images are left out."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        pages = [item for item in items if item.get("type", "text") != "image"]
        return Answer(
            hits=collect(hit(item.get("url"), item.get("name"), snippet=item.get("content")) for item in pages)
        )


PROVIDER = Linkup
