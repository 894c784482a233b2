"""Callouts: notes, tips and warnings that documentation sets apart from its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outrider.content import escape
from outrider.content.dom import Key, Tree


@dataclass(frozen=True, slots=True)
class Callout:
    """One callout."""

    label: str
    """What is written before its text, such as `Note:`."""
    title_key: Key | None
    """The element whose text the label says."""


# A class that says that its element is a callout, in the engines that documentation is written with.
_CALLOUTS = frozenset({
    "admonition", "markdown-alert", "theme-admonition", "callout", "custom-block", "admonitionblock",
    "admonition-block", "docs-callout",
    "hint", "alert", "notice", "infobox-note", "starlight-aside", "note-box", "message-box", "rst-admonition",
    "bd-callout", "docutils-note",
})  # fmt: skip
_TITLES = re.compile(
    r"admonition-?title|markdown-alert-title|callout-?title|custom-block-title|admonition-?heading|alert-?(?:title"
    r"|heading)|hint-?title"
    r"|aside__title|admonition__title|note-title",
    re.IGNORECASE,
)
_KINDS = {
    "note": "Note", "info": "Note", "information": "Note", "abstract": "Note", "summary": "Note", "seealso": "Note",
    "example": "Note",
    "quote": "Note", "question": "Note", "todo": "Note", "secondary": "Note", "primary": "Note", "details": "Note",
    "faq": "Note",
    "tip": "Tip", "hint": "Tip", "success": "Tip", "check": "Tip",
    "important": "Important",
    "warning": "Warning", "attention": "Warning", "warn": "Warning", "deprecated": "Warning", "versionchanged": "",
    "caution": "Caution", "danger": "Caution", "error": "Caution", "failure": "Caution", "bug": "Caution",
    "critical": "Caution",
}  # fmt: skip
# What stands before or after the kind in a class: `alert-info`, `theme-admonition-tip`, `callout--warning`.
_AFFIX = re.compile(
    r"^(?:theme-admonition|markdown-alert|admonition|bd-callout|docs-callout|callout|alert|hint|notice|custom-block"
    r"|starlight-aside|is|type)-{1,2}"
)
_TAGS = frozenset({"div", "aside", "section", "blockquote", "article", "details"})
_TITLE_DEPTH = 24
_LONGEST_TITLE = 200


def keys(tree: Tree) -> frozenset[Key]:
    """Elements that can be callouts."""
    return frozenset(
        key
        for classes, keys in tree.index.classes.items()
        if not _CALLOUTS.isdisjoint(classes.lower().split())
        for key in keys
        if tree.tags[key] in _TAGS
    )


def read(tree: Tree, key: Key) -> Callout | None:
    """The callout that an element is, or None."""
    classes = given = ""
    for name, value in tree.attributes(key):
        if name == "class" and value:
            classes = value.lower()
        elif name in ("data-callout", "data-type", "data-admonition") and value:
            given = value.lower()
    words = classes.split()
    kind = _kind([given, *words])
    if not kind:
        return None
    title_key = _title(tree, key)
    title = " ".join(tree.inner_text(title_key).split()).strip(" :!*") if title_key is not None else ""
    if len(title) > _LONGEST_TITLE:
        title_key, title = None, ""
    if not title or title.replace(" ", "").lower() in _KINDS:
        return Callout(f"{title or kind}:", title_key)
    named = title if kind.lower() in title.lower() else f"{kind}: {title}"
    return Callout(f"**{escape.text(named)}:**", title_key)


def _kind(words: list[str]) -> str:
    for word in words:
        kind = _KINDS.get(_AFFIX.sub("", word)) if word not in _CALLOUTS or word == "hint" else ""
        if kind:
            return kind
    return ""


def _title(tree: Tree, key: Key) -> Key | None:
    end = min(tree.ends[key], key + _TITLE_DEPTH)
    for below in range(key + 1, end):
        if tree.tags[below] and _TITLES.search(tree.attribute(below, "class") or ""):
            return below
    return None
