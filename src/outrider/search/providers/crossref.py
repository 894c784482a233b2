"""Crossref: scholarly works by their DOI."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import ClassVar

from outrider.search import dates, domains, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.crossref.org/works"

_ABSTRACT_TITLE = re.compile(r"<jats:title>\s*abstract\s*</jats:title>", re.IGNORECASE)


class Crossref(HttpProvider):
    """Follows the vendor's documentation, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="crossref",
        name="Crossref",
        description="Articles, books and data sets by their DOI, with abstracts where publishers give them.",
        docs_url="https://api.crossref.org/swagger-ui/index.html",
        filters=frozenset({"freshness"}),
        max_results=100,
        bounds=Bounds(concurrency=2),
        fields=(
            Field(key="mailto", label="Contact", description="An e-mail address; it leads to the faster servers."),
        ),
        terms=Terms(cache_s=3_600),
        automatic=False,
        weak=True,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Freshness is about the day of publication."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars, in_url=True)
        params = {"query": text, "rows": str(count)}
        if query.freshness is not None:
            params["filter"] = _published(query.freshness, today)
        if self.option("mailto"):
            params["mailto"] = self.option("mailto")
        return ApiRequest(url=ENDPOINT, params=params, warnings=(*lowered, *cut))

    def parse(self, reply: ApiReply) -> Answer:
        """Titles may be missing, dates may be of a year only."""
        body = self.body(reply)
        message = self.within(reply, body, "message") or {}
        items = self.listed(reply, self.within(reply, message, "items"), missing_is_empty="items" in message)
        return Answer(hits=collect(map(_hit, items)))


def _published(freshness: Freshness, today: date) -> str:
    start, end = dates.days(freshness, today)
    named = (("from-pub-date", start), ("until-pub-date", end))
    return ",".join(f"{name}:{day}" for name, day in named if day)


def _hit(item: reading.Record) -> Hit | None:
    doi = reading.text(item.get("DOI"))
    abstract = _ABSTRACT_TITLE.sub(" ", reading.text(item.get("abstract"))[:50_000])
    found = hit(
        reading.text(item.get("URL")) or (f"https://doi.org/{doi}" if doi else ""),
        _first(item.get("title")) or doi,
        snippet=abstract,
        site_name=_first(item.get("container-title")),
        score=item.get("score"),
    )
    return found and _dated(found, _issued(item))


def _dated(found: Hit, day: str | None) -> Hit:

    return replace(found, published=day)


def _first(found: Json) -> str:
    return next(iter(reading.texts(found)), "")


def _issued(item: reading.Record) -> str | None:
    """Year, month and day of publication, as far as they are known."""
    parts = reading.at(item, "issued", "date-parts", 0)
    numbers = [reading.number(part) for part in parts] if isinstance(parts, list) else []
    known: list[int] = []
    for number in numbers[:3]:
        if number is None:
            break
        known.append(int(number))
    return dates.from_parts(known)


PROVIDER = Crossref
