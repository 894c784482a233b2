"""Links in answers: what is accepted, and what redirectors hide."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from urllib.parse import parse_qs, urlsplit

from outrider.errors import InvalidUrl
from outrider.url import Url, canonical

_GOOGLE = re.compile(r"(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?")
_OPENAI_MARK = re.compile(r"([?&])utm_source=openai(?=[&#]|$)")
# A redirector may hide another; an advert's does.
_MAX_LAYERS = 3


def target(raw: str) -> str:
    """The address that a result leads to, exactly as the vendor spells it; empty when it is not http or https."""
    link = _spell(raw)
    for _ in range(_MAX_LAYERS):
        hidden = _unwrap(link)
        if hidden is None:
            break
        link = _spell(hidden)
    return "" if read(link) is None else _without_mark(link)


# A hit's address is read where it is made, filtered, merged and numbered; reading it is half the cost of making a hit.
@lru_cache(maxsize=512)
def read(link: str) -> Url | None:
    """The URL that our own parser reads in a link; None when it is no absolute http or https URL."""
    try:
        return Url.parse(link)
    except InvalidUrl:
        return None


def key(link: str) -> str:
    """What two links to one page have in common: the canonical URL."""
    url = read(link)
    return link if url is None else canonical(url)


def host(link: str) -> str:
    """The host of a link, in lower case; empty when there is none."""
    url = read(link)
    return "" if url is None else url.host


def _spell(raw: str) -> str:
    link = raw.strip()
    if link.startswith("//"):
        link = "https:" + link
    return link.replace(" ", "%20")


def _unwrap(link: str) -> str | None:
    """What a known redirector leads to, read from the link alone; None when this is no redirector."""
    if "duckduckgo.com/" not in link and "google." not in link and "bing.com/" not in link:
        return None
    try:
        parts = urlsplit(link)
        where = (parts.hostname or "").lower()
        asked = parse_qs(parts.query, max_num_fields=100)
    except ValueError:
        return None
    if parts.path.rstrip("/") == "/l" and (where == "duckduckgo.com" or where.endswith(".duckduckgo.com")):
        return _first(asked, "uddg")
    if parts.path == "/url" and _GOOGLE.fullmatch(where):
        return _first(asked, "q") or _first(asked, "url")
    if parts.path == "/ck/a" and where in {"bing.com", "www.bing.com"}:
        return _unwrap_bing(_first(asked, "u") or "")
    return None


def _first(asked: dict[str, list[str]], name: str) -> str | None:
    return asked[name][0] if name in asked else None


def _unwrap_bing(wrapped: str) -> str | None:
    if not wrapped.startswith("a1"):
        return None
    coded = wrapped[2:]
    try:
        return base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def _without_mark(link: str) -> str:
    """The link without the mark that OpenAI adds; everything else stays as it is."""
    if "utm_source=openai" not in link:
        return link
    body, hash_mark, fragment = link.partition("#")
    cleaned = _OPENAI_MARK.sub(r"\1", body).replace("?&", "?").replace("&&", "&").rstrip("?&")
    return cleaned + hash_mark + fragment
