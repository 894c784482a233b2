"""The trained model of the main-content choice, as it is shipped."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from outrider.content.classifier import Forest
from outrider.content.features import Lexicon
from outrider.content.pagetype import TypeModel

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "extract_model.json.gz"
"""Beside this module; made by `scripts/train_extractor.py`."""

_TABLE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Everything that was learned."""

    lexicon: Lexicon
    types: TypeModel
    forest: Forest


@cache
def load() -> Model:
    """The shipped model, read on first use."""
    packed = resources.files("outrider.content").joinpath(FILE).read_bytes()
    return read(json.loads(gzip.decompress(packed)))


def read(stored: Mapping[str, Any]) -> Model:
    """
    A model as it is stored.

    Args:
        stored: `unit`, what one step of a word's weight is worth; `lexicon`, name to word to steps; `types` with
            `words` (steps for each type), `means`, `deviations`, `measures`, `bias`; `forest`.
    """
    unit: float = stored["unit"]
    return Model(
        lexicon=Lexicon(**{name: _weights(words, unit) for name, words in stored["lexicon"].items()}),
        types=_types(stored["types"], unit),
        forest=forest(stored["forest"]),
    )


def forest(stored: Mapping[str, Any]) -> Forest:
    """
    A forest as it is stored.

    Args:
        stored: `questions` as pairs; `trees` as the numbers of their questions; `leaves` of all trees in base 64;
            `scale` and `bias`.
    """
    leaves = b64decode(stored["leaves"])
    trees: list[tuple[tuple[int, ...], bytes]] = []
    start = 0
    for questions in stored["trees"]:
        end = start + (1 << len(questions))
        trees.append((tuple(questions), leaves[start:end].ljust(_TABLE, b"\0")))
        start = end
    return Forest(
        questions=tuple((feature, bound) for feature, bound in stored["questions"]),
        trees=tuple(trees),
        scale=stored["scale"],
        bias=stored["bias"],
    )


def _weights(words: Mapping[str, int], unit: float) -> dict[str, float]:
    return {word: steps * unit for word, steps in words.items()}


def _types(stored: Mapping[str, Any], unit: float) -> TypeModel:
    return TypeModel(
        words={word: tuple(steps * unit for steps in weights) for word, weights in stored["words"].items()},
        means=tuple(stored["means"]),
        deviations=tuple(stored["deviations"]),
        measures=tuple(tuple(weights) for weights in stored["measures"]),
        bias=tuple(stored["bias"]),
    )
