"""Links, in a line and around whole blocks."""

from __future__ import annotations

import html
import re

from outrider.content import escape, spaces
from outrider.content.dom import Key
from outrider.content.inline import Mark, Markup
from outrider.content.writer import BLOCK_TAGS, HEADINGS, Handlers, Link, Writer

_PERMALINK_CLASS = re.compile(
    r"headerlink|hash-link|header-anchor|anchor(?:js)?-?(?:link|icon)?|permalink|heading-link|toc-anchor|direct-link",
    re.IGNORECASE,
)
_PERMALINK_TEXT = frozenset({"", "#", "¶", "§", "🔗", "⚓", "∞", "link", "permalink", "anchor", "\u200b"})
# Where links to scrambled mail addresses lead.
_SCRAMBLED = "/cdn-cgi/l/email-protection"


def _a(writer: Writer, key: Key) -> Key:
    tree = writer.tree
    end = tree.ends[key]
    reference = tree.attribute(key, "href")
    if (writer.heading is not None or tree.tags[tree.parents[key]] == "dt") and _is_permalink(writer, key):
        return end
    url = writer.plan.base.link(reference) if reference and reference != "#" else ""
    if writer.heading is not None and url.startswith(f"{writer.plan.base.page}#"):
        # A heading that leads to itself.
        url = ""
    if _SCRAMBLED in url:
        url = ""
    if (not url and (reference != "" or writer.plan.base.url)) or writer.in_link:
        return key + 1
    if not writer.flat and not BLOCK_TAGS.isdisjoint(tree.tags[key + 1 : end]):
        _link_blocks(writer, key, url)
        return key + 1
    if writer.plan.everything and _is_blank(writer, key):
        return _blank_link(writer, key, url)
    if end == key + 2 and not tree.tags[key + 1] and _link_text(writer, key + 1, url):
        return end
    opening = Mark("[", url=url)
    writer.run.append(opening)
    writer.in_link = True
    writer.link_marks = len(writer.marks)
    if end == key + 1 or not _shows_something(writer, key):
        label = tree.attribute(key, "aria-label") or tree.attribute(key, "title") or ""
        writer.run.append(escape.text(" ".join(label.split())))
        # The parser opens a link that was never closed again in every block that follows.
        opening.kept = writer.plan.everything and url != writer.last_url
    writer.last_url = url

    def close() -> None:
        writer.in_link = False
        _end_link(writer, opening)

    writer.open.append((end, close))
    return key + 1


def _is_blank(writer: Writer, key: Key) -> bool:
    """Whether a link stands for itself between the blocks of a page, with nothing but white space in it."""
    tree = writer.tree
    return (
        not writer.flat
        and tree.ends[key] == key + 2
        and tree.text(key + 1).isspace()
        and tree.tags[tree.parents[key]] == "body"
        and not (tree.attribute(key, "aria-label") or tree.attribute(key, "title"))
    )


def _blank_link(writer: Writer, key: Key, url: str) -> Key:
    """Write a link that Markdown has no signs for."""
    writer.boundary()
    writer.add(f'<a href="{html.escape(escape.destination(url))}">\n</a>')
    return writer.tree.ends[key]


def _link_text(writer: Writer, key: Key, url: str) -> bool:
    """Write a link around one text node, as most are; answers whether it was written."""
    value = writer.tree.text(key)
    text = spaces.collapse(value).strip()
    if not text or key in writer.drop:
        return False
    if value[0].isspace() and not writer.spaced:
        writer.run.append(" ")
    writer.last_url = url
    _add_link(writer, escape.text(text), url)
    writer.spaced = value[-1].isspace()
    if writer.spaced:
        writer.run.append(" ")
    return True


def _add_link(writer: Writer, text: str, url: str) -> None:
    run = writer.run
    if run and isinstance(last := run[-1], str) and last.endswith("!"):
        run[-1] = last[:-1] + "\\!"
    run.append(Markup(f"[{escape.link_text(text)}]({escape.destination(url)})"))


def _end_link(writer: Writer, opening: Mark) -> None:
    """Write a link at once when only text stands in it, which is nearly always."""
    run = writer.run
    if len(run) > 1 and run[-2] is opening and isinstance(text := run[-1], str) and not opening.kept:
        core = text.strip()
        if core:
            before = run[-3] if len(run) > 2 else ""
            if isinstance(before, str) and before.endswith("!"):
                run[-3] = before[:-1] + "\\!"
            lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            link = Markup(f"[{escape.link_text(core)}]({escape.destination(opening.url)})")
            run[-2:] = [piece for piece in (lead, link, tail) if piece]
            return
    run.append(Mark("[", opening=opening))


def _shows_something(writer: Writer, key: Key) -> bool:
    tree = writer.tree
    for below in range(key + 1, tree.ends[key]):
        tag = tree.tags[below]
        if tag in ("img", "math") or (not tag and not tree.text(below).isspace()):
            return True
    return False


def _link_blocks(writer: Writer, key: Key, url: str) -> None:
    writer.boundary()
    tree = writer.tree
    carrier = next(tree.find(HEADINGS, start=key, end=tree.ends[key]), None)
    writer.link = Link(url, carrier, bool(tree.inner_text(key).strip()))
    writer.in_link = True

    def close() -> None:
        writer.boundary()
        writer.link = None
        writer.in_link = False

    writer.open.append((tree.ends[key], close))


def _is_permalink(writer: Writer, key: Key) -> bool:
    tree = writer.tree
    reference = tree.attribute(key, "href") or ""
    content = tree.inner_text(key).strip().lower()
    if "#" not in reference:
        return False
    if content in _PERMALINK_TEXT:
        return True
    return _PERMALINK_CLASS.search(tree.attribute(key, "class") or "") is not None and len(content) < 3


HANDLERS: Handlers = {"a": _a}
