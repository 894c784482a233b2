"""
Pages with more markup than a tree of them may hold, read tag by tag.

The result is plainer than that of a tree: headings, paragraphs, list items, links, images, code and plain tables,
nothing chosen, nothing nested. But no text is lost, and memory stays that of the text, whatever a page nests.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outrider.content import declarations, escape, hidden, spaces, unseen
from outrider.content.urls import Base
from outrider.content.words import words

if TYPE_CHECKING:
    from turbohtml import Token

# What the parser and the tree hold at their peak, fitted to repetitive, deep, flat, wide and ordinary pages of 2 to
# 10 MB: it tells 70 MB for 6 MB of ordinary HTML, which is what they take.
_BYTES_PER_CHARACTER = 5
_BYTES_PER_TAG = 200
_BYTES_PER_ATTRIBUTE = 120
# With it a page fits a worker's allowance, beside its body and its text.
_MOST_BYTES = 52_000_000
_ALWAYS_SMALL = 150_000
_CHUNK = 65_536
# Pieces that are joined to one as soon as there are so many: a piece costs more than the few letters in it.
_MOST_PIECES = 4_096
_NEVER = words(
    """
    script style template iframe object svg canvas audio video select textarea noscript head button
    """
)
_BLOCKS = words(
    """
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr li
    main nav ol p pre section summary table tr ul caption center br h1 h2 h3 h4 h5 h6
    """
)
_CELLS = frozenset({"td", "th"})
_HEADINGS = {f"h{level}": f"{'#' * level} " for level in range(1, 7)}
_TOLD = _NEVER | _BLOCKS | _CELLS | {"a", "title", "img"}
# Blocks that leave a row of a table what it is; with any other the table arranges the page.
_IN_CELLS = frozenset({"p", "div", "br", "center"})
_MOST_IN_ROW = 4_000
_NOTHING: dict[str, str] = {}
_HIDING = frozenset({"hidden", "aria-hidden", "style"})
# Tags that have no end.
_VOID = words("area base br col embed hr img input link meta source track wbr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """A page's text, as Markdown."""

    markdown: str
    title: str
    hidden_chars: int


def is_too_much(html: str) -> bool:
    """Whether the tree of a page would take too much memory."""
    if len(html) < _ALWAYS_SMALL:
        return False
    tags = html.count("<") - html.count("</")
    needed = _BYTES_PER_CHARACTER * len(html) + _BYTES_PER_TAG * tags + _BYTES_PER_ATTRIBUTE * html.count("=")
    return needed > _MOST_BYTES


def write(html: str, base: Base) -> Streamed:
    """Read a page from its tags alone."""
    from turbohtml import Tokenizer

    reader = _Reader(base)
    tokenizer = Tokenizer()
    for start in range(0, len(html), _CHUNK):
        _read(reader, tokenizer.feed(html[start : start + _CHUNK]))
    _read(reader, tokenizer.close())
    return reader.result()


def _read(reader: _Reader, tokens: Iterable[Token]) -> None:
    from turbohtml import TokenType

    text, start, end = TokenType.TEXT, TokenType.START_TAG, TokenType.END_TAG
    for token in tokens:
        kind = token.type
        if kind is text:
            reader.text(token.data or "")
        elif kind is start:
            tag = token.tag or ""
            # Most tags of a page with too many say nothing here.
            attributes = token.attrs
            if tag in _TOLD or (attributes and not _HIDING.isdisjoint([name for name, _ in attributes])):
                reader.start(tag, attributes, self_closing=token.self_closing)
            elif tag == reader.left_out:
                reader.depth += 1
        elif kind is end:
            tag = token.tag or ""
            if tag in _TOLD or tag == reader.left_out:
                reader.end(tag)


