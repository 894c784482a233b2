"""
The walk that writes a page's tree: its state, and the runs of text that become paragraphs.

The walk is a loop over keys; what is open (a list, a quote, a table) stands on a stack with the key at which it ends.
Text gathers in a run until a block begins or ends; then the run becomes one paragraph.
What an element means is known to `elements`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from outrider.content import callouts, escape, inline, math, spaces, tables
from outrider.content.blocks import Blocks, Container
from outrider.content.dom import Key, Tree
from outrider.content.footnotes import Footnotes
from outrider.content.inline import BREAK, Mark, Markup, Piece
from outrider.content.math import Formula
from outrider.content.source import Images
from outrider.content.urls import Base
from outrider.content.words import words
from outrider.types import Heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is written, and how."""

    tree: Tree
    roots: tuple[Key, ...]
    """In document order; none lies below another."""
    drop: frozenset[Key] = frozenset()
    """Left out, with everything below."""
    base: Base
    images: Images = "markdown"
    everything: bool = False
    """Keep what shows nothing too: empty links for their address, blank code, frames around a word."""
    formulas: dict[Key, Formula | None] = field(default_factory=dict)
    formulas_in_text: bool = False
    footnotes: Footnotes = field(default_factory=Footnotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Markdown, and where things stand in it."""

    text: str
    outline: tuple[Heading, ...]
    anchors: dict[str, int]


@dataclass(slots=True)
class OpenList:
    """A list that is open."""

    ordered: bool
    number: int
    tight: bool
    delimiter: str
    """`-` or `*` for bullets, `.` or `)` after numbers."""
    follows_text: bool
    """It is nested in an item of a tight list."""
    items: int = 0


@dataclass(slots=True)
class Link:
    """A link around whole blocks: one of them carries it."""

    url: str
    carrier: Key | None
    """The heading that is to carry it, if there is one."""
    has_text: bool
    used: bool = False


_PARAGRAPHS = re.compile(r"\n{2,}")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = words(
    """
    address article aside body center dd details dialog div fieldset figcaption figure footer form frameset header
    hgroup html legend main nav noframes optgroup option p search section summary dl caption tbody thead tfoot
    """
)
BLOCK_TAGS = (
    _BLOCKS | frozenset(HEADINGS) | words("ul ol menu dir li dt pre table tr td th blockquote hr xmp listing plaintext")
)
# No text of their own, whoever cleaned the page before.
_VOID = words(
    """
    area audio base canvas col colgroup command datalist embed head iframe input keygen link map meta meter object
    param progress rp script select source style svg template textarea title track video
    """
) - {"rp", "map"}


Handlers: TypeAlias = "dict[str, Callable[[Writer, Key], Key]]"
"""What to do at an element, by its tag; answers the key to go on with: the next one, or the element's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """What elements mean."""

    handlers: Handlers
    special: Callable[[Writer, Key], Key | None]
    """Writes a formula or a footnote; None for an element that is neither."""
    callout: Callable[[Writer, Key], None]
    unseen: Callable[[Writer, Key], None]
    """Takes what is of use from an element that is left out."""


class Writer:
    """The walk's state."""

    def __init__(self, plan: Plan, elements: Elements) -> None:
        self.elements = elements
        self.plan = plan
        self.tree = plan.tree
        self.out = Blocks()
        self.run: list[Piece] = []
        # Whether the run ends in white space, or is empty.
        self.spaced = True
        # What is open: the key at which it ends, and what to do then.
        self.open: list[tuple[Key, Callable[[], None]]] = []
        # Above 0, blocks are no blocks: in a heading, a cell, a caption.
        self.flat = 0
        self.cells = 0
        # Emphasis that is open, in the order of opening.
        self.marks: list[Mark] = []
        self.lists: list[OpenList] = []
        # The last closed list, as long as nothing was written after it.
        self.closed_list: tuple[int, str, str] = (-1, "", "")
        self.link: Link | None = None
        self.in_link = False
        # How many marks were open where the open link began.
        self.link_marks = 0
        self.last_url = "\n"
        # The last code span, and what it holds.
        self.code_span, self.code_text = Markup(""), ""
        self.heading: Key | None = None
        self.definition = False
        # What a callout says before its first paragraph.
        self.label = ""
        self.drop = set(plan.drop)
        self.callouts = callouts.keys(plan.tree)
        self.grid: tables.Grid | None = None
        self.shapes: dict[Key, tables.Shape] = {}
        self.outline: list[Heading] = []
        self.anchors: dict[str, int] = {}
        # Fragment names whose place is that of the next block.
        self.ids: list[str] = []

    def walk(self, root: Key) -> None:  # noqa: C901, PLR0912  # every node of a page comes by here: no calls
        """Write one part of the page, to its end."""
        tree, drop, open_ = self.tree, self.drop, self.open
        tags, ends, values, skip = tree.tags, tree.ends, tree.values, tree.skip
        names, formulas, notes = tree.index.ids, self.plan.formulas, self.plan.footnotes
        special = bool(formulas or notes.references or notes.numbers)
        text, boundary, handlers = self.text, self.boundary, self.elements.handlers
        if "table" in tree.index.tags:
            self.shapes.update(tables.shapes(tree, root, ends[root]))
        key, end = root, ends[root]
        while True:
            while open_ and open_[-1][0] <= key:
                open_.pop()[1]()
            if key >= end:
                break
            tag = tags[key]
            if key in drop or (skip[key] and key not in formulas):
                self.elements.unseen(self, key)
                key = ends[key]
            elif not tag:
                value = values[key]
                # Half of a page's text nodes are the white space between its blocks.
                if not (self.spaced and value.isspace() and value.isascii()):  # type: ignore[union-attr]  # a text node
                    text(value)  # type: ignore[arg-type]
                key += 1
            else:
                if key in names:
                    self.ids.append(names[key])
                if special and (handled := self.elements.special(self, key)):
                    key = handled
                    continue
                if tag in _BLOCKS:
                    if self.run or self.flat:
                        boundary()
                    open_.append((ends[key], boundary))
                    if key in self.callouts:
                        self.elements.callout(self, key)
                key = handlers[tag](self, key) if tag in handlers else ends[key] if tag in _VOID else key + 1
        self.boundary()

    def result(self) -> Written:
        """What was written."""
        text = self.out.text()
        for name in self.ids:
            self.anchors.setdefault(name, len(text))
        return Written(text=text, outline=tuple(self.outline), anchors=self.anchors)

    def text(self, value: str) -> None:
        """Take the text of one text node."""
        if not value:
            # It held nothing but characters that nobody sees.
            return
        if value.isascii():
            core = " ".join(value.split())
            if value[0].isspace() and not self.spaced:
                core = " " + core
            if value[-1].isspace() and core != " ":
                core += " "
        else:
            core = spaces.collapse(value)
            if self.spaced:
                core = core.removeprefix(" ")
        if core:
            self.spaced = core[-1] == " "
            self._take(core)

    def _take(self, text: str) -> None:
        if self.plan.formulas_in_text and ("\\" in text or "$$" in text):
            parts = math.in_text(text)
            self.run += [escape.text(part) if isinstance(part, str) else Markup(part.markdown) for part in parts]
        elif text[0] == "(" and self.run and isinstance(last := self.run[-1], str) and last.endswith("]"):
            # `[1]` and `(see)` from two elements are no link.
            self.run.append("\\" + escape.text(text))
        else:
            self.run.append(escape.text(text))

    def boundary(self) -> None:
        """A block begins or ends here."""
        if self.flat:
            if self.run and self.run[-1] != BREAK:
                self.run.append(BREAK)
                self.spaced = True
        elif self.run:
            self.flush()

    def flush(self) -> None:
        """Write the run as paragraphs."""
        again = self.break_marks() if self.marks else []
        run, self.run, self.spaced = self.run, again, True
        if self.link is not None and not self.link.used:
            run = self.linked(run, self.link, None)
        written = inline.join(run)
        if not written:
            return
        for paragraph in _PARAGRAPHS.split(written) if "\n\n" in written else (written,):
            lines = [escape.line_start(line) for line in paragraph.split("\n")]
            if self.label:
                lines[0] = f"{self.label} {lines[0]}"
                self.label = ""
            if self.definition:
                lines[0] = ": " + lines[0]
                self.definition = False
                self.out.gap = 1
            self.add("  \n".join(lines))

    def add(self, block: str) -> int:
        """Write a block as it is; answers the offset of its first line."""
        self.definition = False
        if self.label:
            label, self.label = self.label, ""
            self.out.add(label)
        offset = self.out.add(block)
        if self.ids:
            for name in self.ids:
                self.anchors.setdefault(name, offset)
            self.ids.clear()
        return offset

    def take_run(self) -> str:
        """The run as one line, `BREAK` as a newline."""
        run, self.run, self.spaced = self.run, [], True
        return inline.join(run)

    def break_marks(self) -> list[Piece]:
        """Close open emphasis at the end of a run; answers the pieces that open it again in the next one."""
        self.run += [Mark(mark.kind, opening=mark) for mark in reversed(self.marks)]
        self.marks = [Mark(mark.kind) for mark in self.marks]
        return list(self.marks)

    def linked(self, run: list[Piece], link: Link, heading: Key | None) -> list[Piece]:
        """A run with the link around it, when this is the block that carries it."""
        if link.carrier is not None and heading != link.carrier:
            return run
        if link.has_text and not any(
            isinstance(piece, str) and piece.strip() and not piece.startswith("![") for piece in run
        ):
            return run
        link.used = True
        opening = Mark("[", url=link.url)
        return [opening, *run, Mark("[", opening=opening)]

    def enter(self, key: Key, marker: str, prefix: str, *, after: Callable[[], None] | None = None) -> Container:
        """Open a container that ends with the element."""
        if self.label:
            label, self.label = self.label, ""
            self.out.add(label)
        container = self.out.open(marker, prefix)

        def leave() -> None:
            self.boundary()
            self.out.close(container)
            if after is not None:
                after()

        self.open.append((self.tree.ends[key], leave))
        return container

    def gather(self, key: Key, keep: Callable[[str], None]) -> None:
        """Take what stands in an element as one run."""
        self.run = []
        self.spaced = True
        self.flat += 1
        self.cells += 1
        marks, self.marks = self.marks, []

        def close() -> None:
            self.flat -= 1
            self.cells -= 1
            self.marks = marks
            keep(self.take_run())

        self.open.append((self.tree.ends[key], close))
