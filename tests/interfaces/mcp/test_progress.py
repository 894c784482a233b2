from __future__ import annotations

import asyncio

from outrider.call import Progress
from outrider.interfaces.mcp.progress import MAX_WAITING, in_words, reporting


async def test_steps_arrive_in_order_and_all_of_them_before_the_end() -> None:
    sent: list[tuple[float, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        await asyncio.sleep(0)
        sent.append((progress, message))

    async with reporting(report) as emit:
        for stage in ("connect", "receive", "convert"):
            emit(Progress(stage=stage))

    assert [(1.0, "connect"), (2.0, "receive"), (3.0, "convert")] == sent


async def test_steps_may_come_from_another_thread() -> None:
    sent: list[str | None] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        sent.append(message)

    async with reporting(report) as emit:
        await asyncio.to_thread(emit, Progress(stage="convert"))

    assert ["convert"] == sent


async def test_a_slow_client_loses_the_oldest_steps_and_never_the_newest() -> None:
    sent: list[str | None] = []
    go = asyncio.Event()

    async def report(progress: float, total: float | None, message: str | None) -> None:
        await go.wait()
        sent.append(message)

    async with reporting(report) as emit:
        for number in range(1_000):
            emit(Progress(stage="receive", done=number))
        go.set()

    assert MAX_WAITING + 1 >= len(sent)
    assert "receive (999)" == sent[-1]


async def test_without_a_client_that_listens_steps_go_nowhere() -> None:
    async with reporting(None) as emit:
        emit(Progress(stage="connect"))


def test_a_step_is_said_in_one_line() -> None:
    assert "receive: a.test (1,000 of 5,000)" == in_words(
        Progress(stage="receive", message="a.test", done=1_000, total=5_000)
    )
    assert "search: tides" == in_words(Progress(stage="search", data={"type": "query_update", "query": "tides"}))
