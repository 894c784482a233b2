"""Text that scripts would show, or that those without scripts are shown instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.content.dom import Key, Tree

# Text within noscript that outweighs everything else is what the page says to readers without scripts.
_NOSCRIPT_CHARACTERS = 600
_NO_TEXT = frozenset({"script", "style", "iframe"})
# React streams late parts of a page in hidden containers of these names, which a script then moves to their places.
_STREAMED = re.compile(r"S:[0-9a-f]{1,6}\Z")


def reveal(tree: Tree) -> None:
    """Take the mark of what never reads from such text. Doing so twice changes nothing."""
    _reveal_noscript(tree)
    _reveal_streamed(tree)


def _reveal_noscript(tree: Tree) -> None:
    keys = tree.index.keys(("noscript",))
    inside = sum(_text_length(tree, key) for key in keys if tree.skip[key])
    if inside < _NOSCRIPT_CHARACTERS or inside < len("".join(tree.inner_text(tree.body).split())):
        return
    for key in keys:
        tree.skip[key] = 0


def _reveal_streamed(tree: Tree) -> None:
    for key, name in tree.index.ids.items():
        if tree.skip[key] and name.startswith("S:") and _STREAMED.match(name):
            tree.skip[key] = 0


def _text_length(tree: Tree, key: Key) -> int:
    """Characters of text below an element that is marked, white space left out."""
    length = 0
    at, end = key + 1, tree.ends[key]
    while at < end:
        if tree.tags[at] in _NO_TEXT:
            at = tree.ends[at]
            continue
        length += len("".join(tree.text(at).split()))
        at += 1
    return length
