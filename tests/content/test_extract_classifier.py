"""The forest answers as a walk down each tree would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outrider.content.classifier import Forest, probability, scores, spread_bits

FEATURES = 3


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    questions = draw(st.lists(st.tuples(st.integers(0, FEATURES - 1), st.integers(0, 255)), min_size=1, max_size=6))
    trees = []
    for _ in range(draw(st.integers(0, 6))):
        asked = tuple(draw(st.lists(st.integers(0, len(questions) - 1), min_size=1, max_size=4)))
        trees.append((asked, draw(st.binary(min_size=256, max_size=256))))
    return Forest(questions=tuple(questions), trees=tuple(trees), scale=0.5, bias=-3.0)


def walked(forest: Forest, row: tuple[int, ...]) -> float:
    total = 0
    for asked, leaves in forest.trees:
        way = 0
        for bit, question in enumerate(asked):
            feature, bound = forest.questions[question]
            way |= (row[feature] > bound) << bit
        total += leaves[way]
    return forest.bias + forest.scale * total


@given(forests(), st.lists(st.tuples(*[st.integers(0, 255)] * FEATURES), min_size=1, max_size=9))
def test_all_pieces_together_score_as_each_alone(forest: Forest, rows: list[tuple[int, ...]]) -> None:
    columns = [bytes(row[feature] for row in rows) for feature in range(FEATURES)]

    assert scores(forest, columns, len(rows)) == [walked(forest, row) for row in rows]


def test_more_trees_than_a_lane_holds_do_not_overflow() -> None:
    tree = ((0,), bytes([255] * 256))
    forest = Forest(questions=((0, 7),), trees=(tree,) * 700, scale=1.0, bias=0.0)

    assert scores(forest, [bytes([1, 2, 3])], 3) == [700.0 * 255] * 3


def test_a_score_of_nothing_is_even_odds() -> None:
    assert probability(0.0) == 0.5
    assert probability(-1000.0) == 0.0
    assert probability(1000.0) == 1.0


def test_a_bit_of_a_column_is_a_column() -> None:
    assert spread_bits(bytes([0, 1, 2, 3, 128]), 1) == bytes([0, 0, 1, 1, 0])
