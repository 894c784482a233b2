"""Tables, of data and of layout."""

from __future__ import annotations

import html
import re
from itertools import takewhile

from outrider.content import code, escape, tables
from outrider.content.dom import Key, Tree
from outrider.content.elements import samples
from outrider.content.writer import Handlers, Writer

_CODE_TABLE = re.compile(
    r"highlight|rouge|hljs-ln|lntable|js-file-line-container|syntaxhighlighter|codehilite|blob-code|crayon",
    re.IGNORECASE,
)


def _table(writer: Writer, key: Key) -> Key:
    writer.boundary()
    tree = writer.tree
    end = tree.ends[key]
    if _is_code_table(writer, key):
        return samples.pre(writer, key, _named_code(writer, key))
    shape = writer.shapes.get(key)
    if writer.plan.everything and not writer.flat and shape is not None and shape.is_one_cell:
        cell = next((cell for cell in tree.find(("td",), start=key, end=end) if _shows(tree, cell, key)), None)
        if cell is not None and tree.ends[cell] == cell + 2 and not tree.tags[cell + 1]:
            return _one_cell(writer, key, cell)
    if writer.flat or shape is None or not shape.is_data:
        writer.open.append((end, writer.boundary))
        return key + 1
    grid = tables.Grid()
    writer.grid = grid

    def close() -> None:
        writer.grid = None
        written = grid.markdown()
        if grid.caption:
            writer.add(grid.caption)
        if written:
            writer.add(written)

    writer.open.append((end, close))
    return key + 1


def _shows(tree: Tree, cell: Key, table: Key) -> bool:
    above = takewhile(lambda key: key != table, tree.ancestors(cell))
    return not tree.skip[cell] and not any(tree.skip[key] for key in above)


def _one_cell(writer: Writer, key: Key, cell: Key) -> Key:
    """Write a word in a frame: Markdown has no table without a header."""
    text = " ".join(writer.tree.inner_text(cell).split())
    if text:
        writer.add(f"<table><tr><td>{html.escape(text, quote=False)}</td></tr></table>")
    return writer.tree.ends[key]


def _is_code_table(writer: Writer, key: Key) -> bool:
    """A table whose cells are lines of code, or code beside the numbers of its lines."""
    tree = writer.tree
    end = tree.ends[key]
    classes = tree.attribute(key, "class") or ""
    if not _CODE_TABLE.search(classes):
        cell = next(tree.find(("td",), start=key, end=min(end, key + 12)), None)
        if cell is None or not code.is_beside(tree, cell):
            return False
    marked = next(tree.find(("pre", "code"), start=key, end=end), None)
    blob = next(
        (
            cell
            for cell in tree.find(("td",), start=key, end=min(end, key + 40))
            if "code" in (tree.attribute(cell, "class") or "")
        ),
        None,
    )
    return marked is not None or blob is not None


def _named_code(writer: Writer, key: Key) -> Key:
    """The element of a table of code that tells its language: the code, and not the numbers of its lines."""
    tree = writer.tree
    found = tree.find(("code", "pre"), start=key, end=tree.ends[key])
    return next((below for below in found if not code.is_gutter(tree, below)), key)


def _tr(writer: Writer, key: Key) -> Key:
    if writer.grid is not None and not writer.cells:
        writer.grid.start_row()
    else:
        writer.boundary()
        writer.open.append((writer.tree.ends[key], writer.boundary))
    return key + 1


def _td(writer: Writer, key: Key) -> Key:
    grid = writer.grid
    if grid is None or writer.cells:
        if writer.flat:
            if not writer.spaced:
                writer.run.append(" ")
                writer.spaced = True
        else:
            writer.boundary()
            writer.open.append((writer.tree.ends[key], writer.boundary))
        return key + 1
    writer.gather(key, lambda text: grid.add(tables.cell(writer.tree, key, text.replace("\n", "<br>"))))
    return key + 1


def _caption(writer: Writer, key: Key) -> Key:
    grid = writer.grid
    if grid is None or writer.flat:
        return key + 1

    def keep(text: str) -> None:
        grid.caption = escape.line_start(text.replace("\n", " "))

    writer.gather(key, keep)
    return key + 1


HANDLERS: Handlers = {"table": _table, "tr": _tr, "td": _td, "th": _td, "caption": _caption}
