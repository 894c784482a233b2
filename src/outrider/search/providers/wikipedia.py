"""Wikipedia through the search of the MediaWiki API."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar
from urllib.parse import quote

from outrider.errors import (
    ProviderBlocked,
    ProviderError,
    ProviderInvalidRequest,
    ProviderMisconfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import domains, reading
from outrider.search.catalogue import Bounds, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

_LANGUAGE = re.compile(r"[a-z][a-z0-9-]{1,11}", re.ASCII)
# What MediaWiki itself leaves unescaped in its page addresses.
_TITLE_SAFE = ";@$!*(),/~:"


class Wikipedia(HttpProvider):
    """Follows the MediaWiki API help, checked autumn 2026. The language is the host."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="wikipedia",
        name="Wikipedia",
        description="Articles of Wikipedia in any of its languages, without a key.",
        docs_url="https://www.mediawiki.org/wiki/API:Search",
        filters=frozenset({"language"}),
        max_results=50,
        max_query_chars=300,
        bounds=Bounds(concurrency=1, max_body_bytes=2 * 1024 * 1024),
        terms=Terms(cache_s=600, attribution="Wikipedia, CC BY-SA"),
        weak=True,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """One serial request to the language's own host."""
        text, warnings = domains.cut(query.text, self.info.max_query_chars)
        count, lowered = domains.lowered(query, self.info.max_results)
        params = {
            "action": "query",
            "list": "search",
            "srsearch": text,
            "srlimit": str(count),
            "sroffset": "0",
            "format": "json",
            "formatversion": "2",
        }
        host = _host(query)
        return ApiRequest(url=f"https://{host}/w/api.php", params=params, warnings=(*warnings, *lowered))

    def failure(self, reply: ApiReply) -> WebError:
        """A 403 is about the user agent, which the operator sets."""
        if reply.status == 403:
            hint = "Set a user agent that names a contact (egress.user_agent)."
            return self.error(ProviderMisconfigured, reply, hint=hint)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """Titles become addresses; the time of a result is its last edit."""
        body = self.body(reply)
        if "error" in body or "errors" in body:
            raise self._body_error(reply, body)
        found = self.within(reply, body, "query", "search")
        items = self.listed(reply, found, missing_is_empty=found is None and "search" in (body.get("query") or {}))
        host = _host(reply.query)
        return Answer(hits=collect(_hit(host, item) for item in items))

    def _body_error(self, reply: ApiReply, body: reading.Record) -> ProviderError:
        code = reading.text(reading.at(body, "error", "code")) or reading.text(reading.at(body, "errors", 0, "code"))
        return self.error(_kind(code), reply, code=code or None)


def _kind(code: str) -> type[ProviderError]:
    if code == "ratelimited":
        return ProviderRateLimited
    if code in {"maxlag", "readonly"} or code.startswith("internal_api_error"):
        return ProviderUnavailable
    return ProviderBlocked if code in {"blocked", "autoblocked"} else ProviderInvalidRequest


def _host(query: Query) -> str:
    language = query.language.partition("-")[0].lower() or "en"
    return f"{language if _LANGUAGE.fullmatch(language) else 'en'}.wikipedia.org"


def _hit(host: str, item: reading.Record) -> Hit | None:
    title = reading.text(item.get("title")).strip()
    if not title:
        return None
    address = f"https://{host}/wiki/{quote(title.replace(' ', '_'), safe=_TITLE_SAFE, errors='replace')}"
    return hit(address, title, snippet=item.get("snippet"), updated=item.get("timestamp"), site_name="Wikipedia")


PROVIDER = Wikipedia
