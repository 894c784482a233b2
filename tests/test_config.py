"""Settings: four layers, and an error that names whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st

from outrider.config import Config, environment_name, settings, user_file
from outrider.errors import InvalidArgument


def _load(folder: Path, arguments: Mapping[str, Any] | None = None, **environment: str) -> Config:
    return Config.load(arguments, environment={"HOME": str(folder), **environment}, folder=folder)


def _own_file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "own.toml"
    path.write_text(text)
    return {"OUTRIDER_CONFIG": str(path)}


def test_without_anything_every_setting_is_its_default(tmp_path: Path) -> None:
    config = _load(tmp_path)

    for name, default, _ in settings():
        section, key = name.split(".")
        assert default == getattr(getattr(config, section), key)
    assert {} == config.layers


def test_each_layer_covers_the_one_below(tmp_path: Path) -> None:
    own = _own_file(tmp_path, "[fetch]\ntotal_s = 11\nstall_s = 11\nretries = 2\nmax_redirects = 1\n")
    (tmp_path / "outrider.toml").write_text("[fetch]\ntotal_s = 12\nstall_s = 12\nretries = 0\n")
    environment = {**own, "OUTRIDER_FETCH_TOTAL_S": "13", "OUTRIDER_FETCH_STALL_S": "13"}

    config = _load(tmp_path, {"fetch.total_s": 14}, **environment)

    fetch = config.fetch
    assert (14, 13, 0, 1) == (fetch.total_s, fetch.stall_s, fetch.retries, fetch.max_redirects)
    assert ["argument", "environment", str(tmp_path / "outrider.toml"), own["OUTRIDER_CONFIG"]] == [
        config.layers[f"fetch.{key}"] for key in ("total_s", "stall_s", "retries", "max_redirects")
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[egress]\nallow_hosts = ["10.0.0.0/8"]\n',
        '[egress]\nproxy_url = "http://evil.test"\n',
        "[egress]\ntrust_env_proxy = true\n",
        '[egress]\nca_file = "ca.pem"\n',
        '[search.providers.searxng]\nbase_url = "http://evil.test"\n',
    ],
)
def test_a_projects_file_cannot_open_the_network(tmp_path: Path, text: str) -> None:
    (tmp_path / "outrider.toml").write_text(text)

    with pytest.raises(InvalidArgument, match="project"):
        _load(tmp_path)


def test_the_same_is_fine_in_the_users_own_file(tmp_path: Path) -> None:
    own = _own_file(
        tmp_path, '[egress]\nallow_hosts = ["10.0.0.0/8"]\n[search.providers.searxng]\nbase_url = "http://s"\n'
    )

    config = _load(tmp_path, None, **own)

    assert ("10.0.0.0/8",) == config.egress.allow_hosts
    assert "http://s" == config.search.providers["searxng"]["base_url"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[fetch]\nnot_there = 1\n", "fetch.not_there"),
        ("[nowhere]\n", "nowhere"),
        ("total_s = 1\n", "total_s"),
        ("[fetch\n", "TOML"),
        ("[fetch]\ntotal_s = 'long'\n", "fetch.total_s"),
        ("[fetch]\nretries = 1.5\n", "fetch.retries"),
        ("[fetch]\nrobots = 'maybe'\n", "fetch.robots"),
        ("[web]\nenabled = 'perhaps'\n", "web.enabled"),
        ("[egress]\nallow_hosts = [1]\n", "egress.allow_hosts"),
        ("[egress]\nallow_hosts = 5\n", "egress.allow_hosts"),
        ("[search]\nproviders = 5\n", "search.providers"),
        ("[search]\nproviders = {a = 5}\n", "search.providers"),
        ("[egress]\nuser_agent = 5\n", "egress.user_agent"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong_in_it(tmp_path: Path, text: str, named: str) -> None:
    own = _own_file(tmp_path, text)

    with pytest.raises(InvalidArgument) as caught:
        _load(tmp_path, None, **own)
    assert named in caught.value.message
    assert "own.toml" in caught.value.message


def test_a_file_that_is_named_and_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="OUTRIDER_CONFIG"):
        _load(tmp_path, OUTRIDER_CONFIG=str(tmp_path / "absent.toml"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("OUTRIDER_ALLOW_HOSTS", "searxng:8080, 10.0.0.0/8,,", ("searxng:8080", "10.0.0.0/8")),
        ("OUTRIDER_ALLOW_HOSTS_EXTRA", "a", ("a",)),
        ("OUTRIDER_EGRESS_TRUST_ENV_PROXY", "Yes", True),
        ("OUTRIDER_EGRESS_HTTP2", "off", False),
        ("OUTRIDER_WEB_ENABLED", "", False),
        ("OUTRIDER_FETCH_RETRIES", "3", 3),
        ("OUTRIDER_FETCH_TOTAL_S", "1.5", 1.5),
    ],
)
def test_the_environment_gives_settings_as_text(tmp_path: Path, name: str, value: str, expected: object) -> None:
    config = _load(tmp_path, None, **{name: value})

    (setting,) = config.layers
    section, key = setting.split(".")
    assert name == environment_name(setting)
    assert expected == getattr(getattr(config, section), key)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OUTRIDER_FETCH_RETRIES", "many"), ("OUTRIDER_FETCH_RETRIES", "9"), ("OUTRIDER_FETCH_TOTAL_S", "0"),
        ("OUTRIDER_FETCH_TOTAL_S", "nan"), ("OUTRIDER_FETCH_TOTAL_S", "inf"), ("OUTRIDER_WEB_ENABLED", "2"),
        ("OUTRIDER_FETCH_ROBOTS", "never"),
    ],
)  # fmt: skip
def test_a_wrong_variable_is_named_by_its_setting_and_layer(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidArgument, match="environment"):
        _load(tmp_path, None, **{name: value})


@pytest.mark.parametrize("name", ["nothing", "fetch.nothing", "nowhere.total_s", "fetch."])
def test_an_argument_that_is_no_setting_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(name)):
        _load(tmp_path, {name: 1})


def test_a_setting_may_be_named_with_its_section_or_without(tmp_path: Path) -> None:
    assert _load(tmp_path, {"retries": 2}).fetch == _load(tmp_path, {"fetch.retries": 2}).fetch


@pytest.mark.parametrize(("name", "value"), [("proxy_url", 5), ("providers", {"brave": "sk-secret"})])
def test_a_message_does_not_repeat_what_may_be_a_secret(tmp_path: Path, name: str, value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        _load(tmp_path, {name: value})
    assert "secret" not in str(caught.value.as_dict())


def test_a_configuration_does_not_show_its_keys(tmp_path: Path) -> None:
    config = _load(tmp_path, {"providers": {"brave": {"api_key": "sk-secret"}}}, SOME_API_KEY="sk-secret")

    assert "sk-secret" not in repr(config)


@how(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(sorted(name for name, *_ in settings())),
    value=st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)  # fmt: skip
def test_any_value_is_taken_or_refused_by_name(tmp_path: Path, name: str, value: object) -> None:
    try:
        _load(tmp_path, {name: value})
    except InvalidArgument as error:
        assert name in error.message  # noqa: PT017


def test_the_users_own_file_is_where_the_platform_keeps_it() -> None:
    assert "outrider.toml" == user_file({}).name
    assert Path("/x/y.toml") == user_file({"OUTRIDER_CONFIG": "/x/y.toml"})
