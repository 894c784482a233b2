"""Bocha: Chinese web search for programs."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, ClassVar

from outrider.errors import ProviderBadResponse, ProviderQuotaExceeded, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.bochaai.com/v1/web-search"

MAX_DOMAINS = 20

_SPANS = {"day": "oneDay", "week": "oneWeek", "month": "oneMonth", "year": "oneYear"}
_ZONE = re.compile(r"Z$|[+-]\d{2}:?\d{2}$")


class Bocha(HttpProvider):
    """Follows a public copy of the vendor's documentation; one error body was captured in September 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="bocha",
        name="Bocha",
        description="Chinese web search for programs, with summaries when asked for.",
        docs_url="https://open.bochaai.com/",
        requires_api_key=True,
        filters=frozenset({"freshness", "domains"}),
        max_domains=MAX_DOMAINS,
        max_results=50,
        env={"api_key": ("BOCHA_API_KEY", "BOCHAAI_API_KEY")},
        fields=(
            Field(
                key="freshness",
                label="Freshness",
                type="select",
                default="noLimit",
                options=choices("noLimit", "oneDay", "oneWeek", "oneMonth", "oneYear"),
                description="For questions that name none.",
            ),
            Field(key="summary", label="Summaries", type="select", default="false", options=choices("false", "true")),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Domains go joined into one text."""
        count, warnings = domains.lowered(query, self.info.max_results)
        body: dict[str, Any] = {
            "query": query.text,
            "freshness": _freshness(query.freshness) if query.freshness is not None else self.option("freshness"),
            "summary": self.option("summary") == "true",
            "count": count,
        }
        blocked = domains.whole_hosts(query.blocked_domains)
        lists = (("include", domains.hosts(query.allowed_domains)), ("exclude", blocked[:MAX_DOMAINS]))
        body |= {key: "|".join(entries) for key, entries in lists if entries}
        return ApiRequest(url=ENDPOINT, method="POST", headers=self.bearer, json=body, warnings=warnings)

    def failure(self, reply: ApiReply) -> WebError:
        """403 is an empty account, not a bad key."""
        kind = ProviderQuotaExceeded if reply.status == 403 else failures.kind_for(reply.status)
        return self.error(kind, reply)

    def parse(self, reply: ApiReply) -> Answer:
        """The code is checked also in a good status; any level below may be null."""
        body = self.body(reply)
        code = reading.text(body.get("code"))
        shaped = "data" in body
        if reading.number(code) != 200 and (code or not shaped):
            raise self._body_error(reply, code)
        items = self.listed(reply, self.within(reply, body, "data", "webPages", "value"), missing_is_empty=shaped)
        return Answer(hits=collect(map(_hit, items)))

    def _body_error(self, reply: ApiReply, code: str) -> WebError:
        status = reading.number(code)
        if status == 403:
            return self.error(ProviderQuotaExceeded, reply, code=code)
        known = status is not None and 400 <= status < 600
        kind = failures.kind_for(int(status)) if known and status is not None else ProviderBadResponse
        return self.error(kind, reply, code=code or None)


def _freshness(freshness: Freshness) -> str:
    if freshness.span:
        return _SPANS[freshness.span]
    return f"{freshness.start}..{freshness.end}" if freshness.start and freshness.end else freshness.start or "noLimit"


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("name"),
        snippet=item.get("snippet"),
        content=item.get("summary"),
        date=reading.text(item.get("datePublished")) or _crawled(reading.text(item.get("dateLastCrawled"))),
        site_name=item.get("siteName"),
    )


def _crawled(written: str) -> str:
    """By the documentation this is the time of publication, in China's time whatever zone it claims."""
    return _ZONE.sub("+08:00", written)


PROVIDER = Bocha
