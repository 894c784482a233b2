"""What a page declares about itself: title, author, dates, site, language, and where else it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outrider.content import dates, unseen
from outrider.content.dom import Key, Tree
from outrider.content.urls import Base
from outrider.content.words import in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """One page's declarations."""

    title: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    dates_from: str = ""
    site_name: str = ""
    language: str = ""
    canonical_url: str = ""
    alternate_markdown: str = ""
    refresh_url: str = ""


@dataclass(slots=True)
class _Head:
    """The raw declarations of a page."""

    title: str = ""
    meta: dict[str, str] = field(default_factory=dict)
    """First value of each name or property, in lower case."""
    authors: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    refresh: str = ""
    base: str | None = None
    linked_data: list[dict[str, Any]] = field(default_factory=list)


_PUBLISHED = in_order(
    """
    article:published_time og:published_time datepublished citation_publication_date citation_online_date
    citation_date dcterms.created dc.date.issued dcterms.issued dc.date dcterms.date parsely-pub-date sailthru.date
    article.published pubdate publish-date publish_date publishdate publication_date publication-date date
    article:publish_date cxenseparse:recs:publishtime shareaholic:article_published_time rnews:datepublished
    """
)
_MODIFIED = in_order(
    """
    article:modified_time og:updated_time og:modified_time datemodified dcterms.modified dc.date.modified
    last-modified lastmod article.updated revised updated_time modified_time
    """
)
_AUTHORS = in_order(
    """
    author article:author parsely-author sailthru.author dc.creator dcterms.creator byl citation_author
    article:author_name twitter:creator:name og:article:author
    """
)
_SITES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "al:android:app_name")
# Types of linked data that are the page's own subject, best first.
_SUBJECTS = in_order(
    """
    Article NewsArticle BlogPosting TechArticle Report ScholarlyArticle LiveBlogPosting DiscussionForumPosting QAPage
    Question HowTo Recipe Product VideoObject Book Course Event JobPosting SoftwareSourceCode SoftwareApplication
    MedicalWebPage WebPage ItemPage AboutPage FAQPage ProfilePage CollectionPage
    """
)
_SEPARATORS = re.compile(r"\s+[|–—·•»:\-]+\s+|\s*[|»]\s*|:\s+(?=[^:]+$)")
_REFRESH = re.compile(r"^\s*(\d{0,6}(?:\.\d*)?)\s*(?:[;,]|\s)\s*(?:url\s*=\s*)?[\"']?\s*([^\"']*)", re.IGNORECASE)
_MOST_REFRESH_S = 5.0
_MOST_LINKED_DATA = 1_000_000
_ADDRESS = re.compile(r"^(?:https?://|www\.|@)", re.IGNORECASE)
_CARD = re.compile(
    r"related|card|teaser|recommend|more-|sidebar|widget|comment|footer|promo|recirc|popular|trending|read-next|latest",
    re.IGNORECASE,
)
_CARD_TAGS = frozenset({"aside", "nav", "footer", "li"})


def base_of(tree: Tree, url: str) -> Base:
    """What the page's relative addresses are relative to."""
    element = next(iter(tree.index.tags.get("base", ())), None)
    return Base(url, tree.attribute(element, "href") if element is not None else None)


def read(tree: Tree, base: Base) -> Metadata:
    """Read a page's declarations."""
    head = _head(tree)
    subject = _subject(head.linked_data)
    site = _first(head.meta, _SITES) or _name(subject.get("publisher")) or _site_in(head.linked_data)
    published, modified, source = _dates(tree, head, subject)
    root = dict(tree.attributes(0)) if len(tree) else {}
    return Metadata(
        title=_title(tree, head, subject, site),
        author=_author(tree, head, subject),
        published=published,
        modified=modified,
        dates_from=source,
        site_name=site,
        language=_language(
            root.get("lang")
            or root.get("xml:lang")
            or head.meta.get("content-language")
            or head.meta.get("og:locale")
            or ""
        ),
        canonical_url=base.place(head.links.get("canonical", "") or head.meta.get("og:url", "")),
        alternate_markdown=base.place(head.links.get("markdown", "")),
        refresh_url=_refresh(head.refresh, base),
    )


# The page's declarations, gathered.


def _head(tree: Tree) -> _Head:
    head = _Head()
    for key in tree.index.keys(("title", "meta", "link", "script")):
        tag = tree.tags[key]
        if tag == "meta":
            _meta(head, dict(tree.attributes(key)), in_noscript=_in_noscript(tree, key))
        elif tag == "link":
            _link(head, dict(tree.attributes(key)))
        elif tag == "title":
            if not head.title and "svg" not in {
                tree.tags[above] for above, _ in zip(tree.ancestors(key), range(6), strict=False)
            }:
                head.title = _clean("".join(tree.text(child) for child in tree.children(key)))
        elif "ld+json" in (tree.attribute(key, "type") or "").lower():
            _linked_data(head, "".join(tree.text(child) for child in tree.children(key)))
    return head


