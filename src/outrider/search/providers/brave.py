"""Brave Search, an index of its own."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.egress.message import Headers
from outrider.errors import (
    ProviderAuthFailed,
    ProviderError,
    ProviderForbidden,
    ProviderInvalidRequest,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    WebError,
)
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.search.brave.com/res/v1/web/search"

MAX_QUERY_CHARS = 400
MAX_QUERY_WORDS = 50

_COUNTRIES = frozenset({
    "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID", "IT", "JP", "KR", "MY",
    "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB", "US",
})  # fmt: skip
_SPANS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
# Where the vendor's language codes are not the usual ones.
_LANGUAGES = {"ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "no": "nb"}
_REGIONAL = {"en-gb": "en-gb", "pt-br": "pt-br", "pt-pt": "pt-pt", "zh-hans": "zh-hans", "zh-hant": "zh-hant"}
_CODES: dict[str, type[ProviderError]] = {
    "SUBSCRIPTION_TOKEN_INVALID": ProviderAuthFailed,
    "SUBSCRIPTION_NOT_FOUND": ProviderAuthFailed,
    "RATE_LIMITED": ProviderRateLimited,
    "QUOTA_LIMITED": ProviderQuotaExceeded,
    "OPTION_NOT_IN_PLAN": ProviderForbidden,
    "RESOURCE_NOT_ALLOWED": ProviderForbidden,
    "VALIDATION": ProviderInvalidRequest,
}


class Brave(HttpProvider):
    """Follows the vendor's documentation and MCP server, and error bodies in public reports, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="brave",
        name="Brave Search",
        description="An index of its own, with every filter.",
        docs_url="https://api-dashboard.search.brave.com/app/documentation/web-search/get-started",
        requires_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        countries=_COUNTRIES,
        max_domains=10,
        max_results=20,
        max_query_chars=MAX_QUERY_CHARS,
        env={"api_key": ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")},
        terms=Terms(cache_s=0, note="Results may be kept for the moment only, unless the plan has storage rights."),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Domains go as operators; highlight marks are not asked for."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = _within_words(query)
        params = {"q": text, "count": str(count), "text_decorations": "false"}
        if query.country:
            params["country"] = query.country
        if query.language:
            params["search_lang"] = _language(query.language)
        if query.safe:
            params["safesearch"] = query.safe
        if query.freshness is not None:
            params["freshness"] = _freshness(query.freshness, today)
        headers = {"x-subscription-token": self.settings.api_key}
        return ApiRequest(url=ENDPOINT, params=params, headers=headers, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """The code decides: 422 is a bad key or a bad parameter, 429 is haste or a spent plan."""
        body = self.error_body(reply)
        error = reading.at(body, "error") or reading.at(body, "errors", 0)
        code = reading.text(reading.at(error, "code"))
        where = _location(error)
        kind = _CODES.get(code) or _by_headers(reply)
        if where == "x-subscription-token":
            kind = ProviderAuthFailed
        found = self.error(kind, reply, code=code or None, param=where or None)
        if found.retryable and found.retry_after_s is None and reply.status == 429:
            found.retry_after_s = _reset(reply.headers)
        return found

    def parse(self, reply: ApiReply) -> Answer:
        """There is no web section when nothing was found."""
        body = self.body(reply)
        if not any(key in body for key in ("web", "query", "mixed")):
            raise self.unclear(reply)
        items = self.listed(reply, self.within(reply, body, "web", "results"), missing_is_empty=True)
        altered = plain(reading.text(reading.at(body, "query", "altered")))
        warnings = (f"the engine searched for {altered!r} instead",) if altered else ()
        return Answer(hits=collect(map(_hit, items)), query_used=altered, warnings=warnings)


def _within_words(query: Query) -> tuple[str, tuple[str, ...]]:
    text, warnings = domains.with_operators(query, limit=MAX_QUERY_CHARS, in_url=True)
    words = text.split()
    if len(words) <= MAX_QUERY_WORDS:
        return text, warnings
    told = f"the query was cut to {MAX_QUERY_WORDS} words, the most that this engine takes"
    return " ".join(words[:MAX_QUERY_WORDS]), (*warnings, told)


def _language(tag: str) -> str:
    lowered = tag.lower()
    main = lowered.partition("-")[0]
    return (
        _REGIONAL.get(lowered) or _LANGUAGES.get(lowered) or _LANGUAGES.get(main) or ("pt-pt" if main == "pt" else main)
    )


def _freshness(freshness: Freshness, today: date) -> str:
    if freshness.span:
        return _SPANS[freshness.span]
    start, end = dates.closed_days(freshness, today)
    return f"{start}to{end}"


def _location(error: Json) -> str:
    """The parameter that a validation error is about."""
    loc = reading.texts(reading.at(error, "meta", "errors", 0, "loc"))
    return loc[-1] if loc else ""


def _counts(headers: Headers, name: str) -> list[float | None]:
    return [reading.number(part.strip()) for part in headers.get(name, "").split(",")]


def _exhausted(headers: Headers) -> int | None:
    """Which of the windows (the first is the second, the next the month) has nothing left."""
    remaining = _counts(headers, "x-ratelimit-remaining")
    limits = _counts(headers, "x-ratelimit-limit")
    for at, left in enumerate(remaining):
        unlimited = at < len(limits) and limits[at] == 0
        if left == 0 and not unlimited:
            return at
    return None


def _by_headers(reply: ApiReply) -> type[ProviderError]:
    if reply.status == 429 and (_exhausted(reply.headers) or 0) > 0:
        return ProviderQuotaExceeded
    return failures.kind_for(reply.status)


def _reset(headers: Headers) -> float | None:
    """The wait for the window that has nothing left; for the shortest one when the answer does not say which."""
    at = _exhausted(headers)
    resets = _counts(headers, "x-ratelimit-reset")
    at = 0 if at is None and "x-ratelimit-remaining" not in headers else at
    return resets[at] if at is not None and at < len(resets) else None


def _hit(item: reading.Record) -> Hit | None:
    written = reading.text(item.get("page_age"))
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("description"),
        content="\n".join(reading.texts(item.get("extra_snippets"))),
        date=written if dates.published(written) else reading.text(item.get("age")) or written,
        site_name=reading.at(item, "profile", "name"),
    )


PROVIDER = Brave
