"""Kagi's search API."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderAuthFailed, ProviderBadResponse, ProviderBlocked, ProviderError, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://kagi.com/api/v1/search"


class Kagi(HttpProvider):
    """Follows the vendor's OpenAPI client of 2026; answers of the older API are read as well."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="kagi",
        name="Kagi",
        description="Paid web search without adverts.",
        docs_url="https://help.kagi.com/kagi/api/search.html",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "safe"}),
        max_results=100,
        env={"api_key": ("KAGI_API_KEY",)},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Domains form a lens."""
        body: dict[str, Any] = {"query": query.text, "limit": query.max_results}
        body |= {key: value for key, value in _parts(query, today).items() if value}
        if query.safe:
            body["safe_search"] = query.safe != "off"
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body)

    def failure(self, reply: ApiReply) -> WebError:
        """403 is about the caller's address."""
        if reply.status == 403:
            return self.error(ProviderBlocked, reply)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """Lists by kind now; one list of mixed rows in the older API."""
        body = self.body(reply)
        data = body.get("data")
        if body.get("error") and not data:
            raise self._body_error(reply, body)
        if isinstance(data, list):
            rows = [item for item in self.listed(reply, data) if reading.number(item.get("t", 0)) == 0]
            return Answer(hits=collect(map(_hit, rows)))
        if not isinstance(data, dict) and "meta" not in body:
            raise self.unclear(reply)
        items = self.listed(reply, self.within(reply, data, "search"), missing_is_empty=True)
        news = reading.records(reading.at(data, "news"))
        if body.get("error") and not items and not news:
            raise self._body_error(reply, body)
        return Answer(hits=collect(map(_hit, items)), news=collect(map(_hit, news)))

    def _body_error(self, reply: ApiReply, body: reading.Record) -> ProviderError:
        words = failures.says(body)
        unauthorised = reading.number(reading.at(body, "error", 0, "code")) == 2
        kind = ProviderAuthFailed if unauthorised else failures.kind_by_words(words, ProviderBadResponse)
        return self.error(kind, reply)


def _parts(query: Query, today: date) -> dict[str, Any]:
    start, end = dates.days(query.freshness, today) if query.freshness is not None else ("", "")
    region = "" if query.country == "ALL" else query.country
    filters = {"region": region, "after": start, "before": end}
    lens: dict[str, Json] = {
        "sites_included": domains.hosts(query.allowed_domains),
        "sites_excluded": domains.whole_hosts(query.blocked_domains),
    }
    return {
        "filters": {key: value for key, value in filters.items() if value},
        "lens": {key: value for key, value in lens.items() if value},
    }


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("snippet"),
        date=reading.first_text(item, "time", "published"),
    )


PROVIDER = Kagi
