"""Zhipu (BigModel) web search."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from outrider.errors import (
    ProviderAuthFailed,
    ProviderError,
    ProviderForbidden,
    ProviderInvalidRequest,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Query

ENDPOINT = "https://open.bigmodel.cn/api/paas/v4/web_search"

_SPANS = {"day": "oneDay", "week": "oneWeek", "month": "oneMonth", "year": "oneYear"}
_NOTHING_FOUND = "1703"
_CODES: dict[str, type[ProviderError]] = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), ProviderAuthFailed),
    **dict.fromkeys(("1110", "1111", "1112", "1120", "1121"), ProviderForbidden),
    **dict.fromkeys(("1113", "1304", "1308", "1309"), ProviderQuotaExceeded),
    **dict.fromkeys(("1302", "1303", "1305", "1701"), ProviderRateLimited),
    **dict.fromkeys(("1210", "1211", "1212", "1213", "1214", "1215", "1301"), ProviderInvalidRequest),
    **dict.fromkeys(("500", "1702"), ProviderUnavailable),
}


class Zhipu(HttpProvider):
    """Follows the vendor's reference and Python client, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="zhipu",
        name="Zhipu",
        description="Chinese web search with a choice of engines; short questions only.",
        docs_url="https://docs.bigmodel.cn/cn/guide/tools/web-search",
        requires_api_key=True,
        filters=frozenset({"freshness", "domains"}),
        date_ranges=False,
        max_domains=1,
        max_results=50,
        max_query_chars=70,
        env={"api_key": ("ZHIPUAI_API_KEY", "ZHIPU_API_KEY", "BIGMODEL_API_KEY")},
        fields=(
            Field(
                key="search_engine",
                label="Search engine",
                type="select",
                default="search_std",
                options=choices("search_std", "search_pro", "search_pro_sogou", "search_pro_quark"),
            ),
            Field(
                key="content_size",
                label="Content size",
                type="select",
                default="medium",
                options=choices("medium", "high"),
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """One domain and one span of time are all that it filters by."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars)
        engine = self.option("search_engine")
        body: dict[str, Any] = {
            "search_query": text,
            "search_engine": engine,
            "search_intent": False,
            # Sogou takes tens only.
            "count": -(-count // 10) * 10 if engine == "search_pro_sogou" else count,
            "content_size": self.option("content_size"),
        }
        if query.allowed_domains:
            body["search_domain_filter"] = domains.hosts(query.allowed_domains)[0]
        if query.freshness is not None and query.freshness.span:
            body["search_recency_filter"] = _SPANS[query.freshness.span]
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=(*lowered, *cut))

    def means_nothing_found(self, reply: ApiReply) -> bool:
        """One of the error codes says so."""
        return _code(self.error_body(reply)) == _NOTHING_FOUND

    def failure(self, reply: ApiReply) -> WebError:
        """The code in the body decides: 429 is haste or an empty account."""
        code = _code(self.error_body(reply))
        return self.error(_CODES.get(code) or failures.kind_for(reply.status), reply, code=code or None)

    def parse(self, reply: ApiReply) -> Answer:
        """Rows without a link are left out."""
        body = self.body(reply)
        code = _code(body)
        if code == _NOTHING_FOUND:
            return Answer()
        if code:
            raise self.error(_CODES.get(code) or failures.kind_for(300), reply, code=code)
        shaped = "search_result" in body or "search_intent" in body
        items = self.listed(reply, body.get("search_result"), missing_is_empty=shaped)
        return Answer(
            hits=collect(
                hit(
                    item.get("link"),
                    item.get("title"),
                    snippet=item.get("content"),
                    date=item.get("publish_date"),
                    site_name=item.get("media"),
                )
                for item in items
            )
        )


def _code(body: Any) -> str:
    return reading.text(reading.at(body, "error", "code"))


PROVIDER = Zhipu
