"""
A page's tree as flat columns in document order.

The HTML library is met in this file only. A node is its position in document order, an `int` called its key: 0 is the
`html` element, a parent's key is smaller than its children's, and the nodes below `key` are exactly
`range(key + 1, tree.ends[key])`. A walk over a page is therefore a loop over a range, however deep the page nests:

    key = start
    while key < end:
        if tree.skip[key]:
            key = tree.ends[key]        # never reads: script, hidden, ...
            continue
        tag = tree.tags[key]            # "" for a text node
        value = tree.values[key]        # the text, or the attributes of an element
        key += 1
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Attributes: TypeAlias = tuple[tuple[str, str | None], ...]
"""Name and value pairs in source order, names in lower case; the value of `<p hidden>` is None."""

Key: TypeAlias = int
"""A node's position in document order."""

# Up from a node, where a page may nest without end.
_MOST_STEPS = 100


class Tree:
    """
    A parsed page.

    The columns are read directly by whoever walks the whole page; the methods serve everyone else. Only `skip` changes
    after the parse.
    """

    __slots__ = ("_index", "_lengths", "ends", "parents", "skip", "tags", "values", "wide")

    def __init__(
        self,
        tags: list[str],
        parents: Sequence[int],
        ends: Sequence[int],
        values: list[Attributes | str],
        wide: list[Key],
    ) -> None:
        self.tags = tags
        """Tag name in lower case (SVG keeps its case); "" for text. Comments and the doctype are left out."""
        self.parents = parents
        """Key of the parent; -1 for the root."""
        self.ends = ends
        """First key after the node and everything below it."""
        self.values = values
        """Text of a text node, `Attributes` of an element."""
        self.wide = wide
        """Text nodes with characters beyond ASCII."""
        self._index: Index | None = None
        # Characters of text before each node.
        self._lengths: list[int] = []
        self.skip = bytearray(len(tags))
        """1 where a node and everything below it is no text for a reader; set by `clean` before anything is chosen."""

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def index(self) -> Index:
        """Where tags, classes, ids and some attributes occur; made on first use."""
        if self._index is None:
            self._index = Index(self)
        return self._index

    def node(self, key: Key) -> Node:
        """A handle on one node."""
        return Node(self, key)

    def text(self, key: Key) -> str:
        """The text of a text node, "" for an element."""
        value = self.values[key]
        return value if isinstance(value, str) else ""

    def attributes(self, key: Key) -> Attributes:
        """The attributes of an element, () for a text node."""
        value = self.values[key]
        return () if isinstance(value, str) else value

    def attribute(self, key: Key, name: str) -> str | None:
        """One attribute's value, "" when it has none, None when the attribute is missing."""
        for found, value in self.attributes(key):
            if found == name:
                return value or ""
        return None

    def children(self, key: Key) -> Iterator[Key]:
        """The keys of the direct children, text nodes included."""
        ends = self.ends
        child, end = key + 1, ends[key]
        while child < end:
            yield child
            child = ends[child]

    def ancestors(self, key: Key) -> Iterator[Key]:
        """The keys from the parent up to the root."""
        parents = self.parents
        key = parents[key]
        while key >= 0:
            yield key
            key = parents[key]

    def previous(self, key: Key) -> Key | None:
        """The sibling before a node; None for a first child, and where what lies between nests beyond reading."""
        parents = self.parents
        parent = parents[key]
        before = key - 1
        for _ in range(_MOST_STEPS):
            if before <= parent:
                return None
            if parents[before] == parent:
                return before
            before = parents[before]
        return None

    def text_length(self, key: Key) -> int:
        """Characters of all text below a node, marked or not; without a walk after the first call."""
        if not self._lengths:
            lengths, total = self._lengths, 0
            for tag, value in zip(self.tags, self.values, strict=True):
                lengths.append(total)
                if not tag:
                    total += len(value)
            lengths.append(total)
        return self._lengths[self.ends[key]] - self._lengths[key]

    def find(self, tags: Iterable[str], *, start: Key = 0, end: Key | None = None) -> Iterator[Key]:
        """The keys of all elements with one of the tags, in document order."""
        wanted = frozenset(tags)
        names = self.tags
        for key in range(start, len(names) if end is None else end):
            if names[key] in wanted:
                yield key

    def inner_text(self, key: Key) -> str:
        """All text below a node, joined as it stands, without what `skip` marks."""
        if not self.tags[key]:
            return self.text(key)
        pieces: list[str] = []
        tags, ends, skip = self.tags, self.ends, self.skip
        end = ends[key]
        key += 1
        while key < end:
            if skip[key]:
                key = ends[key]
                continue
            if not tags[key]:
                pieces.append(self.values[key])  # type: ignore[arg-type]  # a text node's value is its text
            key += 1
        return "".join(pieces)

    @property
    def body(self) -> Key:
        """The key of `<body>`, or of the root when there is none."""
        tags = self.index.tags
        return (tags.get("body") or tags.get("frameset") or [0])[0]


