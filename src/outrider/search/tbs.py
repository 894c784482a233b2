"""Google's `tbs` parameter, which those who resell its results pass on."""

from __future__ import annotations

from datetime import date

from outrider.search import dates
from outrider.types import Freshness

_SPANS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


def tbs(freshness: Freshness, today: date) -> str:
    """A span as `qdr`, a range as `cdr` with American dates."""
    if freshness.span:
        return _SPANS[freshness.span]
    start, end = dates.closed_days(freshness, today)
    return f"cdr:1,cd_min:{american(start)},cd_max:{american(end)}"


def american(day: str) -> str:
    """`YYYY-MM-DD` as `MM/DD/YYYY`."""
    year, month, of_month = day.split("-")
    return f"{month}/{of_month}/{year}"
