"""`outrider doctor`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, Neighbourhood
from outrider.config import settings
from world.messages import page

SECRET = "very-secret-key"


def states(ended_json: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {check["name"]: check["state"] for check in ended_json["checks"]}


def test_a_page_that_can_be_read_shows_that_the_network_works(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("doctor", "--probe", nearby.site({"/": page("<p>Here</p>")}).url)

    assert 0 == ended.status
    assert "answered 200" in ended.out


def test_an_answer_with_an_error_still_shows_that_the_network_works(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("doctor", "--json", "--probe", nearby.site({}).url)

    assert (0, True, "ok") == (ended.status, ended.json["ok"], states(ended.json)["network"])


def test_a_network_that_does_not_answer_is_said_with_what_to_do(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_ALLOW_HOSTS", "127.0.0.1:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:pass@proxy.test:3128")

    ended = cli("doctor", "--json", "--probe", "http://127.0.0.1:1/", "--set", "fetch.retries=0")

    network = next(check for check in ended.json["checks"] if check["name"] == "network")
    assert (4, "failed") == (ended.status, network["state"])
    assert "egress.trust_env_proxy" in network["todo"]
    assert "user:pass" not in ended.out


def test_a_refused_probe_is_said_with_the_setting_that_would_allow_it(cli: CommandLine) -> None:
    ended = cli("doctor", "--probe", "http://wiki.internal/")

    assert 3 == ended.status
    assert "OUTRIDER_ALLOW_HOSTS" in ended.out


def test_without_the_network_nothing_is_asked_and_nothing_fails(cli: CommandLine) -> None:
    ended = cli("doctor", "--no-network")

    assert 0 == ended.status
    assert "not tried" in ended.out


def test_keys_are_named_and_never_shown(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://searxng.internal/")
    monkeypatch.setenv("SEARXNG_API_KEY", SECRET)

    plain, as_json = cli("doctor", "--no-network", "--all-settings"), cli("doctor", "--no-network", "--json")

    searxng = next(provider for provider in as_json.json["providers"] if provider["id"] == "searxng")
    assert 1 == searxng["place"]
    assert {"SEARXNG_URL", "SEARXNG_API_KEY"} == set(searxng["found"])
    assert SECRET not in plain.out + as_json.out


def test_keys_of_the_configuration_file_are_not_shown(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        f'[search.providers.searxng]\nbase_url = "http://s.internal/"\napi_key = "{SECRET}"\n'
        '[egress]\nproxy_url = "http://user:hunter2@proxy.test:3128"\n'
    )
    monkeypatch.setenv("OUTRIDER_CONFIG", str(file))

    ended = cli("doctor", "--no-network", "--all-settings")

    assert 0 == ended.status
    assert "searxng" in ended.out
    assert SECRET not in ended.out
    assert "hunter2" not in ended.out


def test_every_setting_is_shown_with_its_layer(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_FETCH_RETRIES", "2")

    ended = cli("doctor", "--no-network", "--json", "--set", "search.max_results=7")

    layers = {setting["name"]: setting["layer"] for setting in ended.json["settings"]}
    assert {name for name, *_ in settings()} == set(layers)
    assert ("environment", "argument") == (layers["fetch.retries"], layers["search.max_results"])
    assert "default" == layers["fetch.stall_s"]


def test_who_is_not_asked_has_a_reason(cli: CommandLine) -> None:
    ended = cli("doctor", "--no-network", "--json", "--set", "search.disabled=wikipedia")

    providers = {provider["id"]: provider for provider in ended.json["providers"]}
    assert "disabled" == providers["wikipedia"]["state"]
    assert all(provider["why"] for provider in providers.values() if provider["place"] is None)
