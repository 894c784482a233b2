"""The manifest: what ships, what a project changes, and how it is written on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.errors import InvalidArgument
from outrider.permissions.manifest import (
    Manifest,
    check_manifest,
    default_manifest,
    load_manifest,
    manifest_with,
    parse_manifest,
)
from outrider.permissions.manifest_text import show_manifest, with_agent, with_rule, with_tools
from outrider.permissions.rules import parse_rule
from outrider.web.dialect import load_dialect

SPETTRO = manifest_with(load_dialect("spettro").manifest, "spettro")


def over_default(text: str) -> Manifest:
    return parse_manifest(text, "project", over=default_manifest())


def test_only_download_requires_approval_among_the_default_tools() -> None:
    assert {"download"} == {tool.name for tool in default_manifest().tools.values() if tool.approval == "required"}


@pytest.mark.parametrize(
    ("name", "actions", "approval", "risk", "timeout_s"),
    [
        ("web-search", ("search", "network"), "required", "medium", 30),
        ("web-fetch", ("read", "network"), "required", "medium", 45),
        ("job-output", ("read",), "no", "low", 10),
        ("job-kill", ("execute",), "no", "low", 10),
        ("download", ("write", "network"), "required", "high", 180),
    ],
)
def test_spettros_tools_are_as_its_users_know_them(
    name: str, actions: tuple[str, ...], approval: str, risk: str, timeout_s: float
) -> None:
    tool = SPETTRO.tools[name]
    assert (actions, approval, risk, timeout_s) == (tool.actions, tool.approval, tool.risk, tool.timeout_s)


def test_companion_tools_go_to_every_agent_that_has_the_tool_they_serve() -> None:
    manifest = parse_manifest('[agents.mine]\ntools = ["web-fetch"]', "project", over=SPETTRO)
    assert frozenset({"web-fetch", "download", "job-output", "job-kill"}) == manifest.tools_of("coding")
    assert frozenset({"web-search", "web-fetch", "job-output"}) == manifest.tools_of("ask")
    assert frozenset({"web-fetch", "job-output"}) == manifest.tools_of("mine")


def test_the_nameless_agent_has_every_tool_and_an_unknown_one_does_not_exist() -> None:
    assert None is default_manifest().tools_of("")
    with pytest.raises(InvalidArgument):
        default_manifest().tools_of("nobody")


def test_a_project_fills_in_single_properties(tmp_path: Path) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text('[tools.web_fetch]\napproval = "required"\n[agents.researcher]\nmax_results = 3\n')
    manifest = load_manifest(file)
    before = default_manifest()
    assert "required" == manifest.tools["web_fetch"].approval
    assert before.tools["web_fetch"].timeout_s == manifest.tools["web_fetch"].timeout_s
    assert before.agents["researcher"].tools == manifest.agents["researcher"].tools
    assert 3 == manifest.agents["researcher"].max_results
    assert before.tools["download"] == manifest.tools["download"]


def test_an_agent_that_a_project_defines_has_exactly_the_tools_it_lists() -> None:
    manifest = over_default('[agents.researcher]\ntools = ["web_search"]\n[agents.idle]\n')
    assert frozenset({"web_search"}) == manifest.tools_of("researcher")
    assert frozenset() == manifest.tools_of("idle")


def test_a_missing_file_changes_nothing(tmp_path: Path) -> None:
    assert default_manifest() == load_manifest(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[tools.web_fetch]\napproval = true", "tools.web_fetch.approval"),
        ("[tools.web_fetch]\ntimeout_s = 0", "tools.web_fetch.timeout_s"),
        ("[tools.web_fetch]\ntimeout_s = nan", "tools.web_fetch.timeout_s"),
        ("[tools.web_fetch]\nactions = ['fly']", "tools.web_fetch.actions"),
        ("[tools.web_fetch]\nrisks = 'low'", "tools.web_fetch.risks"),
        ("[agents.a]\ntools = 'web_fetch'", "agents.a.tools"),
        ("[agents]\na = 1", "agents.a"),
        ("tools = 1", "tools"),
        ("[[rules]]\npattern = 'domain:'\naction = 'deny'", "rules[0]"),
        ("[[rules]]\npattern = 'domain:x.test'\naction = 'maybe'", "rules[0]"),
        ("[[rules]]\npattern = 'domain:x.test'", "rules[0]"),
        ("[[agents.a.rules]]\npermission = 'fly'\npattern = '*'\naction = 'deny'", "agents.a.rules[0]"),
        ("[tools.web_fetch]\nhistory_limit = 0", "tools.web_fetch.history_limit"),
        ("[tools.web_fetch]\nhistory_limit = 1.5", "tools.web_fetch.history_limit"),
        ("[agents.a]\nmax_results = 21", "agents.a.max_results"),
        ("[agents.a]\nrules = 1", "agents.a.rules"),
        ("[agents.a]\nrules = [1]", "agents.a.rules[0]"),
        ("[settings]", "settings"),
        ("[", "file"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, place: str) -> None:
    assert place in [complaint.place for complaint in check_manifest(text)]
    with pytest.raises(InvalidArgument):
        over_default(text)


def test_checking_also_names_tools_that_nobody_describes() -> None:
    assert ["agents.a.tools"] == [complaint.place for complaint in check_manifest("[agents.a]\ntools = ['web_serch']")]
    assert [] == check_manifest("")


def test_what_is_shown_reads_as_the_same_manifest() -> None:
    whole = over_default(
        '[tools."my tool"]\nhistory_limit = 10\n[[tools."my tool".rules]]\npattern = "a.test/b"\naction = "ask"\n'
        '[agents."a \\"b\\""]\ntools = ["x\\\\y"]\nmax_results = 3\nmax_results_ceiling = 4\n'
        '[[rules]]\npermission = "write"\npattern = "data"\naction = "deny"\n'
    )
    assert whole == parse_manifest(show_manifest(whole), "shown")


def test_adding_keeps_what_a_person_wrote() -> None:
    mine = "# Ours.\n[tools.web_fetch]\nrisk = 'high'   # because\n"
    text = with_tools(mine, ["web_fetch", "download"])
    assert text.startswith(mine)
    text = with_agent(text, "helper", ["web_fetch"])
    text = with_rule(text, parse_rule("deny", "domain:evil.test"))
    text = with_rule(text, parse_rule("allow", "data", "write"), agent="helper")
    text = with_rule(text, parse_rule("ask", "*.example.org"), tool="download")
    assert text.startswith(mine)
    manifest = over_default(text)
    assert "high" == manifest.tools["web_fetch"].risk
    assert ["domain:evil.test"] == [rule.pattern.text for rule in manifest.rules]
    assert ["data"] == [rule.pattern.text for rule in manifest.agents["helper"].rules]
    assert ["domain:*.example.org"] == [rule.pattern.text for rule in manifest.tools["download"].rules]
    assert default_manifest().tools["download"].timeout_s == manifest.tools["download"].timeout_s


def test_adding_what_is_there_or_what_is_not_known_is_refused() -> None:
    text = with_agent("", "helper", [])
    with pytest.raises(InvalidArgument):
        with_agent(text, "helper", [])
    with pytest.raises(InvalidArgument):
        with_tools("", ["web_serch"])
    with pytest.raises(InvalidArgument):
        with_rule("", parse_rule("deny", "*"), agent="nobody")
    with pytest.raises(InvalidArgument):
        with_tools("[", ["web_fetch"])


@given(text=st.text(max_size=200))
def test_any_text_is_a_manifest_or_is_complained_about(text: str) -> None:
    if not check_manifest(text):
        over_default(text)


@given(name=st.text(min_size=1, max_size=30), tools=st.lists(st.text(max_size=10), max_size=3))
def test_any_name_survives_being_added(name: str, tools: list[str]) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in name + "".join(tools)):
        return
    assert tuple(tools) == over_default(with_agent("", name, tools)).agents[name].tools


@pytest.mark.parametrize("content", [b"\xff\xfe[", b"#" * (1024 * 1024 + 1)])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "manifest.toml"
    file.write_bytes(content)
    with pytest.raises(InvalidArgument):
        load_manifest(file)
    with pytest.raises(InvalidArgument):
        load_manifest(tmp_path)
