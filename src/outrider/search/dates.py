"""Dates as vendors write them: read when they can be, passed on as they came when they cannot."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_tz

from outrider.types import Freshness

MAX_AGE_CHARS = 60
"""A longer text in a date's place is no age."""

_MONTHS = {
    name: at
    for at, names in enumerate(
        (
            "jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
            "sep sept september", "oct october", "nov november", "dec december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_ISO = re.compile(
    r"(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?"
    r"(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)
_CHINESE = re.compile(
    r"(\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*[日号])?(?:\s*(\d{1,2})[:时](\d{1,2})分?(?::\d{1,2})?)?", re.ASCII
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+)?"
# A time after an English date is passed over: its zone is a name or missing, and the day is what counts.
_CLOCK = r"(?:,?\s+(?:at\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?(?:\s+[A-Z]{2,5})?)?"
_MONTH_FIRST = re.compile(
    _WEEKDAY + r"([A-Za-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})" + _CLOCK,
    re.ASCII | re.IGNORECASE,
)
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(\d{1,2})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?([A-Za-z]{3,9})\.?,?[\s-]+(\d{4})",
    re.ASCII | re.IGNORECASE,
)
# Before this, a day is a null value in disguise (0001-01-01).
_FIRST_YEAR = 1_000
# A day that was meant to be exact but does not exist is no age either.
_ABSOLUTE = re.compile(r"\d{4}[-/.年]", re.ASCII)
_AGE_WORD = re.compile(r"\d|\b(?:yesterday|today|now|hours?|minutes?|weeks?|months?|years?)\b|昨|今|刚", re.IGNORECASE)


def published(text: str) -> str | None:
    """
    A written date as ISO 8601: a month, a day or a time, with a zone only when one was given.

    Anything else, impossible days included, is None.
    """
    stripped = text.strip()
    if not stripped or len(stripped) > MAX_AGE_CHARS:
        return None
    for read in (_read_iso, _read_chinese, _read_english, _read_mail):
        found = read(stripped)
        if found is not None:
            return found
    return None


def when(text: str) -> tuple[str | None, str | None]:
    """A vendor's date text as published date and age; at most one of the two is there."""
    found = published(text)
    if found is not None:
        return found, None
    age = " ".join(text.split())
    if not age or len(age) > MAX_AGE_CHARS or not _AGE_WORD.search(age) or _ABSOLUTE.match(age):
        return None, None
    return None, age


def from_epoch(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None for what is no time."""
    if seconds is None or seconds <= 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None


def from_parts(parts: list[int]) -> str | None:
    """Year, month and day, of which the later ones may be missing, as ISO 8601 of that precision."""
    if len(parts) == 1 and _FIRST_YEAR <= parts[0] <= date.max.year:
        return f"{parts[0]:04d}"
    if len(parts) == 2:
        return _month(parts[0], parts[1])
    return _day(*parts[:3]) if len(parts) >= 3 else None


def days(freshness: Freshness, today: date) -> tuple[str, str]:
    """First and last day, `YYYY-MM-DD`, of a freshness; an open end is empty, a span ends open."""
    if not freshness.span:
        return freshness.start, freshness.end
    back = {"day": 1, "week": 7, "month": 31, "year": 365}[freshness.span]
    return (today - timedelta(days=back)).isoformat(), ""


def closed_days(freshness: Freshness, today: date) -> tuple[str, str]:
    """As `days`, with both ends filled in: the first is 1970, the last is today."""
    start, end = days(freshness, today)
    return start or "1970-01-01", end or today.isoformat()


def _read_iso(text: str) -> str | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, _, month, day, hour, minute, second, zone = match.groups()
    if day is None:
        return _month(int(year), int(month)) if hour is None else None
    on = _day(int(year), int(month), int(day))
    if on is None or hour is None:
        return on
    return _at(on, int(hour), int(minute), int(second or 0), _zone(zone))


def _zone(zone: str | None) -> str:
    if zone is None:
        return ""
    if zone[0] not in "+-":
        return "Z"
    digits = zone.replace(":", "")
    return f"{digits[:3]}:{digits[3:] or '00'}"


def _read_chinese(text: str) -> str | None:
    match = _CHINESE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute = match.groups()
    if day is None:
        return _month(int(year), int(month)) if hour is None else None
    on = _day(int(year), int(month), int(day))
    return on if on is None or hour is None else _at(on, int(hour), int(minute), 0, "")


def _read_english(text: str) -> str | None:
    match = _MONTH_FIRST.fullmatch(text)
    if match is not None:
        name, day, year = match.groups()
    else:
        match = _DAY_FIRST.fullmatch(text)
        if match is None:
            return None
        day, name, year = match.groups()
    month = _MONTHS.get(name.lower())
    if month is None:
        return None
    return _month(int(year), month) if day is None else _day(int(year), month, int(day))


def _read_mail(text: str) -> str | None:
    """RFC 1123 and its relatives, with or without the day's name."""
    if ":" not in text or not any(name in text.lower() for name in _MONTHS):
        return None
    try:
        parts = parsedate_tz(text)
    except (ValueError, IndexError, OverflowError):
        return None
    if parts is None:
        return None
    on = _day(parts[0], parts[1], parts[2])
    offset = parts[9]
    zone = "" if offset is None else _offset(offset)
    return None if on is None else _at(on, parts[3], parts[4], parts[5], zone)


def _offset(seconds: int) -> str:
    if seconds == 0:
        return "Z"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02d}:{minutes:02d}"


def _at(day: str, hour: int, minute: int, second: int, zone: str) -> str | None:
    if hour > 23 or minute > 59 or second > 60:
        return None
    return f"{day}T{hour:02d}:{minute:02d}:{second:02d}{zone}"


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat() if year >= _FIRST_YEAR else None
    except (ValueError, OverflowError):
        return None


def _month(year: int, month: int) -> str | None:
    return f"{year:04d}-{month:02d}" if _FIRST_YEAR <= year <= date.max.year and 1 <= month <= 12 else None
