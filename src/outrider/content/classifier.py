"""
Trees of decisions over columns of small whole numbers, evaluated for all pieces of a page at once.

Every tree asks the same question of all pieces at each of its levels ("is feature 12 above 7?"), so a piece's way
through it is a number with one bit for each answer. The answers of all pieces are the bytes of one large integer; a few
shifts and one `bytes.translate` take them through a tree together, instead of a walk for each piece.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# A lane of 16 bits holds the sum of this many bytes.
_MOST_IN_LANE = 257


@dataclass(frozen=True, slots=True, kw_only=True)
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


def scores(forest: Forest, columns: Sequence[bytes], count: int) -> list[float]:
    """
    The score of each piece; 0 is as likely as not.

    Args:
        columns: For each feature its value for each piece.
        count: How many pieces there are.
    """
    totals = [0] * count
    answers: dict[int, int] = {}
    for start in range(0, len(forest.trees), _MOST_IN_LANE):
        for at, value in enumerate(_sum(forest, columns, answers, forest.trees[start : start + _MOST_IN_LANE], count)):
            totals[at] += value
    return [forest.bias + forest.scale * total for total in totals]


def probability(score: float) -> float:
    """A score as a probability."""
    return 1.0 / (1.0 + exp(-score)) if score > -30 else 0.0


def spread_bits(column: bytes, bit: int) -> bytes:
    """One bit of each byte of a column."""
    return column.translate(_BIT_TABLES[bit])


def _sum(
    forest: Forest,
    columns: Sequence[bytes],
    answers: dict[int, int],
    trees: Sequence[tuple[tuple[int, ...], bytes]],
    count: int,
) -> list[int]:
    """The sum of the leaves that each piece reaches."""
    low_bytes = int.from_bytes(b"\xff\0" * ((count + 1) // 2), "little")
    even = odd = 0
    for questions, leaves in trees:
        way = 0
        for bit, question in enumerate(questions):
            answer = answers.get(question)
            if answer is None:
                feature, bound = forest.questions[question]
                answer = answers[question] = int.from_bytes(columns[feature].translate(_ABOVE[bound]), "little")
            # On one page most answers to many questions are no.
            if answer:
                way |= answer << bit
        reached = int.from_bytes(way.to_bytes(count, "little").translate(leaves), "little")
        even += reached & low_bytes
        odd += reached >> 8 & low_bytes
    width = count + count % 2
    lanes = array("H")
    lanes.frombytes(even.to_bytes(width, "little"))
    others = array("H")
    others.frombytes(odd.to_bytes(width, "little"))
    if lanes.itemsize != 2 or array("H", [1]).tobytes() != b"\1\0":  # pragma: no cover  # no such machine is supported
        lanes.byteswap()
        others.byteswap()
    return [value for pair in zip(lanes, others, strict=True) for value in pair][:count]


_ABOVE = tuple(bytes(bound + 1) + b"\1" * (255 - bound) for bound in range(256))
_BIT_TABLES = tuple(bytes(value >> bit & 1 for value in range(256)) for bit in range(8))
