"""RSS and Atom feeds as a list to read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from outrider.content import charset, clean, dates, dom, escape, markdown, plaintext
from outrider.content.source import Images, Source
from outrider.content.urls import Base
from outrider.content.writer import Plan
from outrider.types import Document, Heading

# What is read of a feed, by the element's name without its prefix.
_LEAVES = {
    "title": "title", "link": "link", "guid": "guid", "id": "guid", "pubdate": "date", "published": "date",
    "date": "date", "updated": "updated",
    "lastbuilddate": "updated", "creator": "author", "author": "author", "name": "author", "description": "summary",
    "summary": "summary",
    "subtitle": "summary", "encoded": "content", "content": "content", "language": "language",
}  # fmt: skip
_ENTRIES = frozenset({"item", "entry"})
_CHANNELS = frozenset({"channel", "feed"})
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.\-]{0,60}:)?([A-Za-z_][\w.\-]{0,60})([^<>]*)>")
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REL = re.compile(r"\brel\s*=\s*[\"']([^\"']*)[\"']")
_XHTML = re.compile(r"\btype\s*=\s*[\"'](?:xhtml|[^\"']*\+xml)[\"']")


@dataclass(slots=True)
class _Part:
    """A feed, or one of its entries: raw values by name."""

    values: dict[str, str] = field(default_factory=dict)
    base: str = ""

    def text(self, name: str) -> str:
        """A value as plain text in one line."""
        return " ".join(_plain(self.values.get(name, "")).split())


class Feed:
    """RSS 0.9 to 2.0, RDF and Atom; a broken feed is read as far as it goes."""

    media_types = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/rss+xml"})

    def convert(self, source: Source) -> Document:
        """Read a feed: its title, then each entry with its link, date and text."""
        decoded = charset.decode(source.body, declared=source.charset, markup="xml")
        channel, entries = _read(decoded.text)
        base = Base(source.url)
        text = _Text()
        title = channel.text("title")
        if title:
            text.heading(1, escape.text(title), title)
        text.block(*_summary(channel, base, source.images))
        for entry in entries:
            _write(text, entry, base, source.images)
        written = text.result()
        return Document(
            markdown=written,
            text=text.plain_result(),
            title=title,
            kind="feed",
            language=channel.text("language"),
            modified=dates.normal(channel.text("updated")),
            dates_from="feed" if channel.text("updated") else "",
            charset=decoded.charset,
            warnings=decoded.warnings,
            method="whole",
            outline=tuple(text.outline),
        )


class _Text:
    """Blocks of Markdown with their plain texts, and the headings among them."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.plain: list[str] = []
        self.size = 0
        self.outline: list[Heading] = []

    def heading(self, level: int, written: str, text: str) -> None:
        """Add a heading."""
        offset = self.block(f"{'#' * level} {written}", text)
        self.outline.append(Heading(level=level, text=text, offset=offset))

    def block(self, written: str, plain: str) -> int:
        """Add a block; answers where it starts."""
        if plain:
            self.plain.append(plain)
        if not written:
            return self.size
        if self.parts:
            self.parts.append("\n\n")
            self.size += 2
        offset = self.size
        self.parts.append(written)
        self.size += len(written)
        return offset

    def result(self) -> str:
        """Everything written, as Markdown."""
        return "".join(self.parts)

    def plain_result(self) -> str:
        """Everything written, without markup."""
        return "\n\n".join(self.plain)


def _write(text: _Text, entry: _Part, base: Base, images: Images) -> None:
    title = entry.text("title") or "Untitled"
    reference = entry.text("link") or (entry.text("guid") if entry.text("guid").startswith(("http:", "https:")) else "")
    url = base.place(reference) if reference else ""
    written = escape.text(title)
    text.heading(2, f"[{escape.link_text(written)}]({escape.destination(url)})" if url else written, title)
    facts = " · ".join(filter(None, [dates.normal(entry.text("date") or entry.text("updated")), entry.text("author")]))
    text.block(escape.text(facts), facts)
    text.block(*_summary(entry, base, images))


def _summary(part: _Part, base: Base, images: Images) -> tuple[str, str]:
    """The text of an entry as Markdown and plain: its summary, or all of it when there is none."""
    raw = part.values.get("summary") or part.values.get("content") or ""
    if not raw.strip():
        return "", ""
    tree = dom.parse(raw)
    clean.clean(tree)
    plan = Plan(tree=tree, roots=(tree.body,), base=base, images=images)
    plain = plaintext.write(plan)
    return markdown.write(plan).text or plain, plain


def _plain(raw: str) -> str:
    if "<" not in raw:
        return raw
    tree = dom.parse(raw)
    return tree.inner_text(tree.body)


# Reading. Not an XML parser: nothing is declared, expanded or fetched, and one pass over the text finds the few
# elements that matter, also in a feed that is not well-formed.


def _read(text: str) -> tuple[_Part, list[_Part]]:
    channel = _Part()
    entries: list[_Part] = []
    current = channel
    # The leaf that is open: its tag, the name of its value, where its content starts, and whether that is markup.
    leaf: tuple[str, str, int, bool] | None = None
    for start, end, closing, name, attributes in _tags(text):
        lower = name.lower()
        if leaf is not None:
            if closing and lower == leaf[0]:
                current.values.setdefault(leaf[1], _value(text[leaf[2] : start], is_markup=leaf[3]))
                leaf = None
            continue
        if lower in _ENTRIES:
            current = channel if closing else _Part()
            if not closing:
                entries.append(current)
        elif lower in _LEAVES and not closing:
            value = _LEAVES[lower]
            if lower == "link" and (found := _HREF.search(attributes)):
                _link(current, attributes, found[1] or found[2] or "")
            elif not attributes.rstrip().endswith("/") and lower != "author":
                leaf = (lower, value, end, _XHTML.search(attributes) is not None)
            elif (
                lower == "author"
                and not attributes.rstrip().endswith("/")
                and "<" not in text[end : end + 200].partition("</")[0]
            ):
                leaf = (lower, value, end, False)
    return channel, entries


def _link(part: _Part, attributes: str, address: str) -> None:
    relation = _REL.search(attributes)
    if relation is None or relation[1] == "alternate":
        part.values["link"] = html.unescape(address)


def _tags(text: str) -> Iterator[tuple[int, int, bool, str, str]]:
    """Every tag: where it starts and ends, whether it closes, its name without prefix, and its attributes."""
    at = 0
    while True:
        start = text.find("<", at)
        if start < 0:
            return
        following = text[start + 1 : start + 9]
        if following.startswith(("![CDATA[", "!--", "?")):
            mark = "]]>" if following[:2] == "![" else "-->" if following[0] == "!" else "?>"
            end = text.find(mark, start)
            if end < 0:
                return
            at = end + len(mark)
            continue
        found = _TAG.match(text, start)
        if found is None:
            at = start + 1
            continue
        at = found.end()
        yield start, at, bool(found[1]), found[3], found[4]


def _value(raw: str, *, is_markup: bool) -> str:
    """The content of an element: sections of character data as they are, references resolved once."""
    if is_markup:
        return raw
    pieces: list[str] = []
    at = 0
    while (start := raw.find("<![CDATA[", at)) >= 0:
        end = raw.find("]]>", start)
        end = len(raw) if end < 0 else end
        pieces += [html.unescape(raw[at:start]), raw[start + 9 : end]]
        at = min(len(raw), end + 3)
    pieces.append(html.unescape(raw[at:]))
    return "".join(pieces).strip()


CONVERTER = Feed()
