"""Titles and snippets as plain text."""

from __future__ import annotations

import html
import re

MAX_TITLE = 500
"""Characters of a title."""

MAX_SNIPPET = 1_500
"""Characters of a snippet."""

MAX_CONTENT = 200_000
"""Characters of a page's text that a provider sends along."""

# Inline tags that engines put around matches. Anything else between < and > may be the text itself: "std::vector<int>".
_INLINE = re.compile(
    r"</?(?:b|strong|em|i|mark|span|u|s|small|sub|sup|font|wbr|hl|highlight|tt)(?:\s[^<>]{0,500})?/?>", re.IGNORECASE
)
_BREAKS = re.compile(r"</?(?:br|p|div|hr)(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)
_LINK = re.compile(r"<a\s[^<>]{0,2000}>|</a>", re.IGNORECASE)
_JATS = re.compile(r"</?jats:[^<>]{0,500}>", re.IGNORECASE)
# Only with the semicolon: "&copy=1" in a URL is no copyright sign.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Half pairs cannot be encoded, controls move cursors, and tag characters (U+E0000) are text that only a model sees.
_UNSPEAKABLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\U000e0000-\U000e007f]")


def fold(text: str) -> str:
    """Runs of white space, the no-break kinds included, as one blank; nothing at the ends."""
    return " ".join(_UNSPEAKABLE.sub("", text).split())


def plain(text: str) -> str:
    """Highlight tags out, then entities decoded once, then folded."""
    return fold(decode_entities(strip_tags(text)))


def strip_tags(text: str) -> str:
    """Known inline tags gone, known breaks as a blank; every other angle bracket stays."""
    if "<" not in text:
        return text
    return _JATS.sub(" ", _BREAKS.sub(" ", _LINK.sub("", _INLINE.sub("", text))))


def decode_entities(text: str) -> str:
    """Character references decoded, once."""
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text) if "&" in text else text


def clip(text: str, limit: int) -> str:
    """At most so many characters, ended at a word where one is near."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit * 3 // 4)
    return (cut[:space] if space > 0 else cut).rstrip() + "…"


def body_text(text: str) -> str:
    """Longer text with its lines kept, without what cannot be shown, bounded."""
    return _UNSPEAKABLE.sub("", text[: MAX_CONTENT + 1]).strip()[:MAX_CONTENT]
