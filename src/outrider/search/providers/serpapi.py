"""SerpApi: the results of Google and other engines as JSON."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar

from outrider.errors import ProviderQuotaExceeded, ProviderUnavailable, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.tbs import tbs
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://serpapi.com/search.json"

_NOTHING_FOUND = re.compile(r"has ?n[o'’]t returned any results|no results", re.IGNORECASE)


class SerpApi(HttpProvider):
    """Follows the vendor's documentation and client, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="serpapi",
        name="SerpApi",
        description="Results of Google and, with a setting, of other engines.",
        docs_url="https://serpapi.com/search-api",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        max_domains=20,
        max_results=10,
        env={"api_key": ("SERPAPI_API_KEY", "SERPAPI_KEY")},
        fields=(
            Field(key="engine", label="Engine", default="google", description="Such as google, google_news or bing."),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The key is part of the address, which is therefore never shown."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.with_operators(query, limit=self.info.max_query_chars, in_url=True)
        params = {"engine": self.option("engine"), "q": text, "api_key": self.settings.api_key, "num": str(count)}
        if query.country not in {"", "ALL"}:
            params["gl"] = query.country.lower()
        if query.language:
            params["hl"] = query.language.lower()
        if query.safe:
            params["safe"] = "off" if query.safe == "off" else "active"
        if query.freshness is not None:
            params["tbs"] = tbs(query.freshness, today)
        return ApiRequest(url=ENDPOINT, params=params, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """A 429 is a spent plan or too much haste."""
        words = failures.says(self.error_body(reply)).lower()
        if reply.status == 429 and "run out" in words:
            return self.error(ProviderQuotaExceeded, reply)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """An error beside a good status may say that nothing was found."""
        body = self.body(reply)
        found = _list(body)
        if found is None:
            return self._without_list(reply, body)
        answer = reading.first_text(body.get("answer_box"), "answer", "snippet")
        return Answer(hits=collect(map(_hit, self.listed(reply, found))), answer=plain(answer))

    def _without_list(self, reply: ApiReply, body: reading.Record) -> Answer:
        status = reading.text(reading.at(body, "search_metadata", "status"))
        words = reading.text(body.get("error"))
        if _NOTHING_FOUND.search(words) and status != "Error":
            return Answer()
        if status in {"Error", "Processing"}:
            raise self.error(ProviderUnavailable, reply)
        if words:
            raise self.error(failures.kind_by_words(words, ProviderUnavailable), reply)
        if status != "Success":
            raise self.unclear(reply)
        return Answer()


def _list(body: reading.Record) -> Json:
    """The list of whichever engine answered."""
    names = ("organic_results", "news_results", "images_results", "video_results", "shopping_results")
    return next((body[name] for name in names if body.get(name) is not None), None)


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("link"),
        item.get("title"),
        snippet=reading.first_text(item, "snippet", "description"),
        date=item.get("date"),
        site_name=reading.text(item.get("source")) or reading.at(item, "source", "name"),
    )


PROVIDER = SerpApi