def _in_noscript(tree: Tree, key: Key) -> bool:
    return any(tree.tags[above] == "noscript" for above, _ in zip(tree.ancestors(key), range(4), strict=False))


def _meta(head: _Head, given: dict[str, str | None], *, in_noscript: bool) -> None:
    content = _clean(given.get("content") or "")
    if not content:
        return
    if (given.get("http-equiv") or "").strip().lower() == "refresh":
        if not in_noscript:
            head.refresh = head.refresh or (given.get("content") or "")
        return
    for name in ("property", "name", "itemprop", "http-equiv"):
        key = (given.get(name) or "").strip().lower()
        if key:
            head.meta.setdefault(key, content)
            if key in ("citation_author", "dc.creator", "article:author") and len(head.authors) < 20:
                head.authors.append(content)


def _link(head: _Head, given: dict[str, str | None]) -> None:
    href = (given.get("href") or "").strip()
    relations = (given.get("rel") or "").lower().split()
    if not href or not relations:
        return
    if "canonical" in relations:
        head.links.setdefault("canonical", href)
    if "alternate" in relations and (given.get("type") or "").lower().startswith(("text/markdown", "text/x-markdown")):
        head.links.setdefault("markdown", href)


def _linked_data(head: _Head, text: str) -> None:
    if len(text) > _MOST_LINKED_DATA:
        return
    try:
        loaded = json.loads(text.strip().removeprefix("<!--").removesuffix("-->").strip(" ;\n\r\t"), strict=False)
    except (ValueError, RecursionError):
        return
    for item in loaded if isinstance(loaded, list) else [loaded]:
        if isinstance(item, dict) and len(head.linked_data) < 200:
            graph = item.get("@graph")
            head.linked_data += (
                [part for part in graph[:200] if isinstance(part, dict)] if isinstance(graph, list) else [item]
            )
            main = item.get("mainEntity")
            if isinstance(main, dict):
                head.linked_data.append(main)


def _clean(text: str) -> str:
    return " ".join(unseen.without(text)[0].split())


# Each field.


def _first(meta: dict[str, str], names: tuple[str, ...]) -> str:
    return next((meta[name] for name in names if meta.get(name)), "")


def _types(item: dict[str, Any]) -> list[str]:
    types = item.get("@type")
    return [kind for kind in (types if isinstance(types, list) else [types]) if isinstance(kind, str)]


