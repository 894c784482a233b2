"""Emphasis, code, images and whatever else stands in a line."""

from __future__ import annotations

import re

from outrider.content import escape, images, spaces
from outrider.content.dom import Key
from outrider.content.elements import samples
from outrider.content.inline import BREAK, Mark, Markup
from outrider.content.writer import BLOCK_TAGS, Handlers, Writer

_MARKS = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "cite": "*",
    "dfn": "*",
    "var": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
}
# Pages that never close their emphasis would pile it up without end.
_MOST_MARKS = 3
_CODE_WORDS = frozenset({"code", "tt", "samp", "kbd"})
_CODE_BLOCK = re.compile(r"(?:^|\s)(?:hljs|prism-code|shiki|CodeMirror-code)(?:\s|$)|language-", re.IGNORECASE)


def _mark(writer: Writer, key: Key) -> Key:
    kind = _MARKS[writer.tree.tags[key]]
    if _is_marked_already(writer, kind) or (writer.heading is not None and kind == "**"):
        return key + 1
    if kind == "~~" and not writer.flat and not writer.marks and _holds_blocks(writer, key):
        return _deleted_blocks(writer, key)
    writer.marks.append(Mark(kind))
    writer.run.append(writer.marks[-1])
    writer.open.append((writer.tree.ends[key], lambda: _end_mark(writer)))
    return key + 1


def _holds_blocks(writer: Writer, key: Key) -> bool:
    return not BLOCK_TAGS.isdisjoint(writer.tree.tags[key + 1 : writer.tree.ends[key]])


def _deleted_blocks(writer: Writer, key: Key) -> Key:
    """Whole blocks that were struck out: Markdown has signs for it in a line only."""
    writer.boundary()
    writer.add("<del>")

    def close() -> None:
        writer.boundary()
        writer.add("</del>")

    writer.open.append((writer.tree.ends[key], close))
    return key + 1


def _is_marked_already(writer: Writer, kind: str) -> bool:
    """Whether emphasis of a kind would say nothing more here: nothing else was opened since the same kind was."""
    marks = writer.marks
    if not any(mark.kind == kind for mark in marks):
        return False
    if len(marks) > _MOST_MARKS or marks[-1].kind != kind:
        return len(marks) > _MOST_MARKS
    # Emphasis of a part in a link, and not of a link that is emphasised as a whole.
    return not writer.in_link or writer.link_marks < len(marks) or writer.run[-2:-1] == [marks[-1]]


def _end_mark(writer: Writer) -> None:
    opening = writer.marks.pop()
    writer.run.append(Mark(opening.kind, opening=opening))


def _code(writer: Writer, key: Key) -> Key:
    tree = writer.tree
    end = tree.ends[key]
    if tree.tags[key] == "code" and not writer.flat and _is_code_block(writer, key):
        return samples.pre(writer, key)
    content = spaces.collapse(tree.inner_text(key))
    if not content.strip() and next(tree.find(("img", "br"), start=key, end=end), None) is not None:
        return key + 1
    if not content:
        return end
    link = _only_link(writer, key, content)
    if writer.run and writer.run[-1] is writer.code_span and not link and writer.code_text:
        # Two spans side by side would run into each other.
        content = writer.code_text + content
        writer.run.pop()
    span = Markup(escape.code_span(content))
    if link:
        opening = Mark("[", url=link)
        writer.run += [opening, span, Mark("[", opening=opening)]
    else:
        writer.run.append(span)
    writer.code_span, writer.code_text = span, "" if link else content
    writer.spaced = False
    return end


def _only_link(writer: Writer, key: Key, content: str) -> str:
    """Where code leads that is one link as a whole."""
    if writer.in_link or writer.tree.ends[key] - key < 3:
        return ""
    link = next(writer.tree.find(("a",), start=key + 1, end=writer.tree.ends[key]), None)
    if link is None or spaces.collapse(writer.tree.inner_text(link)).strip() != content.strip():
        return ""
    return writer.plan.base.link(writer.tree.attribute(link, "href") or "")


def _is_code_block(writer: Writer, key: Key) -> bool:
    classes = writer.tree.attribute(key, "class")
    return (
        bool(classes) and _CODE_BLOCK.search(classes or "") is not None and "\n" in writer.tree.inner_text(key).strip()
    )


def _img(writer: Writer, key: Key) -> Key:
    plan = writer.plan
    if plan.images != "drop":
        source = images.source(writer.tree, key)
        _image(writer, key, source)
    return writer.tree.ends[key]


def _image(writer: Writer, key: Key, source: str) -> None:
    words, title = images.words(writer.tree, key), images.title(writer.tree, key)
    if writer.plan.images == "text":
        if words or title:
            writer.run.append(escape.text(words or title))
            writer.spaced = False
        return
    url = writer.plan.base.place(source) if source else ""
    if url and not url.startswith("data:"):
        named = f" {escape.title(title)}" if title and not words else ""
        writer.run.append(Markup(f"![{escape.link_text(escape.text(words))}]({escape.destination(url)}{named})"))
        writer.spaced = False


def noscript(writer: Writer, key: Key) -> None:
    """Take the image for readers without scripts, when it has no twin with scripts."""
    if writer.tree.tags[key] != "noscript":
        return
    if writer.plan.images == "markdown" and images.stands_alone(writer.tree, key):
        source = images.in_noscript(writer.tree, key)
        if source:
            _image(writer, next(writer.tree.find(("img",), start=key, end=writer.tree.ends[key])), source)


def _br(writer: Writer, key: Key) -> Key:
    writer.run.append(BREAK)
    writer.spaced = True
    return writer.tree.ends[key]


def _script(writer: Writer, key: Key) -> Key:
    """Superscripts and subscripts: without their tags, ten to the sixth would be 106."""
    content = writer.tree.inner_text(key).strip()
    first = next((below for below in range(key + 1, writer.tree.ends[key]) if writer.tree.tags[below]), None)
    if not content or len(content) > 40 or first is not None:
        return key + 1
    tag = writer.tree.tags[key]
    writer.run.append(Markup(f"<{tag}>{escape.text(' '.join(content.split()))}</{tag}>"))
    writer.spaced = False
    return writer.tree.ends[key]


def _q(writer: Writer, key: Key) -> Key:
    writer.run.append("“")
    writer.spaced = False
    writer.open.append((writer.tree.ends[key], lambda: writer.run.append("”")))
    return key + 1


def _input(writer: Writer, key: Key) -> Key:
    if writer.lists and (writer.tree.attribute(key, "type") or "").lower() == "checkbox" and not writer.run:
        writer.run.append("[x] " if writer.tree.attribute(key, "checked") is not None else "[ ] ")
        writer.spaced = True
    return writer.tree.ends[key]


HANDLERS: Handlers = {
    **dict.fromkeys(_MARKS, _mark),
    **dict.fromkeys(_CODE_WORDS, _code),
    "img": _img,
    "br": _br,
    "sup": _script,
    "sub": _script,
    "q": _q,
    "input": _input,
}
