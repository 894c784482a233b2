"""SearXNG: a metasearch server of one's own."""

from __future__ import annotations

import base64
import re
from datetime import date
from typing import ClassVar

from outrider.errors import (
    InvalidUrl,
    ProviderAuthFailed,
    ProviderBlocked,
    ProviderError,
    ProviderMisconfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import domains, reading, regions
from outrider.search.catalogue import Bounds, Field, ProviderInfo
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.text import plain
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query
from outrider.url import Url

_SAFE = {"off": "0", "moderate": "1", "strict": "2"}
# A word that begins so sends the caller away to another site.
_AWAY = re.compile(r"(^|\s)!!+")


class SearXNG(HttpProvider):
    """Checked by running the server of August 2026. The only provider whose address is configured."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="searxng",
        name="SearXNG",
        description="Your own metasearch server; its settings need `json` in search.formats.",
        docs_url="https://docs.searxng.org/dev/search_api.html",
        requires_base_url=True,
        supports_optional_api_key=True,
        filters=frozenset({"country", "freshness", "domains", "language", "safe"}),
        date_ranges=False,
        countries=frozenset(regions.LANGUAGES),
        max_results=50,
        # The server gives up on an engine at 10 s, so that a slow one shows as the server's error.
        bounds=Bounds(total_s=12.0, concurrency=16),
        env={"base_url": ("SEARXNG_URL", "SEARXNG_BASE_URL"), "api_key": ("SEARXNG_API_KEY",)},
        fields=(
            Field(key="engines", label="Engines", description="Comma separated; empty means the server's choice."),
            Field(key="categories", label="Categories", description="Comma separated; empty means general."),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """
        The JSON search below the base URL; safe search is left to the server unless asked for.

        Raises:
            ProviderMisconfigured: The base URL is not one.
        """
        text, warnings = domains.with_operators(query, limit=2_000, in_url=True)
        text, bang = _stay(text)
        params = {"q": text, "format": "json", "language": _language(query), "pageno": "1"}
        if query.freshness is not None and query.freshness.span:
            params["time_range"] = query.freshness.span
        if query.safe:
            params["safesearch"] = _SAFE[query.safe]
        params |= {key: value for key in ("engines", "categories") if (value := self.option(key))}
        url = f"{self._base()}/search"
        return ApiRequest(url=url, params=params, headers=self._authorisation(), warnings=(*warnings, *bang))

    def _base(self) -> str:
        try:
            url = Url.parse(self.settings.base_url.strip())
        except InvalidUrl as error:
            raise self.error(ProviderMisconfigured, says="its base URL is not an http or https URL") from error
        if url.query is not None or url.fragment is not None:
            raise self.error(ProviderMisconfigured, says="its base URL must have no query and no fragment")
        return url.origin + url.path.rstrip("/").removesuffix("/search").rstrip("/")

    def _authorisation(self) -> dict[str, str]:
        """`user:password` is basic authorisation, anything else a bearer token."""
        key = self.settings.api_key
        if ":" in key:
            return {"authorization": "Basic " + base64.b64encode(key.encode("utf-8")).decode("ascii")}
        return self.bearer

    def failure(self, reply: ApiReply) -> WebError:
        """The server's own refusals say what its operator has to change."""
        if reply.status == 401:
            return self.error(ProviderAuthFailed, reply, says="the server asks for a user and password")
        if reply.status == 403:
            hint = "Add json to search.formats in the server's settings.yml."
            return self.error(ProviderMisconfigured, reply, says="the server does not give JSON", hint=hint)
        if reply.status == 404:
            hint = "Check the base URL: <base URL>/search has to be the server's search page."
            return self.error(ProviderMisconfigured, reply, says="there is no search at the base URL", hint=hint)
        if reply.status == 429:
            hint = "Set server.limiter to false, or let the proxy in front send X-Forwarded-For and X-Real-IP."
            return self.error(ProviderRateLimited, reply, says="the server's limiter refuses this address", hint=hint)
        return super().failure(reply)

    def parse(self, reply: ApiReply) -> Answer:
        """Results of whatever engines answered; no results and silent engines is a failure."""
        if reply.is_html or (reply.says_html and self.error_body(reply) is None):
            check = "a bot check stands before the server"
            raise self.error(ProviderBlocked, reply, says=check, reason="bot_challenge")
        body = self.body(reply)
        items = self.listed(reply, body.get("results"), missing_is_empty="results" in body)
        hits = collect(map(_hit, items))
        silent = _silent_engines(body.get("unresponsive_engines"))
        if silent and not hits:
            raise self._nobody_answered(reply, silent)
        warnings = tuple(f"the engine {engine} did not answer: {why}" for engine, why in silent)
        return Answer(hits=hits, warnings=warnings, answer=_answers(body.get("answers")))

    def _nobody_answered(self, reply: ApiReply, silent: list[tuple[str, str]]) -> ProviderError:
        reasons = " ".join(why for _, why in silent).lower()
        kind: type[ProviderError] = ProviderUnavailable
        if "too many requests" in reasons:
            kind = ProviderRateLimited
        elif "captcha" in reasons or "access denied" in reasons:
            kind = ProviderBlocked
        listed = ", ".join(f"{engine} ({why})" for engine, why in silent)
        return self.error(kind, reply, says=f"no engine answered: {listed}", engines=[engine for engine, _ in silent])


def _stay(text: str) -> tuple[str, tuple[str, ...]]:
    stripped = _AWAY.sub(r"\1", text).strip()
    if stripped == text:
        return text, ()
    return stripped or text.replace("!", " ").strip(), ("the !! of the query was left out: it would leave the engine",)


def _language(query: Query) -> str:
    """The asked language in the asked country, the country's own, or no preference."""
    country = "" if query.country == "ALL" else query.country
    main = query.language or regions.LANGUAGES.get(country, "")
    if not main:
        return "all"
    return f"{main}-{country}" if country and "-" not in main else main


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("content"),
        date=reading.first_text(item, "publishedDate", "pubdate"),
        score=item.get("score"),
    )


def _silent_engines(found: Json) -> list[tuple[str, str]]:
    """Engine and reason of each; the list holds pairs, in old versions plain names."""
    silent: list[tuple[str, str]] = []
    for item in found if isinstance(found, list) else []:
        engine = reading.text(item) or reading.text(reading.at(item, 0))
        if engine:
            silent.append((plain(engine)[:100], plain(reading.text(reading.at(item, 1)))[:100] or "no reason given"))
    return silent[:50]


def _answers(found: Json) -> str:
    """Direct answers; objects now, plain texts in old versions."""
    items = found if isinstance(found, list) else []
    texts = [reading.text(item) or reading.text(reading.at(item, "answer")) for item in items[:10]]
    return "\n".join(plain(text) for text in texts if text.strip())


PROVIDER = SearXNG
