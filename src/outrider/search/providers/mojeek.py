"""Mojeek, an independent index."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import ProviderBadResponse
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.mojeek.com/search"

_NAMED = {"day": "day", "month": "month", "year": "year"}


class Mojeek(HttpProvider):
    """Follows the vendor's documentation and clients in part, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="mojeek",
        name="Mojeek",
        description="An independent index.",
        docs_url="https://www.mojeek.com/services/search/web-search-api/",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        max_domains=10,
        max_results=20,
        env={"api_key": ("MOJEEK_API_KEY",)},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The key is part of the address, which is therefore never shown."""
        count, lowered = domains.lowered(query, self.info.max_results)
        one_site = len(query.allowed_domains) == 1 and not query.blocked_domains
        limit = self.info.max_query_chars
        text, cut = _question(query, limit, one_site=one_site)
        params = {"api_key": self.settings.api_key, "q": text, "fmt": "json", "t": str(count), "s": "1"}
        params |= {key: value for key, value in _filters(query, today).items() if value}
        if one_site:
            params["site"] = domains.hosts(query.allowed_domains)[0]
        return ApiRequest(url=ENDPOINT, params=params, warnings=(*lowered, *cut))

    def parse(self, reply: ApiReply) -> Answer:
        """A status other than OK is a failure in spite of the good HTTP status."""
        response = self.within(reply, self.body(reply), "response")
        status = reading.text(reading.at(response, "status"))
        if not status:
            raise self.unclear(reply)
        if status.upper() != "OK":
            kind = failures.kind_by_words(status, ProviderBadResponse)
            raise self.error(kind, reply, says=status)
        items = self.listed(reply, self.within(reply, response, "results"), missing_is_empty=True)
        return Answer(hits=collect(map(_hit, items)))


def _question(query: Query, limit: int, *, one_site: bool) -> tuple[str, tuple[str, ...]]:
    if one_site:
        return domains.cut(query.text, limit, in_url=True)
    return domains.with_operators(query, limit=limit, in_url=True)


def _filters(query: Query, today: date) -> dict[str, str]:
    found = {
        "rb": "" if query.country == "ALL" else query.country,
        "lb": query.language.partition("-")[0].upper(),
        "safe": "" if not query.safe else str(int(query.safe != "off")),
    }
    return found | (_days(query.freshness, today) if query.freshness is not None else {})


def _days(freshness: Freshness, today: date) -> dict[str, str]:
    if freshness.span in _NAMED:
        return {"since": _NAMED[freshness.span]}
    start, end = dates.days(freshness, today)
    return {"since": start.replace("-", ""), "before": end.replace("-", "")}


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"), item.get("title"), snippet=item.get("desc"), date=item.get("date"), score=item.get("score")
    )


PROVIDER = Mojeek
