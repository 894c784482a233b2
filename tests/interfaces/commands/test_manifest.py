"""`outrider manifest`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, Neighbourhood

FILE = Path(".outrider/manifest.toml")


def _write(text: str) -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text, encoding="utf-8")


def test_what_ships_is_shown_as_toml(cli: CommandLine) -> None:
    ended = cli("manifest", "show")

    assert 0 == ended.status
    assert "required" == tomllib.loads(ended.out)["tools"]["download"]["approval"]
    assert "not there" in ended.err
    assert not FILE.exists()


def test_a_projects_file_is_laid_over_it(cli: CommandLine) -> None:
    _write('[tools.download]\napproval = "no"\n')

    shown = cli("manifest", "show", "--json").json

    assert ("no", True) == (shown["tools"]["download"]["approval"], shown["exists"])
    assert "web_fetch" in shown["tools"]


def test_a_dialects_own_tools_are_shown(cli: CommandLine) -> None:
    assert "job-output" in cli("manifest", "show", "--dialect", "spettro").out
    assert ".spettro" in cli("manifest", "show", "--dialect", "spettro", "--json").json["file"]


def test_a_file_that_is_well_passes_the_check(cli: CommandLine) -> None:
    assert 0 == cli("manifest", "check").status
    _write('[agents.reader]\ntools = ["web_fetch"]\n')

    ended = cli("manifest", "check")

    assert (0, "") == (ended.status, ended.out)
    assert "is well" in ended.err


def test_every_complaint_about_a_file_is_named(cli: CommandLine) -> None:
    _write('[tools.web_fetch]\napproval = "perhaps"\n\n[agents.reader]\ntools = ["telepathy"]\n')

    ended = cli("manifest", "check")

    assert 2 == ended.status
    assert ["tools.web_fetch.approval", "agents.reader.tools"] == [
        line.partition(":")[0] for line in ended.out.splitlines()
    ]
    assert 2 == len(cli("manifest", "check", "--json").json["complaints"])


def test_an_agent_is_added_and_held_to_its_tools(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    added = cli("manifest", "add", "agent", "reader", "--tool", "web_fetch", "--tool", "read_page")

    assert (0, "") == (added.status, added.out)
    assert ["web_fetch", "read_page"] == [
        tool["name"] for tool in cli("tools", "--agent", "reader", "--json").json["tools"]
    ]
    refused = cli("search", "tides", "--agent", "reader")
    assert 3 == refused.status
    assert "[permission_denied]" in refused.err


def test_a_rule_is_added_and_holds(cli: CommandLine) -> None:
    assert 0 == cli("manifest", "add", "rule", "deny", "domain:example.com").status

    ended = cli("fetch", "https://example.com/")

    assert 3 == ended.status
    assert "[permission_denied]" in ended.err


def test_a_rule_for_writing_belongs_to_an_agent(cli: CommandLine) -> None:
    cli("manifest", "add", "agent", "writer", "--tool", "download")

    assert 0 == cli("manifest", "add", "rule", "allow", "reports", "--write", "--agent", "writer").status

    agent = cli("manifest", "show", "--json").json["agents"]["writer"]
    assert [{"permission": "write", "pattern": "reports", "action": "allow"}] == agent["rules"]


def test_a_tools_entry_is_added_once_and_comments_stay(cli: CommandLine) -> None:
    _write("# Ours.\n")

    assert cli("manifest", "add", "tool", "download", "--json").json["changed"]
    assert not cli("manifest", "add", "tool", "download", "--json").json["changed"]
    assert FILE.read_text(encoding="utf-8").startswith("# Ours.\n")


@pytest.mark.parametrize(
    "words",
    [
        ("agent", "reader", "--tool", "telepathy"),
        ("agent", "reader"),
        ("tool", "telepathy"),
        ("rule", "allow", "not a host"),
        ("rule", "perhaps", "domain:example.com"),
        ("rule", "allow", "domain:example.com", "--agent", "nobody"),
        ("rule", "allow", "domain:example.com", "--tool", "telepathy"),
        ("rule", "allow", "domain:example.com", "--tool", "web_fetch", "--agent", "researcher"),
    ],
)
def test_what_cannot_be_added_leaves_the_file_as_it_is(cli: CommandLine, words: tuple[str, ...]) -> None:
    ended = cli("manifest", "add", *words)

    assert (2, "") == (ended.status, ended.out)
    assert "[invalid_argument]" in ended.err
    assert not FILE.exists()


def test_a_file_that_cannot_be_written_ends_with_8(cli: CommandLine) -> None:
    ended = cli(
        "manifest", "add", "rule", "deny", "domain:example.com", "--set", "permissions.manifest=/proc/no/x.toml"
    )

    assert (8, "") == (ended.status, ended.out)
    assert "[storage_error]" in ended.err
