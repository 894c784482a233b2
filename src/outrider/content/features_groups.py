"""The elements around the pieces of a page, and what each of them holds."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from operator import floordiv, truediv
from typing import TYPE_CHECKING

from outrider.content.features_own import TAG_NUMBERS
from outrider.content.measures import log_column, ratio_column, score_column, share_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outrider.content.dom import Key
    from outrider.content.features_sums import Sums
    from outrider.content.segments import Segments

LEVELS = 4
"""Surroundings described for each piece: the element around it, and each wider one that holds more pieces."""
_MOST_LEVELS = 40
_MOST_RANKS = 14
_REPEATED = 3
_DEEPEST = 60

Kind = int
"""Equal for elements with the same names and the same names around."""


class Chains:
    """What is around pieces, found when it is asked for."""

    __slots__ = ("_containers", "_wider")

    def __init__(self, containers: Sequence[Key], wider: Mapping[Key, Key]) -> None:
        self._containers = containers
        self._wider = wider

    def __getitem__(self, piece: int) -> list[Key]:
        chain: list[Key] = []
        key = self._containers[piece]
        while key >= 0 and len(chain) < _MOST_LEVELS:
            chain.append(key)
            key = self._wider[key]
        return chain


class Surroundings:
    """The elements around the pieces of one page."""

    def __init__(self, pieces: Segments) -> None:
        self.pieces = pieces
        self.before = _before(pieces)
        """For each node of the page, and for its end, how many pieces start before it."""
        self.wider: dict[Key, Key] = {}
        """The next element around one that holds more pieces; -1 outside all."""
        self.ranges: dict[Key, tuple[int, int]] = {}
        """First piece and one past the last of these elements."""
        self._widen()
        self.groups = sorted(self.wider)
        """All of these elements, wider ones first."""
        self.kinds = self._kinds()
        ranges = [self.ranges[key] for key in self.groups]
        self._starts, self._ends = [start for start, _ in ranges], [end for _, end in ranges]

    def _widen(self) -> None:
        """Go up from each piece."""
        tree, before, wider, ranges = self.pieces.tree, self.before, self.wider, self.ranges
        parents, ends = tree.parents, tree.ends
        for container in self.pieces.containers:
            key = container
            while key >= 0 and key not in wider:
                start, end, above = before[key], before[ends[key]], parents[key]
                while above >= 0 and before[above] == start and before[ends[above]] == end:
                    above = parents[above]
                ranges[key] = start, end
                wider[key] = key = above

    def _kinds(self) -> dict[Key, Kind]:
        labels, parents = self.pieces.labels, self.pieces.tree.parents
        return {
            key: labels[key].number << 32 | (labels[parent].number if (parent := parents[key]) >= 0 else 0)
            for key in self.groups
        }

    @property
    def chains(self) -> Chains:
        """For each piece the elements around it, inner first, each with more pieces than the one before."""
        return Chains(self.pieces.containers, self.wider)

    def depths(self) -> bytes:
        """How many of these elements are around each piece."""
        depths = {-1: 0}
        for key in self.groups:
            depths[key] = min(depths[self.wider[key]] + 1, _MOST_LEVELS)
        return bytes([depths[container] for container in self.pieces.containers])

    def columns(self, sums: Sums) -> list[bytes]:
        """What the nearest of them hold, for each piece, level by level."""
        described = self._describe(sums)
        width = LEVELS * len(described)
        # What is known of an element and the wider ones.
        rows = {-1: bytes(width)}
        for key, row in zip(self.groups, zip(*described, strict=True), strict=True):
            rows[key] = (bytes(row) + rows[self.wider[key]])[:width]
        # All numbers of the first piece, then all of the second: what is `width` apart is a column.
        numbers = b"".join([rows[container] for container in self.pieces.containers])
        return [numbers[at::width] for at in range(width)]

    def _describe(self, sums: Sums) -> list[bytes]:
        """A column for each thing known about these elements."""
        pieces, groups, starts, ends = self.pieces, self.groups, self._starts, self._ends
        tags, labels, depths, above = pieces.tree.tags, pieces.labels, pieces.depths, pieces.above
        total, count = sums.total, len(pieces) or 1
        words = sums.words
        sizes = [words[end] - words[start] for start, end in zip(starts, ends, strict=True)]
        held = [size or 1 for size in sizes]
        parts = [end - start or 1 for start, end in zip(starts, ends, strict=True)]
        return [
            log_column(sizes),
            bytes([int(63 * size / total + 0.5) for size in sizes]),
            ratio_column(_held(sums.linked, starts, ends), held),
            log_column(parts),
            log_column(list(map(floordiv, sizes, parts))),
            share_column(
                [point / (size + 1) * 5 for point, size in zip(_held(sums.points, starts, ends), sizes, strict=True)]
            ),
            score_column(list(map(truediv, _held(sums.scores, starts, ends), held))),
            bytes([TAG_NUMBERS.get(tags[key], 0) for key in groups]),
            score_column([labels[key].own for key in groups]),
            bytes([int(31 * start / count + 0.5) for start in starts]),
            *self._alike(sizes, total),
            ratio_column(_held(sums.headings, starts, ends), parts, 15),
            bytes([depth if (depth := depths[key]) < _DEEPEST else _DEEPEST for key in groups]),
            score_column([above[key] for key in groups]),
        ]

    def _alike(self, sizes: Sequence[int], total: int) -> Iterable[bytes]:
        """How many elements of a kind there are, their share of all words, and their rank by it."""
        of_kind = list(self.kinds.values())
        times = Counter(of_kind)
        words: dict[Kind, int] = dict.fromkeys(times, 0)
        for kind, size in zip(of_kind, sizes, strict=True):
            words[kind] += size
        ranks = _ranks(times, words)
        columns = (
            log_column([*times.values()]),
            share_column([size / total for size in words.values()]),
            [ranks.get(kind, 0) for kind in times],
        )
        known = dict(zip(times, zip(*columns, strict=True), strict=True))
        return map(bytes, zip(*[known[kind] for kind in of_kind], strict=True))

    def levels(self, start: int, end: int) -> dict[Key, tuple[int, Key]]:
        """For each element how many surroundings one must leave to hold these pieces, and where one is then."""
        levels: dict[Key, tuple[int, Key]] = {}
        wider = self.wider
        for key, first, last in zip(self.groups, self._starts, self._ends, strict=True):
            if first <= start and end <= last:
                levels[key] = (0, key)
            elif (above := levels.get(wider[key])) is not None:
                levels[key] = (above[0] + 1, above[1])
            else:
                levels[key] = (1, key)
        return levels


def _held(sums: Sequence[float], starts: Sequence[int], ends: Sequence[int]) -> list[float]:
    """What each of some stretches holds, out of running sums."""
    return [sums[end] - sums[start] for start, end in zip(starts, ends, strict=True)]


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
