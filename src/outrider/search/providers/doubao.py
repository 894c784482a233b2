"""Doubao: the search of Volcano Engine, custom edition."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderBadResponse, ProviderError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://open.feedcoopapi.com/search_api/web_search"


class Doubao(HttpProvider):
    """Follows third-party code and an answer captured on 14 September 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="doubao",
        name="Doubao",
        description="Chinese web search with whole page texts as Markdown.",
        docs_url="https://www.volcengine.com/docs/87772",
        requires_api_key=True,
        filters=frozenset({"freshness"}),
        max_results=50,
        env={"api_key": ("DOUBAO_SEARCH_API_KEY", "VOLC_SEARCH_API_KEY")},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Keys start with capitals; a time range is always closed."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {
            "Query": query.text,
            "SearchType": "web",
            "Count": count,
            "Filter": {"NeedContent": True, "NeedUrl": True},
            "ContentFormats": "markdown",
            "QueryControl": {"QueryRewrite": False},
        }
        if query.freshness is not None:
            start, end = dates.closed_days(query.freshness, today)
            body["TimeRange"] = f"{start}..{end}"
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=warnings)

    def parse(self, reply: ApiReply) -> Answer:
        """An error object without a result is a failure in spite of the good status."""
        body = self.body(reply)
        result = body.get("Result")
        error = reading.at(body, "ResponseMetadata", "Error")
        if result is None and (error or failures.says(body)):
            raise self._body_error(reply, body)
        if "Result" not in body:
            raise self.unclear(reply)
        items = self.listed(reply, self.within(reply, result, "WebResults"), missing_is_empty=True)
        return Answer(hits=collect(map(_hit, items)))

    def _body_error(self, reply: ApiReply, body: reading.Record) -> ProviderError:
        error = reading.at(body, "ResponseMetadata", "Error")
        code = reading.text(reading.at(error, "Code"))
        words = reading.text(reading.at(error, "Message")) or failures.says(body)
        kind = failures.kind_by_words(f"{code} {words}", ProviderBadResponse)
        return self.error(kind, reply, says=words or code, code=code or None)


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("Url"),
        item.get("Title"),
        snippet=reading.first_text(item, "Snippet", "Summary"),
        content=reading.first_text(item, "Content", "Summary"),
        date=item.get("PublishTime"),
        site_name=item.get("SiteName"),
    )


PROVIDER = Doubao
