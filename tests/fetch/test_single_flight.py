"""Equal requests at one time are one transfer, whoever leaves and whenever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outrider import Call, Web
from outrider.call import Progress
from outrider.errors import TotalTimeout
from outrider.fetch.flight import Flights
from outrider.web.assembly import Wiring
from world.messages import Reply, Request, page
from world.world import World


@pytest.fixture
async def opened(world: World, tmp_path: Any) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as stack:

        async def make() -> Web:
            web = Web(
                wiring=Wiring(resolver=world.resolver, tls=world.authority.client),
                allow_hosts=world.allow_hosts,
                retries=0,
                data_dir=str(tmp_path / "data"),
            )
            return await stack.enter_async_context(web)

        yield make


async def test_64_tasks_over_8_urls_make_8_transfers(world: World, opened: Callable[..., Any]) -> None:
    everybody = asyncio.Event()

    async def handler(request: Request, connection: Any) -> None:
        await everybody.wait()
        body = request.path.encode()
        await connection.send(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )

    # Each of its own, so that no limit for one host makes any of them wait.
    sites = [await world.site({"*": handler}, host=f"127.0.0.{number}") for number in range(11, 19)]
    web = await opened()
    tasks = [asyncio.create_task(web.fetch(sites[number % 8].at(f"/{number % 8}"))) for number in range(64)]
    for site in sites:
        await site.until_requests(1)
    everybody.set()
    outcomes = await asyncio.gather(*tasks)

    assert [1] * 8 == [len(site.requests) for site in sites]
    assert [f"/{number % 8}" for number in range(64)] == [outcome.markdown for outcome in outcomes]


def held(release: asyncio.Event) -> Any:
    async def handler(_: Request, connection: Any) -> None:
        await release.wait()
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello")

    return handler


async def test_one_that_leaves_cancels_nothing_for_the_other(world: World, opened: Callable[..., Any]) -> None:
    release = asyncio.Event()
    site = await world.site({"/": held(release)})
    web = await opened()
    first = asyncio.create_task(web.fetch(site.url))
    await site.until_requests(1)
    second = asyncio.create_task(web.fetch(site.url + "#part"))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    release.set()

    assert "hello" == (await second).markdown
    assert 1 == len(site.requests)


async def test_the_time_of_one_is_not_the_time_of_the_other(world: World, opened: Callable[..., Any]) -> None:
    release = asyncio.Event()
    site = await world.site({"/": held(release)})
    web = await opened()
    hasty = asyncio.create_task(web.fetch(site.url, call=Call().within(0.3)))
    await site.until_requests(1)
    patient = asyncio.create_task(web.fetch(site.url))
    with pytest.raises(TotalTimeout):
        await hasty
    release.set()

    assert "hello" == (await patient).markdown
    assert 1 == len(site.requests)


async def test_when_all_have_left_the_transfer_ends(world: World, opened: Callable[..., Any]) -> None:
    gone = asyncio.Event()

    async def handler(_: Request, connection: Any) -> None:
        await connection.closed_by_peer()
        gone.set()

    site = await world.site({"/": handler})
    web = await opened()
    task = asyncio.create_task(web.fetch(site.url))
    await site.until_requests(1)
    task.cancel()
    await asyncio.wait_for(gone.wait(), 5)


async def test_one_failure_is_told_to_all(world: World, opened: Callable[..., Any]) -> None:
    site = await world.site({"/": page("no", status=404)})
    web = await opened()
    outcomes = await asyncio.gather(*(web.fetch(site.url) for _ in range(5)), return_exceptions=True)
    assert ["http_404"] * 5 == [getattr(outcome, "code", "") for outcome in outcomes]


async def test_requests_with_headers_of_their_own_are_not_shared(world: World, opened: Callable[..., Any]) -> None:
    def handler(request: Request) -> Reply:
        return page(request.header("x-who"), content_type="text/plain")

    site = await world.site({"/": handler})
    web = await opened()
    outcomes = await asyncio.gather(*(web.fetch(site.url, headers={"X-Who": who}) for who in ("alice", "bob", "alice")))
    assert ["alice", "bob", "alice"] == [outcome.markdown for outcome in outcomes]
    assert 2 == len(site.requests)


async def test_everybody_who_waits_sees_the_progress(world: World, opened: Callable[..., Any]) -> None:
    site = await world.site({"/": "<p>Hello</p>"})
    web = await opened()
    seen: list[list[Progress]] = [[], []]
    await asyncio.gather(*(web.fetch(site.url, call=Call(emit=heard.append)) for heard in seen))
    assert ["convert" in [progress.stage for progress in heard] for heard in seen] == [True, True]


@given(
    leaving=st.lists(st.integers(0, 6), min_size=1, max_size=6),
    steps=st.integers(0, 4),
    fails=st.booleans(),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cancellation_at_any_await_leaves_the_others_their_outcome(
    *, leaving: list[int], steps: int, fails: bool
) -> None:
    """Each waiter is cancelled after so many turns of the loop; 6 means never."""

    async def scenario() -> None:
        flights: Flights[str] = Flights()
        begun = 0

        async def work(_: Any) -> str:
            nonlocal begun
            begun += 1
            for _turn in range(steps):
                await asyncio.sleep(0)
            if fails:
                raise LookupError
            return "done"

        tasks = [asyncio.create_task(flights.share("key", work, lambda _: None)) for _ in leaving]
        for turn in range(6):
            for task, when in zip(tasks, leaving, strict=True):
                if when == turn:
                    task.cancel()
            await asyncio.sleep(0)
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        await flights.aclose()
        for outcome, when in zip(outcomes, leaving, strict=True):
            expected = LookupError if fails else str
            if when == 6:
                assert isinstance(outcome, expected)
            else:
                assert isinstance(outcome, expected | asyncio.CancelledError)
        assert "key" not in flights
        assert 1 == begun or any(when < 6 for when in leaving)

    asyncio.run(scenario())
