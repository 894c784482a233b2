"""
Trees of decisions over columns of small whole numbers, evaluated for all pieces of a page at once.

Every tree asks the same question of all pieces at each of its levels ("is feature 12 above 7?"), so a piece's way
through it is a number with one bit for each answer. The answers of all pieces are the bytes of one large integer; a few
operations and one `bytes.translate` take them through a tree together, instead of a walk for each piece.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

# Answers in a byte.
_BITS = 8
# A lane of 16 bits holds the sum of this many bytes.
_MOST_IN_LANE = 257


@dataclass(frozen=True, kw_only=True)
class Forest:
    """The trees, and what a sum of their leaves means."""

    questions: tuple[tuple[int, int], ...]
    """Feature and bound; the answer is whether the feature is above the bound."""
    trees: tuple[tuple[tuple[int, ...], bytes], ...]
    """For each tree the questions, first one in the lowest bit, and a leaf for each combination of answers."""
    scale: float
    """What one step of a leaf is worth."""
    bias: float
    """The score when all leaves are 0."""

    @cached_property
    def plan(self) -> Plan:
        """In which order all of this is asked."""
        return _plan(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    A forest, laid out to be asked with few operations.

    The answers to several questions about one feature stand in one byte. Each stands at the bit at which the trees need
    it, so that it takes a mask to read it and no shift.
    """

    lookups: tuple[tuple[int, bytes], ...]
    """Feature, and for each of its values a byte of answers."""
    answers: tuple[tuple[int, int], ...]
    """Lookup and bit."""
    trees: tuple[tuple[tuple[int, ...], bytes], ...]
    """For each tree the answers, and a leaf for each way through them."""


def scores(forest: Forest, columns: Sequence[bytes], count: int) -> list[float]:
    """
    The score of each piece; 0 is as likely as not.

    Args:
        columns: For each feature its value for each piece.
        count: How many pieces there are.
    """
    plan = forest.plan
    found = [int.from_bytes(columns[feature].translate(table), "little") for feature, table in plan.lookups]
    masks = [int.from_bytes(bytes([1 << bit]) * count, "little") for bit in range(_BITS)]
    answers = [found[lookup] & masks[bit] for lookup, bit in plan.answers]
    totals = [0] * count
    for start in range(0, len(plan.trees), _MOST_IN_LANE):
        sums = _sum(plan.trees[start : start + _MOST_IN_LANE], answers, count)
        totals = [total + value for total, value in zip(totals, sums, strict=True)]
    return [forest.bias + forest.scale * total for total in totals]


def probability(score: float) -> float:
    """A score as a probability."""
    return 1.0 / (1.0 + exp(-score)) if score > -30 else 0.0


def spread_bits(column: bytes, bit: int) -> bytes:
    """One bit of each byte of a column."""
    return column.translate(_BIT_TABLES[bit])


def _sum(trees: Sequence[tuple[tuple[int, ...], bytes]], answers: Sequence[int], count: int) -> list[int]:
    """The sum of the leaves that each piece reaches."""
    low_bytes = int.from_bytes(b"\xff\0" * ((count + 1) // 2), "little")
    # The sums of all bytes, each run over into the next, and of every other byte.
    everything = odd = 0
    for wanted, leaves in trees:
        way = 0
        for answer in wanted:
            way |= answers[answer]
        reached = int.from_bytes(way.to_bytes(count, "little").translate(leaves), "little")
        everything += reached
        odd += reached >> 8 & low_bytes
    lanes = _lanes(everything - (odd << 8), count), _lanes(odd, count)
    return [value for pair in zip(*lanes, strict=True) for value in pair][:count]


def _lanes(sums: int, count: int) -> array[int]:
    lanes = array("H")
    lanes.frombytes(sums.to_bytes(count + count % 2, "little"))
    if lanes.itemsize != 2 or array("H", [1]).tobytes() != b"\1\0":  # pragma: no cover  # no such machine is supported
        lanes.byteswap()
    return lanes


def _plan(forest: Forest) -> Plan:
    """Lay a forest out; a question stands at the same bit in as many trees as can be."""
    lookups = _Lookups()
    answers: dict[tuple[int, int], int] = {}
    places: list[tuple[int, int]] = []
    trees: list[tuple[tuple[int, ...], bytes]] = []
    for questions, leaves in forest.trees:
        bits = _bits(questions, answers)
        for question, bit in zip(questions, bits, strict=True):
            if (question, bit) not in answers:
                answers[question, bit] = len(places)
                places.append((lookups.place(*forest.questions[question], bit), bit))
        wanted = tuple([answers[place] for place in zip(questions, bits, strict=True)])
        trees.append((wanted, _reordered(leaves, bits)))
    return Plan(lookups=lookups.tables(), answers=tuple(places), trees=tuple(trees))


def _bits(questions: Sequence[int], known: Container[tuple[int, int]]) -> list[int]:
    """A bit for each question of a tree: one where it stood before, or any that is left."""
    left = list(range(len(questions)))
    bits = [-1] * len(questions)
    for level, question in enumerate(questions):
        bit = next((bit for bit in left if (question, bit) in known), -1)
        if bit >= 0:
            bits[level] = bit
            left.remove(bit)
    return [bit if bit >= 0 else left.pop() for bit in bits]


class _Lookups:
    """Tables of answers while they fill."""

    def __init__(self) -> None:
        self._features: list[int] = []
        self._tables: list[int] = []
        # The tables of a feature and the bits that are taken in them.
        self._taken: dict[int, dict[int, set[int]]] = {}

    def place(self, feature: int, bound: int, bit: int) -> int:
        """Put the answer to a question where the bit is free; answers the number of the table."""
        of_feature = self._taken.setdefault(feature, {})
        number = next((number for number, taken in of_feature.items() if bit not in taken), len(self._tables))
        if number == len(self._tables):
            self._features.append(feature)
            self._tables.append(0)
        of_feature.setdefault(number, set()).add(bit)
        self._tables[number] |= int.from_bytes(bytes(bound + 1) + bytes([1 << bit]) * (255 - bound), "little")
        return number

    def tables(self) -> tuple[tuple[int, bytes], ...]:
        """Each with its feature."""
        return tuple(
            (feature, table.to_bytes(256, "little"))
            for feature, table in zip(self._features, self._tables, strict=True)
        )


def _reordered(leaves: bytes, bits: Sequence[int]) -> bytes:
    """The leaves when the answers stand at these bits."""
    # For each way with the new bits the way with the old ones.
    old = bytes(1)
    for bit in range(len(bits)):
        level = 1 << bits.index(bit)
        old += bytes([way | level for way in old])
    return old.translate(leaves.ljust(256, b"\0")).ljust(256, b"\0")


_BIT_TABLES = tuple(bytes(value >> bit & 1 for value in range(256)) for bit in range(8))
