"""
Documents that stand in a page as the `srcdoc` of a frame.

Nothing has to be fetched to read them, and a reader sees them in the page. Each is parsed and cleaned as a document of
its own, so that its styles hide only its own text, and what shows of it takes the place of its frame. A `<base>`, a
title and whatever else its head declares stay behind.
"""

from __future__ import annotations

from array import array

from outrider.content import clean, dom, math
from outrider.content.dom import Attributes, Key, Tree

# A frame within a frame within a frame is read; what lies deeper is not.
_MOST_DEPTH = 3
_KEPT = frozenset({"class", "id", "style", "hidden", "aria-hidden"})
_UNSEEN_SIZES = frozenset({"0", "1", "0px", "1px", "0%"})


def unfold(tree: Tree, *, depth: int = 0) -> tuple[Tree, int]:
    """
    Put what frames show of their own text in their places.

    Args:
        depth: How many frames the tree itself lies in.

    Returns:
        The tree, the same one where there is nothing to do, and how many characters were hidden within the frames.
    """
    if "srcdoc" not in tree.index.attributes or depth >= _MOST_DEPTH:
        return tree, 0
    inner: dict[Key, Tree] = {}
    hidden_chars = 0
    for key in tree.index.tags.get("iframe", ()):
        source = tree.attribute(key, "srcdoc")
        if source and not _is_unseen(tree, key):
            inner[key], hidden = _read(source, depth)
            hidden_chars += hidden
    return (_Copy().of(tree, inner), hidden_chars) if inner else (tree, 0)


def _is_unseen(tree: Tree, key: Key) -> bool:
    return any((tree.attribute(key, name) or "").strip() in _UNSEEN_SIZES for name in ("width", "height"))


def _read(source: str, depth: int) -> tuple[Tree, int]:
    document, within = unfold(dom.parse(source), depth=depth + 1)
    formulas = math.find(document) if math.may_hold(document) else {}
    # Only a page as a whole may wait in hidden containers.
    cleaned = clean.clean(document, shown=frozenset(formulas), may_wait=False)
    return document, within + cleaned.hidden_chars


class _Copy:
    """A tree in the making, node by node in document order."""

    def __init__(self) -> None:
        self._tags: list[str] = []
        self._parents = array("i")
        self._ends = array("i")
        self._values: list[Attributes | str] = []
        self._wide: list[Key] = []

    def of(self, tree: Tree, inner: dict[Key, Tree]) -> Tree:
        """A tree with documents in the places of some of its elements."""
        self._add(tree, 0, len(tree), -1, inner)
        return Tree(self._tags, self._parents, self._ends, self._values, self._wide)

    def _add(self, tree: Tree, key: Key, end: Key, parent: Key, inner: dict[Key, Tree]) -> None:
        # The open elements: where each ends in the one tree, and its key in the other.
        opened: list[tuple[Key, Key]] = [(end, parent)]
        while key < end:
            self._close(opened, key)
            if tree.skip[key]:
                key = tree.ends[key]
                continue
            if key in inner:
                self._add_document(inner[key], self._node("div", _frame(tree, key), opened[-1][1]))
                key = tree.ends[key]
                continue
            opened.append((tree.ends[key], self._node(tree.tags[key], tree.values[key], opened[-1][1])))
            key += 1
        self._close(opened, end)

    def _close(self, opened: list[tuple[Key, Key]], key: Key) -> None:
        while len(opened) > 1 and opened[-1][0] <= key:
            self._ends[opened.pop()[1]] = len(self._tags)

    def _add_document(self, document: Tree, frame: Key) -> None:
        body = document.body
        self._add(document, body + 1, document.ends[body], frame, {})
        self._ends[frame] = len(self._tags)

    def _node(self, tag: str, value: Attributes | str, parent: Key) -> Key:
        key = len(self._tags)
        if isinstance(value, str) and not value.isascii():
            self._wide.append(key)
        self._tags.append(tag)
        self._parents.append(parent)
        self._ends.append(key + 1)
        self._values.append(value)
        return key


def _frame(tree: Tree, key: Key) -> Attributes:
    """What an element has of a frame: its names, and whether it shows; it shows nothing outside its box."""
    kept = {name: value for name, value in tree.attributes(key) if name in _KEPT}
    if kept.get("style"):
        kept["style"] = f"{kept['style']};overflow:hidden"
    return tuple(kept.items())
