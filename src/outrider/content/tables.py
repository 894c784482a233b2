"""Tables: which ones hold data, and how a grid of written cells becomes Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from outrider.content import escape
from outrider.content.dom import Key, Tree

# HTML itself stops counting at 1,000 columns; nobody reads that many, and a header must be as wide as the widest row.
_MOST_COLUMNS = 200
_MOST_ROWSPAN = 2_000
_BLOCKS = frozenset(
    {
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "blockquote",
        "article",
        "section",
        "form",
        "hr",
        "main",
        "nav",
        "figure",
    }
)
_LONG = 1_500
_SHORT = 120


@dataclass(slots=True)
class Shape:
    """What a table's markup tells about it, without its nested tables."""

    rows: int = 0
    cells_in_row: int = 0
    most_cells: int = 0
    headers: bool = False
    """It has header cells, a head or a caption."""
    header_cells: int = 0
    nested: bool = False
    """Another table stands inside."""
    nested_rows: int = 0
    blocks: int = 0
    """Headings, code and the like in its cells."""
    characters: int = 0
    longest: int = 0
    """Characters of the longest cell, roughly."""
    layout: bool = False
    """The page says that it only arranges."""

    @property
    def is_data(self) -> bool:
        """Whether it is a table for a reader and not a way to arrange a page."""
        if self.layout or self.rows == 0:
            return False
        if self.most_cells < 2:
            return self.headers and self.rows > 1 and not self.nested and self.blocks == 0 and self.longest < _LONG
        if self.nested:
            # An info box with a small table in one of its cells.
            return self.rows > 3 and self.nested_rows < 4 and 2 * self.header_cells > self.rows and self.blocks == 0
        if self.headers:
            return True
        if self.rows == 1:
            return self.blocks == 0 and self.longest < _SHORT
        return self.blocks <= self.rows and not (self.blocks and self.longest > _LONG)

    @property
    def is_one_cell(self) -> bool:
        """Whether it is one short cell, most often the frame around a word."""
        return (
            not self.layout
            and self.rows == 1
            and self.most_cells == 1
            and not (self.nested or self.blocks)
            and self.longest < _SHORT
        )


def shapes(tree: Tree, start: Key, end: Key) -> dict[Key, Shape]:  # noqa: C901, PLR0912  # one pass, without calls
    """The shape of every table in a range of keys, in one pass."""
    found: dict[Key, Shape] = {}
    tags, ends, values, skip = tree.tags, tree.ends, tree.values, tree.skip
    open_: list[tuple[Key, Shape]] = []
    cell_at = 0
    key = start
    while key < end:
        if skip[key]:
            key = ends[key]
            continue
        while open_ and open_[-1][0] <= key:
            _close_row(open_.pop()[1])
        tag = tags[key]
        if tag == "table":
            if open_:
                open_[-1][1].nested = True
            shape = Shape(layout=tree.attribute(key, "role") in ("presentation", "none"))
            found[key] = shape
            open_.append((ends[key], shape))
        elif open_:
            shape = open_[-1][1]
            if not tag:
                length = len(values[key])
                shape.characters += length
                shape.longest = max(shape.longest, shape.characters - cell_at)
            elif tag == "tr":
                _close_row(shape)
                shape.rows += 1
                if len(open_) > 1:
                    open_[-2][1].nested_rows += 1
            elif tag in ("td", "th"):
                cell_at = shape.characters
                shape.cells_in_row += 1
                if tag == "th":
                    shape.headers = True
                    shape.header_cells += 1
            elif tag in ("thead", "caption"):
                shape.headers = True
            elif tag in _BLOCKS:
                shape.blocks += 1
        key += 1
    while open_:
        _close_row(open_.pop()[1])
    return found


def _close_row(shape: Shape) -> None:
    shape.most_cells = max(shape.most_cells, shape.cells_in_row)
    shape.cells_in_row = 0


class Cell(NamedTuple):
    """One written cell; a tuple, because tables have many."""

    text: str
    columns: int = 1
    rows: int = 1
    align: str = ""
    """`left`, `center`, `right`, or empty."""


