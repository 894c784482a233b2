"""Which pieces of a page are kept, given how much speaks for each."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from outrider.content.choice import Choice
from outrider.content.pagetype import TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outrider.content.dom import Key
    from outrider.content.features import Sheet
    from outrider.content.features_groups import Kind
    from outrider.content.segments import Segments

# Factors of the best bound for pieces that are kept or not independently, by type of page. They are not independent:
# the cards of a list are all content or none, so on lists a low bound that keeps them when in doubt does better, while
# on articles a higher one keeps comments and teasers out. Cross-validated on the training data.
EAGERNESS = {
    "article": 1.1,
    "collection": 0.4,
    "documentation": 0.7,
    "forum": 1.1,
    "listing": 0.35,
    "product": 1.1,
    "service": 0.75,
}
_UNKNOWN_TYPE = 0.8
# How far pieces of one kind share what speaks for them, by type of page: the prices of a list are all content or none.
# Cross-validated likewise.
SHARING = {
    "article": 0.2,
    "collection": 0.7,
    "documentation": 0.0,
    "forum": 0.3,
    "listing": 0.5,
    "product": 0.5,
    "service": 0.1,
}
_UNKNOWN_SHARING = 0.3
# What speaks against comments on a page that is likely an article, unless they are most of it. Cross-validated: shingle
# F1 on articles 0.962 without, 0.965 with it, and no type of page loses.
_AGAINST_COMMENTS = 3.0
_ARTICLE_CHANCE = 120
_MOST_COMMENTS = 0.6
# The place of their subject in `hints`.
_COMMENTS = 1 << 4
_REPEATED = 3


def settle(scores: Sequence[float], kinds: Sequence[Kind], words: Sequence[int], types: bytes) -> list[float]:
    """
    What speaks for each piece when those of its kind are heard too: the mean over the words of a kind draws them.

    Args:
        types: How likely the page is of each type.
    """
    share = _by_type(SHARING, types, _UNKNOWN_SHARING)
    times = Counter(kinds)
    sizes: dict[Kind, int] = dict.fromkeys(times, 0)
    sums: dict[Kind, float] = dict.fromkeys(times, 0.0)
    for score, kind, size in zip(scores, kinds, words, strict=True):
        sizes[kind] += size + 1
        sums[kind] += score * (size + 1)
    drawn = {kind: share * sums[kind] / sizes[kind] for kind, number in times.items() if number >= _REPEATED}
    return [
        drawn[kind] + (1 - share) * score if kind in drawn else score for score, kind in zip(scores, kinds, strict=True)
    ]


def select(chances: Sequence[float], words: Sequence[int], types: bytes) -> list[bool]:
    """
    The pieces to keep.

    Kept are those more likely than half of the best F1 that can be expected: the choice that maximises an expected F1
    is of this form, and its bound is half of its value.

    Args:
        types: How likely the page is of each type.
    """
    bound = _by_type(EAGERNESS, types, _UNKNOWN_TYPE) * best_bound(chances, words)
    kept = [chance >= bound for chance in chances]
    if not any(kept):
        top = max(chances)
        kept = [chance == top for chance in chances]
    return kept


def hush(scores: Sequence[float], pieces: Segments, types: bytes) -> list[float]:
    """What speaks for each piece, and less for comments below an article: they are about it, not of it."""
    if types[TYPES.index("article")] < _ARTICLE_CHANCE:
        return list(scores)
    bits = pieces.bits
    comments = [bool(bits[parent] & _COMMENTS) for parent in pieces.parents]
    held = sum([words for words, is_comment in zip(pieces.words, comments, strict=True) if is_comment])
    if not held or held >= _MOST_COMMENTS * sum(pieces.words):
        return list(scores)
    return [
        score - _AGAINST_COMMENTS if is_comment else score for score, is_comment in zip(scores, comments, strict=True)
    ]


def _by_type(numbers: Mapping[str, float], types: bytes, unknown: float) -> float:
    """The number for a page that may be of several types."""
    whole = sum(types)
    if not whole:
        return unknown
    return sum([chance * numbers[name] for chance, name in zip(types, TYPES, strict=True)]) / whole


def best_bound(chances: Sequence[float], words: Sequence[int]) -> float:
    """Half of the largest expected F1 over all bounds."""
    order = sorted(range(len(chances)), key=lambda at: -chances[at])
    found = accumulate([chances[at] * words[at] for at in order])
    taken = accumulate([words[at] for at in order])
    total = sum([chance * size for chance, size in zip(chances, words, strict=True)])
    best = max(
        [share / (size + total) for share, size in zip(found, taken, strict=True) if size + total > 0], default=0.0
    )
    return min(best, 0.5)


def as_choice(sheet: Sheet, kept: Sequence[bool], headings: Collection[int] = ()) -> Choice:
    """
    The choice that keeps some pieces: the smallest element around them, and what is left out in it.

    Args:
        headings: Pieces that are kept as well, for the structure of the Markdown only.
    """
    tree, nodes = sheet.pieces.tree, sheet.pieces.nodes
    kept = list(kept)
    for at in headings:
        kept[at] = True
    root = _common(sheet, kept)
    wanted = [0, *accumulate([int(keep) for keep in kept])]
    drop: set[Key] = set()
    before = sheet.around.before
    start, end = before[root], before[tree.ends[root]]
    at = start
    while at < end:
        if kept[at]:
            at += 1
            continue
        widest = _widest_unwanted(sheet, at, wanted)
        if widest < 0:
            # The element around it holds wanted pieces too.
            drop.update(nodes[at])
            at += 1
        else:
            drop.add(widest)
            at = before[tree.ends[widest]]
    texts = frozenset(key for at in headings for key in nodes[at])
    return Choice(roots=(tree.node(root),), drop=frozenset(drop), headings=texts)


def _widest_unwanted(sheet: Sheet, at: int, wanted: Sequence[int]) -> Key:
    """
    The widest block element around a piece with nothing wanted in it; -1 when even the nearest has.

    Inline elements are passed over: a piece may begin before one and end in it.
    """
    tree, before, blocks = sheet.pieces.tree, sheet.around.before, sheet.pieces.blocks
    widest, key = -1, sheet.pieces.containers[at]
    while key >= 0 and wanted[before[key]] == wanted[before[tree.ends[key]]]:
        widest, parent = key, tree.parents[key]
        key = blocks[parent] if parent >= 0 else -1
    return widest


def _common(sheet: Sheet, kept: Sequence[bool]) -> Key:
    """The smallest block element around all kept pieces; an inline one may end before a piece that begins in it."""
    tree, blocks = sheet.pieces.tree, sheet.pieces.blocks
    wanted = [at for at, keep in enumerate(kept) if keep]
    first, last = wanted[0], wanted[-1] + 1
    for key in sheet.around.chains[wanted[0]]:
        start, end = sheet.around.ranges[key]
        if start <= first and last <= end:
            return blocks[key] if blocks[key] >= 0 else tree.body
    return tree.body