# The parser copies a run of text several times over; an empty comment ends the run and leaves no trace in the tree.
_LONG_RUN = 1_000_000
_PART_OF_RUN = 100_000

# What attributes tell: that an element may be hidden, what it is called, where it leads, what it opens and closes.
_HIDING, _CLASS, _ADDRESS, _ID, _ROLE, _NAME, _HANDLE = range(1, 8)
_TOLD = {
    **dict.fromkeys(("style", "hidden", "aria-hidden"), _HIDING),
    "class": _CLASS,
    "href": _ADDRESS,
    "id": _ID,
    "role": _ROLE,
    "name": _NAME,
    **dict.fromkeys(
        ("aria-controls", "data-target", "data-bs-target", "data-toggle-target", "data-tab", "aria-owns"), _HANDLE
    ),
}
_LONGEST_ADDRESS = 400


class Index:
    """Where things occur in a page, so that searches for rare things look only where such things are."""

    __slots__ = ("attributes", "classes", "controlled", "fragments", "ids", "labels", "roles", "tags", "telling")

    def __init__(self, tree: Tree) -> None:
        self.tags: dict[str, list[Key]] = {}
        """Elements by tag."""
        self.classes: dict[str, list[Key]] = {}
        """Elements by the whole value of `class`."""
        self.ids: dict[Key, str] = {}
        """Ids by element; of an `<a>` also its `name`."""
        self.roles: dict[Key, str] = {}
        """Roles by element."""
        self.telling: list[Key] = []
        """Elements with an attribute that can hide them."""
        self.controlled: set[str] = set()
        """Ids that a button, a tab or a link opens and closes."""
        self.fragments: set[str] = set()
        """Every fragment that a link names."""
        self.attributes: set[str] = set()
        """Names of attributes."""
        self._gather(tree)
        self.labels = "\n".join([*self.classes, *self.ids.values(), *self.roles.values()]).lower()
        """Every class, id and role, in lower case, parted by line ends."""

    def _gather(self, tree: Tree) -> None:  # noqa: C901, PLR0912  # every attribute of a page comes by here: no calls
        tags, classes, ids, roles, telling = self.tags, self.classes, self.ids, self.roles, self.telling
        values = tree.values
        # What each name of an attribute tells; 0 for most.
        told: dict[str, int] = {}
        for key, tag in enumerate(tree.tags):
            if not tag:
                continue
            if tag in tags:
                tags[tag].append(key)
            else:
                tags[tag] = [key]
            attributes: Attributes = values[key]  # type: ignore[assignment]  # what an element has
            for name, content in attributes:
                kind = told.get(name)
                if kind is None:
                    kind = told[name] = _TOLD.get(name, 0)
                if not kind:
                    continue
                if kind == _HIDING:
                    telling.append(key)
                elif not content:
                    continue
                elif kind == _CLASS:
                    if content in classes:
                        classes[content].append(key)
                    else:
                        classes[content] = [key]
                elif kind == _ADDRESS:
                    if "#" in content[:_LONGEST_ADDRESS]:
                        self.fragments.add(content.partition("#")[2][:_LONGEST_ADDRESS])
                elif kind == _ID:
                    ids[key] = content
                elif kind == _ROLE:
                    roles[key] = content
                elif kind == _HANDLE:
                    self.controlled.update([word.removeprefix("#") for word in content.split()[:20]])
                elif tag == "a":
                    ids.setdefault(key, content)
        self.attributes.update(told)

    def keys(self, tags: Iterable[str]) -> list[Key]:
        """All elements with one of the tags, in document order."""
        found = [self.tags[tag] for tag in tags if tag in self.tags]
        return found[0] if len(found) == 1 else sorted(key for keys in found for key in keys)


class Node:
    """One node of a tree, for places that hold few of them."""

    __slots__ = ("key", "tree")

    def __init__(self, tree: Tree, key: Key) -> None:
        self.tree = tree
        self.key = key
        """Position in document order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.tree is other.tree and self.key == other.key

    def __hash__(self) -> int:
        return self.key

    def __repr__(self) -> str:
        return f"<{self.tag or '#text'} {self.key}>"

    @property
    def tag(self) -> str:
        """Tag name, "" for text."""
        return self.tree.tags[self.key]

    @property
    def end(self) -> Key:
        """First key after everything below."""
        return self.tree.ends[self.key]

    @property
    def parent(self) -> Node | None:
        """The parent, None for the root."""
        parent = self.tree.parents[self.key]
        return Node(self.tree, parent) if parent >= 0 else None

    def get(self, name: str) -> str | None:
        """One attribute's value, "" when it has none, None when the attribute is missing."""
        return self.tree.attribute(self.key, name)

    @property
    def text(self) -> str:
        """All text in the node, without what `skip` marks."""
        return self.tree.inner_text(self.key)


