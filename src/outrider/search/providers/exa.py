"""Exa: search by meaning, with highlights of the pages."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderAuthFailed, ProviderError, ProviderQuotaExceeded, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.exa.ai/search"

MAX_TEXT_CHARS = 20_000
"""Of a page, when its text is asked for."""

_TAGS: dict[str, type[ProviderError]] = {
    "INVALID_API_KEY": ProviderAuthFailed,
    "NO_MORE_CREDITS": ProviderQuotaExceeded,
    "API_KEY_BUDGET_EXCEEDED": ProviderQuotaExceeded,
}


class Exa(HttpProvider):
    """Follows the vendor's OpenAPI file of April 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="exa",
        name="Exa",
        description="Search by meaning, with the passages that answer the question.",
        docs_url="https://docs.exa.ai/reference/search",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "safe"}),
        max_results=100,
        env={"api_key": ("EXA_API_KEY",)},
        fields=(
            Field(
                key="include_text",
                label="Page text as content",
                type="select",
                default="false",
                options=choices("false", "true"),
            ),
            Field(
                key="type",
                label="Search type",
                type="select",
                default="auto",
                options=choices("auto", "fast", "instant", "neural", "deep-lite", "deep", "deep-reasoning"),
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Without `contents` there would be no text at all; empty lists would be refused."""
        count, warnings = domains.lowered(query, self.info.max_results)
        contents: dict[str, Any] = {"highlights": True}
        if self.option("include_text") == "true":
            contents["text"] = {"maxCharacters": MAX_TEXT_CHARS}
        body: dict[str, Any] = {
            "query": query.text,
            "type": self.option("type"),
            "numResults": count,
            "contents": contents,
        }
        body |= _filters(query, today)
        headers = {"x-api-key": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=body, warnings=warnings)

    def failure(self, reply: ApiReply) -> WebError:
        """The tag decides, where there is one."""
        tag = reading.text(reading.at(self.error_body(reply), "tag"))
        return self.error(_TAGS.get(tag) or failures.kind_for(reply.status), reply, code=tag or None)

    def parse(self, reply: ApiReply) -> Answer:
        """Highlights, or else the summary, or else the start of the text, make the snippet."""
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        return Answer(hits=collect(map(_hit, items)))


def _filters(query: Query, today: date) -> dict[str, Any]:
    found: dict[str, Any] = {
        "userLocation": "" if query.country == "ALL" else query.country,
        "includeDomains": list(query.allowed_domains),
        "excludeDomains": domains.whole_hosts(query.blocked_domains),
        "moderation": query.safe in {"moderate", "strict"},
    }
    if query.freshness is not None:
        found |= _days(query.freshness, today)
    return {key: value for key, value in found.items() if value}


def _days(freshness: Freshness, today: date) -> dict[str, str]:
    start, end = dates.days(freshness, today)
    return {
        "startPublishedDate": f"{start}T00:00:00.000Z" if start else "",
        "endPublishedDate": f"{end}T23:59:59.999Z" if end else "",
    }


def _hit(item: reading.Record) -> Hit | None:
    highlights = " … ".join(text.strip() for text in reading.texts(item.get("highlights")))
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=highlights or item.get("summary"),
        content=item.get("text"),
        date=item.get("publishedDate"),
        score=item.get("score"),
    )


PROVIDER = Exa
