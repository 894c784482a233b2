"""Serper: Google's results as JSON."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderAuthFailed, ProviderQuotaExceeded, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.tbs import tbs
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://google.serper.dev/search"


class Serper(HttpProvider):
    """Follows public reports and clients, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="serper",
        name="Serper",
        description="Google's results as JSON.",
        docs_url="https://serper.dev/",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language"}),
        max_domains=20,
        # Since Google dropped `num`, more than ten in one call are not sure.
        max_results=10,
        env={"api_key": ("SERPER_API_KEY",)},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Domains go as operators."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.with_operators(query, limit=self.info.max_query_chars)
        body: dict[str, Any] = {"q": text, "num": count}
        if query.country not in {"", "ALL"}:
            body["gl"] = query.country.lower()
        if query.language:
            body["hl"] = query.language.lower()
        if query.freshness is not None:
            body["tbs"] = tbs(query.freshness, today)
        headers = {"x-api-key": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=body, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """403 is the key; a 400 may be an empty account."""
        if reply.status == 403:
            return self.error(ProviderAuthFailed, reply)
        if reply.status == 400 and "credit" in failures.says(self.error_body(reply)).lower():
            return self.error(ProviderQuotaExceeded, reply)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """The organic results; a direct answer beside them."""
        body = self.body(reply)
        shaped = "searchParameters" in body
        found = body.get("organic") if body.get("organic") is not None else body.get("news")
        items = self.listed(reply, found, missing_is_empty=shaped)
        answer = reading.first_text(body.get("answerBox"), "answer", "snippet")
        return Answer(hits=collect(map(_hit, items)), answer=plain(answer))


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("link"),
        item.get("title"),
        snippet=item.get("snippet"),
        date=item.get("date"),
        site_name=item.get("source"),
    )


PROVIDER = Serper
