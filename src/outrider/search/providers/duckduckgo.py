"""DuckDuckGo's pages for browsers without scripts: html first, lite as the second try."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import ClassVar
from urllib.parse import urlsplit

from outrider.call import Call
from outrider.content.dom import Key, Tree, parse
from outrider.errors import (
    ProviderBadResponse,
    ProviderBlocked,
    ProviderError,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import dates, domains, urls
from outrider.search.catalogue import Bounds, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider, with_warnings
from outrider.search.text import fold
from outrider.search.wire import ApiReply, ApiRequest, Exchange
from outrider.types import Freshness, Hit, Query

HTML = "https://html.duckduckgo.com/html/"
LITE = "https://lite.duckduckgo.com/lite/"

MAX_QUERY_CHARS = 499
"""Longer questions are refused, by public reports."""

_SECOND_PAGE_S, _LEFT_S = 8.0, 2.0
"""At most for the second page, and what has to be left of a call for it to be asked for."""
_COOLDOWN_S = 600.0
_SPANS = {"day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
_CHALLENGE = ("anomaly-modal", 'id="challenge-form"', "anomaly.js")
# Regions are named country first, language second; these are not the country's code or its usual language alone.
_REGIONS = {
    "GB": "uk-en", "US": "us-en", "DE": "de-de", "FR": "fr-fr", "JP": "jp-jp", "CN": "cn-zh", "HK": "hk-tzh",
    "TW": "tw-tzh", "KR": "kr-kr", "BR": "br-pt", "AR": "ar-es", "AU": "au-en", "AT": "at-de", "BE": "be-fr",
    "BG": "bg-bg", "CA": "ca-en", "CL": "cl-es", "CO": "co-es", "HR": "hr-hr", "CZ": "cz-cs", "DK": "dk-da",
    "EE": "ee-et", "FI": "fi-fi", "GR": "gr-el", "HU": "hu-hu", "IS": "is-is", "IN": "in-en", "ID": "id-en",
    "IE": "ie-en", "IL": "il-en", "IT": "it-it", "LV": "lv-lv", "LT": "lt-lt", "MY": "my-en", "MX": "mx-es",
    "NL": "nl-nl", "NZ": "nz-en", "NO": "no-no", "PK": "pk-en", "PE": "pe-es", "PH": "ph-en", "PL": "pl-pl",
    "PT": "pt-pt", "RO": "ro-ro", "RU": "ru-ru", "SA": "xa-ar", "SG": "sg-en", "SK": "sk-sk", "SI": "sl-sl",
    "ZA": "za-en", "ES": "es-es", "SE": "se-sv", "CH": "ch-de", "TH": "th-en", "TR": "tr-tr", "UA": "ua-uk",
    "VN": "vn-en",
}  # fmt: skip
_BILINGUAL = {"BE": ("fr", "nl"), "CA": ("en", "fr"), "CH": ("de", "fr", "it"), "US": ("en", "es"), "ES": ("es", "ca")}


class DuckDuckGo(HttpProvider):
    """Checked against recorded pages of January to October 2026. There is no API for third parties."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="duckduckgo",
        name="DuckDuckGo",
        description="Web results without a key, from the pages made for simple browsers; busy addresses are blocked.",
        docs_url="https://duckduckgo.com/duckduckgo-help-pages/settings/params",
        filters=frozenset({"country", "freshness", "domains", "safe"}),
        countries=frozenset(_REGIONS),
        max_domains=10,
        # Ten on the first page, up to fifteen on the second.
        max_results=20,
        max_query_chars=MAX_QUERY_CHARS,
        bounds=Bounds(max_body_bytes=4 * 1024 * 1024, concurrency=2, spacing_s=1.0),
        terms=Terms(
            cache_s=300,
            personal_use=True,
            note="Results pages are for personal use; no resale and no framing.",
        ),
        then="duckduckgo_instant",
    )
    pause_s: ClassVar[float] = 1.0
    """Before the second page."""

    def request(self, query: Query, today: date) -> ApiRequest:
        """The html page's form."""
        return self._form(HTML, query, today)

    def _form(self, url: str, query: Query, today: date) -> ApiRequest:
        text, cut = domains.with_operators(query, limit=MAX_QUERY_CHARS)
        form = {"q": text, "b": "", "kl": _region(query)}
        if query.freshness is not None:
            form["df"] = _span(query.freshness, today)
        if query.safe:
            form["kp"] = _SAFE[query.safe]
        return ApiRequest(url=url, method="POST", headers=_browser_headers(url), form=form, warnings=cut)

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """The html page; after a fault of the server or unknown markup, the lite page."""
        today = call.now().date()
        try:
            return await self._page(HTML, query, exchange, call, today)
        except (ProviderUnavailable, ProviderBadResponse) as first:
            if not _worth_a_second_try(first):
                raise
            return await self._second_try(first, query, exchange, call, today)

    async def _page(self, url: str, query: Query, exchange: Exchange, call: Call, today: date) -> Answer:
        request = self._form(url, query, today)
        answer = self.read(await self.ask(request, query, exchange, call))
        if answer.next_page and len(answer.hits) < query.max_results:
            answer = await self._with_second_page(answer, request, query, exchange, call)
        return with_warnings(answer, request.warnings)

    async def _with_second_page(
        self, first: Answer, request: ApiRequest, query: Query, exchange: Exchange, call: Call
    ) -> Answer:
        """The first page with the hits of the second, of which nobody has to wait long; its failure costs only them."""
        left = call.remaining()
        if left is not None and left < _LEFT_S + self.pause_s:
            return first
        await asyncio.sleep(self.pause_s)
        in_time = call.within(_SECOND_PAGE_S if left is None else min(_SECOND_PAGE_S, left / 2))
        try:
            reply = await self.ask(replace(request, form=first.next_page), query, exchange, in_time)
            second = self.read(reply)
        except ProviderError as error:
            told = (f"{error.message}; so there is only the first page",)
            blocked = isinstance(error, ProviderBlocked | ProviderRateLimited)
            return replace(first, warnings=told, cooldown_s=_COOLDOWN_S if blocked else None)
        return replace(first, hits=collect((*first.hits, *second.hits)), next_page=second.next_page)

    async def _second_try(
        self, first: ProviderError, query: Query, exchange: Exchange, call: Call, today: date
    ) -> Answer:
        try:
            answer = await self._page(LITE, query, exchange, call, today)
        except (ProviderBlocked, ProviderRateLimited):
            raise
        except ProviderError:
            raise first from None
        return with_warnings(answer, (f"{first.message}; the lite page was used",))

    def failure(self, reply: ApiReply) -> WebError:
        """By status alone: error pages say nothing."""
        if reply.status == 403:
            return self.error(ProviderBlocked, reply, says="it refuses this address", reason=_challenge(reply.text))
        if reply.status == 429:
            return self.error(ProviderRateLimited, reply)
        return self.error(ProviderUnavailable, reply, says=f"it answered with status {reply.status}")

    def parse(self, reply: ApiReply) -> Answer:
        """Results of either page; a page with neither results nor a known reason for their absence is a failure."""
        page = reply.text
        if reply.status == 202:
            return self._parse_202(reply)
        tree = parse(page)
        found = collect([*_html_hits(tree), *_lite_hits(tree)])
        if found:
            return Answer(hits=found, next_page=_next_page(tree))
        return self._nothing(reply, tree)

    def _parse_202(self, reply: ApiReply) -> Answer:
        reason = _challenge(reply.text)
        if not reason and _says_nothing_found(parse(reply.text)):
            return Answer()
        raise self.error(ProviderBlocked, reply, says="it asks for proof that a person is searching", reason=reason)

    def _nothing(self, reply: ApiReply, tree: Tree) -> Answer:
        reason = _challenge(reply.text)
        if reason:
            raise self.error(ProviderBlocked, reply, says="it asks for proof that a person is searching", reason=reason)
        if _says_nothing_found(tree):
            return Answer()
        raise self.error(ProviderBadResponse, reply, says="its page has an unknown form", reason="unknown_markup")


