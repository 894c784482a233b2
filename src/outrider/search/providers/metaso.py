"""Metaso: Chinese search over six kinds of sources."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import ProviderBadResponse, ProviderError, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://metaso.cn/api/v1/search"

_LISTS = {
    "webpage": ("webpages",),
    "document": ("documents",),
    "scholar": ("scholars", "papers"),
    "podcast": ("podcasts",),
    "video": ("videos",),
    "image": ("images",),
}


class Metaso(HttpProvider):
    """Follows third-party clients and their tests, read autumn 2026; the vendor's documentation is thin."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="metaso",
        name="Metaso",
        description="Chinese search over web pages, documents, papers, podcasts, videos or images.",
        docs_url="https://metaso.cn/search-api/playground",
        requires_api_key=True,
        max_results=100,
        max_query_chars=200,
        env={"api_key": ("METASO_API_KEY",)},
        fields=(Field(key="scope", label="Scope", type="select", default="webpage", options=choices(*_LISTS)),),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The size goes as text."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars)
        body = {
            "q": text,
            "scope": self.option("scope"),
            "size": str(count),
            "includeSummary": False,
            "includeRawContent": False,
            "conciseSnippet": True,
        }
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """Words about the balance count more than the status."""
        words = _words(self.error_body(reply))
        spent = "余额" in words
        kind = failures.kind_by_words("余额", ProviderBadResponse) if spent else failures.kind_for(reply.status)
        return self.error(kind, reply)

    def parse(self, reply: ApiReply) -> Answer:
        """The list's name follows the scope; neither list nor error is nothing found."""
        body = self.body(reply)
        found = _list(body, self.option("scope"))
        if found is None and _words(body).strip():
            raise self._body_error(reply, body)
        return Answer(hits=collect(map(_hit, self.listed(reply, found, missing_is_empty=True))))

    def _body_error(self, reply: ApiReply, body: reading.Record) -> ProviderError:
        code = reading.number(body.get("errCode"))
        default = failures.kind_for(int(code)) if code and 400 <= code < 600 else ProviderBadResponse
        return self.error(failures.kind_by_words(_words(body), default), reply)


def _list(body: reading.Record, scope: str) -> Json:
    names = (*_LISTS[scope], *(name for names in _LISTS.values() for name in names))
    return next((body[name] for name in names if body.get(name) is not None), None)


def _words(body: Json) -> str:
    code = reading.text(reading.at(body, "errCode"))
    return f"{'' if code == '0' else code} {failures.says(body)}"


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        reading.first_text(item, "link", "url", "imageUrl"),
        item.get("title"),
        snippet=reading.first_text(item, "snippet", "summary"),
        content=item.get("rawContent"),
        date=item.get("date"),
    )


PROVIDER = Metaso
