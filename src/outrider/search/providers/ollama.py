"""Ollama's web search, for holders of a free account."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import ProviderQuotaExceeded, WebError
from outrider.search import domains, failures
from outrider.search.catalogue import ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Query

ENDPOINT = "https://ollama.com/api/web_search"


class Ollama(HttpProvider):
    """Follows the vendor's documentation and Python client, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="ollama",
        name="Ollama",
        description="Web search with whole page texts; needs the key of a free account.",
        docs_url="https://docs.ollama.com/capabilities/web-search",
        requires_api_key=True,
        max_results=10,
        env={"api_key": ("OLLAMA_API_KEY",)},
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """There are no filters and no pages."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body = {"query": query.text, "max_results": count}
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=warnings)

    def failure(self, reply: ApiReply) -> WebError:
        """An hour's limit passes soon, a week's does not."""
        if reply.status == 429 and "week" in failures.says(self.error_body(reply)).lower():
            return self.error(ProviderQuotaExceeded, reply)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """The one text may be a whole page: its start becomes the snippet."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        return Answer(
            hits=collect(hit(item.get("url"), item.get("title"), content=item.get("content")) for item in items)
        )


PROVIDER = Ollama
