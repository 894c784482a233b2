"""`outrider providers`."""

from __future__ import annotations

import pytest

from interfaces.commandline import CommandLine, Neighbourhood
from outrider.web.providers import provider_names
from world.messages import page


def test_every_provider_is_listed(cli: CommandLine) -> None:
    ended = cli("providers")

    assert 0 == ended.status
    assert all(name in ended.out for name in provider_names())
    assert cli("providers", "list").out == ended.out


def test_a_chosen_provider_is_the_only_one_that_is_asked(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_SEARCH_PROVIDER", "wikipedia")

    listed = cli("providers", "--json").json["providers"]

    assert ["wikipedia"] == [provider["id"] for provider in listed if provider["place"] is not None]


@pytest.mark.parametrize("name", provider_names())
def test_every_provider_can_be_shown(cli: CommandLine, name: str) -> None:
    assert 0 == cli("providers", "show", name).status
    assert name == cli("providers", "show", name, "--json").json["id"]


def test_a_provider_that_answers_passes_its_trial(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    ended = cli("providers", "test", "searxng")

    assert 0 == ended.status
    assert "searxng works" in ended.out


def test_a_provider_that_fails_does_not(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine(page("<p>forbidden</p>", status=403))

    ended = cli("providers", "test", "searxng")

    assert 7 == ended.status
    assert "[provider_misconfigured]" in ended.err


def test_a_provider_without_its_setting_says_which_one(cli: CommandLine) -> None:
    ended = cli("providers", "test", "searxng")

    assert 7 == ended.status
    assert "SEARXNG_URL" in ended.err
