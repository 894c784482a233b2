from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.search.dates import closed_days, days, from_epoch, from_parts, published, when
from outrider.types import Freshness


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2025-07-16T00:00:00.0000000", "2025-07-16T00:00:00"),
        ("2023-11-16T01:36:32.547Z", "2023-11-16T01:36:32Z"),
        ("2025-04-27 18:02:00", "2025-04-27T18:02:00"),
        ("2025-04-27T18:02", "2025-04-27T18:02:00"),
        ("2024-07-22T00:00:00+08:00", "2024-07-22T00:00:00+08:00"),
        ("2024-07-22T00:00:00+0530", "2024-07-22T00:00:00+05:30"),
        ("2025-4-24", "2025-04-24"),
        ("2025/4/24", "2025-04-24"),
        ("2025-06", "2025-06"),
        ("2025年06月10日", "2025-06-10"),
        ("2024年1月2日", "2024-01-02"),
        ("2025年06月", "2025-06"),
        ("2025年6月1日 08:30", "2025-06-01T08:30:00"),
        ("Tue, 11 Nov 2025 08:00:00 GMT", "2025-11-11T08:00:00Z"),
        ("Sun, 06 Nov 1994 08:49:37 +0800", "1994-11-06T08:49:37+08:00"),
        ("11 Nov 2025 08:00:00 -0330", "2025-11-11T08:00:00-03:30"),
        ("January 15, 2024", "2024-01-15"),
        ("Jan 2, 2024", "2024-01-02"),
        ("Sept. 3rd, 2023", "2023-09-03"),
        ("1st January 2025", "2025-01-01"),
        ("2 Feb 2025", "2025-02-02"),
        ("March 2024", "2024-03"),
        ("Sunday, January 5, 2025", "2025-01-05"),
        ("Jan 5, 2025, 10:30 AM PST", "2025-01-05"),
        ("January 5th, 2025 at 10:00", "2025-01-05"),
        ("5-Jan-2025", "2025-01-05"),
    ],
)
def test_written_dates_are_read(written: str, read: str) -> None:
    assert read == published(written)
    assert (read, None) == when(f"  {written}\n")


@pytest.mark.parametrize(
    "written",
    ["", "2025-02-30", "2025-13-01", "2025年02月30日", "Feb 30, 2025", "0001-01-01T00:00:00", "2025-01-01T25:00:00",
     "2025-01-01T10:61:00", "Wed, 31 Feb 2025 10:00:00 GMT", "Foo 3, 2025", "invalid", "2025",
     "Updated Jan 5, 2025", "x" * 100, "٢٠٢٥-٠١-٠١"],
)  # fmt: skip
def test_what_is_no_day_is_no_date(written: str) -> None:
    assert published(written) is None


@pytest.mark.parametrize("written", ["2 days ago", "vor 3 Stunden", "3日前", "yesterday", "1 week ago"])
def test_a_relative_age_is_passed_on_as_it_came(written: str) -> None:
    assert (None, written) == when(written)


@pytest.mark.parametrize("written", ["invalid", "2025-02-30", "unknown"])
def test_other_words_are_no_age(written: str) -> None:
    assert (None, None) == when(written)


@given(st.text(max_size=70))
def test_any_text_is_read_without_a_fault(written: str) -> None:
    found, age = when(written)

    assert found is None or age is None


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_iso_day_is_itself(day: date) -> None:
    assert day.isoformat() == published(day.isoformat())


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001  # hypothesis adds the zone
def test_every_iso_time_keeps_its_day(at: datetime) -> None:
    found = published(at.isoformat())

    assert found is not None
    assert at.date().isoformat() == found[:10]


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        ([2025, 4, 3], "2025-04-03"),
        ([2025, 4], "2025-04"),
        ([2025], "2025"),
        ([], None),
        ([2025, 13], None),
        ([0], None),
    ],
)
def test_parts_of_a_date_keep_their_precision(parts: list[int], read: str | None) -> None:
    assert read == from_parts(parts)


@pytest.mark.parametrize("seconds", [None, 0, -5, 1e20, float("1e300")])
def test_what_is_no_time_has_no_date(seconds: float | None) -> None:
    assert from_epoch(seconds) is None


def test_a_span_ends_open_and_closes_at_today() -> None:
    today = date(2026, 3, 8)

    assert ("2026-03-01", "") == days(Freshness(span="week"), today)
    assert ("2026-03-01", "2026-03-08") == closed_days(Freshness(span="week"), today)
    assert ("1970-01-01", "2026-01-01") == closed_days(Freshness(end="2026-01-01"), today)
