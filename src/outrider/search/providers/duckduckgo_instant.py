"""DuckDuckGo's instant answers: one encyclopedic answer for some questions, nothing for most."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import ClassVar

from outrider.search import domains, reading
from outrider.search.catalogue import Bounds, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider, Topic
from outrider.search.reading import Json
from outrider.search.text import plain
from outrider.search.urls import target
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.duckduckgo.com/"

_KNOWN = ("AbstractText", "Abstract", "RelatedTopics", "Results", "Answer", "Type")
_MAX_TOPICS = 50


class DuckDuckGoInstant(HttpProvider):
    """Checked against recorded answers of 2026; the fields are those that the vendor documented."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="duckduckgo_instant",
        name="DuckDuckGo Instant Answer",
        description="One encyclopedic answer without a key; most questions have none.",
        docs_url="https://duckduckgo.com/duckduckgo-help-pages/features/instant-answers-and-other-features",
        max_results=5,
        bounds=Bounds(concurrency=2, max_body_bytes=2 * 1024 * 1024),
        terms=Terms(cache_s=300, attribution="DuckDuckGo, and the source of the answer", personal_use=True),
        weak=True,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The JSON form of the answer box."""
        text, warnings = domains.cut(query.text, 499)
        params = {"q": text, "format": "json", "no_html": "1", "skip_disambig": "1", "t": "outrider"}
        return ApiRequest(url=ENDPOINT, params=params, warnings=warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """The abstract and the official links; a blank answer leaves the question open."""
        if not reply.body.strip():
            return Answer(exhausted=True)
        body = self.body(reply)
        if not any(key in body for key in _KNOWN):
            raise self.unclear(reply)
        hits = collect(_hits(body))
        answer = plain(reading.text(body.get("Answer")))
        return Answer(hits=hits, answer=answer, topics=tuple(_topics(body.get("RelatedTopics"))), exhausted=not hits)


def _hits(body: reading.Record) -> Iterator[Hit | None]:
    abstract = reading.first_text(body, "AbstractText", "Abstract")
    source = body.get("AbstractSource")
    yield hit(body.get("AbstractURL"), body.get("Heading"), snippet=abstract, site_name=source)
    if reading.text(body.get("Definition")):
        yield hit(body.get("DefinitionURL"), body.get("Heading"), snippet=body.get("Definition"))
    for item in reading.records(body.get("Results")):
        yield hit(item.get("FirstURL"), item.get("Text"), snippet=item.get("Text"))


def _topics(found: Json) -> Iterator[Topic]:
    """Links to topics of the engine's own, groups flattened (they nest one level)."""
    flat: list[reading.Record] = []
    for item in reading.records(found)[:_MAX_TOPICS]:
        flat.extend(reading.records(item["Topics"])[:_MAX_TOPICS] if "Topics" in item else [item])
    for item in flat:
        address = target(reading.text(item.get("FirstURL")))
        if address:
            yield Topic(text=plain(reading.text(item.get("Text"))[:1_000]), url=address)


PROVIDER = DuckDuckGoInstant