def _subject(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The linked data about the page itself; {} when there is none."""
    ranked = [
        (_SUBJECTS.index(kind), place) for place, item in enumerate(items) for kind in _types(item) if kind in _SUBJECTS
    ]
    return items[min(ranked)[1]] if ranked else {}


def _site_in(items: list[dict[str, Any]]) -> str:
    return next((_name(item) for item in items if "WebSite" in _types(item)), "")


def _name(value: Any) -> str:
    """The name of a person or organisation in linked data, however it is put."""
    if isinstance(value, list):
        return ", ".join(
            dict.fromkeys(filter(None, (_name(part) for part in value[:10] if not isinstance(part, list))))
        )
    if isinstance(value, dict):
        value = value.get("name")
        if isinstance(value, list):
            value = value[0] if value else ""
    return _clean(value) if isinstance(value, str) and not _ADDRESS.match(value) else ""


def _language(declared: str) -> str:
    tag = declared.partition(",")[0].strip().replace("_", "-")
    return tag if re.fullmatch(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*", tag) else ""


def _title(tree: Tree, head: _Head, subject: dict[str, Any], site: str) -> str:
    declared = head.meta.get("og:title") or head.meta.get("twitter:title") or ""
    full = head.title or declared or _name(subject.get("headline"))
    heading = _heading(tree)
    if not full:
        return heading
    return _without_site(full, site, [heading, declared, _name(subject.get("headline"))])


def _heading(tree: Tree) -> str:
    first = next(
        (key for key in tree.index.tags.get("h1", ()) if not tree.skip[key] and tree.ends[key] - key < 60), None
    )
    return _clean(tree.inner_text(first)).rstrip("¶# ") if first is not None else ""


def _without_site(full: str, site: str, others: list[str]) -> str:
    """The title without the site's name, when the page itself shows where the one ends."""
    parts = _SEPARATORS.split(full)
    if len(parts) < 2:
        return full
    folded = _fold(full)
    for other in others:
        if (
            other
            and len(other) > 3
            and _fold(other) != folded
            and (folded.startswith(_fold(other)) or folded.endswith(_fold(other)))
        ):
            return other
    if site:
        for part, rest in ((parts[-1], full[: len(full) - len(parts[-1])]), (parts[0], full[len(parts[0]) :])):
            if _fold(part) == _fold(site) and (kept := rest.strip(" |–—·•»:-")):
                return kept
    return full


def _fold(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _author(tree: Tree, head: _Head, subject: dict[str, Any]) -> str:
    found = _name(subject.get("author")) or _name(subject.get("creator"))
    if found:
        return found
    several = [name for name in dict.fromkeys(head.authors) if not _ADDRESS.match(name)]
    if len(several) > 1:
        return ", ".join(several)
    declared = next(
        (head.meta[name] for name in _AUTHORS if head.meta.get(name) and not _ADDRESS.match(head.meta[name])), ""
    )
    return declared if len(declared) < 200 and declared else _marked_author(tree)


def _marked_author(tree: Tree) -> str:
    index = tree.index
    if index.attributes.isdisjoint(("itemprop", "rel")):
        return ""
    for key in index.keys(("a", "span", "div", "p", "address", "cite")):
        if tree.ends[key] - key > 12:
            continue
        for name, value in tree.attributes(key):
            if (
                value
                and ((name == "itemprop" and value == "author") or (name == "rel" and "author" in value.split()))
                and not _in_card(tree, key)
            ):
                text = _clean(tree.inner_text(key))
                if 1 < len(text) < 80:
                    return text.removeprefix("By ").removeprefix("by ")
    return ""


def _dates(tree: Tree, head: _Head, subject: dict[str, Any]) -> tuple[str, str, str]:
    published, modified = _date(subject.get("datePublished")), _date(subject.get("dateModified"))
    sources = ["json-ld"] if published or modified else []
    for name in _PUBLISHED if not published else ():
        if found := _date(head.meta.get(name)):
            published = found
            sources.append(f"meta {name}")
            break
    for name in _MODIFIED if not modified else ():
        if found := _date(head.meta.get(name)):
            modified = found
            sources.append(f"meta {name}")
            break
    if not published and (found := _time_element(tree)):
        published = found
        sources.append("time element")
    return published, modified, ", ".join(sources)


def _date(value: Any) -> str:
    return dates.normal(value) if isinstance(value, str) else ""


def _time_element(tree: Tree) -> str:
    """The date in the page's own header: beside the first heading, or marked as the date of publication."""
    marked = near = ""
    heading = next((key for key in tree.index.keys(("h1", "h2")) if not tree.skip[key]), None)
    for key in tree.index.keys(
        ("time", "span", "abbr")
        if "itemprop" in tree.index.attributes or "pubdate" in tree.index.attributes
        else ("time", "abbr")
    ):
        given = dict(tree.attributes(key))
        value = (
            given.get("datetime") or given.get("content") or (given.get("title") if tree.tags[key] == "abbr" else None)
        )
        is_marked = (
            "datePublished" in (given.get("itemprop") or "")
            or "pubdate" in given
            or "published" in (given.get("class") or "").split()
        )
        if not is_marked and (
            tree.tags[key] != "time" or heading is None or not heading - 80 < key < tree.ends[heading] + 80
        ):
            continue
        found = dates.normal(value or tree.inner_text(key))
        if not found or not found[:4].isdigit() or _in_card(tree, key):
            continue
        if is_marked and not marked:
            marked = found
        near = near or found
    return marked or near


def _in_card(tree: Tree, key: Key) -> bool:
    """Whether a place belongs to a teaser of another page."""
    articles = 0
    for above, _ in zip(tree.ancestors(key), range(40), strict=False):
        tag = tree.tags[above]
        if tag in _CARD_TAGS:
            return True
        articles += tag == "article"
        if tag not in ("body", "html", "main") and _CARD.search(tree.attribute(above, "class") or ""):
            return True
    return articles > 1


def _refresh(content: str, base: Base) -> str:
    found = _REFRESH.match(content)
    if not found:
        return ""
    seconds, target = found[1], found[2].strip()
    try:
        soon = float(seconds or 0) <= _MOST_REFRESH_S
    except ValueError:
        return ""
    url = base.place(target) if soon and target else ""
    return "" if url.partition("#")[0] == base.page else url


def iter_scripts(tree: Tree) -> Iterator[str]:
    """The text of every script that a browser would run at once."""
    for key in tree.index.tags.get("script", ()):
        if not tree.attribute(key, "src"):
            yield "".join(tree.text(child) for child in tree.children(key))
