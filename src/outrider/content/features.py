"""What a classifier is told about each piece of a page, as columns of small whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outrider.content import features_place, pagetype
from outrider.content.features_groups import Surroundings, top_of
from outrider.content.features_own import Lexicon, Own
from outrider.content.features_sums import sums_of
from outrider.content.hints import SUBJECT_BYTES, Labels
from outrider.content.measures import log_bin, share_bin
from outrider.content.pagehead import Declared, declared
from outrider.content.segments import Segments, segment

if TYPE_CHECKING:
    from outrider.content.dom import Tree
    from outrider.content.pagetype import TypeModel

__all__ = ["Lexicon", "Sheet", "cut", "describe", "describe_pieces", "paragraphs", "types_at"]

_PARAGRAPH_WORDS = 12
_PARAGRAPH_LINKS = 0.4
# Of the measures of the page, those that every piece is told.
_PAGE_MEASURES = (1, 3, 4, 18, 20)
# Of what a piece is by itself, what the two before and the two after it are told: tag, scores.
_TOLD_BESIDE = (2, 4, 5, 6, 7)
_BESIDE = (-1, -2, 1, 2)

# Where the bits of the subjects stand among the columns: what a piece is by itself before them, own and all around.
OWN_FEATURES = 14
BIT_FEATURES = 2 * SUBJECT_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The pieces of a page with what is known about each."""

    pieces: Segments
    columns: list[bytes]
    """For each thing known a number for each piece."""
    types: bytes
    """The probability of each type of page, as 0 to 250."""
    around: Surroundings
    headings: list[int]
    """1 to 6 where a piece is a heading, else 0."""
    head: Declared


def types_at(columns: int) -> int:
    """Where the probabilities of the page's type stand among so many columns."""
    return columns - 8 * BIT_FEATURES - len(_PAGE_MEASURES) - 2 - len(pagetype.TYPES)


def describe(tree: Tree, *, url: str, lexicon: Lexicon, types: TypeModel | None) -> Sheet:
    """Cut a page into pieces and say what is known about each."""
    return describe_pieces(cut(tree, lexicon), url=url, lexicon=lexicon, types=types)


def cut(tree: Tree, lexicon: Lexicon) -> Segments:
    """Cut a page into pieces."""
    return segment(tree, Labels(lexicon.own, lexicon.above))


def describe_pieces(pieces: Segments, *, url: str, lexicon: Lexicon, types: TypeModel | None) -> Sheet:
    """Say what is known about each piece."""
    head, own, around = declared(pieces.tree, url), Own(pieces, lexicon), Surroundings(pieces)
    sums, prose = sums_of(pieces, own), paragraphs(pieces)
    title, top = features_place.title_of(pieces, own, head), top_of(pieces, prose)
    measures = pagetype.page_measures(pieces, head, prose)
    guess = bytes(len(pagetype.TYPES))
    if types is not None:
        guess = pagetype.guess(types, pagetype.page_words(pieces, head), measures)
    start, end = (around.before[top], around.before[pieces.tree.ends[top]]) if top >= 0 else (0, 0)
    top_share = share_bin((sums.words[end] - sums.words[start]) / sums.total)
    page = (*guess, *[measures[number] for number in _PAGE_MEASURES], top_share, log_bin(len(head.prose) >> 3))
    by_itself = own.columns(pieces, head)
    return Sheet(
        pieces=pieces,
        columns=[
            *by_itself,
            *features_place.columns(pieces, around, sums, own, title=title, top=top),
            *[_shifted(by_itself[number], by) for by in _BESIDE for number in _TOLD_BESIDE],
            *around.columns(sums),
            *[bytes([value]) * len(pieces) for value in page],
        ],
        types=guess,
        around=around,
        headings=own.headings,
        head=head,
    )


def paragraphs(pieces: Segments) -> list[bool]:
    """Which pieces are prose rather than links, names or labels."""
    return [
        words >= _PARAGRAPH_WORDS and link < _PARAGRAPH_LINKS * len(text)
        for words, link, text in zip(pieces.words, pieces.links, pieces.texts, strict=True)
    ]


def _shifted(column: bytes, by: int) -> bytes:
    """For each piece what another one so far from it has; 0 beyond the ends."""
    if by < 0:
        return (bytes(-by) + column)[: len(column)]
    return (column + bytes(by))[by:]
