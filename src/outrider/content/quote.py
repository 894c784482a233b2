"""Does a passage stand in a text? Exactly, nearly, or not at all."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Literal

import regex

from outrider.errors import InvalidArgument

MAX_QUOTE_CHARS = 4_000
"""A longer passage is checked in parts."""

# Of the passage's words, in their order, so many must stand together in the text for it to be close.
_CLOSE = 0.75
# What a word is for comparison: a run of letters and digits, or one character of a script without spaces.
_WORD = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
# Places where an anchor word stands that are looked at; the rarest words come first.
_MOST_PLACES = 20_000
_MOST_ANCHORS = 12
_MOST_CANDIDATES = 4
_MOST_DIFFERENCES = 12

# What stands for the same thing in typed and in typeset text.
_ALIKE = ("'’‘ʼ′‚‛", '"“”„‟″«»', "-‐‑‒–—−")
# Markup between the characters of a passage is not part of it: emphasis, code marks, brackets and targets of links,
# quotation marks of blocks, escapes. A target may hold one pair of brackets.
_TARGET = r"\((?:[^()\s]|\([^()\s]{0,200}+\)){0,2000}+(?: \"[^\"\n]{0,300}+\")?+\)"
_MARKUP = rf"(?:[*_~`\\\[]|\](?:{_TARGET}|\[[^\]\n]{{0,200}}+\])?+|!(?=\[))"
_BETWEEN = rf"{_MARKUP}{{0,12}}+"
# What `str` counts as white space; `regex` leaves the four separators out.
_SPACE = r"[\s\x1c-\x1f]"
_GAP = rf"{_BETWEEN}(?:{_SPACE}|\u200b|^>|^\#{{1,6}}+ ){{1,80}}+{_BETWEEN}"
_LINK_TARGET = regex.compile(rf"(?<=\]){_TARGET}")
_SEPARATORS = regex.compile(r"[*_~`\\\[\]]+")
_SKIPPED = regex.compile(rf"(?:{_SPACE}|\u200b|^>|^\#{{1,6}}+ |{_MARKUP})*+", regex.MULTILINE)
_SPACES = regex.compile(rf"{_SPACE}+")
# An exact passage is found in a tenth of these in a text of 8 MB; a text made to be slow is compared word by word.
_EXACT_TIMEOUT_S = 1.0
_MOST_STEPS = 400_000
# To compile the pattern takes 2 ms a word, so only the passage's beginning is looked for by one.
_BEGINNING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the passage and the text part."""

    quoted: str
    """Words of the passage; empty where the text has more."""
    found: str
    """Words of the text; empty where the passage has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a passage stands in a text, and where."""

    verdict: Literal["exact", "close", "absent"]
    start: int | None = None
    """Code points from the start of the text, of the passage or of what is nearest to it."""
    end: int | None = None
    text: str = ""
    """What the text says there."""
    score: float = 0.0
    """Part of the words of both that agree, 0 to 1."""
    differences: tuple[Difference, ...] = ()
    """Of a close passage, in order."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def verify(text: str, quote: str) -> Verdict:
    """
    Look for a passage.

    White space, kinds of quotation marks and dashes, and the text's own markup do not count; everything else does.

    Raises:
        InvalidArgument: The passage is empty or too long.
    """
    _check(quote)
    found = _exact(text, quote)
    if found is not None:
        start, end = found
        return Verdict(verdict="exact", start=start, end=end, text=text[start:end], score=1.0)
    nearest = _nearest(text, quote)
    if nearest is None:
        return Verdict(verdict="absent")
    return nearest


def _check(quote: str) -> None:
    if not _WORD.search(quote):
        message = "quote holds no words"
        raise InvalidArgument(message, details={"field": "quote"}, hint="Give the passage as it should stand.")
    if len(quote) > MAX_QUOTE_CHARS:
        message = f"quote has {len(quote)} characters, and the most is {MAX_QUOTE_CHARS}"
        raise InvalidArgument(message, details={"field": "quote"}, hint="Check it in parts.")


# Exactly.


def _exact(text: str, quote: str) -> tuple[int, int] | None:
    bare = _LINK_TARGET.sub("", quote).strip().lstrip("># ")
    composed, decomposed = unicodedata.normalize("NFC", bare), unicodedata.normalize("NFD", bare)
    for form in dict.fromkeys((bare, composed, decomposed)):
        tokens = [token for token in _SPACES.split(form) if _SEPARATORS.sub("", token)]
        beginning = _GAP.join(map(_token, tokens[:_BEGINNING]))
        wanted = " ".join(_plain(token) for token in tokens)
        found = _first_whole(text, beginning, wanted)
        if found is not None:
            return found
    return None


def _first_whole(text: str, beginning: str, wanted: str) -> tuple[int, int] | None:
    """The first place where a passage begins that then goes on to its end."""
    steps = _MOST_STEPS
    try:
        for match in regex.finditer(beginning, text, regex.MULTILINE, timeout=_EXACT_TIMEOUT_S, concurrent=True):
            end, used = _walk(text, match.start(), wanted)
            if end is not None:
                return match.start(), end
            steps -= used
            if steps < 0:
                return None
    except TimeoutError:
        pass
    return None


def _walk(text: str, start: int, wanted: str) -> tuple[int | None, int]:
    """Where a passage that begins at a place ends there, or None; and how many characters were compared."""
    place = start
    index = 0
    while index < len(wanted):
        skipped = _SKIPPED.match(text, place)
        after = skipped.end() if skipped else place
        spaced = _SPACES.search(text, place, after) is not None
        if spaced != (wanted[index] == " ") and place > start:
            return None, index
        index += wanted[index] == " "
        if after >= len(text):
            return None, index
        found = _folded(text[after])
        if not wanted.startswith(found, index):
            return None, index
        index += len(found)
        place = after + 1
    return place, index


def _plain(token: str) -> str:
    return "".join(_folded(character) for character in _SEPARATORS.sub("", token))


def _folded(character: str) -> str:
    if character == "…":
        return "..."
    return next((group[0] for group in _ALIKE if character in group), character)


def _token(token: str) -> str:
    """
    A word as it may stand in the text: markup may begin or end where letters meet other characters.

    An ellipsis may be written with three dots. Markup in the passage itself may be missing from the text.
    """
    parts = _SPACES.split(_SEPARATORS.sub(" ", token.replace("...", "…")).strip())
    runs = ["".join(run) for part in parts for _, run in groupby(part, key=str.isalnum)]
    return _BETWEEN.join("".join(map(_character, run)) for run in runs)


def _character(character: str) -> str:
    if character == "…":
        return r"(?:…|\.\.\.)"
    alike = next((group for group in _ALIKE if character in group), None)
    return regex.escape(character) if alike is None else f"[{regex.escape(alike)}]"


# Nearly.


def _nearest(text: str, quote: str) -> Verdict | None:
    wanted = _words(quote, 0, len(quote))
    best: Verdict | None = None
    for start, end in _candidates(text, wanted, span=max(80, len(quote))):
        verdict = _compare(text, wanted, _words(text, start, end))
        if verdict is not None and (best is None or verdict.score > best.score):
            best = verdict
    return best


def _words(text: str, start: int, end: int) -> list[_Word]:
    """The words of a stretch, without those in the targets of links."""
    targets = [match.span() for match in _LINK_TARGET.finditer(text, start, end)]
    ends = [stop for _, stop in targets]
    words: list[_Word] = []
    for match in _WORD.finditer(text, start, end):
        at = bisect_right(ends, match.start())
        if at == len(targets) or match.start() < targets[at][0]:
            words.append(_Word(_fold(match[0]), match.start(), match.end()))
    return words


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _candidates(text: str, wanted: list[_Word], *, span: int) -> list[tuple[int, int]]:
    """Stretches of the text in which most of the passage's telling words stand."""
    anchors = _anchors(wanted)
    if not anchors:
        return []
    pattern = regex.compile("|".join(regex.escape(anchor) for anchor in anchors), regex.IGNORECASE)
    found = islice(pattern.finditer(text, concurrent=True), _MOST_PLACES)
    places = [(match.start(), match[0].casefold()) for match in found]
    starts = [start for start, _ in places]
    ranked: list[tuple[int, int]] = []
    low = 0
    counts: dict[str, int] = {}
    for start, name in places:
        counts[name] = counts.get(name, 0) + 1
        while start - starts[low] > span:
            leaving = places[low][1]
            counts[leaving] -= 1
            if not counts[leaving]:
                del counts[leaving]
            low += 1
        ranked.append((len(counts), starts[low]))
    return _apart(ranked, span, len(text))


