"""Headings, quotes, rules, definitions and summaries."""

from __future__ import annotations

from outrider.content import escape, inline
from outrider.content.blocks import Container
from outrider.content.dom import Key
from outrider.content.elements import notes
from outrider.content.inline import Mark
from outrider.content.writer import HEADINGS, Handlers, Writer
from outrider.types import Heading


def _hr(writer: Writer, key: Key) -> Key:
    writer.boundary()
    if not writer.flat and writer.out.count:
        writer.add("---" if writer.out.gap == 2 else "***")
    elif not writer.flat:
        writer.add("---")
    return writer.tree.ends[key]


def _h(writer: Writer, key: Key) -> Key:
    if writer.flat:
        writer.boundary()
        writer.open.append((writer.tree.ends[key], writer.boundary))
        return key + 1
    writer.boundary()
    own = writer.ids[-1] if writer.ids else ""
    writer.flat += 1
    writer.heading = key
    marks, writer.marks = writer.marks, []
    writer.run = []

    def close() -> None:
        writer.flat -= 1
        writer.heading = None
        writer.marks = marks
        _write_heading(writer, key, own or (writer.ids[-1] if writer.ids else ""))

    writer.open.append((writer.tree.ends[key], close))
    return key + 1


def _write_heading(writer: Writer, key: Key, anchor: str) -> None:
    run = writer.run
    if writer.link is not None and not writer.link.used:
        run = writer.linked(run, writer.link, key)
    writer.run = []
    writer.spaced = True
    written = inline.join(run).replace("\n", " ")
    level = HEADINGS[writer.tree.tags[key]]
    if not written:
        if writer.tree.ends[key] == key + 1:
            writer.add("#" * level)
        return
    offset = writer.add(f"{'#' * level} {escape.heading(written)}")
    title = " ".join(writer.tree.inner_text(key).split()).rstrip("¶#🔗 ")
    writer.outline.append(Heading(level=level, text=title or written, offset=offset, anchor=anchor))


def _blockquote(writer: Writer, key: Key) -> Key:
    writer.boundary()
    if writer.flat:
        writer.open.append((writer.tree.ends[key], writer.boundary))
        return key + 1
    if key in writer.callouts:
        count = len(writer.open)
        notes.callout(writer, key)
        if len(writer.open) > count:
            return key + 1
    container = writer.enter(key, "> ", "> ", after=lambda: _empty_quote(writer, key, container))
    return key + 1


def _empty_quote(writer: Writer, key: Key, container: Container) -> None:
    if (
        not writer.out.prefix
        and writer.out.is_empty(container)
        and writer.tree.ends[key] <= key + 2
        and not writer.tree.inner_text(key).strip()
    ):
        writer.add(">")


def _dt(writer: Writer, key: Key) -> Key:
    writer.boundary()
    writer.open.append((writer.tree.ends[key], writer.boundary))
    return key + 1


def _dd(writer: Writer, key: Key) -> Key:
    if not writer.flat:
        writer.definition = bool(writer.out.count)

        def close() -> None:
            writer.boundary()
            writer.definition = False

        writer.open.append((writer.tree.ends[key], close))
    return key + 1


def _summary(writer: Writer, key: Key) -> Key:
    if writer.flat:
        return key + 1
    writer.flat += 1
    marks, writer.marks = writer.marks, [Mark("**")]
    writer.run = []

    def close() -> None:
        writer.flat -= 1
        writer.marks = marks
        written = writer.take_run().replace("\n", " ")
        if written:
            writer.add(f"**{written}**" if "*" not in written else escape.line_start(written))

    writer.open.append((writer.tree.ends[key], close))
    return key + 1


HANDLERS: Handlers = {
    **dict.fromkeys(HEADINGS, _h),
    "hr": _hr,
    "blockquote": _blockquote,
    "dt": _dt,
    "dd": _dd,
    "summary": _summary,
}
