"""Training labels: pieces of a page are found in its reference text."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def _labels() -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / "extractor_labels.py"
    spec = importlib.util.spec_from_file_location("extractor_labels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LABELS = _labels()


def align(pieces: list[str], reference: str) -> list[float]:
    found: list[float] = LABELS.align([LABELS.tokens(piece) for piece in pieces], LABELS.tokens(reference))
    return found


def test_pieces_of_the_reference_are_told_from_the_rest() -> None:
    pieces = ["Home", "News", "The weir was built in 1820.", "It burned down twice.", "Read more"]

    assert align(pieces, "The weir was built in 1820.\n\nIt burned down twice.") == [0, 0, 1, 1, 0]


def test_of_equal_pieces_the_one_in_order_is_meant() -> None:
    pieces = ["Contact", "The weir was built in 1820.", "Contact", "Write to the keeper of the weir."]

    labels = align(pieces, "The weir was built in 1820. Contact Write to the keeper of the weir.")

    assert labels == [0, 1, 1, 1]


def test_a_piece_that_is_kept_in_part_has_a_part_of_a_label() -> None:
    (label,) = align(["one two three four five six seven eight x y z"], "one two three four five six seven eight")

    assert 0.6 < label < 0.8


def test_long_pieces_count_out_of_order_too() -> None:
    first, second = "alpha beta gamma delta epsilon zeta", "one two three four five six"

    assert align([first, second], f"{second} {first}") == [1, 1]


def test_segments_say_what_they_can() -> None:
    assert LABELS.from_segments(["a good part", "an ad", "other", ""], ["good part"], ["an ad"]) == [1, 0, -1, -1]
