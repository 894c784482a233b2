"""Hits as providers build them: cleaned, clipped, without repeats."""

from __future__ import annotations

from collections.abc import Iterable

from outrider.search import dates, reading, text, urls
from outrider.search.reading import Json
from outrider.types import Hit

MAX_HITS = 200
"""Hits that are kept of one reply."""


def hit(
    url: Json,
    title: Json,
    *,
    snippet: Json = "",
    content: Json = "",
    date: Json = "",
    updated: Json = "",
    site_name: Json = "",
    score: Json = None,
    exact: bool = False,
) -> Hit | None:
    """
    One result from raw values of any type; None when it has no address that could be fetched.

    Args:
        snippet: The description; when it is longer than a snippet may be, the whole of it becomes content.
        content: Longer text of the page; its start is the snippet when there is no other.
        date: The vendor's date of publication, absolute or relative.
        updated: The vendor's date of the last edit.
        exact: The texts are plain already: nothing is taken out or decoded.
    """
    address = urls.target(reading.text(url))
    if not address:
        return None
    clean = text.fold if exact else text.plain
    long = text.body_text(reading.text(content))
    short = clean(reading.text(snippet)[: text.MAX_CONTENT]) or clean(long[: text.MAX_SNIPPET * 4])
    if len(short) > text.MAX_SNIPPET and not long:
        long = text.body_text(reading.text(snippet))
    published, age = dates.when(reading.text(date))
    return Hit(
        url=address,
        title=text.clip(clean(reading.text(title)[: text.MAX_TITLE * 8]), text.MAX_TITLE) or urls.host(address),
        snippet=text.clip(short, text.MAX_SNIPPET),
        published=published,
        age=age,
        updated=dates.published(reading.text(updated)),
        content=long,
        site_name=text.clip(text.plain(reading.text(site_name)[:1_000]), 100),
        score=reading.number(score),
    )


def collect(found: Iterable[Hit | None]) -> tuple[Hit, ...]:
    """The hits there are, each address once, in their order."""
    seen: dict[str, Hit] = {}
    for one in found:
        if one is not None:
            seen.setdefault(urls.key(one.url), one)
        if len(seen) >= MAX_HITS:
            break
    return tuple(seen.values())
