"""Domain lists: as operators for engines that read them, and applied again to every answer."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote_plus

from outrider.search import urls
from outrider.types import Hit, Query
from outrider.url import Url

MAX_ENCODED_CHARS = 5_000
"""Of a question in an address; the rest is left for the key, the operators and the other parameters."""


def matches(link: str, entry: str) -> bool:
    """Whether a link lies on a host, on a subdomain of it, and below the entry's path at a segment boundary."""
    url = urls.read(link)
    return url is not None and _matches(url, entry)


def _matches(url: Url, entry: str) -> bool:
    host, slash, path = entry.partition("/")
    on_host = url.host == host or (url.kind == "name" and url.host.endswith("." + host))
    if not on_host or not slash:
        return on_host
    return url.path == "/" + path or url.path.startswith(f"/{path}/")


def keep(hits: Iterable[Hit], query: Query) -> tuple[Hit, ...]:
    """The hits that the query's lists let through; a blocked entry wins."""
    return tuple(hit for hit in hits if _passes(hit.url, query))


def _passes(link: str, query: Query) -> bool:
    if not query.allowed_domains and not query.blocked_domains:
        return True
    url = urls.read(link)
    if url is None or any(_matches(url, entry) for entry in query.blocked_domains):
        return False
    return not query.allowed_domains or any(_matches(url, entry) for entry in query.allowed_domains)


def hosts(entries: Iterable[str]) -> list[str]:
    """The entries without their paths, each host once, for engines that know hosts only."""
    return list(dict.fromkeys(entry.partition("/")[0] for entry in entries))


def whole_hosts(entries: Iterable[str]) -> list[str]:
    """The entries without a path. To an engine that knows hosts only, blocking one with a path would block its host."""
    return [entry for entry in entries if "/" not in entry]


def with_operators(query: Query, *, limit: int, in_url: bool = False) -> tuple[str, tuple[str, ...]]:
    """
    The question with `site:` operators within so many characters, and what could not be sent as warnings.

    What is not sent still holds: the lists are applied again to the answer.
    """
    text, warnings = cut(query.text, limit, in_url=in_url)
    allowed = _either(query.allowed_domains)
    barred = " ".join(f"-site:{entry}" for entry in query.blocked_domains)
    for operators in (allowed, barred):
        whole = f"{text} {operators}"
        if operators and len(whole) <= limit and (not in_url or _encoded(whole) <= MAX_ENCODED_CHARS):
            text = whole
        elif operators:
            warnings = (*warnings, "the domain list was too long to be sent; it was applied to the results only")
    return text, warnings


def _either(entries: tuple[str, ...]) -> str:
    sites = " OR ".join(f"site:{entry}" for entry in entries)
    return f"({sites})" if len(entries) > 1 else sites


def cut(text: str, limit: int, *, in_url: bool = False) -> tuple[str, tuple[str, ...]]:
    """
    A question of at most so many characters, ended at a word, and the warning that it was cut.

    Args:
        in_url: It becomes part of an address, which has a limit of its own and takes up to nine characters for one.
    """
    short = text[:limit]
    while in_url and (encoded := _encoded(short)) > MAX_ENCODED_CHARS:
        short = short[: min(len(short) - 1, len(short) * MAX_ENCODED_CHARS // encoded)]
    if short == text:
        return text, ()
    space = short.rfind(" ")
    if space > len(short) // 2:
        short = short[:space]
    return short, (f"the query was cut to {len(short)} characters, the most that this engine takes",)


def _encoded(text: str) -> int:
    return len(quote_plus(text, errors="replace"))


def lowered(query: Query, most: int) -> tuple[int, tuple[str, ...]]:
    """How many results to ask for, and the warning when that is fewer than wanted."""
    if query.max_results <= most:
        return query.max_results, ()
    return most, (f"only {most} results could be asked for, the most that this engine gives",)