class _Builder:
    """Collects the parser's events into columns; the parser calls the methods by these names."""

    __slots__ = ("ends", "open", "parents", "tags", "values", "wide")

    def __init__(self) -> None:
        self.tags: list[str] = []
        # Half the memory of lists; a page may have millions of nodes.
        self.parents = array("i")
        self.ends = array("i")
        self.values: list[Attributes | str] = []
        self.wide: list[Key] = []
        self.open = [-1]

    def start_element(self, tag: str, attributes: Attributes) -> None:
        tags, opened = self.tags, self.open
        self.parents.append(opened[-1])
        opened.append(len(tags))
        tags.append(tag)
        self.values.append(attributes)
        self.ends.append(0)

    def end_element(self, _tag: str) -> None:
        self.ends[self.open.pop()] = len(self.tags)

    def characters(self, text: str) -> None:
        tags = self.tags
        if not text.isascii():
            self.wide.append(len(tags))
        self.parents.append(self.open[-1])
        tags.append("")
        self.values.append(text)
        self.ends.append(len(tags))

    def comment(self, _text: str) -> None:
        """Comments do not read."""

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        """The doctype does not read."""

    def processing_instruction(self, _target: str, _text: str) -> None:
        """Processing instructions do not read."""


class _LeanBuilder(_Builder):
    """Shares equal attributes and texts between the nodes of a large page, which repeats itself."""

    __slots__ = ("_names", "_seen", "_texts")

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}
        self._seen: dict[object, tuple[object, ...]] = {}
        self._texts: dict[str, str] = {}

    def start_element(self, tag: str, attributes: Attributes) -> None:
        if attributes:
            attributes = self._shared(attributes)
        super().start_element(tag, attributes)

    def _shared(self, attributes: Attributes) -> Attributes:
        seen = self._seen
        if attributes in seen:
            return seen[attributes]  # type: ignore[return-value]  # attributes and their pairs share one table
        names = self._names
        pairs: list[tuple[str, str | None]] = []
        for pair in attributes:
            name, value = pair
            if pair not in seen:
                pair = (names.setdefault(name, name) if len(names) < _MOST_SHARED else name, value)  # noqa: PLW2901
                if len(seen) < _MOST_SHARED:
                    seen[pair] = pair
            pairs.append(seen.get(pair, pair))  # type: ignore[arg-type]
        shared = tuple(pairs)
        if len(seen) < _MOST_SHARED:
            seen[shared] = shared
        return shared

    def characters(self, text: str) -> None:
        if len(text) < _SHORT_TEXT:
            texts = self._texts
            if text in texts:
                text = texts[text]
            elif len(texts) < _MOST_SHARED:
                texts[text] = text
        super().characters(text)


# Enough for what a page repeats, and few enough to cost little on a page that does not.
_MOST_SHARED = 20_000
_SHORT_TEXT = 30
# Smaller pages are read faster than shared.
_LARGE = 1_500_000


def parse(html: str) -> Tree:
    """Parse a page by the rules of the HTML standard, as a browser without scripts does; any text is a page."""
    from turbohtml.saxparse import sax_parse  # 30 ms at import, and only pages need it

    if _has_long_run(html):
        text, *runs = html.split("<")
        html = "<".join([_parts(text), *(_parted(run) for run in runs)])
    builder = _LeanBuilder() if len(html) > _LARGE else _Builder()
    if "shadowrootmode" in html:
        _compose(html, builder)
    else:
        sax_parse(html, builder)  # type: ignore[arg-type]  # the handler's methods count, not its class
    return Tree(builder.tags, builder.parents, builder.ends, builder.values, builder.wide)


def _has_long_run(html: str) -> bool:
    """Whether so much text may stand without a tag; every long run covers one of these stretches as a whole."""
    half = _LONG_RUN // 2
    return any(html.find("<", start, start + half) < 0 for start in range(0, len(html) - half, half))


def _parted(run: str) -> str:
    """What follows a `<`, with its text in parts when that is long; the tag itself stays whole."""
    if len(run) <= _LONG_RUN:
        return run
    tag, end, text = run.partition(">")
    return tag + end + _parts(text)


def _parts(text: str) -> str:
    return "<!---->".join(text[start : start + _PART_OF_RUN] for start in range(0, len(text), _PART_OF_RUN))


def _compose(html: str, builder: _Builder) -> None:
    """Read a page with declarative shadow roots in the order in which it shows: slots hold what is assigned to them."""
    from turbohtml import Element, Text
    from turbohtml import parse as parse_document

    document = parse_document(html, positions=False)
    # What is left to read, next last; a str is the end of that element.
    left: list[object] = [document.root]
    while left:
        node = left.pop()
        if isinstance(node, Element):
            builder.start_element(node.tag, tuple((name, _joined(value)) for name, value in node.attrs.items()))
            left.append(node.tag)
            left.extend(reversed(node.flattened_children))
        elif isinstance(node, Text):
            builder.characters(node.data)
        elif isinstance(node, str):
            builder.end_element(node)


def _joined(value: str | list[str] | None) -> str | None:
    return " ".join(value) if isinstance(value, list) else value
