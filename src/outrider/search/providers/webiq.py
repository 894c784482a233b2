"""Microsoft Web IQ, the successor of Bing Search v7."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderBadResponse, ProviderInvalidRequest, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://api.microsoft.ai/v3/search/web"

_SAFE = {"off": "off", "moderate": "strict", "strict": "strict"}


class WebIQ(HttpProvider):
    """Follows the models of the vendor's Python SDK 0.1.8 and its documentation, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="webiq",
        name="Microsoft Web IQ",
        description="Bing's index for programs, with passages of the pages.",
        docs_url="https://learn.microsoft.com/web-iq/",
        requires_api_key=True,
        filters=frozenset({"country", "domains", "language", "safe"}),
        max_results=50,
        max_query_chars=1_000,
        env={"api_key": ("WEBIQ_API_KEY", "MICROSOFT_WEBIQ_API_KEY")},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Domains go as operators; passages are asked for."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.with_operators(query, limit=self.info.max_query_chars)
        body: dict[str, Any] = {"query": text, "maxResults": count, "contentFormat": "passage"}
        if query.country not in {"", "ALL"}:
            body["region"] = query.country
        if query.language:
            body["language"] = query.language
        if query.safe:
            body["safeSearch"] = _SAFE[query.safe]
        headers = {"x-apikey": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=body, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """The wait stands in the body; 410 is what plain http gets."""
        if reply.status == 410:
            return self.error(ProviderInvalidRequest, reply)
        found = super().failure(reply)
        wait_s = reading.number(reading.at(self.error_body(reply), "retryAfter"))
        if found.retryable and wait_s is not None and wait_s >= 0:
            found.retry_after_s = wait_s
        return found

    def parse(self, reply: ApiReply) -> Answer:
        """The direct address counts, never the one that tracks clicks; the time is that of the last change."""
        body = self.body(reply)
        if "errorCode" in body and "webResults" not in body:
            words = f"{reading.text(body.get('errorCode'))} {failures.says(body)}"
            raise self.error(failures.kind_by_words(words, ProviderBadResponse), reply)
        shaped = any(key in body for key in ("webResults", "traceId", "querySignals"))
        items = self.listed(reply, body.get("webResults"), missing_is_empty=shaped)
        return Answer(hits=collect(map(_hit, items)))


def _hit(item: reading.Record) -> Hit | None:
    content = item.get("content")
    passages = content if isinstance(content, str) else "\n".join(_passages(content))
    return hit(item.get("url"), item.get("title"), snippet=passages, updated=item.get("lastUpdatedAt"))


def _passages(content: Any) -> list[str]:
    """Older answers hold a list of texts or of objects with a text."""
    if not isinstance(content, list):
        return []
    return [reading.text(one) or reading.first_text(one, "text", "content") for one in content]


PROVIDER = WebIQ
