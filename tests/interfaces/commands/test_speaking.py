"""The tools as a model gets them: `outrider tools`, `outrider call`, and `--dialect`."""

from __future__ import annotations

import io
import json

import pytest

from interfaces.commandline import CommandLine, Neighbourhood
from outrider.web.dialect import DIALECTS, load_dialect
from world.messages import page

NAMES = [name.replace("_", "-") for name in DIALECTS.names()]


@pytest.mark.parametrize("name", NAMES)
def test_the_tools_of_every_dialect_are_listed(cli: CommandLine, name: str) -> None:
    ended = cli("tools", "--dialect", name)
    listed = cli("tools", "--dialect", name, "--json").json

    assert 0 == ended.status
    assert {spec.name for spec in load_dialect(name).tools()} >= {tool["name"] for tool in listed["tools"]} != set()
    assert all(tool["name"] in ended.out and tool["description"] in ended.out for tool in listed["tools"])
    assert all("object" == tool["parameters"]["type"] for tool in listed["tools"])


def test_no_tools_are_listed_where_the_web_is_turned_off(cli: CommandLine) -> None:
    assert [] == cli("tools", "--json", "--set", "web.enabled=false").json["tools"]


def test_a_tool_is_called_with_its_own_arguments(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page("<p>Twice a day.</p>")})

    ended = cli("call", "fetch", json.dumps({"url": site.url, "max_length": 5}), "--dialect", "mcp-fetch")

    assert 0 == ended.status
    assert ended.out.startswith(f"Contents of {site.url}:\nTwice")


def test_the_arguments_come_from_standard_input_too(
    cli: CommandLine, nearby: Neighbourhood, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = nearby.site({"/": page("<p>Twice a day.</p>")})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps({"url": site.url}).encode())))

    data = cli("call", "web_fetch", "-", "--json").json

    assert "Twice a day." == data["items"][0]["content"].strip()


def test_a_call_that_fails_ends_with_the_status_of_its_error(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({})

    ended = cli("call", "web_fetch", json.dumps({"url": site.url}), "--json")

    assert 5 == ended.status
    assert "http_404" == ended.json["error"]["code"]


@pytest.mark.parametrize(
    "words",
    [
        ("call", "telepathy", "{}"),
        ("call", "web_fetch", "{"),
        ("call", "web_fetch", "[]"),
        ("call", "web_fetch", "[" * 100_000),
        ("call", "web_fetch", '{"colour": "red"}'),
        ("tools", "--dialect", "klingon"),
        ("tools", "--agent", "nobody"),
        ("fetch", "https://example.com/", "--dialect", "harness9", "--section", "Tides"),
        ("fetch", "https://example.com/", "https://example.org/", "--dialect", "mcp-fetch"),
        ("fetch", "https://example.com/", "--all", "--dialect", "mcp-fetch"),
        ("search", "tides", "--dialect", "mcp-fetch"),
        ("search", "tides", "--dialect", "harness9", "--country", "NL"),
    ],
)
def test_what_a_dialect_does_not_know_ends_with_2(cli: CommandLine, words: tuple[str, ...]) -> None:
    ended = cli(*words)

    assert (2, "") == (ended.status, ended.out)
    assert "[invalid_argument]" in ended.err
    assert len(ended.err) < 1_500


def test_a_page_is_shown_as_a_dialect_shows_it(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page("<title>Tides</title><p>Twice a day.</p>")})

    harness = cli("fetch", site.url, "--dialect", "harness9", "--limit", "500")
    batch = cli("fetch", site.url, site.url, "--dialect", "weknora", "--json")

    assert "来源" in harness.out
    assert 0 == batch.status


def test_results_are_shown_as_a_dialect_shows_them(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    ended = cli("search", "tides", "--dialect", "harness9", "-n", "1")

    assert 0 == ended.status
    assert "摘要" in ended.out
    assert "https://example.org/b" not in ended.out


@pytest.mark.parametrize("typed", [b"\xff\xfe", b"{}" + b" " * 1_000_000], ids=["no text", "too much"])
def test_standard_input_that_holds_no_arguments_is_refused(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, typed: bytes
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))

    assert 2 == cli("call", "web_fetch", "-").status


def test_a_closed_standard_input_is_said_to_be_closed(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    assert 2 == cli("call", "web_fetch", "-").status
    assert "closed" in cli("convert", "-").err
