"""The guard: resolve once, judge every answer, connect to a judged address."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from outrider.egress.guard import Guard, _interleaved
from outrider.egress.policy import AllowList, Policy
from outrider.errors import ConnectionFailed, ConnectionTimeout, DnsFailed, SsrfRejected
from world.listener import Connection, Listener
from world.names import Trouble, changing
from world.tripwire import Tripwire
from world.world import World


def _guard(world: World, *allow: str) -> Guard:
    return Guard(Policy(allow=AllowList.parse(allow)), world.resolver)


async def test_a_name_is_resolved_once_for_a_connection(world: World) -> None:
    async with Listener() as listener:
        world.names["a.test"] = changing(["127.0.0.1"], ["10.0.0.7"])
        stream = await _guard(world, "127.0.0.1/32").connect("a.test", listener.port, timeout_s=5)
        await stream.aclose()

    assert ["a.test"] == world.resolver.asked
    assert [] == world.connections_to("10.0.0.7")


async def test_a_name_that_turns_private_is_refused_at_the_next_connection(world: World) -> None:
    async with Listener() as listener:
        world.names["a.test"] = changing(["127.0.0.1"], ["10.0.0.7"])
        guard = _guard(world, "127.0.0.1/32")
        await (await guard.connect("a.test", listener.port, timeout_s=5)).aclose()

        with pytest.raises(SsrfRejected):
            await guard.connect("a.test", listener.port, timeout_s=5)

    assert [] == world.connections_to("10.0.0.7")


@pytest.mark.parametrize("answers", [["127.0.0.2"], ["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["::1"]])
async def test_one_refused_address_keeps_all_from_being_dialled(
    world: World, tripwire: Tripwire, answers: Sequence[str]
) -> None:
    trap = await world.recorder("127.0.0.2")
    world.names["a.test"] = answers

    with pytest.raises(SsrfRejected):
        await _guard(world, "127.0.0.1/32").connect("a.test", trap.port, timeout_s=5)

    assert [] == tripwire.contacts


@pytest.mark.parametrize("trouble", [Trouble.NXDOMAIN, Trouble.SERVFAIL, Trouble.REFUSED])
async def test_a_name_without_an_answer_is_not_dialled(world: World, tripwire: Tripwire, trouble: Trouble) -> None:
    world.names["a.test"] = trouble

    with pytest.raises(DnsFailed):
        await _guard(world).connect("a.test", 80, timeout_s=5)
    assert [] == tripwire.contacts


async def test_a_name_server_that_is_silent_ends_with_the_connect_time(world: World) -> None:
    world.names["a.test"] = Trouble.SILENCE

    with pytest.raises(ConnectionTimeout):
        await _guard(world).connect("a.test", 80, timeout_s=0.02)


async def test_an_address_literal_is_not_resolved(world: World) -> None:
    async with Listener() as listener:
        await (await _guard(world, "127.0.0.1").connect("127.0.0.1", listener.port, timeout_s=5)).aclose()

    assert [] == world.resolver.asked


async def test_the_next_address_is_tried_when_one_is_dead(world: World) -> None:
    async with Listener() as listener:
        world.names["a.test"] = ["127.0.0.3", "127.0.0.1"]

        stream = await _guard(world, "127.0.0.0/8").connect("a.test", listener.port, timeout_s=5)
        await stream.aclose()

        assert 1 == len(listener.connections)


async def test_a_host_whose_addresses_are_all_dead_fails(world: World) -> None:
    async with Listener() as listener:
        port = listener.port
    world.names["a.test"] = [f"127.0.0.{number}" for number in range(1, 30)]

    with pytest.raises(ConnectionFailed):
        await _guard(world, "127.0.0.0/8").connect("a.test", port, timeout_s=5)

    assert not world.connections_to("127.0.0.20")


async def test_attempts_that_lost_the_race_are_closed(world: World) -> None:
    """While the first address hangs, the second is tried beside it; the loser is dropped."""
    gone = asyncio.Event()

    async def serve(connection: Connection) -> None:
        await connection.closed_by_peer()
        gone.set()

    async with Listener(serve) as listener:
        world.names["a.test"] = ["127.0.0.1", "127.0.0.1"]
        stream = await _guard(world, "127.0.0.1/32").connect("a.test", listener.port, timeout_s=5)
        await stream.aclose()
        async with asyncio.timeout(5):
            await gone.wait()


async def test_a_cancelled_connect_leaves_nothing_behind(world: World) -> None:
    # TEST-NET-1 leads nowhere in a test; the resolver never answers.
    world.names["a.test"] = Trouble.SILENCE
    before = len(asyncio.all_tasks())
    task = asyncio.create_task(_guard(world).connect("a.test", 80, timeout_s=5))
    await asyncio.sleep(0)

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert before == len(asyncio.all_tasks())


async def test_families_are_tried_in_turn_beginning_with_ipv6() -> None:
    answers = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "2606::1", "2606::2"]

    assert ["2606::1", "1.1.1.1", "2606::2", "1.1.1.2", "1.1.1.3"] == _interleaved(answers)


async def test_a_message_never_holds_the_address_that_a_name_led_to(world: World) -> None:
    world.names["a.test"] = ["10.11.12.13"]

    with pytest.raises(SsrfRejected) as caught:
        await _guard(world).connect("a.test", 80, timeout_s=5)

    assert "10.11.12.13" not in str(caught.value.as_dict())


async def test_what_only_the_allow_list_opens_counts_as_private(world: World) -> None:
    world.names |= {"inner.test": ["10.0.0.5"], "outer.test": ["93.184.215.14"]}
    guard = _guard(world, "10.0.0.0/8")

    assert await guard.reaches_private("inner.test", 80)
    assert await guard.reaches_private("10.0.0.9", 80)
    assert not await guard.reaches_private("outer.test", 80)
    with pytest.raises(SsrfRejected):
        await guard.reaches_private("127.0.0.1", 80)
