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
_ENDS = frozenset(".!?。")
_STOPS = _ENDS | frozenset(':！？”"')
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
        self._tags = [tags[key] for key in pieces.containers]
        self.headings = [_HEADINGS.get(tag, 0) for tag in self._tags]
        self.linked = [
            (share if (share := link / (len(text) or 1)) < 1.0 else 1.0) if link else 0.0
            for link, text in zip(pieces.links, pieces.texts, strict=True)
        ]
        self.stops = [_stops(text) for text in pieces.texts]
        self.texts = _text_scores(pieces, lexicon)
        """How much their words speak for them."""
        self._inner = [labels[key] for key in pieces.parents]
        self._outer = [labels[key] for key in pieces.containers]
        self.above = [above[key] for key in pieces.parents]
        """How much the names of all elements around them do."""
        self.scores = [
            text + around + (inner.own + outer.own if parent != container else inner.own)
            for text, around, inner, outer, parent, container in zip(
                self.texts, self.above, self._inner, self._outer, pieces.parents, pieces.containers, strict=True
            )
        ]

    def columns(self, pieces: Segments, head: Declared) -> list[bytes]:
        """What is known about each piece by itself; the last columns are the bits of its subjects."""
        tags, depths = pieces.tree.tags, pieces.depths
        containers, parents = pieces.containers, pieces.parents
        copies = Counter(pieces.texts)
        return [
            log_column(pieces.words),
            share_column(self.linked),
            bytes([TAG_NUMBERS.get(tag, 0) for tag in self._tags]),
            bytes(self.headings),
            score_column(self.texts),
            # All of a listing of code counts as in one element.
            score_column(
                [
                    inner.own + outer.own if inner is not outer else inner.own
                    for inner, outer in zip(self._inner, self._outer, strict=True)
                ]
            ),
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
            *self._subjects(pieces),
        ]

    def _subjects(self, pieces: Segments) -> list[bytes]:
        """The subjects that the names of a piece's own elements speak of, then those of all elements around it."""
        bits = pieces.bits
        own = [inner.bits | outer.bits for inner, outer in zip(self._inner, self._outer, strict=True)]
        above = [bits[key] for key in pieces.parents]
        # Most pieces share them with others.
        packed = {subjects: subjects.to_bytes(SUBJECT_BYTES, "little") for subjects in {*own, *above}}
        rows = [b"".join([packed[subjects] for subjects in column]) for column in (own, above)]
        return [row[at::SUBJECT_BYTES] for row in rows for at in range(SUBJECT_BYTES)]


def length_class(words: int) -> int:
    """0 for a short text, 1 for one of middle length, 2 for a long one."""
    return 0 if words <= _SHORT_TEXT else 1 if words <= _LONG_TEXT else 2


def _case(text: str) -> int:
    """1 for a capital first, 2 more for capitals only, 4 more for the end of a sentence."""
    return text[:1].isupper() + 2 * text[:80].isupper() + (4 if text[-1:] in _ENDS else 0)


def _stops(text: str) -> int:
    """Ends of sentences."""
    # Most texts hold neither sign: to look for one is far faster than to count two.
    others = (text.count("? ") if "?" in text else 0) + (text.count("! ") if "!" in text else 0)
    return text.count(". ") + others + (text[-1:] in _STOPS)


def _told(pieces: Segments, head: Declared) -> bytes:
    """2 for a sentence that the head or linked data tells too, 1 for a name that they tell, 0 for neither."""
    prose, statements = head.prose, head.statements
    if not prose and not statements:
        return bytes(len(pieces))
    found = bytearray()
    first_letters = {statement[0] for statement in statements if statement}
    for text, words in zip(pieces.texts, pieces.words, strict=True):
        fits = len(text) <= _TOLD_CHARACTERS
        if words >= _TOLD_WORDS:
            lower = squeezed(text[:_TOLD_CHARACTERS])
            found.append(2 if lower in prose or (fits and lower in statements) else 0)
        else:
            is_told = words > 0 and fits and text[0].lower()[0] in first_letters and squeezed(text) in statements
            found.append(is_told)
    return bytes(found)


def _text_scores(pieces: Segments, lexicon: Lexicon) -> list[float]:
    by_length: Sequence[dict[str, float]] = (lexicon.short, lexicon.middle, lexicon.long)
    scores: list[float] = []
    for found, words in zip(pieces.spoken, pieces.words, strict=True):
        weights = by_length[length_class(words)]
        scores.append(sum([weights[word] for word in found if word in weights]) / len(found) ** 0.5 if found else 0.0)
    return scores
