from __future__ import annotations

import asyncio

from outrider.search.catalogue import Bounds
from outrider.search.pace import Pace
from search.doubles import Clock


async def test_no_more_than_the_allowed_number_run_at_once() -> None:
    pace, running, most = Pace(), 0, 0

    async def one() -> None:
        nonlocal running, most
        async with pace.turn("a", Bounds(concurrency=2)):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(one() for _ in range(10)))

    assert 2 == most


async def test_starts_keep_their_distance() -> None:
    clock = Clock()
    pace = Pace(clock=clock, sleep=clock.sleep)

    for _ in range(3):
        async with pace.turn("a", Bounds(concurrency=1, spacing_s=3.0)):
            clock.at += 1

    assert [2.0, 2.0] == clock.slept


async def test_providers_do_not_wait_for_each_other() -> None:
    clock = Clock()
    pace = Pace(clock=clock, sleep=clock.sleep)
    async with (
        pace.turn("a", Bounds(concurrency=1, spacing_s=3.0)),
        pace.turn("b", Bounds(concurrency=1, spacing_s=3.0)),
    ):
        pass

    assert [] == clock.slept
