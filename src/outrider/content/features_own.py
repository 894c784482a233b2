"""What a piece of a page is by itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outrider.content.hints import SUBJECT_BYTES
from outrider.content.measures import log_column, score_column, share_column
from outrider.content.pagehead import squeezed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outrider.content.pagehead import Declared
    from outrider.content.segments import Segments

# The order is known to the trained model.
TAG_NUMBERS = {
    tag: number
    for number, tag in enumerate(
        "div p li h1 h2 h3 h4 h5 h6 td th dd dt section article main header footer nav aside ul ol table tr"  # noqa: SIM905
        " tbody blockquote pre figure figcaption button form a span body details summary label address dl fieldset"
        " center".split(),
        1,
    )
}
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_SHORT_TEXT, _LONG_TEXT = 4, 15
"""Words up to which a text is short, and above which it is long."""
_TOLD_WORDS = 6
_TOLD_CHARACTERS = 60
_NO_PARENT = 63
_MOST_COPIES = 15
_DEEPEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """How much single words speak for a piece of text."""

    own: dict[str, float]
    """Parts of the names of the element that it stands in."""
    above: dict[str, float]
    """Parts of the names of every element around it."""
    short: dict[str, float]
    middle: dict[str, float]
    long: dict[str, float]
    """Words of texts by their length."""


class Own:
    """Lists with an entry for each piece."""

    def __init__(self, pieces: Segments, lexicon: Lexicon) -> None:
        tags, labels, above = pieces.tree.tags, pieces.labels, pieces.above
        self.headings = [_HEADINGS.get(tags[key], 0) for key in pieces.containers]
        self.linked = [
            share if (share := link / (len(text) or 1)) < 1.0 else 1.0
            for link, text in zip(pieces.links, pieces.texts, strict=True)
        ]
        self.stops = [_stops(text) for text in pieces.texts]
        self.texts = _text_scores(pieces, lexicon)
        """How much their words speak for them."""
        names = [
            labels[parent].own + labels[container].own if parent != container else labels[parent].own
            for parent, container in zip(pieces.parents, pieces.containers, strict=True)
        ]
        self.above = [above[parent] for parent in pieces.parents]
        """How much the names of all elements around them do."""
        self.scores = [text + around + name for text, around, name in zip(self.texts, self.above, names, strict=True)]

    def columns(self, pieces: Segments, head: Declared) -> list[bytes]:
        """What is known about each piece by itself; the last columns are the bits of its subjects."""
        tags, labels, depths = pieces.tree.tags, pieces.labels, pieces.depths
        containers, parents = pieces.containers, pieces.parents
        copies = Counter(pieces.texts)
        numbers = [TAG_NUMBERS.get(tags[key], 0) for key in containers]
        # All of a listing of code counts as in one element.
        names = [
            inner.own + outer.own if (inner := labels[parent]) is not (outer := labels[container]) else inner.own
            for parent, container in zip(parents, containers, strict=True)
        ]
        return [
            log_column(pieces.words),
            share_column(self.linked),
            bytes(numbers),
            bytes(self.headings),
            score_column(self.texts),
            score_column(names),
            score_column(self.above),
            score_column(self.scores),
            share_column([stops / (words + 1) * 8 for stops, words in zip(self.stops, pieces.words, strict=True)]),
            bytes([_case(text) for text in pieces.texts]),
            bytes([number if (number := copies[text]) < _MOST_COPIES else _MOST_COPIES for text in pieces.texts]),
            bytes(
                [
                    TAG_NUMBERS.get(tags[parent], _NO_PARENT) if parent != container else 0
                    for parent, container in zip(parents, containers, strict=True)
                ]
            ),
            bytes([depth if (depth := depths[key]) < _DEEPEST else _DEEPEST for key in containers]),
            _told(pieces, head),
            *_subjects(pieces),
        ]


def length_class(words: int) -> int:
    """0 for a short text, 1 for one of middle length, 2 for a long one."""
    return 0 if words <= _SHORT_TEXT else 1 if words <= _LONG_TEXT else 2


def _case(text: str) -> int:
    """1 for a capital first, 2 more for capitals only, 4 more for the end of a sentence."""
    return text[:1].isupper() + 2 * text[:80].isupper() + 4 * text.endswith((".", "!", "?", "。"))


def _stops(text: str) -> int:
    """Ends of sentences."""
    return (
        text.count(". ")
        + text.count("? ")
        + text.count("! ")
        + text.endswith((".", "!", "?", ":", "。", "！", "？", "”", '"'))
    )


def _told(pieces: Segments, head: Declared) -> bytes:
    """2 for a sentence that the head or linked data tells too, 1 for a name that they tell, 0 for neither."""
    prose, statements = head.prose, head.statements
    if not prose and not statements:
        return bytes(len(pieces))
    found = bytearray()
    for text, words in zip(pieces.texts, pieces.words, strict=True):
        lower, fits = squeezed(text[:_TOLD_CHARACTERS]), len(text) <= _TOLD_CHARACTERS
        if words >= _TOLD_WORDS:
            found.append(2 if lower in prose or (fits and lower in statements) else 0)
        else:
            found.append(int(words > 0 and fits and lower in statements))
    return bytes(found)


def _subjects(pieces: Segments) -> list[bytes]:
    """The subjects that the names of a piece's own elements speak of, then those of all elements around it."""
    labels, bits = pieces.labels, pieces.bits
    own = b"".join(
        [
            (labels[parent].bits | labels[container].bits).to_bytes(SUBJECT_BYTES, "little")
            for parent, container in zip(pieces.parents, pieces.containers, strict=True)
        ]
    )
    above = b"".join([bits[parent].to_bytes(SUBJECT_BYTES, "little") for parent in pieces.parents])
    return [found[at::SUBJECT_BYTES] for found in (own, above) for at in range(SUBJECT_BYTES)]


def _text_scores(pieces: Segments, lexicon: Lexicon) -> list[float]:
    by_length: Sequence[dict[str, float]] = (lexicon.short, lexicon.middle, lexicon.long)
    scores: list[float] = []
    for found, words in zip(pieces.spoken, pieces.words, strict=True):
        weights = by_length[length_class(words)]
        scores.append(sum([weights[word] for word in found if word in weights]) / len(found) ** 0.5 if found else 0.0)
    return scores
