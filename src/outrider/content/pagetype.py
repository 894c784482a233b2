"""A guess at the kind of page: article, collection, documentation, forum, listing, product or service."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp, sqrt
from typing import TYPE_CHECKING

from outrider.content.measures import has_price, log_bin

if TYPE_CHECKING:
    from outrider.content.pagehead import Declared
    from outrider.content.segments import Segments

TYPES = ("article", "collection", "documentation", "forum", "listing", "product", "service")
"""In the order of a guess."""
# Names of buttons, cells and links tell the kind of page; sentences tell its subject.
_SHORT_TEXT = 60
# How far the words of a page count beside its measures.
_WORDS_NORM = 5.0
_MEASURES_NORM = 0.5
_LONG_PIECE = 40
_REPEATED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeModel:
    """A linear model over words and measures, one weight for each type."""

    words: dict[str, tuple[float, ...]]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    measures: tuple[tuple[float, ...], ...]
    """For each measure a weight for each type."""
    bias: tuple[float, ...]


def guess(model: TypeModel, words: set[str], measures: bytes) -> bytes:
    """The probability of each type, as 0 to 250."""
    scores = list(model.bias)
    known = [model.words[word] for word in sorted(words & model.words.keys())]
    scale = _WORDS_NORM / max(1.0, sqrt(len(known)))
    for kind, weights in enumerate(zip(*known, strict=True)):
        scores[kind] += sum(weights) * scale
    for value, mean, deviation, weights in zip(measures, model.means, model.deviations, model.measures, strict=True):
        step = (value - mean) / deviation * _MEASURES_NORM
        for kind, weight in enumerate(weights):
            scores[kind] += weight * step
    top = max(scores)
    parts = [exp(score - top) for score in scores]
    whole = sum(parts)
    return bytes([int(250 * part / whole) for part in parts])


def page_words(pieces: Segments, declared: Declared) -> set[str]:
    """What a page says about its kind: names of elements, and words of titles, addresses and short texts."""
    words = set(declared.words)
    names = {part for label in set(pieces.labels) for part in label.parts}
    spoken = {
        word
        for text, found in zip(pieces.texts, pieces.spoken, strict=True)
        if len(text) < _SHORT_TEXT
        for word in found
    }
    words.update([f"c:{part}" for part in names])
    words.update([f"t:{word}" for word in spoken])
    return words


def page_measures(pieces: Segments, declared: Declared, paragraphs: list[bool]) -> bytes:
    """Counts and shares over a whole page."""
    tree, words = pieces.tree, pieces.words
    total = sum(words) or 1
    tags = {tag: len(keys) for tag, keys in tree.index.tags.items()}

    def count(*names: str) -> int:
        return log_bin(sum(tags.get(name, 0) for name in names))

    linked = sum(
        [
            size * min(1.0, link / (len(text) or 1))
            for size, link, text in zip(words, pieces.links, pieces.texts, strict=True)
            if link
        ]
    )
    kind = declared.kind
    long_pieces = [size for size in words if size >= _LONG_PIECE]
    most, times = _most_repeated(pieces)
    in_paragraphs = sum(size for size, is_paragraph in zip(words, paragraphs, strict=True) if is_paragraph)
    return bytes(
        (
            1 if "article" in kind else 2 if "product" in kind else 3 if kind == "website" else 4 if kind else 0,
            log_bin(total),
            log_bin(len(pieces)),
            int(31 * linked / total),
            int(31 * in_paragraphs / total),
            log_bin(sum(1 for text in pieces.texts if has_price(text[:60]))),
            count("p"),
            count("li"),
            count("table"),
            count("td"),
            count("pre", "code"),
            count("article"),
            min(tags.get("main", 0), 3),
            count("img"),
            count("form", "input"),
            min(tags.get("h1", 0), 5),
            count("h2"),
            count("h3", "h4"),
            int(31 * most / total),
            log_bin(times),
            min(declared.path.count("/") + 1 if declared.path else 0, 9),
            min(len(declared.path), 99),
            log_bin(max(words, default=0)),
            log_bin(sum(long_pieces)),
            log_bin(len(long_pieces)),
            count("time"),
            count("button"),
            count("blockquote"),
            count("dl", "dd"),
        )
    )


def _most_repeated(pieces: Segments) -> tuple[int, int]:
    """Words and number of the pieces in elements of the one kind that holds most, among kinds that recur."""
    labels = pieces.labels
    of_pieces = [id(labels[container]) for container in pieces.containers]
    times = Counter(of_pieces)
    held = dict.fromkeys(times, 0)
    for label, size in zip(of_pieces, pieces.words, strict=True):
        held[label] += size
    return max(((held[label], number) for label, number in times.items() if number >= _REPEATED), default=(0, 0))
