"""What belongs with the pieces that are kept, and which of them say the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outrider.content.pagetype import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outrider.content.dom import Key, Tree
    from outrider.content.segments import Segments

# So many siblings of one kind, of which so large a share is kept, are kept whole.
_MANY_SIBLINGS, _NEARLY_ALL = 12, 0.9
# Rows and tables of so many words belong together, the latter when more than such a share is kept.
_SHORT_ROW, _SMALL_TABLE, _PART_OF_TABLE = 30, 200, 0.25
# A page of which so large a share of the words is kept has nothing around its content.
_ALL_CONTENT = 0.995
# Pages of these types are put together from cards and sections, and repeat some for other screens or to let a row of
# cards turn without end. Documents and discussions repeat themselves on purpose.
_COMPOSED = ("collection", "listing", "product", "service")
_COPIED_WORDS = 6


def complete(kept: Sequence[bool], pieces: Segments) -> list[bool]:
    """
    The pieces to keep, and what belongs with them: texts have no ragged end and no holes.

    With nearly all of the page the rest of it is kept, with nearly all of many siblings of a kind the rest of them,
    with a part of a small table all of it, and with text the code and the quotations that it leads up to.
    """
    if sum([words for words, keep in zip(pieces.words, kept, strict=True) if keep]) > _ALL_CONTENT * sum(pieces.words):
        return [True] * len(kept)
    tree = pieces.tree
    families: dict[tuple[Key, str], list[int]] = {}
    for at, container in enumerate(pieces.containers):
        families.setdefault((tree.parents[container], tree.tags[container]), []).append(at)
    whole = list(kept)
    for members in families.values():
        if len(members) >= _MANY_SIBLINGS and sum([kept[at] for at in members]) >= _NEARLY_ALL * len(members):
            for at in members:
                whole[at] = True
    _complete_tables(whole, pieces)
    _complete_passages(whole, pieces)
    return whole


def _complete_tables(kept: list[bool], pieces: Segments) -> None:
    """Keep short rows whole, and small tables of which a part is kept: a value without its name says nothing."""
    tree = pieces.tree
    rows: dict[Key, list[int]] = {}
    tables: dict[Key, list[int]] = {}
    for at, container in enumerate(pieces.containers):
        if tree.tags[container] in ("td", "th"):
            row = tree.parents[container]
            rows.setdefault(row, []).append(at)
            tables.setdefault(_table_of(tree, row), []).append(at)
    for members in rows.values():
        _keep_together(members, kept, pieces.words, most=_SHORT_ROW, least=0.0)
    for members in tables.values():
        _keep_together(members, kept, pieces.words, most=_SMALL_TABLE, least=_PART_OF_TABLE)


def _keep_together(members: list[int], kept: list[bool], words: Sequence[int], *, most: int, least: float) -> None:
    """Keep all of some pieces, few words together, of which more than a share is kept."""
    total = sum([words[at] for at in members])
    if total <= most and sum([words[at] for at in members if kept[at]]) > least * total:
        for at in members:
            kept[at] = True


def _table_of(tree: Tree, row: Key) -> Key:
    above = tree.parents[row]
    return above if above < 0 or tree.tags[above] == "table" else tree.parents[above]


def _complete_passages(kept: list[bool], pieces: Segments) -> None:
    """Keep what text leads up to: the code or the quotation right behind it, in the same element."""
    tree = pieces.tree
    # The last piece that is no passage, or was kept with one.
    before = -1
    for at, container in enumerate(pieces.containers):
        passage = _passage_of(tree, container)
        if passage < 0:
            before = at
        elif before >= 0 and kept[before] and _is_beside(tree, passage, pieces.containers[before]):
            kept[at] = True
            before = at


def _passage_of(tree: Tree, key: Key) -> Key:
    """The listing of code or the quotation that an element is, or is a paragraph of; -1 for any other."""
    if tree.tags[key] in ("pre", "blockquote"):
        return key
    above = tree.parents[key]
    return above if above >= 0 and tree.tags[above] == "blockquote" else -1


def _is_beside(tree: Tree, passage: Key, other: Key) -> bool:
    """Whether an element stands in the same one as a passage, or in the passage."""
    return tree.parents[passage] == tree.parents[other] or _passage_of(tree, other) == passage


def without_copies(kept: Sequence[bool], pieces: Segments, types: bytes) -> list[bool]:
    """The pieces to keep; of equal ones of some length the first, on pages that are put together from parts."""
    composed = sum([types[TYPES.index(name)] for name in _COMPOSED])
    once = list(kept)
    if 2 * composed < sum(types) or not composed:
        return once
    seen: set[str] = set()
    for at, (text, words) in enumerate(zip(pieces.texts, pieces.words, strict=True)):
        if once[at] and words >= _COPIED_WORDS:
            once[at] = text not in seen
            seen.add(text)
    return once
