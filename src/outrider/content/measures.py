"""Numbers as small whole ones, and what texts are made of."""

from __future__ import annotations

import re
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d[.,]\d\d\s?(?:€|£|kr|zł|usd|eur|kč|lei)", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d|\d\d?[./]\d\d?[./]\d\d"
    r"|\b(?:ago|hours?|days?|min) (?:ago|read)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_TEXT = 160
_TABLE = 4096
_LOGS = bytes(int(4 * log2(1 + number)) for number in range(_TABLE))


def log_bin(number: int) -> int:
    """A count as 0 to 63, four steps for each doubling."""
    return _LOGS[number] if number < _TABLE else min(63, int(4 * log2(1 + number)))


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
    logs, size = _LOGS, _TABLE
    return bytes([logs[number] if number < size else log_bin(number) for number in numbers])


def share_column(shares: Sequence[float], most: int = 31) -> bytes:
    """Shares as `share_bin` gives them."""
    values = [int(share * most + 0.5) for share in shares]
    return bytes(values if max(values, default=0) <= most else [min(value, most) for value in values])


def score_column(scores: Sequence[float]) -> bytes:
    """Scores as `score_bin` gives them."""
    values = [int(score * 6) + 128 for score in scores]
    try:
        return bytes(values)
    except ValueError:
        return bytes([min(255, max(0, value)) for value in values])


def has_price(text: str) -> bool:
    """Whether a text names an amount of money."""
    return _PRICE.search(text) is not None


def has_date(text: str) -> bool:
    """Whether a text names a day, a year or how long ago."""
    return _DATE.search(text) is not None


def count_digits(text: str) -> int:
    """How many digits a text has."""
    return len(_DIGIT.findall(text))


def text_words(text: str) -> list[str]:
    """The first words of a text in lower case, without numbers."""
    return _WORD.findall(text[:_MOST_TEXT].lower())