def _worth_a_second_try(error: ProviderError) -> bool:
    return error.reason == "unknown_markup" or (error.status is not None and error.status >= 500)


def _challenge(page: str) -> str:
    return "bot_challenge" if any(mark in page for mark in _CHALLENGE) else ""


def _browser_headers(url: str) -> dict[str, str]:
    """What a browser sends with this form; without them the challenge comes sooner. The user agent stays honest."""
    return {
        "accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "accept-language": "en-US,en;q=0.9",
        "referer": url,
        "origin": f"https://{urlsplit(url).netloc}",
        "sec-fetch-dest": "document",
        "sec-fetch-mode": "navigate",
        "sec-fetch-site": "same-origin",
        "sec-fetch-user": "?1",
    }


def _region(query: Query) -> str:
    if query.country in {"", "ALL"}:
        return "wt-wt"
    region = _REGIONS.get(query.country, "wt-wt")
    language = query.language.partition("-")[0]
    return f"{region[:2]}-{language}" if language in _BILINGUAL.get(query.country, ()) else region


def _span(freshness: Freshness, today: date) -> str:
    if freshness.span:
        return _SPANS[freshness.span]
    start, end = dates.closed_days(freshness, today)
    return f"{start}..{end}"


# Reading the pages.


def _classes(tree: Tree, key: Key) -> list[str]:
    return (tree.attribute(key, "class") or "").split()


