"""Values that two or more rooms share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

PageId = NewType("PageId", str)
"""`w1`, `w2`, …: the short name of a URL within one session."""

PagePath = NewType("PagePath", str)
"""`web://…`: the name of a page's stored full text."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose call this is; every stored thing belongs to exactly one."""

    tenant: str = "local"
    owner: str = "local"
    session: str = "default"


# Search.


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old a search result may be: a named span, or a range of days with one or both ends."""

    span: Literal["day", "week", "month", "year", ""] = ""
    start: str = ""
    """First day, `YYYY-MM-DD`."""
    end: str = ""
    """Last day, `YYYY-MM-DD`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A validated question to a search provider."""

    text: str
    max_results: int = 5
    allowed_domains: tuple[str, ...] = ()
    """Hosts, normalised, each with an optional `/path/prefix`; empty means any."""
    blocked_domains: tuple[str, ...] = ()
    country: str = ""
    """Two upper-case letters, `ALL`, or empty when not asked for."""
    freshness: Freshness | None = None
    language: str = ""
    """A language tag such as `en` or `pt-BR`, or empty."""
    safe: Literal["off", "moderate", "strict", ""] = ""

    @property
    def filters(self) -> frozenset[str]:
        """The names of the filters that this query uses."""
        used = {
            "domains": self.allowed_domains or self.blocked_domains,
            "country": self.country,
            "freshness": self.freshness,
            "language": self.language,
            "safe": self.safe,
        }
        return frozenset(name for name, value in used.items() if value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result, before anything of it was read."""

    url: str
    """Absolute, http or https."""
    title: str
    """Plain text."""
    snippet: str = ""
    """Plain text as the provider gave it."""
    published: str | None = None
    """ISO 8601 day, time or month (`2025-06`) of publication; never a crawl or edit time, never invented."""
    age: str | None = None
    """A relative age (`2 days ago`) exactly as it came."""
    updated: str | None = None
    """ISO 8601 time of the last edit."""
    content: str = ""
    """Longer text of the page, when the provider sends it."""
    site_name: str = ""
    score: float | None = None
    provider: str = ""
    rank: int = 0
    """1 is best, within one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How one provider fared for one query."""

    provider: str
    outcome: Literal[
        "ok", "empty", "blocked", "rate_limited", "quota", "auth", "forbidden", "invalid_request", "config", "gone",
        "upstream", "bad_response", "timeout", "filter_unsupported", "not_configured", "resting", "not_searched",
    ]  # fmt: skip
    elapsed_s: float = 0.0
    hits: int = 0
    message: str = ""
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search gave, and who was asked."""

    query: str
    hits: tuple[Hit, ...]
    provider: str
    """Who served it; empty when nothing was found anywhere."""
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()
    answer: str = ""
    """A direct answer, when the provider gives one beside its results."""
    searched: bool = True
    """False when a model answered without searching, and nobody else found anything."""
    news: tuple[Hit, ...] = ()
    """News that a provider lists beside its results."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """What the vendors counted, such as `web_search_requests`."""
    attribution: tuple[str, ...] = ()
    """How the sources have to be named, where their terms ask for it."""


# Pages.


@dataclass(frozen=True, slots=True)
class Heading:
    """One entry of a document's outline."""

    level: int
    """1 to 6."""
    text: str
    offset: int
    """Of the heading's line, in code points from the start of the Markdown."""
    anchor: str = ""
    """The element's id, as a URL fragment names it; empty when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The readable form of one response body."""

    markdown: str
    """The full text as a model reads it. Sources other than HTML keep their own form."""
    title: str = ""
    text: str = ""
    """The same as plain text, without markup, and without headings that only introduce what was kept."""
    kind: str = "html"
    """What the body was: `html`, `markdown`, `text`, `code`, `json`, `xml`, `yaml`, `csv`, `feed`, …"""
    author: str = ""
    published: str = ""
    """As declared, ISO 8601 where the declaration can be read as such."""
    modified: str = ""
    dates_from: str = ""
    """Where the dates were declared, such as `json-ld` or `meta article:published_time`."""
    site_name: str = ""
    language: str = ""
    canonical_url: str = ""
    charset: str = ""
    """The encoding that the bytes were read in, by its WHATWG name."""
    method: str = "main"
    """How the content was chosen: `main`, `article`, `body`, `whole`, `hydration`, `shell`, `text`, `verbatim`."""
    outline: tuple[Heading, ...] = ()
    anchors: dict[str, int] = field(default_factory=dict)
    """Fragment name to offset in the Markdown, for every id that is the target of a place in the text."""
    hidden_chars: int = 0
    """How many characters were removed because a person would not see them."""
    refresh_url: str = ""
    """Target of a meta refresh or client redirect that a browser would follow at once; absolute, unchecked."""
    alternate_markdown: str = ""
    """Absolute URL of a Markdown twin that the page declares; unchecked."""
    needs_javascript: bool = False
    """The page is an empty shell that a browser would fill."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a fetch produced."""

    url: str
    """As asked for."""
    final_url: str
    """After redirects."""
    status: int
    content_type: str
    document: Document
    body_bytes: int
    """Size of the decoded body."""
    truncated: bool = False
    """The body was cut at the profile's limit, so there is more than was read."""
    via: Literal["http", "browser", "cache", "store"] = "http"
    elapsed_s: float = 0.0
    redirects: tuple[str, ...] = ()
    """The URLs passed through, without the final one."""
    fetched_at: str = ""
    """ISO 8601 time in UTC."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A slice of a text, and how to go on."""

    text: str
    offset: int
    """Code points from the start of the full text."""
    content_length: int
    """Code points of the full text."""
    next_offset: int | None
    """Where the next slice starts; None at the end."""
    cut_inside: Literal["", "code", "table"] = ""
    """What the cut goes through: a fenced code block or a table."""

    @property
    def returned_chars(self) -> int:
        """Code points in this slice."""
        return len(self.text)

    @property
    def truncated(self) -> bool:
        """Whether more text follows."""
        return self.next_offset is not None
