"""Which pieces of a page stand in its reference text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

_TOKEN = re.compile(r"\w+")
_Candidate = tuple[int, int, int, float]
"""Piece, start and end in the reference, tokens that agree."""


def tokens(text: str) -> list[str]:
    """The words that the benchmark counts."""
    return _TOKEN.findall(text.lower())


def align(pieces: list[list[str]], reference: list[str]) -> list[float]:
    """
    For each piece the share of its tokens that stand in the reference, in the reference's order.

    The pieces that agree with places in the reference are chained in the heaviest way that keeps both orders; long
    pieces that the chain leaves over still count when the reference holds them elsewhere.
    """
    labels = [0.0] * len(pieces)
    owed = Counter(reference)
    used = set()
    for piece, _, _, agreeing in _chain(_candidates(pieces, reference), len(reference)):
        labels[piece] = max(labels[piece], min(1.0, agreeing / len(pieces[piece])))
        used.add(piece)
        owed -= Counter(pieces[piece])
    _label_rest(pieces, reference, labels, owed, used)
    return labels


def from_segments(texts: list[str], required: list[str], forbidden: list[str]) -> list[float]:
    """1 for a piece with a required segment, 0 for one with a forbidden one, -1 where nothing is known."""
    wanted, unwanted = [_squash(text) for text in required], [_squash(text) for text in forbidden]
    labels: list[float] = []
    for text in map(_squash, texts):
        if not text:
            labels.append(-1.0)
        elif any(segment in text for segment in unwanted):
            labels.append(0.0)
        elif any(segment in text or (len(text) > 25 and text in segment) for segment in wanted):
            labels.append(1.0)
        else:
            labels.append(-1.0)
    return labels


def _squash(text: str) -> str:
    return " ".join(text.lower().split())


def _candidates(pieces: list[list[str]], reference: list[str]) -> list[_Candidate]:
    single: dict[str, list[int]] = defaultdict(list)
    double: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, token in enumerate(reference):
        single[token].append(at)
    for at, pair in enumerate(pairwise(reference)):
        double[pair].append(at)
    found: list[_Candidate] = []
    for number, piece in enumerate(pieces):
        starts = _starts(piece, single, double)
        most = 200 if len(piece) < 8 else 8
        for start, _ in sorted(starts.items(), key=lambda item: -item[1])[:most]:
            candidate = _judge(number, piece, reference, start)
            if candidate is not None:
                found.append(candidate)
    return found


def _starts(piece: list[str], single: dict[str, list[int]], double: dict[tuple[str, str], list[int]]) -> Counter[int]:
    """Where in the reference a piece may start, with how many of its pairs say so."""
    starts: Counter[int] = Counter()
    if len(piece) == 1:
        starts.update(single.get(piece[0], [])[:200])
        return starts
    for offset in range(0, len(piece) - 1, max(1, len(piece) // 60)):
        places = double.get((piece[offset], piece[offset + 1]), [])
        if len(places) <= 60:
            starts.update(place - offset for place in places)
    return starts


def _judge(number: int, piece: list[str], reference: list[str], start: int) -> _Candidate | None:
    size = len(piece)
    first, last = max(0, start), min(len(reference), start + size)
    if last <= first:
        return None
    window = reference[first:last]
    shared = sum((Counter(piece) & Counter(window)).values())
    agreeing = shared if size <= 4 else shared - 1
    if size <= 60:
        agreeing = max(
            agreeing if size > 4 else 0, sum(a == b for a, b in zip(piece[first - start :], window, strict=False))
        )
    if agreeing >= 0.6 * size or (size > 30 and agreeing >= 0.3 * size):
        return number, first, last, agreeing
    return None


_Link = tuple[_Candidate, "_Link | None"]
"""The end of a chain, and the chain before it."""


class _Heaviest:
    """The heaviest chain that ends before a place in the reference (a Fenwick tree of prefix maxima)."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tree: list[tuple[float, _Link | None]] = [(0.0, None)] * (size + 2)

    def before(self, place: int) -> tuple[float, _Link | None]:
        place = min(place, self._size + 1)
        found: tuple[float, _Link | None] = (0.0, None)
        while place > 0:
            if self._tree[place][0] > found[0]:
                found = self._tree[place]
            place -= place & -place
        return found

    def add(self, place: int, weight: float, link: _Link) -> None:
        place = min(place, self._size + 1)
        while place <= self._size + 1:
            if weight > self._tree[place][0]:
                self._tree[place] = (weight, link)
            place += place & -place


def _chain(candidates: list[_Candidate], size: int) -> list[_Candidate]:
    """The heaviest chain of candidates that keeps both orders, last first."""
    by_piece: dict[int, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_piece[candidate[0]].append(candidate)
    heaviest = _Heaviest(size)
    for number in sorted(by_piece):
        # All of a piece's candidates are weighed before one is added: a piece is used once.
        weighed = []
        for candidate in by_piece[number]:
            _, first, last, agreeing = candidate
            weight, link = heaviest.before(first + 1 + (last - first > 8))
            weighed.append((last + 1, weight + agreeing, (candidate, link)))
        for place, weight, link in weighed:
            heaviest.add(place, weight, link)
    chain: list[_Candidate] = []
    rest = heaviest.before(size + 1)[1]
    while rest is not None:
        candidate, rest = rest
        chain.append(candidate)
    return chain


def _label_rest(
    pieces: list[list[str]], reference: list[str], labels: list[float], owed: Counter[str], used: set[int]
) -> None:
    grams = set(zip(reference, reference[1:], reference[2:], strict=False))
    for number, piece in sorted(enumerate(pieces), key=lambda item: -len(item[1])):
        if number in used or len(piece) < 5:
            continue
        own = list(zip(piece, piece[1:], piece[2:], strict=False))
        if sum(gram in grams for gram in own) < 0.6 * len(own):
            continue
        taken = Counter(piece) & owed
        share = sum(taken.values()) / len(piece)
        if share >= 0.6:
            labels[number] = share
            owed -= taken
