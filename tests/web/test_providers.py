"""Which providers are asked, and why the others are not."""

from __future__ import annotations

import pytest

from outrider.web.providers import provider_names, standings
from world.world import World


async def test_every_provider_stands_once_and_those_that_are_asked_come_first(world: World) -> None:
    async with world.web() as web:
        listed = standings(web)

    places = [standing.place for standing in listed]
    asked = [place for place in places if place is not None]
    assert sorted(provider_names()) == sorted(standing.id for standing in listed)
    assert list(range(1, len(asked) + 1)) == places[: len(asked)]


async def test_an_order_of_ones_own_leaves_the_others_out(world: World) -> None:
    async with world.web(order=["wikipedia", "duckduckgo"]) as web:
        listed = {standing.id: standing for standing in standings(web)}

    assert (1, 2) == (listed["wikipedia"].place, listed["duckduckgo"].place)
    assert "not_in_order" == listed["keenable"].state


async def test_a_key_in_the_environment_puts_its_provider_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "secret")

    async with world.web() as web:
        first = standings(web)[0]

    assert ("brave", ("BRAVE_API_KEY",), ()) == (first.id, first.found, first.missing)
    assert "secret" not in str(first.entry())


@pytest.mark.parametrize(("fallback", "asked"), [("auto", 1), ("always", 5)])
async def test_others_follow_a_chosen_provider_only_when_told_so(world: World, fallback: str, asked: int) -> None:
    async with world.web(provider="wikipedia", fallback=fallback) as web:
        places = [standing.id for standing in standings(web) if standing.place is not None]

    assert "wikipedia" == places[0]
    assert asked == len(places)