def _html_hits(tree: Tree) -> list[Hit | None]:
    """One hit for each block of class `result`, adverts left out."""
    found: list[Hit | None] = []
    end = 0
    for key in tree.find(("div",)):
        classes = _classes(tree, key)
        if key < end or "result" not in classes:
            continue
        end = tree.ends[key]
        if "result--ad" not in classes:
            found.append(_html_hit(tree, key, end))
    return found


def _html_hit(tree: Tree, start: Key, end: Key) -> Hit | None:
    link, snippet, day = None, "", ""
    for key in tree.find(("a", "div", "span"), start=start, end=end):
        classes = _classes(tree, key)
        if "badge--ad" in classes:
            return None
        if link is None and "result__a" in classes:
            link = key
        elif not snippet and "result__snippet" in classes:
            snippet = tree.inner_text(key)
        elif not day and not classes and tree.tags[key] == "span":
            day = _written_date(tree, key)
    return None if link is None else _web_hit(tree, link, snippet, day)


def _written_date(tree: Tree, key: Key) -> str:
    """The text of a bare span beside the address, when it is a date."""
    parent = tree.parents[key]
    if "result__extras__url" not in _classes(tree, parent):
        return ""
    words = fold(tree.inner_text(key))
    return words if any(dates.when(words)) else ""


def _lite_hits(tree: Tree) -> list[Hit | None]:
    """One hit for each `a.result-link`; its snippet and date stand in the rows below it."""
    links = [key for key in tree.find(("a",)) if "result-link" in _classes(tree, key)]
    return [_lite_hit(tree, link, end) for link, end in pairwise([*links, len(tree)])]


def _lite_hit(tree: Tree, link: Key, end: Key) -> Hit | None:
    row = next((key for key in tree.ancestors(link) if tree.tags[key] == "tr"), None)
    if row is not None and "result-sponsored" in _classes(tree, row):
        return None
    snippet, day = "", ""
    for key in tree.find(("td", "span"), start=link, end=end):
        classes = _classes(tree, key)
        if not snippet and "result-snippet" in classes:
            snippet = tree.inner_text(key)
        elif not day and "timestamp" in classes:
            day = fold(tree.inner_text(key))
    return _web_hit(tree, link, snippet, day)


def _web_hit(tree: Tree, link: Key, snippet: str, day: str) -> Hit | None:
    """A hit whose target is a page of the web: no advert and no page of the engine's own."""
    href = (tree.attribute(link, "href") or "").strip()
    own_path = href.startswith("/") and not href.startswith("//")
    address = urls.target(f"https://duckduckgo.com{href}" if own_path else href)
    host = urls.host(address)
    own = host == "duckduckgo.com" or host.endswith(".duckduckgo.com")
    advert = "/aclick" in address and (host == "bing.com" or host.endswith(".bing.com"))
    if own or advert:
        return None
    return hit(address, _once_more(tree.inner_text(link)), snippet=_once_more(snippet), date=day, exact=True)


def _once_more(text: str) -> str:
    """Apostrophes that the engine escapes twice; everything else was decoded with the page."""
    return text.replace("&#x27;", "'").replace("&#39;", "'")


def _says_nothing_found(tree: Tree) -> bool:
    marks = {"result--no-result", "no-results"}
    return any(tree.tags[key] and marks & set(_classes(tree, key)) for key in range(len(tree)))


def _next_page(tree: Tree) -> Mapping[str, str]:
    """The hidden fields of the form that leads to the next page; they are sent back as they are."""
    last: dict[str, str] = {}  # A later page also has a form that leads back; it stands first.
    for form in tree.find(("form",)):
        if "nav-link" in _classes(tree, tree.parents[form]) or "next_form" in _classes(tree, form):
            fields = _hidden_fields(tree, form)
            last = fields if "s" in fields else last
    return last


def _hidden_fields(tree: Tree, form: Key) -> dict[str, str]:
    fields: dict[str, str] = {}
    for key in tree.find(("input",), start=form, end=tree.ends[form]):
        name = tree.attribute(key, "name")
        if name and tree.attribute(key, "type") == "hidden":
            fields[name] = tree.attribute(key, "value") or ""
    return fields


PROVIDER = DuckDuckGo
