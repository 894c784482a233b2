"""Resolving against a real name server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiodns
import pytest

from outrider.egress.resolve import SystemResolver
from outrider.errors import DnsFailed
from world.dns import DnsServer
from world.names import Alias, Trouble, Truncated
from world.world import World


class _Pointed(SystemResolver):
    """Asks the world's name server instead of the system's."""

    def __init__(self, server: DnsServer, *, timeout_s: float = 5.0) -> None:
        super().__init__(timeout_s=timeout_s)
        host, port = server.address
        self._cares = aiodns.DNSResolver([f"{host}:{port}"], timeout=timeout_s, tries=1, domains=["corp.test"])


@pytest.fixture
async def server(world: World) -> DnsServer:
    return await world.dns_server()


@pytest.fixture
async def resolver(server: DnsServer) -> AsyncIterator[SystemResolver]:
    pointed = _Pointed(server)
    yield pointed
    await pointed.aclose()


async def test_both_families_are_asked_and_answered(world: World, server: DnsServer, resolver: SystemResolver) -> None:
    world.names["a.test"] = ["93.184.215.14", "2606:2800::1", "93.184.215.15"]

    answers = await resolver.resolve("a.test")

    assert {"93.184.215.14", "93.184.215.15", "2606:2800::1"} == set(answers)
    assert {"A", "AAAA"} == {query.kind for query in server.queries}


async def test_a_name_with_one_family_resolves(world: World, server: DnsServer, resolver: SystemResolver) -> None:
    world.names |= {"four.test": ["93.184.215.14"], "six.test": ["2606:2800::1"]}

    assert ["93.184.215.14"] == await resolver.resolve("four.test")
    assert ["2606:2800::1"] == await resolver.resolve("six.test")


async def test_aliases_are_followed_to_their_addresses(world: World, resolver: SystemResolver) -> None:
    world.names |= {"a.test": Alias("b.test"), "b.test": Alias("c.test"), "c.test": ["10.0.0.1"]}

    assert ["10.0.0.1"] == await resolver.resolve("a.test")


async def test_an_answer_too_long_for_udp_is_read_over_tcp(
    world: World, server: DnsServer, resolver: SystemResolver
) -> None:
    world.names["a.test"] = Truncated(tuple(f"93.184.215.{number}" for number in range(1, 60)))

    assert 59 == len(await resolver.resolve("a.test"))
    assert "tcp" in {query.transport for query in server.queries}


@pytest.mark.parametrize("trouble", [Trouble.NXDOMAIN, Trouble.SERVFAIL, Trouble.REFUSED])
async def test_a_failure_of_the_name_server_is_a_failure_of_the_name(
    world: World, server: DnsServer, resolver: SystemResolver, trouble: Trouble
) -> None:
    world.names["a.test"] = trouble

    with pytest.raises(DnsFailed):
        await resolver.resolve("a.test")


async def test_a_name_without_any_address_fails(world: World, server: DnsServer, resolver: SystemResolver) -> None:
    world.names["a.test"] = []

    with pytest.raises(DnsFailed):
        await resolver.resolve("a.test")


async def test_aliases_in_a_circle_fail(world: World, resolver: SystemResolver) -> None:
    world.names |= {"a.test": Alias("b.test"), "b.test": Alias("a.test")}

    with pytest.raises(DnsFailed):
        await resolver.resolve("a.test")


async def test_a_silent_name_server_fails_in_time_and_holds_up_nobody(world: World, server: DnsServer) -> None:
    world.names |= {"dead.test": Trouble.SILENCE, "a.test": ["93.184.215.14"]}
    resolver = _Pointed(server, timeout_s=1.0)
    hanging = [asyncio.create_task(resolver.resolve("dead.test")) for _ in range(20)]

    assert ["93.184.215.14"] == await resolver.resolve("a.test")

    for outcome in await asyncio.gather(*hanging, return_exceptions=True):
        assert isinstance(outcome, DnsFailed)
    await resolver.aclose()


async def test_a_public_name_is_not_completed_by_a_search_domain(
    world: World, server: DnsServer, resolver: SystemResolver
) -> None:
    world.names["intra.corp.test"] = ["10.0.0.5"]

    with pytest.raises(DnsFailed):
        await resolver.resolve("intra")
    assert ["10.0.0.5"] == await resolver.resolve("intra", local=True)


async def test_an_unused_resolver_closes_too() -> None:
    await SystemResolver().aclose()
