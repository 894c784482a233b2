"""A page cut into the pieces of text that are kept or left out as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outrider.content.measures import text_words

if TYPE_CHECKING:
    from outrider.content.dom import Key, Tree
    from outrider.content.hints import Label, Labels

# What elements are to the pieces; all that is not named here is a block.
_BLOCK, _INLINE, _LINK, _BOLD, _BREAK, _NEVER = range(6)
_ROLES = {
    **dict.fromkeys(
        "abbr acronym bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr output q rp rt"  # noqa: SIM905
        " ruby s samp small span strike sub sup time tt u var wbr picture source math mi mn mo mrow msup"
        " msub semantics annotation".split(),
        _INLINE,
    ),
    "a": _LINK,
    **dict.fromkeys(("b", "strong"), _BOLD),
    "br": _BREAK,
    **dict.fromkeys(
        "script style template svg iframe head select textarea input canvas object embed audio video datalist"  # noqa: SIM905
        " option".split(),
        _NEVER,
    ),
}
# Longer words are addresses and such, or the text of a script without spaces.
_LONG_WORD = 12
_UNSPACED = 4
_HUGE_WORD = 40


class Segments:
    """
    The pieces of a page: runs of text within one block element, with no other block between.

    The first columns have an entry for each piece, the last ones for each node of the page.
    """

    __slots__ = (
        "above",
        "bits",
        "blocks",
        "bold",
        "containers",
        "depths",
        "labels",
        "links",
        "nodes",
        "parents",
        "root",
        "spoken",
        "texts",
        "tree",
        "words",
    )

    def __init__(self, tree: Tree, root: Label) -> None:
        size = len(tree)
        self.tree = tree
        self.root = root
        self.containers: list[Key] = []
        """The block element around each piece."""
        self.parents: list[Key] = []
        """The parent of its first text node."""
        self.nodes: list[list[Key]] = []
        """Its text nodes and line breaks."""
        self.links: list[int] = []
        """Its characters within links."""
        self.bold: list[int] = []
        """Its characters in bold."""
        self.texts: list[str] = []
        """Its text, as it stands."""
        self.words: list[int] = []
        """Its words."""
        self.spoken: list[list[str]] = []
        """Its first words in lower case, without numbers."""
        self.labels: list[Label] = [root] * size
        self.blocks: list[Key] = [-1] * size
        """The block element around each element, itself included; -1 outside any."""
        self.bits = [0] * size
        """Subjects that the names of an element and those around it speak of."""
        self.above = [0.0] * size
        """How much these names speak for text in it."""
        self.depths = [0] * size

    def __len__(self) -> int:
        return len(self.containers)


def segment(tree: Tree, labels: Labels) -> Segments:
    """Cut a page into pieces."""
    found = Segments(tree, labels.of("", ""))
    _walk(found, labels, _names(tree))
    found.texts = _texts(found)
    found.words = list(map(count_words, found.texts))
    found.spoken = list(map(text_words, found.texts))
    return found


def _texts(found: Segments) -> list[str]:
    tags, values = found.tree.tags, found.tree.values
    return [
        "".join([values[key] if not tags[key] else "\n" for key in keys]).strip()  # type: ignore[misc]  # text nodes
        if len(keys) > 1
        else values[keys[0]].strip()  # type: ignore[union-attr]  # a piece begins with a text node
        for keys in found.nodes
    ]


def count_words(text: str) -> int:
    """Words of a text; in scripts without spaces, a quarter of its characters."""
    words, characters = len(text.split()), len(text)
    if words * _LONG_WORD >= characters:
        return words
    if characters < words * _HUGE_WORD or not text.isascii():
        return max(words, characters // _UNSPACED)
    return words


def _names(tree: Tree) -> dict[Key, str]:
    """Class, id and role of the elements that have any."""
    index = tree.index
    names = {key: classes for classes, keys in index.classes.items() for key in keys}
    for more in (index.ids, index.roles):
        for key, name in more.items():
            names[key] = f"{names[key]} {name}" if key in names else name
    return names


def _walk(found: Segments, labels: Labels, names: dict[Key, str]) -> None:  # noqa: C901, PLR0912, PLR0915  # one pass, timed
    tree = found.tree
    tags, parents, ends, values, skip = tree.tags, tree.parents, tree.ends, tree.values, tree.skip
    blocks, bits, above, depths, own = found.blocks, found.bits, found.above, found.depths, found.labels
    links, bold = found.links, found.bold
    roles, name_of = _ROLES, names.get
    nodes: list[Key] = []
    link_end = bold_end = pre_end = 0
    current, fresh = -1, True
    key, size = 0, len(tree)
    while key < size:
        tag = tags[key]
        parent = parents[key]
        if not tag:
            block = blocks[parent]
            text: str = values[key]  # type: ignore[assignment]  # a text node's value is its text
            if block < 0 or text.isspace():
                if not fresh and block == current:
                    nodes.append(key)
            elif fresh or block != current:
                current, fresh, nodes = block, False, [key]
                found.containers.append(block)
                found.parents.append(parent)
                found.nodes.append(nodes)
                links.append(len(text) if key < link_end else 0)
                bold.append(len(text) if key < bold_end else 0)
            else:
                nodes.append(key)
                if key < link_end:
                    links[-1] += len(text)
                if key < bold_end:
                    bold[-1] += len(text)
            key += 1
            continue
        role = roles.get(tag, _BLOCK)
        if role == _NEVER or skip[key]:
            key = ends[key]
            continue
        if role == _BREAK:
            if not fresh:
                nodes.append(key)
            key += 1
            continue
        if key < pre_end:
            blocks[key], bits[key], above[key], own[key], depths[key] = (
                blocks[parent], bits[parent], above[parent], own[parent], depths[parent],
            )  # fmt: skip
            key += 1
            continue
        own[key] = label = labels[tag, name_of(key, "")]
        if parent >= 0:
            bits[key] = bits[parent] | label.bits
            above[key] = above[parent] + label.above
            depths[key] = depths[parent] + 1
        else:
            bits[key], above[key] = label.bits, label.above
        if role:
            blocks[key] = blocks[parent]
            if role == _LINK:
                link_end = ends[key]
            elif role == _BOLD:
                bold_end = ends[key]
        else:
            blocks[key], fresh = key, True
            if tag == "pre":
                pre_end = ends[key]
        key += 1
