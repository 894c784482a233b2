"""Google through the Custom Search JSON API, which is closed to new customers."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import WebError
from outrider.search import dates, domains, google, reading
from outrider.search.catalogue import ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://www.googleapis.com/customsearch/v1"

_SPANS = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_SAFE = {"off": "off", "moderate": "active", "strict": "active"}
_SHAPE = ("kind", "queries", "searchInformation", "items")


class Google(HttpProvider):
    """Follows the vendor's reference, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="google",
        name="Google",
        description="Custom Search JSON API. Closed to new customers; existing ones may use it until 1 January 2027.",
        docs_url="https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list",
        requires_api_key=True,
        requires_engine_id=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        max_domains=20,
        max_results=10,
        max_query_chars=2_048,
        env={"api_key": ("GOOGLE_API_KEY", "GOOGLE_SEARCH_API_KEY"), "engine_id": ("GOOGLE_CSE_ID", "GOOGLE_CX")},
        terms=Terms(note="100 queries a day are free."),
        state="legacy",
        successor="serper",
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The key is part of the address, which is therefore never shown."""
        count, lowered = domains.lowered(query, self.info.max_results)
        one_site = len(query.allowed_domains) == 1 and not query.blocked_domains
        limit = self.info.max_query_chars
        text, cut = _question(query, limit, one_site=one_site)
        params = {
            "key": self.settings.api_key,
            "cx": self.settings.engine_id,
            "q": text,
            "num": str(count),
            "start": "1",
        }
        if one_site:
            params |= {"siteSearch": query.allowed_domains[0], "siteSearchFilter": "i"}
        params |= _filters(query, today)
        return ApiRequest(url=ENDPOINT, params=params, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """The reasons in the body tell a bad key from a bad request, and a day's end from haste."""
        body = self.error_body(reply)
        return self.error(google.kind(body, reply.status), reply, retry_after_s=google.wait_s(body))

    def parse(self, reply: ApiReply) -> Answer:
        """There is no list when nothing was found."""
        body = self.body(reply)
        if not any(key in body for key in _SHAPE):
            raise self.unclear(reply)
        items = self.listed(reply, body.get("items"), missing_is_empty=True)
        return Answer(hits=collect(map(_hit, items)))


def _question(query: Query, limit: int, *, one_site: bool) -> tuple[str, tuple[str, ...]]:
    if one_site:
        return domains.cut(query.text, limit, in_url=True)
    return domains.with_operators(query, limit=limit, in_url=True)


def _filters(query: Query, today: date) -> dict[str, str]:
    found: dict[str, str] = {}
    if query.country not in {"", "ALL"}:
        found |= {"gl": query.country.lower(), "cr": f"country{query.country}"}
    if query.language:
        main = query.language.partition("-")[0]
        found |= {"hl": query.language, "lr": f"lang_{query.language if main == 'zh' else main}"}
    if query.safe:
        found["safe"] = _SAFE[query.safe]
    return found | (_freshness(query.freshness, today) if query.freshness is not None else {})


def _freshness(freshness: Freshness, today: date) -> dict[str, str]:
    if freshness.span:
        return {"dateRestrict": _SPANS[freshness.span]}
    start, end = dates.closed_days(freshness, today)
    return {"sort": f"date:r:{start}:{end}".replace("-", "")}


def _hit(item: reading.Record) -> Hit | None:
    declared = reading.at(item, "pagemap", "metatags", 0, "article:published_time")
    return hit(item.get("link"), item.get("title"), snippet=item.get("snippet"), date=declared)


PROVIDER = Google
