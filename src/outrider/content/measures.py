"""Numbers as small whole ones, and what texts are made of."""

from __future__ import annotations

import re
from math import ceil
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d[.,]\d\d\s?(?:€|£|kr|zł|usd|eur|kč|lei)", re.IGNORECASE)
# No amount is without one of these, most texts are, and one set is searched for far faster.
_PRICE_SIGN = re.compile("[$€£¥₹.,]")
_WORD = re.compile(r"[^\W\d_]{2,}")
# The same for ASCII in lower case, and faster.
_ASCII_WORD = re.compile(r"[a-z]{2,}")
_MOST_TEXT = 160


def _logs() -> bytes:
    """A number's logarithm at its place, four steps for each doubling; further numbers have the last one's."""
    table = bytearray()
    for value in range(_MOST_LOG + 1):
        table += bytes([value]) * (ceil(2 ** ((value + 1) / 4)) - 1 - len(table))
    return bytes(table)


_MOST_LOG = 63
_LOGS = _logs()


def log_bin(number: int) -> int:
    """A count as 0 to 63, four steps for each doubling."""
    return _LOGS[number] if number < len(_LOGS) else _MOST_LOG


def share_bin(share: float, most: int = 31) -> int:
    """A share, or anything from 0 up, as 0 to `most`."""
    value = int(share * most + 0.5)
    return value if value <= most else most  # noqa: FURB136  # twice as fast as `min`, and called often


def score_bin(score: float) -> int:
    """A score of either sign as 0 to 255, six steps for each unit."""
    value = int(score * 6) + 128
    return value if 0 <= value <= 255 else 0 if value < 0 else 255


def log_column(numbers: Sequence[int]) -> bytes:
    """Counts as `log_bin` gives them."""
    try:
        # Two more: with one number only, a getter gives a value instead of a tuple.
        return bytes(itemgetter(*numbers, 0, 0)(_LOGS)[:-2])
    except IndexError:
        return bytes([log_bin(number) for number in numbers])


def share_column(shares: Sequence[float], most: int = 31) -> bytes:
    """Shares as `share_bin` gives them."""
    return _at_most([int(share * most + 0.5) for share in shares], most)


def ratio_column(parts: Sequence[float], wholes: Sequence[float], most: int = 31) -> bytes:
    """What each part is of its whole, as `share_bin` gives it."""
    return _at_most([int(part / whole * most + 0.5) for part, whole in zip(parts, wholes, strict=True)], most)


def _at_most(values: Sequence[int], most: int) -> bytes:
    try:
        return bytes(values).translate(_CAPPED[most])
    except ValueError:
        return bytes([min(value, most) for value in values])


_CAPPED = {most: bytes(min(value, most) for value in range(256)) for most in (15, 31)}


def score_column(scores: Sequence[float]) -> bytes:
    """Scores as `score_bin` gives them."""
    values = [int(score * 6) + 128 for score in scores]
    try:
        return bytes(values)
    except ValueError:
        return bytes([min(255, max(0, value)) for value in values])


def has_price(text: str) -> bool:
    """Whether a text names an amount of money."""
    return _PRICE_SIGN.search(text) is not None and _PRICE.search(text) is not None


def text_words(text: str) -> list[str]:
    """The first words of a text in lower case, without numbers."""
    start = text[:_MOST_TEXT].lower()
    return _ASCII_WORD.findall(start) if start.isascii() else _WORD.findall(start)
