"""How fast and how often one client asks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.egress.pace import MAX_HONOURED_S, MAX_WAIT_S, Pace, backoff, retry_after
from outrider.errors import Http429

_NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def _most_at_once(pace: Pace, hosts: list[str]) -> int:
    running = most = 0

    async def one(host: str) -> None:
        nonlocal running, most
        async with pace.turn(host):
            running += 1
            most = max(most, running)
            for _ in range(3):
                await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*map(one, hosts))
    return most


async def test_one_host_is_asked_only_so_often_at_a_time() -> None:
    assert 2 == await _most_at_once(Pace(per_host=2), ["a.test"] * 9)


async def test_all_hosts_together_are_asked_only_so_often_at_a_time() -> None:
    assert 3 == await _most_at_once(Pace(per_host=2, overall=3), [f"{number}.test" for number in range(9)])


async def test_a_cancelled_turn_is_given_back() -> None:
    pace = Pace(per_host=1)

    async def hold(host: str) -> None:
        async with pace.turn(host):
            await asyncio.Event().wait()

    holding, waiting = asyncio.create_task(hold("a.test")), asyncio.create_task(hold("a.test"))
    await asyncio.sleep(0)
    for task in (waiting, holding):
        task.cancel()
    await asyncio.gather(holding, waiting, return_exceptions=True)

    async with asyncio.timeout(5), pace.turn("a.test"):
        pass


async def test_a_host_that_asked_for_a_long_rest_is_refused_until_it_is_over() -> None:
    clock = _Clock()
    pace = Pace(clock=clock)
    pace.rest("a.test", 100)

    with pytest.raises(Http429) as caught:
        async with pace.turn("a.test"):
            pass
    assert 100 == caught.value.retry_after_s
    async with pace.turn("b.test"):
        pass

    clock.now = 100
    async with pace.turn("a.test"):
        pass


async def test_a_host_that_asked_for_a_short_rest_gets_it() -> None:
    clock = _Clock()
    pace = Pace(clock=clock)
    pace.rest("a.test", 0.01)

    async with asyncio.timeout(5), pace.turn("a.test"):
        pass


async def test_the_longest_rest_is_an_hour_and_only_so_many_hosts_are_remembered() -> None:
    clock = _Clock()
    pace = Pace(clock=clock)
    pace.rest("a.test", 1e12)
    with pytest.raises(Http429) as caught:
        async with pace.turn("a.test"):
            pass
    assert MAX_HONOURED_S == caught.value.retry_after_s

    for number in range(2_000):
        pace.rest(f"{number}.test", 100)

    async with pace.turn("a.test"):
        pass


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("²", None),
        ("1.5", None),
        ("0", 0),
        (" 120 ", 120),
        ("99999999999999999999", MAX_HONOURED_S),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 12:00:30", 30),
        ("Monday, 30-Nov-26 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2020 12:00:30 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_HONOURED_S),
        ("Fri, 99 Foo 99999 99:99:99", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_at_most_an_hour(value: str | None, seconds: float | None) -> None:
    assert seconds == retry_after(value, _NOW)


@given(
    st.text(max_size=60) | st.from_regex(r"[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{1,5} \d\d:\d\d:\d\d [+-]?\d{0,6}")
)
def test_any_retry_after_is_read_or_ignored(value: str) -> None:
    seconds = retry_after(value, _NOW)

    assert seconds is None or 0 <= seconds <= MAX_HONOURED_S


def test_waits_between_tries_grow_and_differ() -> None:
    for attempt in range(4):
        assert 0.25 * 2**attempt <= backoff(attempt) <= 0.5 * 2**attempt
    assert len({backoff(3) for _ in range(20)}) > 1
    assert MAX_WAIT_S >= backoff(3)
