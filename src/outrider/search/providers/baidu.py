"""Baidu through the search of the Qianfan platform."""

from __future__ import annotations

import unicodedata
from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderBadResponse, ProviderError, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Query

ENDPOINT = "https://qianfan.baidubce.com/v2/ai_search/web_search"

MAX_QUERY_UNITS = 72
"""A Chinese, Japanese or Korean character counts two."""

_SPANS = {"week": "week", "month": "month", "year": "year"}


class Baidu(HttpProvider):
    """Follows the vendor's reference, read autumn 2026; its error bodies are not documented."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="baidu",
        name="Baidu",
        description="Baidu's index through the Qianfan platform; short questions only.",
        docs_url="https://cloud.baidu.com/doc/qianfan-api/s/Wmbq4z7e5",
        requires_api_key=True,
        filters=frozenset({"freshness", "domains", "safe"}),
        max_domains=20,
        max_results=50,
        max_query_chars=MAX_QUERY_UNITS,
        env={"api_key": ("QIANFAN_API_KEY", "BAIDU_API_KEY")},
        fields=(
            Field(
                key="edition", label="Edition", type="select", default="standard", options=choices("standard", "lite")
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The question is a chat message of one turn."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = _cut(query.text)
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": text}],
            "edition": self.option("edition"),
            "search_source": "baidu_search_v2",
            "resource_type_filter": [{"type": "web", "top_k": count}],
        }
        body |= _filters(query, today)
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """The status counts; where it is vague, the words do."""
        kind = failures.kind_for(reply.status)
        if reply.status in {400, 403, 500}:
            kind = failures.kind_by_words(_words(self.error_body(reply)), kind)
        return self.error(kind, reply)

    def parse(self, reply: ApiReply) -> Answer:
        """Web pages only; a code without a list is a failure also in a good status."""
        body = self.body(reply)
        if not isinstance(body.get("references"), list) and _code(body):
            raise self._body_error(reply, body)
        items = self.listed(reply, body.get("references"), missing_is_empty="references" in body)
        pages = [item for item in items if item.get("type", "web") == "web"]
        return Answer(
            hits=collect(
                hit(
                    item.get("url"),
                    reading.first_text(item, "title", "web_anchor"),
                    snippet=item.get("content"),
                    date=item.get("date"),
                    site_name=item.get("website"),
                )
                for item in pages
            )
        )

    def _body_error(self, reply: ApiReply, body: reading.Record) -> ProviderError:
        status = reading.number(body.get("code"))
        default = failures.kind_for(int(status)) if status and 400 <= status < 600 else ProviderBadResponse
        return self.error(failures.kind_by_words(_words(body), default), reply, code=_code(body))


def _code(body: Json) -> str:
    code = reading.text(reading.at(body, "code")) or reading.text(reading.at(body, "error", "code"))
    return "" if code == "0" else code


def _words(body: Json) -> str:
    return f"{_code(body)} {failures.says(body)}"


def _cut(text: str) -> tuple[str, tuple[str, ...]]:
    units = 0
    for at, character in enumerate(text):
        units += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if units > MAX_QUERY_UNITS:
            return text[:at].rstrip(), (f"the query was cut to {at} characters, the most that this engine takes",)
    return text, ()


def _filters(query: Query, today: date) -> dict[str, Any]:
    found: dict[str, Any] = {}
    search_filter: dict[str, Any] = {}
    if query.allowed_domains:
        search_filter["match"] = {"site": domains.hosts(query.allowed_domains)}
    if query.freshness is not None and query.freshness.span in _SPANS:
        found["search_recency_filter"] = _SPANS[query.freshness.span]
    elif query.freshness is not None:
        search_filter["range"] = {"page_time": _days(query.freshness, today)}
    if search_filter:
        found["search_filter"] = search_filter
    blocked = domains.whole_hosts(query.blocked_domains)
    if blocked:
        found["block_websites"] = blocked
    if query.safe:
        found["safe_search"] = query.safe != "off"
    return found


def _days(freshness: Freshness, today: date) -> dict[str, str]:
    start, end = dates.days(freshness, today)
    return {key: value for key, value in (("gte", start), ("lte", end)) if value}


PROVIDER = Baidu
