"""The elements around the pieces of a page, and what each of them holds."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from outrider.content.features_own import TAG_NUMBERS
from outrider.content.measures import log_column, score_column, share_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outrider.content.dom import Key
    from outrider.content.features_sums import Sums
    from outrider.content.segments import Segments

LEVELS = 4
"""Surroundings described for each piece: the element around it, and each wider one that holds more pieces."""
_MOST_LEVELS = 40
_MOST_RANKS = 14
_REPEATED = 3
_DEEPEST = 60

Kind = tuple[int, int]
"""Equal for elements with the same names and the same names around."""


class Surroundings:
    """The elements around the pieces of one page."""

    def __init__(self, pieces: Segments) -> None:
        self.pieces = pieces
        self.before = _before(pieces)
        """For each node of the page, and for its end, how many pieces start before it."""
        self.wider: dict[Key, Key] = {}
        """The next element around one that holds more pieces; -1 outside all."""
        known = self._chains()
        self.chains: list[list[Key]] = [known[container] for container in pieces.containers]
        """For each piece the elements around it, inner first, each with more pieces than the one before."""
        self.groups = sorted(self.wider)
        """All of these elements, wider ones first."""
        before, ends = self.before, pieces.tree.ends
        self.ranges = {key: (before[key], before[ends[key]]) for key in self.groups}
        """First piece and one past the last of these elements."""
        labels, parents = pieces.labels, pieces.tree.parents
        self.kinds: dict[Key, Kind] = {
            key: (id(labels[key]), id(labels[parents[key]]) if parents[key] >= 0 else 0) for key in self.groups
        }

    def _chains(self) -> dict[Key, list[Key]]:
        """For each element around a piece itself with the wider ones, inner first."""
        tree, before, wider = self.pieces.tree, self.before, self.wider
        parents, ends = tree.parents, tree.ends
        known: dict[Key, list[Key]] = {-1: []}
        for container in self.pieces.containers:
            key, path = container, list[int]()
            while key not in known:
                path.append(key)
                start, end, above = before[key], before[ends[key]], parents[key]
                while above >= 0 and before[above] == start and before[ends[above]] == end:
                    above = parents[above]
                wider[key] = key = above
            chain = known[key]
            for below in reversed(path):
                chain = known[below] = [below, *chain[: _MOST_LEVELS - 1]]
        return known

    def columns(self, sums: Sums) -> list[bytes]:
        """What the nearest of them hold, for each piece, level by level."""
        described = [[*column, 0] for column in self._describe(sums)]
        nowhere = len(self.groups)
        number = {key: at for at, key in enumerate(self.groups)}
        near = {}
        for container, chain in zip(self.pieces.containers, self.chains, strict=True):
            if container not in near:
                found = [number[key] for key in chain[:LEVELS]]
                near[container] = found + [nowhere] * (LEVELS - len(found))
        places = [near[container] for container in self.pieces.containers]
        found_columns: list[bytes] = []
        for level in zip(*places, strict=True):
            # With one place only, a getter gives a value instead of a tuple.
            get = itemgetter(*level, nowhere)
            found_columns.extend([bytes(get(column)[:-1]) for column in described])
        return found_columns

    def _describe(self, sums: Sums) -> list[bytes]:
        """A column for each thing known about these elements."""
        pieces, groups, kinds = self.pieces, self.groups, self.kinds
        tags, labels, depths, above = pieces.tree.tags, pieces.labels, pieces.depths, pieces.above
        ranges = list(self.ranges.values())
        words, linked, points, worth = sums.words, sums.linked, sums.points, sums.scores
        total, count = sums.total, len(pieces) or 1
        sizes = [words[end] - words[start] for start, end in ranges]
        held = [size or 1 for size in sizes]
        parts = [end - start or 1 for start, end in ranges]
        of_kind = [kinds[key] for key in groups]
        times = Counter(of_kind)
        kind_words: dict[Kind, int] = dict.fromkeys(times, 0)
        for kind, size in zip(of_kind, sizes, strict=True):
            kind_words[kind] += size
        ranks = _ranks(times, kind_words)
        return [
            log_column(sizes),
            bytes([int(63 * size / total + 0.5) for size in sizes]),
            share_column(
                [(linked[end] - linked[start]) / size for (start, end), size in zip(ranges, held, strict=True)]
            ),
            log_column(parts),
            log_column([size // part for size, part in zip(sizes, parts, strict=True)]),
            share_column(
                [
                    (points[end] - points[start]) / (size + 1) * 5
                    for (start, end), size in zip(ranges, sizes, strict=True)
                ]
            ),
            score_column([(worth[end] - worth[start]) / size for (start, end), size in zip(ranges, held, strict=True)]),
            bytes([TAG_NUMBERS.get(tags[key], 0) for key in groups]),
            score_column([labels[key].own for key in groups]),
            bytes([int(31 * start / count + 0.5) for start, _ in ranges]),
            log_column([times[kind] for kind in of_kind]),
            share_column([kind_words[kind] / total for kind in of_kind]),
            bytes([ranks.get(kind, 0) for kind in of_kind]),
            share_column(
                [
                    (sums.headings[end] - sums.headings[start]) / part
                    for (start, end), part in zip(ranges, parts, strict=True)
                ],
                15,
            ),
            bytes([depth if (depth := depths[key]) < _DEEPEST else _DEEPEST for key in groups]),
            score_column([above[key] for key in groups]),
        ]

    def levels(self, start: int, end: int) -> dict[Key, tuple[int, Key]]:
        """For each element how many surroundings one must leave to hold these pieces, and where one is then."""
        levels: dict[Key, tuple[int, Key]] = {}
        wider, ranges = self.wider, self.ranges
        for key in self.groups:
            first, last = ranges[key]
            if first <= start and end <= last:
                levels[key] = (0, key)
            elif (above := levels.get(wider[key])) is not None:
                levels[key] = (above[0] + 1, above[1])
            else:
                levels[key] = (1, key)
        return levels


def _before(pieces: Segments) -> list[int]:
    marks = bytearray(len(pieces.tree) + 2)
    for keys in pieces.nodes:
        marks[keys[0] + 1] = 1
    return list(accumulate(marks))


def _ranks(times: Counter[Kind], words: Mapping[Kind, int]) -> dict[Kind, int]:
    """1 for the kind of repeated element that holds most, 2 for the next; the first to appear between equals."""
    repeated = [kind for kind, number in times.items() if number >= _REPEATED]
    repeated.sort(key=lambda kind: -words[kind])
    return {kind: rank for rank, kind in enumerate(repeated[:_MOST_RANKS], 1)}


def top_of(pieces: Segments, paragraphs: Sequence[bool]) -> Key:
    """The element that holds the most paragraphs; -1 when there is no paragraph."""
    parents = pieces.tree.parents
    worth: dict[Key, float] = {}
    for container, words, is_paragraph in zip(pieces.containers, pieces.words, paragraphs, strict=True):
        if not is_paragraph:
            continue
        size = min(words, 100)
        parent = parents[container]
        if parent >= 0:
            worth[parent] = worth.get(parent, 0.0) + size
            if parents[parent] >= 0:
                worth[parents[parent]] = worth.get(parents[parent], 0.0) + 0.6 * size
    return max(worth, key=lambda key: (worth[key], -key)) if worth else -1
