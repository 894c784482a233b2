"""Dates as pages declare them, in ISO 8601 where they can be read as such."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$", re.IGNORECASE
)
_SHORT = re.compile(r"^\d{4}(?:-\d{2})?$")
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})$")
_YEAR_FIRST = re.compile(r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})\b")
_DOTTED = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})\b")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_WORDS = re.compile(
    r"^(?:\w+,\s*)?(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([A-Za-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})\b"
)
_MOST = 60


def normal(declared: str) -> str:
    """A declared date in ISO 8601; as it came when it cannot be read, "" when it is none at all."""
    value = " ".join(declared.split())
    if not value or len(value) > _MOST or not any(character.isdigit() for character in value):
        return ""
    if found := _ISO.match(value):
        day = f"{found[1]}-{found[2]}-{found[3]}"
        if not _is_day(int(found[1]), int(found[2]), int(found[3])):
            return ""
        return f"{day}T{found[4]}{(found[5] or '').upper()}" if found[4] else day
    if _SHORT.match(value):
        return value
    return _by_words(value) or value


def _by_words(value: str) -> str:
    for pattern, order in ((_COMPACT, (1, 2, 3)), (_YEAR_FIRST, (1, 2, 3)), (_DOTTED, (3, 2, 1))):
        if found := pattern.match(value):
            return _day(*(int(found[place]) for place in order))
    if (found := _WORDS.match(value)) and (found[1] or found[3]):
        month = _MONTHS.get(found[2][:3].lower())
        if month:
            return _day(int(found[4]), month, int(found[1] or found[3]))
    try:
        return parsedate_to_datetime(value).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _day(year: int, month: int, day: int) -> str:
    return f"{year:04}-{month:02}-{day:02}" if _is_day(year, month, day) else ""


def _is_day(year: int, month: int, day: int) -> bool:
    return 1000 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= 31
