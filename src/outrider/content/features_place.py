"""Where a piece stands on its page: relative to the title, the main paragraphs, the last heading, the ends."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from outrider.content.measures import log_column, score_bin, share_bin
from outrider.content.pagehead import squeezed

if TYPE_CHECKING:
    from outrider.content.dom import Key
    from outrider.content.features_groups import Kind, Surroundings
    from outrider.content.features_own import Own
    from outrider.content.features_sums import Sums
    from outrider.content.pagehead import Declared
    from outrider.content.segments import Segments

_TITLE_WORDS = 30
_MOST_LEVELS = 20
# Distances before a place and after it as one number.
_BEFORE = bytes(max(0, 128 - distance) for distance in range(256))
_AFTER = bytes(min(255, 128 + distance) for distance in range(256))


def columns(pieces: Segments, around: Surroundings, sums: Sums, own: Own, *, title: int, top: Key) -> list[bytes]:
    """
    Where each piece stands.

    Args:
        title: The piece that is the page's title; -1 when there is none.
        top: The element that holds the main paragraphs; -1 when there is none.
    """
    count, total = len(pieces), sums.total
    before = sums.words[:-1]
    kinds = [around.kinds[container] for container in pieces.containers]
    times = Counter(kinds)
    held: dict[Kind, int] = dict.fromkeys(times, 0)
    for kind, size in zip(kinds, pieces.words, strict=True):
        held[kind] += size
    of_kind = [held[kind] for kind in kinds]
    return [
        *_beside_title(pieces, around, title),
        *_beside_top(pieces, around, sums, top),
        *_below_heading(sums, own),
        bytes([int(63 * at / count + 0.5) for at in range(count)]),
        bytes([int(63 * words / total + 0.5) for words in before]),
        log_column(before),
        log_column([total - words for words in sums.words[1:]]),
        log_column(range(count, 0, -1)),
        log_column(range(count)),
        log_column([times[kind] for kind in kinds]),
        log_column(of_kind),
        bytes([int(31 * words / total + 0.5) for words in of_kind]),
        around.depths(),
    ]


def title_of(pieces: Segments, own: Own, head: Declared) -> int:
    """The piece that is most likely the page's title; -1 when there is none."""
    titles = {head.title, head.other_title} - {""}
    first_letters = {title[0] for title in titles}
    best, found = -1, -1
    for at, (text, level, words) in enumerate(zip(pieces.texts, own.headings, pieces.words, strict=True)):
        is_heading = 1 <= level <= 2
        # Most pieces are no heading and begin otherwise than the title does: no need to read them.
        if not is_heading and text[:1].lower()[:1] not in first_letters:
            continue
        alike = 0
        if 0 < words < _TITLE_WORDS:
            lower = squeezed(text)
            alike = 3 if lower in titles else int(words > 1 and lower in head.title)
        if not is_heading and alike != 3:
            continue
        worth = 4 * (level == 1) + (10 if alike == 3 else 4 * alike)
        if worth > best:
            best, found = worth, at
    return found


def _beside_title(pieces: Segments, around: Surroundings, title: int) -> tuple[bytes, bytes]:
    count = len(pieces)
    if title < 0:
        return bytes(count), bytes(count)
    levels, far = around.levels(title, title + 1), log_column(range(count))
    return (
        far[title::-1].translate(_BEFORE) + far[1 : count - title].translate(_AFTER),
        bytes([min(_MOST_LEVELS, levels[container][0]) for container in pieces.containers]),
    )


def _beside_top(pieces: Segments, around: Surroundings, sums: Sums, top: Key) -> list[bytes]:
    count = len(pieces)
    if top < 0:
        return [bytes(count)] * 4
    start, end = around.before[top], around.before[pieces.tree.ends[top]]
    levels = around.levels(start, end)
    words, ranges, total = sums.words, around.ranges, sums.total
    holders = {holder for _, holder in levels.values()}
    shares = {key: share_bin((words[ranges[key][1]] - words[ranges[key][0]]) / total) for key in holders}
    places = [levels[container] for container in pieces.containers]
    return [
        bytes([0] * start + [1] * (end - start) + [2] * (count - end)),
        bytes([min(level, _MOST_LEVELS) for level, _ in places]),
        log_column([*range(start, 0, -1), *([0] * (end - start)), *range(count - end)]),
        bytes([shares[holder] for _, holder in places]),
    ]


def _below_heading(sums: Sums, own: Own) -> tuple[bytes, bytes, bytes]:
    """The level of the last heading before each piece, how much is said for it, and the words since it began."""
    level = score = 0
    since = -1
    levels, scores, distances = bytearray(), bytearray(), list[int]()
    for at, (found, words) in enumerate(zip(own.headings, sums.words, strict=False)):
        levels.append(level)
        scores.append(score)
        distances.append(words - since if since >= 0 else 0)
        if found:
            level, score, since = found, score_bin(own.scores[at]), words
    return bytes(levels), bytes(scores), log_column(distances)