@dataclass(slots=True)
class Grid:
    """A table under construction."""

    rows: list[list[Cell]] = field(default_factory=list)
    caption: str = ""
    in_head: bool = False
    head_rows: int = 0

    def start_row(self) -> None:
        """Begin a row."""
        self.rows.append([])
        if self.in_head:
            self.head_rows += 1

    def add(self, cell: Cell) -> None:
        """Add a cell to the current row."""
        if not self.rows:
            self.start_row()
        self.rows[-1].append(cell)

    def markdown(self) -> str:
        """The table in GitHub's syntax; "" for one without text."""
        rows = [row for row in _spread(self.rows) if row]
        if not any(any(row) for row in rows):
            return ""
        width = min(_MOST_COLUMNS, max(len(row) for row in rows))
        lines = [
            _line(rows[0] + [""] * (width - len(rows[0]))),
            _delimiters(next(row for row in self.rows if row), width),
        ]
        lines += [_line(row) for row in rows[1:]]
        return "\n".join(lines)


def cell(tree: Tree, key: Key, text: str) -> Cell:
    """A cell with the attributes of its element."""
    if not tree.values[key]:
        return Cell(text)
    given = dict(tree.attributes(key))
    return Cell(
        text=text,
        columns=_span(given.get("colspan"), _MOST_COLUMNS),
        rows=_span(given.get("rowspan"), _MOST_ROWSPAN),
        align=_alignment(given),
    )


def _span(value: str | None, most: int) -> int:
    value = (value or "").strip()
    return min(most, max(1, int(value[:5]))) if value.isascii() and value.isdigit() else 1


def _alignment(given: dict[str, str | None]) -> str:
    align = (given.get("align") or "").lower()
    style = given.get("style") or ""
    if not align and "text-align" in style:
        align = style.partition("text-align")[2].lstrip(" :").split(";")[0].strip().lower()
    return align if align in ("left", "center", "right") else ""


def _spread(rows: list[list[Cell]]) -> list[list[str]]:
    """
    Rows of texts with spans laid out: a cell over several rows is said again in each, one over several columns once.

    What is repeated is bounded by what the table holds, so that a small page cannot become a large text.
    """
    budget = 2 * sum(len(cell.text) + 4 for row in rows for cell in row) + 1_000
    # Column to text and rows that are still to come.
    hanging: dict[int, tuple[str, int]] = {}
    result: list[list[str]] = []
    for row in rows:
        texts: list[str] = []
        # Of a row wider than anyone reads, the rest stands in its last cell.
        rest: list[str] = []
        if hanging:
            budget -= sum(len(text) + 4 for text, _ in hanging.values())
            if budget < 0:
                hanging = {}
        left, hanging = hanging, {}
        for cell in row:
            _hang(texts, left, hanging)
            if cell.rows > 1:
                hanging.update(
                    {len(texts) + step: (cell.text if not step else "", cell.rows - 1) for step in range(cell.columns)}
                )
            if len(texts) >= _MOST_COLUMNS:
                rest.append(cell.text)
                continue
            texts.append(cell.text)
            texts += [""] * (cell.columns - 1)
        _hang(texts, left, hanging)
        for column in sorted(left):
            if column < _MOST_COLUMNS:
                texts += [""] * (column - len(texts))
                _hang(texts, left, hanging)
        result.append(
            [*texts[: _MOST_COLUMNS - 1], " ".join(filter(None, [*texts[_MOST_COLUMNS - 1 :], *rest]))]
            if rest
            else texts
        )
    return result


def _hang(texts: list[str], left: dict[int, tuple[str, int]], hanging: dict[int, tuple[str, int]]) -> None:
    """Put what hangs down from the rows above where it belongs."""
    while left and len(texts) in left:
        column = len(texts)
        text, rows = left.pop(column)
        texts.append(text)
        if rows > 1:
            hanging[column] = (text, rows - 1)


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(escape.cell(text) for text in texts)} |"


_DELIMITERS = {"left": ":--", "center": ":-:", "right": "--:", "": "---"}


def _delimiters(first: list[Cell], width: int) -> str:
    marks = [mark for cell in first for mark in [_DELIMITERS[cell.align]] * cell.columns][:width]
    marks += ["---"] * (width - len(marks))
    return f"| {' | '.join(marks)} |"
