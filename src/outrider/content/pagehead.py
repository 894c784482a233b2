"""What a page and its address declare about the kind of page it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.content.dom import Key, Tree

_DECLARED_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema\.org/)?(\w{1,40})"')
_WORD = re.compile(r"[^\W\d_]{2,}")
_ADDRESS_WORD = re.compile(r"[a-z]{2,}")
_MOST_LINKED_DATA = 60_000
_MOST_TITLE = 300
_LONG_TEXT = 120
_MOST_PROSE = 30_000
_MOST_ADDRESS = 500

# Shapes of addresses: threads, products, collections, documentation, articles, dated paths, services, queries, forums,
# long numbers, slugs, lists. The order is known to the trained model.
_ADDRESSES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"/(?:forum|forums|thread|threads|topic|topics|discussion|viewtopic|showthread|questions?|t|comments)s?[/.?-]",
        r"/(?:products?|item|itm|dp|p|shop)/",
        r"/(?:collections?|category|categories|c|browse|shop|department)s?[/?-]",
        r"^https?://(?:docs?|developer|dev|learn|help|support|api|wiki)\."  # noqa: ISC004  # one pattern
        r"|/(?:docs?|documentation|reference|guide|guides|manual|api|help|wiki|tutorial|learn)[/.]",
        r"/(?:blog|news|article|articles|story|stories|post|posts|insights|magazine|resources)/",
        r"/(?:19|20)\d\d/\d|/(?:19|20)\d\d-",
        r"/(?:services?|solutions?|pricing|features|about|platform|industries)[/.-]?",
        r"[?&](?:p|id|t|q|page|cat)=",
        r"^https?://(?:forums?|community|discuss\w*|boards?|answers|ask)\.",
        r"\d{5,}",
        r"[a-z]+-[a-z]+-[a-z]+-[a-z]+",
        r"/(?:search|list|directory|jobs|listing|listings|tag|topics|archive|archives|events|recipes|tools|best)[/?-]?",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What stands in the head of a page and in its address."""

    title: str
    """Of the window, in lower case with single spaces."""
    other_title: str
    """For sharing, in lower case with single spaces."""
    kind: str
    """`og:type`, in lower case."""
    generator: str
    types: frozenset[str]
    """schema.org types of linked data."""
    path: str
    """Of the address, without query and outer slashes."""
    address: tuple[bool, ...]
    """Whether the address has each of the known shapes."""
    statements: frozenset[str]
    """Short texts of linked data, such as names, in lower case with single spaces."""
    prose: str
    """Longer texts of linked data and descriptions, likewise."""
    words: frozenset[str]
    """All of this as words, each with a letter that tells where it comes from."""


def declared(tree: Tree, url: str) -> Declared:
    """Read the head and the address."""
    url = url[:_MOST_ADDRESS]
    metas = _metas(tree)
    blocks = _linked_data(tree)
    title, types = _title(tree), frozenset(name for block in blocks for name in _DECLARED_TYPE.findall(block))
    texts = [metas.get("description", ""), metas.get("og:description", "")]
    texts.extend(text for block in blocks for text in _texts(block))
    texts = [squeezed(text) for text in texts if text]
    kind, generator = metas.get("og:type", "").lower()[:40], metas.get("generator", "").lower()[:80]
    address = tuple(bool(pattern.search(url)) for pattern in _ADDRESSES)
    words = {f"u:{word}" for word in _ADDRESS_WORD.findall(url.lower().partition("?")[0])}
    words.update(f"U:{number}" for number, has in enumerate(address) if has)
    words.update(f"l:{name}" for name in types)
    words.update(f"g:{word}" for word in _ADDRESS_WORD.findall(generator)[:2])
    words.update(f"h:{word}" for word in _WORD.findall(title))
    words.add(f"o:{kind}")
    return Declared(
        title=title,
        other_title=squeezed(metas.get("og:title", "")[:_MOST_TITLE]),
        kind=kind,
        generator=generator,
        types=types,
        path=re.sub(r"^https?://[^/]+", "", url).partition("?")[0].strip("/"),
        address=address,
        statements=frozenset(text for text in texts if len(text) <= _LONG_TEXT),
        prose="\n".join(text for text in texts if len(text) > _LONG_TEXT)[:_MOST_PROSE],
        words=frozenset(words),
    )


def squeezed(text: str) -> str:
    """In lower case with single spaces."""
    return " ".join(text.lower().split())


def _metas(tree: Tree) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in tree.index.keys(("meta",))[:200]:
        given = dict(tree.attributes(key))
        name = (given.get("property") or given.get("name") or "").lower()
        if name in {"og:type", "og:title", "og:description", "description", "generator"}:
            found[name] = given.get("content") or ""
    return found


def _title(tree: Tree) -> str:
    keys = tree.index.keys(("title",))
    return squeezed(_raw_text(tree, keys[0])[:_MOST_TITLE]) if keys else ""


def _linked_data(tree: Tree) -> list[str]:
    blocks: list[str] = []
    left = _MOST_LINKED_DATA
    for key in tree.index.keys(("script",))[:400]:
        if left > 0 and "ld+json" in (tree.attribute(key, "type") or ""):
            block = _raw_text(tree, key)
            if len(block) <= left:
                blocks.append(block)
                left -= len(block)
    return blocks


def _texts(block: str) -> list[str]:
    """The strings of a block of linked data, addresses left out; none when it cannot be read."""
    try:
        waiting = [json.loads(block, strict=False)]
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and not value.startswith(("http:", "https:", "/")):
            found.append(unescape(value) if "&" in value else value)
    return found


def _raw_text(tree: Tree, key: Key) -> str:
    return "".join(tree.text(below) for below in range(key + 1, tree.ends[key]))
