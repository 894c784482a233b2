"""What a rule matches, and which rule has the last word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.errors import InvalidArgument, InvalidUrl
from outrider.permissions.rules import (
    Action,
    Layer,
    Subject,
    decide,
    file_path,
    parse_pattern,
    parse_rule,
    parse_rule_text,
    rule_for,
)
from outrider.url import Url


def to(url: str) -> Subject:
    return Subject(action="network", url=Url.parse(url))


def says(action: Action, pattern: str, url: str) -> bool:
    return parse_rule(action, pattern).applies(to(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/",
        "http://EXAMPLE.org:8080/any/path?q=1#f",
        "https://example.org./",
        "https://ｅxample.org/",
    ],
)
def test_a_domain_rule_covers_every_spelling_scheme_port_and_path_of_its_host(url: str) -> None:
    assert says("allow", "domain:Example.ORG.", url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org.evil.test/",
        "https://notexample.org/",
        "https://sub.example.org/",
        "https://evil.test/example.org",
        "https://evil.test/?example.org",
        "https://evil.test/#@example.org",
        "https://example.orgx/",
        "https://xn--example-org.test/",
    ],
)
def test_a_domain_rule_covers_no_other_host(url: str) -> None:
    assert not says("allow", "domain:example.org", url)
    assert not says("deny", "domain:example.org", url)


@pytest.mark.parametrize("text", ["https://example.org@evil.test/", "https://evil.test\\@example.org/"])
def test_a_url_that_hides_its_host_does_not_even_become_a_subject(text: str) -> None:
    with pytest.raises(InvalidUrl):
        to(text)


def test_a_star_stands_for_subdomains_of_any_depth_and_not_for_the_host_itself() -> None:
    for form in ("domain:*.example.org", "*.example.org"):
        assert says("deny", form, "https://a.b.example.org/")
        assert says("allow", form, "https://a.example.org/")
        assert not says("deny", form, "https://example.org/")
        assert not says("allow", form, "https://evilexample.org/")


def test_an_international_host_is_compared_in_its_one_normal_form() -> None:
    assert says("allow", "domain:bücher.example", "https://xn--bcher-kva.example/")
    assert says("deny", "domain:xn--bcher-kva.example", "https://BÜCHER.example/")


def test_addresses_are_hosts_like_any_other() -> None:
    assert says("allow", "domain:[2001:db8::1]", "http://[2001:DB8:0::1]:8080/")
    assert says("allow", "domain:2001:db8::1", "http://[2001:db8::1]/")
    assert says("allow", "domain:192.0.2.1", "http://192.0.2.1/")


def test_a_path_prefix_ends_at_a_segment_boundary() -> None:
    for form in ("github.com/astral-sh", "github.com/astral-sh/"):
        assert says("allow", form, "https://github.com/astral-sh")
        assert says("allow", form, "https://github.com/astral-sh/ruff?tab=readme")
        assert not says("allow", form, "https://github.com/astral-sh-evil/ruff")
        assert not says("deny", form, "https://github.com/astral-sh-evil/ruff")
        assert not says("allow", form, "https://gist.github.com/astral-sh/ruff")


@pytest.mark.parametrize(
    "path",
    [
        "/docs/../secret",
        "/docs/%2e%2e/secret",
        "/docs/x%2f..%2f..%2fsecret",
        "/docs%2f..%2fsecret",
        "/docs/%252e%252e/secret",
        "/docs/..;/secret",
        "/docs/%5c..%5c../secret",
    ],
)
def test_a_path_that_some_server_reads_as_another_is_not_allowed_by_prefix(path: str) -> None:
    assert not says("allow", "example.org/docs", "https://example.org" + path)


@pytest.mark.parametrize(
    "path",
    [
        "/private",
        "/private/x",
        "/%70rivate/x",
        "//private/x",
        "/./private",
        "/a/../private/x",
        "/private;v=1/x",
        "/%2570rivate",
        "/Private/x",
        "/a%2f..%2fprivate",
    ],
)
def test_a_denied_prefix_is_denied_in_every_spelling(path: str) -> None:
    assert says("deny", "example.org/private", "https://example.org" + path)


def test_a_full_url_stands_for_itself_alone() -> None:
    rule = "https://example.org/a?b=1"
    assert says("allow", rule, "https://EXAMPLE.org:443/a?b=1#part")
    for other in (
        "https://example.org/a",
        "https://example.org/a?b=2",
        "http://example.org/a?b=1",
        "https://example.org/a/b?b=1",
    ):
        assert not says("allow", rule, other)
    assert says("deny", rule, "http://example.org/%61?b=1")


@pytest.mark.parametrize(
    "text",
    [
        "", "domain:", "domain:a b", "domain:example.org/x", "domain:example.org:443", "user@example.org", "*.*.org",
        "ex*mple.org", "example.org/a*", "example.org/a?b", "ftp://example.org/", "tool:", "tool:a b", "domain:0x7f.1",
        "domain:*.", "https://user@example.org/", "domain:exa\nmple.org", "example.org/\\x", "domain:a?b", "domain:a#b",
    ],
)  # fmt: skip
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_pattern(text)


@pytest.mark.parametrize("pattern", ["../x", "/etc", "a/../../b", "", "C:\\..\\..\\x/../..", "a*"])
def test_a_write_rule_stays_in_the_workspace(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_rule("allow", pattern, "write")


def test_a_write_rule_covers_a_folder_at_its_boundary() -> None:
    rule = parse_rule("allow", "data", "write")
    assert rule.applies(Subject(action="write", path="data/a.csv"))
    assert not rule.applies(Subject(action="write", path="database/a.csv"))
    assert not rule.applies(Subject(action="write", path="Data/a.csv"))
    assert parse_rule("deny", "data", "write").applies(Subject(action="write", path="./Data//a.csv"))
    assert not rule.applies(to("https://data/"))


def test_a_network_rule_says_nothing_about_writing() -> None:
    assert not parse_rule("allow", "*").applies(Subject(action="write", path="x"))
    assert parse_rule("allow", "*", "write").applies(Subject(action="write", path="x"))


def test_leave_to_use_a_tool_is_no_leave_for_hosts_but_its_refusal_is() -> None:
    fetch = to("https://example.org/")
    assert not parse_rule("allow", "tool:web_fetch").applies(fetch, "web_fetch")
    assert parse_rule("deny", "tool:web_fetch").applies(fetch, "web_fetch")
    search = Subject(action="search", text="words")
    assert parse_rule("allow", "tool:web_search").applies(search, "web_search")
    assert not parse_rule("allow", "domain:*").applies(search, "web_search")


def layers(*rules: tuple[str, list[tuple[str, str]]]) -> list[Layer]:
    return [
        Layer(name=name, rules=tuple(parse_rule(action, pattern) for action, pattern in entries))
        for name, entries in rules
    ]


def test_a_denial_anywhere_wins() -> None:
    decision = decide(
        to("https://a.example.org/"),
        layers(("near", [("allow", "domain:a.example.org")]), ("far", [("deny", "*.example.org")])),
    )
    assert decision is not None
    assert ("deny", "domain:*.example.org", "far") == (decision.action, decision.rule, decision.source)


def test_the_nearest_layer_that_speaks_decides() -> None:
    decision = decide(
        to("https://example.org/"),
        layers(
            ("near", [("allow", "domain:other.test")]),
            ("mid", [("allow", "*")]),
            ("far", [("ask", "domain:example.org")]),
        ),
    )
    assert decision is not None
    assert ("allow", "mid") == (decision.action, decision.source)


def test_in_one_layer_the_narrowest_rule_decides() -> None:
    rules = layers(
        ("all", [("ask", "domain:github.com"), ("allow", "github.com/python"), ("ask", "github.com/python/cpython")])
    )
    by_url = {
        url: decide(to(url), rules)
        for url in ("https://github.com/x", "https://github.com/python/x", "https://github.com/python/cpython/pulls")
    }
    assert ["ask", "allow", "ask"] == [decision.action for decision in by_url.values() if decision]


def test_of_two_equally_narrow_rules_the_careful_one_decides() -> None:
    decision = decide(
        to("https://example.org/"), layers(("all", [("allow", "domain:example.org"), ("ask", "domain:example.org")]))
    )
    assert decision is not None
    assert "ask" == decision.action


# Properties.

labels = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
hosts = st.lists(labels, min_size=1, max_size=4).map(".".join)
segments = st.text(alphabet="ab./%25eE;\\~", max_size=6)
paths = st.lists(segments, max_size=5).map(lambda parts: "/" + "/".join(parts).replace("\\", "%5c"))
prefixes = st.lists(labels, min_size=1, max_size=3).map("/".join)


def subject_or_none(text: str) -> Subject | None:
    try:
        return to(text)
    except InvalidUrl:
        return None


@given(rule_host=hosts, host=hosts, prefix=prefixes, path=paths)
def test_what_a_pattern_allows_it_would_deny_as_well(rule_host: str, host: str, prefix: str, path: str) -> None:
    subject = subject_or_none(f"https://{host}{path}")
    if subject is None:
        return
    for pattern in (
        f"domain:{rule_host}",
        f"*.{rule_host}",
        f"{rule_host}/{prefix}",
        f"{host}/{prefix}",
        f"https://{host}{subject.url.path if subject.url else ''}",
    ):
        read = parse_pattern(pattern)
        assert not read.covers(subject) or read.touches(subject)


@given(host=hosts, other=hosts)
def test_a_domain_rule_allows_exactly_its_own_host(host: str, other: str) -> None:
    subject = subject_or_none(f"https://{other}/")
    if subject is not None:
        assert (host == other) == parse_pattern(f"domain:{host}").covers(subject)


@given(host=hosts, other=hosts)
def test_a_star_rule_allows_exactly_the_hosts_below(host: str, other: str) -> None:
    subject = subject_or_none(f"https://{other}/")
    if subject is not None:
        assert other.endswith("." + host) == parse_pattern(f"domain:*.{host}").covers(subject)


@given(host=hosts, prefix=prefixes, path=paths)
def test_an_allowed_prefix_is_never_left_by_decoding(host: str, prefix: str, path: str) -> None:
    subject = subject_or_none(f"https://{host}/{prefix}{path}")
    if subject is None or subject.url is None or not parse_pattern(f"{host}/{prefix}").covers(subject):
        return
    depth = 0
    decoded = subject.url.path
    for _ in range(9):
        decoded = (
            decoded.replace("%25", "%").replace("%2e", ".").replace("%2E", ".").replace("%2f", "/").replace("%5c", "/")
        )
    for segment in decoded.removeprefix(f"/{prefix}").split("/"):
        depth += -1 if segment == ".." else 1 if segment not in ("", ".") else 0
        assert depth >= 0


@given(text=st.text(max_size=40))
def test_reading_a_rule_ends_in_a_pattern_or_in_invalid_argument(text: str) -> None:
    try:
        pattern = parse_pattern(text)
    except InvalidArgument:
        return
    assert pattern == parse_pattern(pattern.text)


@given(host=hosts, path=paths)
def test_the_rule_that_an_approval_keeps_allows_what_was_asked(host: str, path: str) -> None:
    subject = subject_or_none(f"https://{host}{path}")
    if subject is not None:
        rule = rule_for(subject, "web_fetch")
        assert rule == parse_rule_text("allow", rule.text)
        assert rule.applies(subject)


@given(path=st.text(alphabet="ab./ ", min_size=1, max_size=12))
def test_the_rule_that_a_writes_approval_keeps_allows_what_was_asked(path: str) -> None:
    subject = Subject(action="write", path=path)
    rule = rule_for(subject, "download")
    assert rule.applies(subject)
    inside = not file_path(path + "/x").startswith(("/", "../"))
    if inside and file_path(path) == file_path(path).strip():
        assert rule == parse_rule_text("allow", rule.text)


def test_a_rule_for_a_tool_or_a_folder_says_nothing_about_hosts() -> None:
    for pattern in (parse_pattern("tool:web_fetch"), parse_rule("allow", "data", "write").pattern):
        assert not pattern.covers(to("https://data/"))
        assert not pattern.touches(to("https://data/"))


def test_a_tool_can_be_named_in_a_write_rule_too() -> None:
    write = Subject(action="write", path="x")
    assert parse_rule("deny", "tool:download", "write").applies(write, "download")
    assert not parse_rule("allow", "tool:download", "write").applies(write, "download")


def test_a_path_under_endless_layers_of_encoding_is_read_in_bounded_time() -> None:
    path = "/%" + "25" * 3_000 + "70rivate"
    assert not says("allow", "example.org/private", "https://example.org" + path)


@pytest.mark.parametrize(
    ("action", "permission"), [("maybe", "network"), ("allow", "read"), ("", ""), ("ALLOW", "network")]
)
def test_an_action_or_permission_that_is_none_is_refused(action: str, permission: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_rule(action, "*", permission)
