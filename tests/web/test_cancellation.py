"""A caller may leave at any moment of a fetch: nobody else notices, and nothing is left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

from outrider import Web
from outrider.web.assembly import Wiring
from world.messages import page
from world.world import World

_TEXT = "A paragraph that is worth reading, and long enough to be one. " * 400
_MOST_STEPS = 400


@pytest.fixture
async def web(world: World, tmp_path: Path) -> AsyncIterator[Web]:
    wiring = Wiring(resolver=world.resolver, tls=world.authority.client)
    async with Web(wiring=wiring, allow_hosts=["127.0.0.1"], retries=0, data_dir=str(tmp_path / "data")) as web:
        yield web


class CancelledAt:
    """Awaits a coroutine whose task is cancelled at its n-th suspension; `reached` says whether there was one."""

    def __init__(self, work: Coroutine[Any, Any, Any], number: int) -> None:
        self._work = work
        self._number = number
        self.reached = False

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        count = 0
        answer: Any = None
        failure: BaseException | None = None
        while True:
            try:
                waited_for = steps.send(answer) if failure is None else steps.throw(failure)
            except StopIteration as end:
                return end.value
            count += 1
            if count == self._number:
                self.reached = True
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            answer, failure = None, None
            try:
                answer = yield waited_for
            except BaseException as error:  # noqa: BLE001  (handed on to whom it is meant for)
                failure = error


async def _await(work: CancelledAt) -> Any:
    return await work


@pytest.mark.slow
async def test_a_caller_cancelled_at_any_await_point_leaves_the_other_its_page(world: World, web: Web) -> None:
    site = await world.site({"*": page(f"<p>{_TEXT}</p>")})
    for number in range(1, _MOST_STEPS):
        url = site.at(f"/{number}")
        leaving = CancelledAt(web.fetch(url), number)
        leaver = asyncio.create_task(_await(leaving))
        stayer = asyncio.create_task(web.fetch(url))
        done = await asyncio.gather(leaver, stayer, return_exceptions=True)

        assert not isinstance(done[1], BaseException), f"the other failed at step {number}: {done[1]!r}"
        assert done[1].markdown.startswith("A paragraph")
        assert 1 == sum(request.path == f"/{number}" for request in site.requests)
        if not leaving.reached:
            assert not isinstance(done[0], BaseException)
            break
        assert isinstance(done[0], asyncio.CancelledError) or not isinstance(done[0], BaseException)
    else:
        pytest.fail("the fetch never came to its end")


@pytest.mark.slow
async def test_a_caller_cancelled_after_any_number_of_turns_leaves_no_task_behind(world: World, web: Web) -> None:
    site = await world.site({"*": page(f"<p>{_TEXT}</p>")})
    await web.fetch(site.at("/warm"))
    before = len(asyncio.all_tasks())
    for turns in range(60):
        url = site.at(f"/turns/{turns}")
        leaver = asyncio.create_task(web.fetch(url))
        for _ in range(turns):
            await asyncio.sleep(0)
        leaver.cancel()
        await asyncio.gather(leaver, return_exceptions=True)

        assert (await web.fetch(url)).markdown.startswith("A paragraph")

    for _ in range(200):
        if len(asyncio.all_tasks()) <= before:
            break
        await asyncio.sleep(0.01)
    # Kept connections may have come or gone; each is at most one task of the site.
    assert len(asyncio.all_tasks()) <= before + 4
