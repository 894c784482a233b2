"""Bing Search v7: retired by its vendor on 11 August 2025, kept to say so clearly."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import (
    DnsFailed,
    ProviderAuthFailed,
    ProviderGone,
    ProviderQuotaExceeded,
    WebError,
)
from outrider.search import dates, domains, failures, reading, regions
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Query

ENDPOINT = "https://api.bing.microsoft.com/v7.0/search"

_SPANS = {"day": "Day", "week": "Week", "month": "Month"}
_SUCCESSOR = "Use webiq, the vendor's successor, with a key of its own."


class Bing(HttpProvider):
    """Follows the vendor's last reference. Nothing has been served since August 2025."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="bing",
        name="Bing Search v7",
        description="Retired on 11 August 2025, and every key with it. The successor is webiq.",
        docs_url="https://learn.microsoft.com/lifecycle/announcements/bing-search-api-retirement",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        max_results=50,
        max_query_chars=1_500,
        env={"api_key": ("BING_SEARCH_API_KEY", "BING_SEARCH_V7_SUBSCRIPTION_KEY")},
        automatic=False,
        state="retired",
        successor="webiq",
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The request as it was."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.with_operators(query, limit=self.info.max_query_chars, in_url=True)
        params = {"q": text, "count": str(count), "responseFilter": "Webpages"}
        if query.country not in {"", "ALL"}:
            language = query.language.partition("-")[0] or regions.LANGUAGES.get(query.country, "en")
            params["mkt"] = f"{language}-{query.country}"
        if query.language:
            params["setLang"] = query.language
        if query.safe:
            params["safeSearch"] = query.safe.capitalize()
        if query.freshness is not None:
            params["freshness"] = _freshness(query.freshness, today)
        headers = {"ocp-apim-subscription-key": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, params=params, headers=headers, warnings=(*lowered, *cut))

    def unreachable(self, error: WebError) -> WebError:
        """A host that is no longer there says that the service is not either."""
        return self._gone() if isinstance(error, DnsFailed) else super().unreachable(error)

    def failure(self, reply: ApiReply) -> WebError:
        """What is missing was retired; 403 was the plan's end."""
        if reply.status in {404, 410}:
            return self._gone(reply)
        if reply.status == 403:
            return self.error(ProviderQuotaExceeded, reply)
        return super().failure(reply)

    def _gone(self, reply: ApiReply | None = None) -> WebError:
        says = "its vendor retired it on 11 August 2025; the successor is webiq"
        return self.error(ProviderGone, reply, says=says, hint=_SUCCESSOR)

    def parse(self, reply: ApiReply) -> Answer:
        """The crawl time beside a result is no date of publication."""
        body = self.body(reply)
        if body.get("_type") == "ErrorResponse" or "error" in body:
            code = reading.text(reading.at(body, "errors", 0, "code")) or failures.says(body)
            kind = failures.kind_by_words(code, failures.kind_for(300))
            raise self.error(ProviderAuthFailed if "authorization" in code.lower() else kind, reply)
        if "webPages" not in body and "_type" not in body:
            raise self.unclear(reply)
        items = self.listed(reply, self.within(reply, body, "webPages", "value"), missing_is_empty=True)
        return Answer(
            hits=collect(
                hit(item.get("url"), item.get("name"), snippet=item.get("snippet"), date=item.get("datePublished"))
                for item in items
            )
        )


def _freshness(freshness: Freshness, today: date) -> str:
    if freshness.span in _SPANS:
        return _SPANS[freshness.span]
    start, end = dates.closed_days(freshness, today)
    return f"{start}..{end}"


PROVIDER = Bing
