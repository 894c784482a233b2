"""arXiv's preprints."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from datetime import date
from typing import ClassVar
from xml.parsers import expat

from outrider.call import Call
from outrider.errors import ProviderBadResponse, ProviderError, ProviderInvalidRequest
from outrider.search import dates, domains
from outrider.search.catalogue import Bounds, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider, with_warnings
from outrider.search.text import fold
from outrider.search.wire import ApiReply, ApiRequest, Exchange
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://export.arxiv.org/api/query"

SPACING_S = 3.0
"""The vendor asks for one request in three seconds."""

_ATOM = "http://www.w3.org/2005/Atom "
_TOTAL = "http://a9.com/-/spec/opensearch/1.1/ totalResults"
_WORD = re.compile(r'"[^"]*"|\S+')
# The question speaks the engine's own language already.
_FIELDED = re.compile(r"(?:^|\s|\()(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate):|\s(?:AND|OR|ANDNOT)\s")
_MAX_CHARS = 200_000


class Arxiv(HttpProvider):
    """Follows the vendor's manual, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="arxiv",
        name="arXiv",
        description="Preprints of physics, mathematics and computer science, with abstracts.",
        docs_url="https://info.arxiv.org/help/api/user-manual.html",
        filters=frozenset({"freshness"}),
        max_results=100,
        max_query_chars=300,
        bounds=Bounds(concurrency=1, spacing_s=SPACING_S),
        terms=Terms(cache_s=3_600, attribution="arXiv"),
        automatic=False,
        weak=True,
    )
    pause_s: ClassVar[float] = SPACING_S
    """Before the one retry after a feed that is empty by mistake."""

    def request(self, query: Query, today: date) -> ApiRequest:
        """Every word has to occur somewhere; phrases stay together."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars, in_url=True)
        params = {
            "search_query": _expression(text, query.freshness, today),
            "start": "0",
            "max_results": str(count),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        headers = {"accept": "application/atom+xml"}
        return ApiRequest(url=ENDPOINT, params=params, headers=headers, warnings=(*lowered, *cut))

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """One retry when the feed counts results and holds none."""
        request = self.request(query, call.now().date())
        answer = self.read(await self.ask(request, query, exchange, call))
        if answer.incomplete:
            await asyncio.sleep(self.pause_s)
            answer = self.read(await self.ask(request, query, exchange, call))
        return with_warnings(answer, request.warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """An entry named Error, at an address of its own, is a failure in spite of the good status."""
        feed = self._feed(reply)
        failed = next((entry for entry in feed.entries if entry.is_error), None)
        if failed is not None:
            raise self.error(ProviderInvalidRequest, reply, says=failed.texts.get("summary", ""))
        hits = collect(map(_hit, feed.entries))
        by_mistake = not hits and feed.total > 0
        told = (f"{self.info.name} counts {feed.total} results and shows none",) if by_mistake else ()
        return Answer(hits=hits, incomplete=by_mistake, exhausted=by_mistake, warnings=told)

    def _feed(self, reply: ApiReply) -> _Feed:
        feed = _Feed()
        try:
            feed.read(reply.body)
        except (expat.ExpatError, _Hostile, ValueError, LookupError):
            raise self._no_feed(reply) from None
        if not feed.is_atom:
            raise self._no_feed(reply)
        return feed

    def _no_feed(self, reply: ApiReply) -> ProviderError:
        return self.error(ProviderBadResponse, reply, says="its answer is not an Atom feed")


def _expression(text: str, freshness: Freshness | None, today: date) -> str:
    if not _FIELDED.search(f" {text} "):
        words = [re.sub(r"[():]", " ", word).strip() for word in _WORD.findall(text)]
        text = " AND ".join(f"all:{word}" for word in words if word.strip('"').strip())
    text = text or "all:*"
    return f"({text}) AND {_submitted(freshness, today)}" if freshness is not None else text


def _submitted(freshness: Freshness, today: date) -> str:
    start, end = dates.closed_days(freshness, today)
    return f"submittedDate:[{start.replace('-', '')}0000 TO {end.replace('-', '')}2359]"


class _Hostile(Exception):
    """The document declares what no feed needs."""


@dataclass(slots=True)
class _Entry:
    texts: dict[str, str] = field(default_factory=dict)
    link: str = ""

    @property
    def is_error(self) -> bool:
        return "/api/errors" in self.texts.get("id", "") and fold(self.texts.get("title", "")).lower() == "error"


class _Feed:
    """An Atom feed, read event by event: depth costs nothing, and without a document type no entity can grow."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.total = 0
        self.is_atom = False
        self._open: list[str] = []
        self._text: list[str] = []

    def read(self, body: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text_of
        parser.Parse(body, True)

    def _refuse(self, *_: object) -> None:
        raise _Hostile

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open:
            self.is_atom = name == _ATOM + "feed"
        self._open.append(name)
        self._text.clear()
        if name == _ATOM + "entry":
            self.entries.append(_Entry())
        elif name == _ATOM + "link" and self.entries and attributes.get("rel") == "alternate":
            self.entries[-1].link = self.entries[-1].link or attributes.get("href", "")

    def _end(self, name: str) -> None:
        self._open.pop()
        text = "".join(self._text)[:_MAX_CHARS]
        inside = bool(self._open) and self._open[-1] == _ATOM + "entry"
        if inside and name.startswith(_ATOM):
            self.entries[-1].texts.setdefault(name.removeprefix(_ATOM), text)
        elif name == _TOTAL and text.strip().isascii() and text.strip().isdigit():
            self.total = int(text.strip()[:9])

    def _text_of(self, text: str) -> None:
        self._text.append(text)


def _hit(entry: _Entry) -> Hit | None:
    texts = entry.texts
    return hit(
        entry.link or texts.get("id", ""),
        texts.get("title", ""),
        snippet=texts.get("summary", ""),
        date=texts.get("published", ""),
        updated=texts.get("updated", ""),
        site_name="arXiv",
        exact=True,
    )


PROVIDER = Arxiv