def _anchors(wanted: list[_Word]) -> list[str]:
    """The passage's longest words; of a script without spaces, neighbours taken together."""
    unspaced = "".join(word.text for word in wanted if len(word.text) == 1)
    pieces = {unspaced[at : at + 3] for at in range(0, len(unspaced) - 2, max(1, len(unspaced) // _MOST_ANCHORS))}
    spaced = {word.text for word in wanted if len(word.text) > 1}
    longest = sorted(spaced, key=lambda word: (-len(word), word))[:_MOST_ANCHORS]
    return sorted(pieces)[:_MOST_ANCHORS] + longest or [word.text for word in wanted[:_MOST_ANCHORS]]


def _apart(ranked: list[tuple[int, int]], span: int, length: int) -> list[tuple[int, int]]:
    """The best few that do not overlap, each with some room around it."""
    chosen: list[int] = []
    for _, start in sorted(set(ranked), key=lambda entry: (-entry[0], entry[1])):
        at = bisect_left(chosen, start)
        near = chosen[max(0, at - 1) : at + 1]
        if all(abs(start - other) > span for other in near):
            chosen.insert(at, start)
        if len(chosen) == _MOST_CANDIDATES:
            break
    return [(max(0, start - span), min(length, start + 2 * span)) for start in chosen]


def _compare(text: str, wanted: list[_Word], there: list[_Word]) -> Verdict | None:
    pairs = _common([word.text for word in wanted], [word.text for word in there])
    pairs = _densest(pairs, len(wanted))
    if not pairs:
        return None
    first, last = pairs[0][1], pairs[-1][1]
    # What the passage has before the first and after the last agreement may stand in the text in other words.
    low = max(0, first - min(pairs[0][0], 3)) if pairs[0][0] else first
    high = min(len(there) - 1, last + min(len(wanted) - 1 - pairs[-1][0], 3))
    around = there[low : high + 1]
    score = 2 * len(pairs) / (len(wanted) + max(len(around), last - first + 1))
    start, end = around[0].start, around[-1].end
    return Verdict(
        verdict="close" if score >= _CLOSE else "absent",
        start=start,
        end=end,
        text=text[start:end],
        score=round(score, 3),
        differences=_differences(wanted, around, [(i, j - low) for i, j in pairs]) if score >= _CLOSE else (),
    )


def _densest(pairs: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """The agreements that stand together: one far from the others belongs to another sentence."""
    while len(pairs) > 1:
        gap_before = pairs[1][1] - pairs[0][1]
        gap_after = pairs[-1][1] - pairs[-2][1]
        slack = max(4, size // 4)
        if gap_before > gap_after and gap_before - (pairs[1][0] - pairs[0][0]) > slack:
            pairs = pairs[1:]
        elif gap_after - (pairs[-1][0] - pairs[-2][0]) > slack:
            pairs = pairs[:-1]
        else:
            break
    return pairs


def _common(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """
    The longest common subsequence, as pairs of places.

    Rows of bits instead of a table: 4,000 words beside 12,000 take a fraction of a second, whatever they are.
    """
    where: dict[str, int] = {}
    for index, word in enumerate(right):
        where[word] = where.get(word, 0) | (1 << index)
    full = (1 << len(right)) - 1
    row, rows = full, []
    for word in left:
        matches = where.get(word, 0)
        kept = row & matches
        row = ((row + kept) | (row - kept)) & full
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    column = len(right) - 1
    for index in range(len(left) - 1, -1, -1):
        # A cleared bit marks a column at which the subsequence of the row grows.
        while column >= 0 and rows[index] >> column & 1:
            column -= 1
        if column < 0:
            break
        if index and not rows[index - 1] >> column & 1:
            continue
        pairs.append((index, column))
        column -= 1
    return _drawn_together(pairs, left, right)


def _drawn_together(pairs: list[tuple[int, int]], left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """The same pairs, given last to first, in order: each as near to the one behind it as the same word stands."""
    drawn: list[tuple[int, int]] = []
    after = None
    for index, column in pairs:
        nearer = range((column + 1 if after is None else after) - 1, column, -1)
        after = next((place for place in nearer if right[place] == left[index]), column)
        drawn.append((index, after))
    return drawn[::-1]


def _differences(wanted: list[_Word], there: list[_Word], pairs: list[tuple[int, int]]) -> tuple[Difference, ...]:
    found: list[Difference] = []
    before = (-1, -1)
    for pair in [*pairs, (len(wanted), len(there))]:
        quoted = " ".join(word.text for word in wanted[before[0] + 1 : pair[0]])
        held = " ".join(word.text for word in there[before[1] + 1 : pair[1]])
        if quoted or held:
            found.append(Difference(quoted=quoted, found=held))
        before = pair
    return tuple(found[:_MOST_DIFFERENCES])
