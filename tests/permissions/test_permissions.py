"""Rules, approvals, preapproved hosts, the mode and a person's answer together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from outrider.call import Approval, Call, Question
from outrider.errors import ApprovalRequired, InvalidArgument, PermissionDenied, RedirectRejected, StorageError
from outrider.permissions.approvals import Approvals
from outrider.permissions.manifest import default_manifest, parse_manifest
from outrider.permissions.permissions import MAX_GRANTS, MAX_SCOPES, Mode, Permissions, mode_of
from outrider.permissions.rules import Subject, parse_rule
from outrider.types import Scope
from outrider.url import Url


class Person:
    """Answers from a script, and remembers what was asked."""

    def __init__(self, *answers: Approval) -> None:
        self.answers = list(answers)
        self.questions: list[Question] = []

    async def __call__(self, question: Question) -> Approval:
        self.questions.append(question)
        return self.answers.pop(0)


class _Unwritable(Approvals):
    """A file on a read-only disk."""

    def add(self, pattern: str) -> None:
        raise StorageError


def to(url: str, **others: str) -> Subject:
    return Subject(action="network", url=Url.parse(url), **others)


async def outcome(permissions: Permissions, subject: Subject, tool: str = "web_fetch", call: Call | None = None) -> str:
    try:
        await permissions.gate(tool, call or Call()).permit(subject)
    except (PermissionDenied, ApprovalRequired) as error:
        return error.code
    return "allowed"


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("allow", "allowed"), ("ask", "approval_required"), ("deny", "permission_denied"), ("yolo", "allowed")],
)
async def test_the_mode_decides_what_no_rule_names(mode: Mode, expected: str) -> None:
    assert expected == await outcome(Permissions(mode=mode), to("https://example.org/"))


@pytest.mark.parametrize("mode", ["allow", "ask", "deny", "yolo"])
async def test_a_deny_rule_holds_in_every_mode_and_over_every_allowance(mode: Mode, tmp_path: Path) -> None:
    approvals = Approvals(tmp_path / "allowed_network.json")
    approvals.add("domain:docs.python.org")
    permissions = Permissions(mode=mode, rules=[parse_rule("deny", "docs.python.org/3")], approvals=approvals)
    call = Call(allow=("domain:docs.python.org",), ask=Person("always"))
    assert "permission_denied" == await outcome(permissions, to("https://docs.python.org/3/x"), call=call)


@pytest.mark.parametrize("mode", ["allow", "ask", "deny", "yolo"])
async def test_a_rule_of_the_call_allows_in_every_mode(mode: Mode) -> None:
    call = Call(allow=("domain:example.org",))
    assert "allowed" == await outcome(Permissions(mode=mode), to("https://example.org/"), call=call)


async def test_an_ask_rule_asks_in_mode_allow_and_not_in_mode_yolo() -> None:
    rules = [parse_rule("ask", "domain:example.org")]
    assert "approval_required" == await outcome(Permissions(rules=rules), to("https://example.org/"))
    assert "allowed" == await outcome(Permissions(mode="yolo", rules=rules), to("https://example.org/"))


async def test_preapproved_hosts_pass_for_reading_and_never_for_downloads() -> None:
    modes: tuple[Mode, ...] = ("ask", "deny")
    for mode in modes:
        permissions = Permissions(mode=mode)
        assert "allowed" == await outcome(permissions, to("https://docs.python.org/"))
        assert "allowed" != await outcome(permissions, to("https://docs.python.org/"), "download")
        assert "allowed" != await outcome(permissions, to("https://docs.python.org/", method="POST"))
        assert "allowed" != await outcome(Permissions(mode=mode, use_preapproved=False), to("https://docs.python.org/"))


async def test_an_ask_rule_comes_before_preapproval() -> None:
    permissions = Permissions(rules=[parse_rule("ask", "domain:docs.python.org")])
    assert "approval_required" == await outcome(permissions, to("https://docs.python.org/"))


async def test_a_tool_that_requires_approval_turns_allow_into_ask_and_no_more() -> None:
    assert "approval_required" == await outcome(Permissions(), to("https://example.org/"), "download")
    assert "allowed" == await outcome(Permissions(mode="yolo"), to("https://example.org/"), "download")
    call = Call(allow=("domain:example.org",))
    assert "allowed" == await outcome(Permissions(), to("https://example.org/"), "download", call)


async def test_a_tool_that_is_never_asked_about_passes_in_mode_ask_and_not_in_mode_deny() -> None:
    search = Subject(action="search", text="words")
    assert "allowed" == await outcome(Permissions(mode="ask"), search, "WebSearch")
    assert "permission_denied" == await outcome(Permissions(mode="deny"), search, "WebSearch")


async def test_a_refusal_for_want_of_a_person_names_the_very_rule_that_helps() -> None:
    permissions = Permissions(mode="ask")
    for subject, tool in (
        (to("https://sub.example.org:8443/a"), "web_fetch"),
        (to("https://[2001:db8::1]/"), "web_fetch"),
        (Subject(action="search", text="words"), "web_search"),
        (Subject(action="write", path="data/x.csv"), "download"),
        (Subject(action="write", path="."), "download"),
    ):
        with pytest.raises(ApprovalRequired) as caught:
            await permissions.gate(tool, Call()).permit(subject)
        rule = caught.value.details["rule"]
        assert rule in caught.value.hint
        assert "allowed" == await outcome(permissions, subject, tool, Call(allow=(rule,)))


async def test_a_write_needs_a_rule_of_its_own() -> None:
    permissions = Permissions(mode="ask", rules=[parse_rule("allow", "data", "write")])
    assert "allowed" == await outcome(permissions, Subject(action="write", path="data/x.csv"), "download")
    assert "approval_required" == await outcome(permissions, Subject(action="write", path="x.csv"), "download")
    assert "approval_required" == await outcome(permissions, to("https://example.org/data/x.csv"), "download")


async def test_reading_a_stored_page_is_not_asked_about_again() -> None:
    assert "allowed" == await outcome(Permissions(mode="deny"), Subject(action="read"), "read_page")
    denied = Permissions(rules=[parse_rule("deny", "tool:read_page")])
    assert "permission_denied" == await outcome(denied, Subject(action="read"), "read_page")


# A person's answers.


async def test_once_holds_for_this_call_and_its_hops_only() -> None:
    person = Person("once", "no")
    permissions = Permissions(mode="ask")
    gate = permissions.gate("web_fetch", Call(ask=person))
    await gate.permit(to("https://example.org/a"))
    await gate.permit(to("http://example.org:8080/b"))
    await gate.hop(Url.parse("https://example.org/c"))
    assert 1 == len(person.questions)
    assert "permission_denied" == await outcome(permissions, to("https://example.org/a"), call=Call(ask=person))


async def test_this_session_holds_for_this_session_only() -> None:
    person = Person("session", "no")
    permissions = Permissions(mode="ask")
    mine, other = (Call(scope=Scope(session=name), ask=person) for name in ("mine", "other"))
    assert "allowed" == await outcome(permissions, to("https://example.org/"), call=mine)
    assert "allowed" == await outcome(permissions, to("https://example.org/x"), call=Call(scope=mine.scope))
    assert "permission_denied" == await outcome(permissions, to("https://example.org/"), call=other)
    permissions.forget(mine.scope)
    assert "approval_required" == await outcome(permissions, to("https://example.org/"), call=Call(scope=mine.scope))


async def test_always_is_kept_in_the_projects_file(tmp_path: Path) -> None:
    file = tmp_path / ".outrider" / "allowed_network.json"
    permissions = Permissions(mode="ask", approvals=Approvals(file))
    assert "allowed" == await outcome(permissions, to("https://EXAMPLE.org:8443/a"), call=Call(ask=Person("always")))
    assert {"allowed": ["domain:example.org"]} == json.loads(file.read_text())
    later = Permissions(mode="ask", approvals=Approvals(file))
    assert "allowed" == await outcome(later, to("http://example.org/b"))
    assert "approval_required" == await outcome(later, to("http://a.example.org/b"))


async def test_always_counts_for_the_session_where_it_cannot_be_kept(tmp_path: Path) -> None:
    permissions = Permissions(mode="ask", approvals=_Unwritable(tmp_path / "allowed_network.json"))
    assert "allowed" == await outcome(permissions, to("https://example.org/"), call=Call(ask=Person("always")))
    assert "allowed" == await outcome(permissions, to("https://example.org/"))


async def test_a_person_is_told_what_it_is_about() -> None:
    person = Person("no")
    permissions = Permissions(mode="ask")
    await outcome(permissions, to("https://example.org/a?b"), call=Call(ask=person))
    question = person.questions[0]
    assert ("web_fetch", "network", "https://example.org/a?b", "domain:example.org", "medium") == (
        question.tool, question.action, question.subject, question.rule, question.risk,
    )  # fmt: skip


async def test_writes_are_not_offered_for_good(tmp_path: Path) -> None:
    person = Person("no", "no")
    permissions = Permissions(mode="ask", approvals=Approvals(tmp_path / "a.json"))
    await outcome(permissions, Subject(action="write", path="x"), "download", Call(ask=person))
    await outcome(permissions, to("https://example.org/"), "download", Call(ask=person))
    assert [("once", "session", "no"), ("once", "session", "always", "no")] == [q.choices for q in person.questions]


async def test_a_no_is_remembered_for_the_rest_of_the_call() -> None:
    person = Person("no")
    gate = Permissions(mode="ask").gate("web_fetch", Call(ask=person))
    for path in ("a", "b"):
        with pytest.raises(PermissionDenied):
            await gate.permit(to(f"https://example.org/{path}"))
    assert 1 == len(person.questions)


async def test_items_that_ask_at_once_put_one_question() -> None:
    person = Person("session")
    gate = Permissions(mode="ask").gate("web_fetch", Call(ask=person))
    await asyncio.gather(*(gate.permit(to(f"https://example.org/{number}")) for number in range(8)))
    assert 1 == len(person.questions)


@pytest.mark.parametrize("answer", ["yes", "", None, True, "allow"])
async def test_an_answer_that_is_none_is_a_no(answer: object) -> None:
    person = Person(answer)  # type: ignore[arg-type]  # what the test is about
    assert "permission_denied" == await outcome(
        Permissions(mode="ask"), to("https://example.org/"), call=Call(ask=person)
    )


# What cannot be checked.


async def test_an_approver_that_fails_or_does_not_answer_refuses() -> None:
    async def fails(question: Question) -> Approval:
        raise RuntimeError(question.tool)

    async def hangs(question: Question) -> Approval:
        await asyncio.Event().wait()
        return "once"

    for ask in (fails, hangs):
        permissions = Permissions(mode="ask", ask_s=0.01)
        gate = permissions.gate("web_fetch", Call(ask=ask))
        for path in ("a", "b"):
            with pytest.raises(PermissionDenied) as caught:
                await gate.permit(to(f"https://example.org/{path}"))
            assert "unanswered" == caught.value.reason


async def test_an_unreadable_approvals_file_refuses_even_in_mode_allow(tmp_path: Path) -> None:
    file = tmp_path / "allowed_network.json"
    file.write_text("{")
    permissions = Permissions(approvals=Approvals(file))
    assert "permission_denied" == await outcome(permissions, to("https://example.org/"))
    file.unlink()
    assert "allowed" == await outcome(permissions, to("https://example.org/"))


async def test_a_fault_refuses_everything() -> None:
    assert "permission_denied" == await outcome(
        Permissions(mode="yolo", fault="it is broken"), to("https://example.org/")
    )


# Redirects and agents.


async def test_a_hop_that_is_not_permitted_is_a_rejected_redirect_with_its_target() -> None:
    permissions = Permissions(rules=[parse_rule("deny", "*.example.com")])
    gate = permissions.gate("web_fetch", Call())
    with pytest.raises(RedirectRejected) as caught:
        await gate.hop(Url.parse("https://a.b.example.com/x"))
    assert "https://a.b.example.com/x" == caught.value.details["target"]
    assert "permission_denied" == caught.value.reason


def manifest_with(text: str) -> Permissions:
    return Permissions(mode="ask", manifest=parse_manifest(text, "test", over=default_manifest()))


AGENTS = """
[[rules]]
pattern = "domain:example.org"
action = "ask"
[agents.wide]
[[agents.wide.rules]]
pattern = "domain:example.org"
action = "allow"
[agents.narrow]
[[agents.narrow.rules]]
pattern = "*.example.org"
action = "allow"
"""


async def agent_outcome(permissions: Permissions, url: str, agents: Sequence[str]) -> str:
    try:
        await permissions.gate("web_fetch", Call(), agents=agents).permit(to(url))
    except (PermissionDenied, ApprovalRequired) as error:
        return error.code
    return "allowed"


async def test_an_agents_rule_is_nearer_than_the_manifests() -> None:
    permissions = manifest_with(AGENTS)
    assert "allowed" == await agent_outcome(permissions, "https://example.org/", ["wide"])
    assert "approval_required" == await agent_outcome(permissions, "https://example.org/", [""])


async def test_an_agent_made_by_another_needs_what_both_may_do() -> None:
    permissions = manifest_with(AGENTS)
    assert "approval_required" == await agent_outcome(permissions, "https://example.org/", ["wide", "narrow"])
    assert "approval_required" == await agent_outcome(permissions, "https://a.example.org/", ["wide", "narrow"])
    assert "allowed" == await agent_outcome(permissions, "https://example.org/", ["wide", "wide"])


async def test_an_unknown_agent_is_refused() -> None:
    assert "permission_denied" == await agent_outcome(Permissions(), "https://example.org/", ["nobody"])


# Bounds.


async def test_the_approvals_of_the_session_unused_for_longest_are_forgotten_first() -> None:
    permissions = Permissions(mode="ask")
    first = permissions.grants(Scope(session="first"))
    for number in range(MAX_SCOPES - 1):
        permissions.grants(Scope(session=str(number)))
    assert first is permissions.grants(Scope(session="first"))
    permissions.grants(Scope(session="one more"))
    assert first is permissions.grants(Scope(session="first"))
    for number in range(MAX_SCOPES):
        permissions.grants(Scope(session=f"new {number}"))
    assert first is not permissions.grants(Scope(session="first"))


async def test_one_session_remembers_a_bounded_number_of_approvals() -> None:
    async def ask(question: Question) -> Approval:
        return "session"

    permissions = Permissions(mode="ask")
    for number in range(MAX_GRANTS + 3):
        await outcome(permissions, to(f"https://host{number}.test/"), call=Call(ask=ask))
    assert MAX_GRANTS == len(permissions.grants(Scope()).rules)


async def test_without_a_file_nothing_can_be_approved_for_good() -> None:
    person = Person("always")
    assert "permission_denied" == await outcome(
        Permissions(mode="ask"), to("https://example.org/"), call=Call(ask=person)
    )
    assert ("once", "session", "no") == person.questions[0].choices


async def test_a_question_that_another_call_settles_meanwhile_is_not_put() -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def slow(question: Question) -> Approval:
        asked.set()
        await answered.wait()
        return "session"

    permissions, nobody = Permissions(mode="ask"), Person()
    first = asyncio.create_task(outcome(permissions, to("https://example.org/"), call=Call(ask=slow)))
    await asked.wait()
    second = asyncio.create_task(outcome(permissions, to("https://example.org/x"), call=Call(ask=nobody)))
    await asyncio.sleep(0)
    answered.set()
    assert ["allowed", "allowed"] == [await first, await second]
    assert [] == nobody.questions


@pytest.mark.parametrize("name", ["", "Allow", "sometimes"])
def test_a_mode_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument):
        mode_of(name)
