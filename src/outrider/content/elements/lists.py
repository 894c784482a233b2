"""Lists of items."""

from __future__ import annotations

from outrider.content.blocks import Container
from outrider.content.dom import Key
from outrider.content.writer import Handlers, OpenList, Writer


def _list(writer: Writer, key: Key) -> Key:
    writer.boundary()
    if writer.flat:
        writer.open.append((writer.tree.ends[key], writer.boundary))
        return key + 1
    # A list in a definition begins on a line of its own.
    writer.definition = False
    tree = writer.tree
    ordered = tree.tags[key] == "ol"
    tight = _is_tight(writer, key)
    parent = writer.lists[-1] if writer.lists else None
    stray = parent is not None and tree.tags[tree.parents[key]] in ("ul", "ol", "menu", "dir")
    opened = OpenList(
        ordered=ordered,
        number=_number(tree.attribute(key, "start"), 1),
        tight=tight,
        delimiter=_delimiter(writer, ordered=ordered),
        follows_text=parent is not None and parent.tight,
    )
    writer.lists.append(opened)
    # A list right inside a list belongs to the item before it.
    container = _open_stray(writer, parent) if parent is not None and stray else None

    def close() -> None:
        writer.boundary()
        writer.lists.pop()
        if container is not None:
            writer.out.close(container)
        writer.closed_list = (writer.out.count, "ol" if ordered else "ul", opened.delimiter)

    writer.open.append((tree.ends[key], close))
    return key + 1


def _open_stray(writer: Writer, parent: OpenList) -> Container:
    """Open the item that a list right inside a list belongs to: the one before, or one of its own."""
    width = len(f"{parent.number}. ") if parent.ordered else 2
    marker = "" if parent.items else f"{parent.number}{parent.delimiter} " if parent.ordered else f"{parent.delimiter} "
    return writer.out.open(marker, " " * width)


def _delimiter(writer: Writer, *, ordered: bool) -> str:
    """A delimiter other than that of a list of the same kind that ended right here; the two would become one."""
    usual, other = (".", ")") if ordered else ("-", "*")
    count, kind, used = writer.closed_list
    adjacent = count == writer.out.count and kind == ("ol" if ordered else "ul")
    return other if adjacent and used == usual else usual


def _is_tight(writer: Writer, key: Key) -> bool:
    tree = writer.tree
    tags, ends = tree.tags, tree.ends
    paragraphs = items = 0
    for item in tree.children(key):
        if tags[item] != "li":
            continue
        items += 1
        direct = [tags[child] for child in tree.children(item)] if ends[item] - item < 200 else []
        paragraphs += "p" in direct or direct.count("div") > 1
    return paragraphs == 0


def _li(writer: Writer, key: Key) -> Key:
    writer.boundary()
    if writer.flat:
        number = ""
        if writer.tree.tags[writer.tree.parents[key]] == "ol":
            number = f"{_position(writer, key)}. "
        writer.run.append(number or "- ")
        writer.spaced = True
        writer.open.append((writer.tree.ends[key], writer.boundary))
        return key + 1
    if not writer.lists:
        writer.lists.append(OpenList(ordered=False, number=1, tight=True, delimiter="-", follows_text=False))
    opened = writer.lists[-1]
    opened.number = _number(writer.tree.attribute(key, "value"), opened.number) if opened.ordered else 0
    marker = f"{opened.number}{opened.delimiter} " if opened.ordered else f"{opened.delimiter} "
    tight = opened.tight and (opened.items > 0 or (opened.follows_text and (not opened.ordered or opened.number == 1)))
    if not writer.out.in_lead:
        writer.out.gap = 1 if tight and writer.out.count else 2
    container = writer.enter(key, marker, " " * len(marker), after=lambda: _after_item(writer, key, container, opened))
    return key + 1


def _position(writer: Writer, key: Key) -> int:
    parent = writer.tree.parents[key]
    before = 0
    for child in writer.tree.children(parent):
        if child >= key or before > 200:
            break
        before += writer.tree.tags[child] == "li"
    return before + _number(writer.tree.attribute(parent, "start"), 1)


def _after_item(writer: Writer, key: Key, container: Container, opened: OpenList) -> None:
    if writer.out.is_empty(container):
        if writer.tree.ends[key] > key + 1:
            return
        # An empty item of a list that means it: `<li></li>`.
        reopened = writer.out.open(f"{opened.number}{opened.delimiter}" if opened.ordered else opened.delimiter, "")
        writer.out.gap = 1 if opened.items else 2
        writer.add("")
        writer.out.close(reopened)
    opened.items += 1
    if opened.ordered:
        opened.number += 1


def _number(value: str | None, default: int) -> int:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


HANDLERS: Handlers = {**dict.fromkeys(("ul", "ol", "menu", "dir"), _list), "li": _li}