class _Reader:
    """What was read so far."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.blocks: list[str] = []
        self.pages: list[str] = []
        self.run: list[str] = []
        self.prefix = ""
        # Cells of the open row; -1 outside of rows.
        self.cells = -1
        self.rows: list[str] = []
        self.code: list[str] | None = None
        self.link = ""
        self.link_at = 0
        # The tag that is left out with its content, and how many of it are open.
        self.left_out = ""
        self.depth = 0
        self.counts = False
        self.hidden_chars = 0
        self.in_title = False
        self.title = ""

    def text(self, data: str) -> None:
        """Take text."""
        if self.in_title:
            self.title += data
        elif self.left_out:
            self.hidden_chars += len(data.strip()) if self.counts else 0
        elif self.code is not None:
            self.code.append(data)
        elif data.isascii() and data.isalnum():
            # A word: nothing to escape, nothing hidden.
            self.run.append(data)
        else:
            cleaned, removed = unseen.without(data)
            self.hidden_chars += removed
            core = spaces.collapse(cleaned)
            if core and (core != " " or self.run):
                self.run.append(escape.text(core) if self.cells < 0 else escape.cell(escape.text(core)))
                if len(self.run) > _MOST_PIECES and not self.link:
                    self.run[:] = ["".join(self.run)]

    def start(self, tag: str, attributes: list[tuple[str, str]] | None, *, self_closing: bool) -> None:
        """Take a start tag."""
        if tag == "title" and not self.title:
            self.in_title = True
            return
        if self.left_out:
            self.depth += tag == self.left_out
            return
        given = dict(attributes) if attributes else _NOTHING
        if tag in _VOID and tag not in _BLOCKS:
            if tag == "img" and self.code is None and not _is_hidden(given):
                self._image(given)
            return
        if tag not in _VOID and not self_closing and (tag in _NEVER or _is_hidden(given)):
            self.left_out, self.depth, self.counts = tag, 1, tag not in _NEVER
        elif tag == "a":
            self._end_link()
            self.link = self.base.link(given.get("href") or "") if given.get("href") else ""
            self.link_at = len(self.run)
        else:
            self._begin(tag)

    def _begin(self, tag: str) -> None:
        """A cell or a block begins."""
        if tag in _CELLS:
            self._end_link()
            if self.cells > 0:
                self.run.append(" | ")
            self.cells += self.cells >= 0
        elif tag in _IN_CELLS and self.cells > 0:
            self.run.append(" ")
        elif tag in _BLOCKS:
            self.flush()
            self.prefix = _HEADINGS.get(tag) or ("- " if tag == "li" else "")
            self.cells = 0 if tag == "tr" else -1
            if tag == "pre":
                self.code = []

    def end(self, tag: str) -> None:
        """Take an end tag."""
        if tag == "title":
            self.in_title = False
        elif self.left_out:
            self.depth -= tag == self.left_out
            if not self.depth:
                self.left_out = ""
        elif tag == "a":
            self._end_link()
        elif tag in _BLOCKS and not (tag in _IN_CELLS and self.cells > 0):
            self.flush()
            self.cells = -1
            if tag == "table":
                self._end_table()

    def _image(self, given: dict[str, str]) -> None:
        url = self.base.place(given.get("src") or "") if given.get("src") else ""
        words = escape.link_text(escape.text(" ".join((given.get("alt") or "").split())))
        if url and not url.startswith("data:"):
            self.run.append(f"![{words}]({escape.destination(url)})")
        elif words:
            self.run.append(words)

    def _end_link(self) -> None:
        if self.link:
            text = "".join(self.run[self.link_at :]).strip()
            if text:
                self.run[self.link_at :] = [f"[{escape.link_text(text)}]({escape.destination(self.link)})"]
        self.link = ""

    def flush(self) -> None:
        """End the block."""
        if not self.run and self.code is None:
            self.link = self.prefix = ""
            return
        self._end_link()
        if self.code is not None:
            self._end_table()
            code = "".join(self.code).strip("\n")
            fence = escape.fence(code)
            if code.strip():
                self.blocks.append(f"{fence}\n{code}\n{fence}")
            self.code = None
        written = "".join(self.run).strip(" ")
        self.run.clear()
        if self.cells > 1 and len(written) < _MOST_IN_ROW:
            if not written.replace("|", "").isspace():
                self.rows.append(f"| {written} |")
                if len(self.rows) == 1:
                    self.rows.append("|" + " --- |" * self.cells)
            return
        if written:
            self._end_table()
            self.blocks.append(self.prefix + escape.line_start(written))
            if len(self.blocks) > _MOST_PIECES:
                self._join()
        self.prefix = ""

    def _end_table(self) -> None:
        if self.rows:
            self.blocks.append("\n".join(self.rows))
            self.rows.clear()

    def _join(self) -> None:
        if self.blocks:
            self.pages.append("\n\n".join(self.blocks))
            self.blocks.clear()

    def result(self) -> Streamed:
        """The whole page."""
        self.flush()
        self._end_table()
        self._join()
        return Streamed(
            markdown="\n\n".join(self.pages), title=" ".join(self.title.split()), hidden_chars=self.hidden_chars
        )


def _is_hidden(given: dict[str, str]) -> bool:
    if not given:
        return False
    if "hidden" in given or given.get("aria-hidden") == "true":
        return True
    style = given.get("style")
    return bool(style) and hidden.hides(declarations.of(style or ""))
