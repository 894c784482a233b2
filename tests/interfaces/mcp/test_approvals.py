from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.client.context import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from interfaces.mcp.conftest import Connect
from outrider.call import Question
from outrider.interfaces.mcp.approvals import Rounds, can_answer, form, in_words, read_answer
from world.site import Site

QUESTION = Question(tool="web_fetch", action="network", subject="http://example.org/", rule="domain:example.org")


class User:
    """Answers each question with the next of its answers, and remembers what was asked."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        answer = self._answers.pop(0)
        if answer in ("decline", "cancel"):
            return ElicitResult(action=answer)  # type: ignore[arg-type]  # one of the two
        return ElicitResult(action="accept", content={"answer": answer})


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch, site: Site) -> Site:
    """Every host needs an approval."""
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")
    return site


async def _fetch(connect: Connect, user: User | None, *urls: str) -> list[Any]:
    options = {} if user is None else {"elicitation_callback": user}
    async with connect(**options) as client:
        return [await client.call_tool("web_fetch", {"url": url}) for url in urls]


async def test_the_clients_user_is_asked_and_a_yes_counts_once(asking: Site, connect_anyhow: Connect) -> None:
    user = User("once", "once")
    results = await _fetch(connect_anyhow, user, asking.at("/short"), asking.at("/short"))

    assert [False, False] == [result.is_error for result in results]
    assert 2 == len(user.asked)
    assert asking.at("/short") in user.asked[0]


async def test_a_yes_for_the_session_is_asked_for_once(asking: Site, connect: Connect) -> None:
    user = User("session")
    results = await _fetch(connect, user, asking.at("/short"), asking.at("/long"))

    assert [False, False] == [result.is_error for result in results]
    assert 1 == len(user.asked)


@pytest.mark.parametrize("answer", ["no", "decline", "cancel", "whatever"])
async def test_anything_but_a_yes_refuses_and_nothing_is_requested(asking: Site, connect: Connect, answer: str) -> None:
    (result,) = await _fetch(connect, User(answer), asking.at("/short"))

    assert result.is_error
    assert "permission_denied" == result.structured_content["error"]["code"]
    assert [] == asking.requests


async def test_a_client_that_cannot_ask_gets_the_rule_that_would_help(asking: Site, connect: Connect) -> None:
    (result,) = await _fetch(connect, None, asking.at("/short"))

    assert "approval_required" == result.structured_content["error"]["code"]
    assert "domain:127.0.0.1" in result.structured_content["error"]["hint"]
    assert [] == asking.requests


async def test_every_item_of_a_batch_is_asked_about(asking: Site, connect: Connect) -> None:
    user = User("once", "no")
    async with connect(elicitation_callback=user) as client:
        items = [{"url": asking.at("/short")}, {"url": "http://example.org/"}]
        result = await client.call_tool("web_fetch", {"items": items})

    assert ["success", "failed"] == [item["status"] for item in result.structured_content["items"]]
    assert 2 == len(user.asked)


async def test_a_download_asks_for_the_host_and_for_the_file(asking: Site, connect: Connect, tmp_path: Path) -> None:
    user = User("once", "once")
    async with connect(elicitation_callback=user) as client:
        result = await client.call_tool("download", {"url": asking.at("/short"), "path": "short.html"})

    assert not result.is_error
    assert 2 == len(user.asked)
    assert "short.html" in user.asked[1]
    assert (tmp_path / "short.html").is_file()
    assert 1 == len(asking.requests)


def test_the_question_names_who_wants_what() -> None:
    shown = in_words(QUESTION)

    assert "web_fetch" in shown
    assert "http://example.org/" in shown
    assert "domain:example.org" in shown


def test_the_form_offers_the_choices_and_no_others() -> None:
    assert ["once", "session", "always", "no"] == form(QUESTION)["properties"]["answer"]["enum"]


@pytest.mark.parametrize(
    ("capabilities", "can"),
    [({}, False), ({"elicitation": {}}, True), ({"elicitation": {"url": {}}}, False), ({"elicitation": []}, False)],
)
def test_only_a_client_that_shows_forms_can_be_asked(capabilities: dict[str, Any], *, can: bool) -> None:
    assert can == can_answer(capabilities)


def test_an_answer_that_was_not_offered_is_a_no() -> None:
    question = Question(tool="download", action="write", subject="a", rule="a", choices=("once", "no"))

    assert "no" == read_answer({"action": "accept", "content": {"answer": "always"}}, question)
    assert "no" == read_answer({"action": "accept", "content": {}}, question)
    assert "no" == read_answer({"action": "accept", "content": "once"}, question)
    assert "no" == read_answer({}, question)
    assert "once" == read_answer({"action": "accept", "content": {"answer": "once"}}, question)


@pytest.mark.parametrize("state", ["", "{", "[]", '{"x": "maybe"}', "[" * 100_000, None])
async def test_a_state_that_is_none_of_ours_answers_nothing(state: str | None) -> None:
    rounds = Rounds(None, state)

    assert "no" == await rounds.ask(QUESTION)
    assert None is not rounds.left_open()


async def test_answers_of_an_earlier_round_come_back_in_the_state() -> None:
    other = Question(tool="download", action="write", subject="notes.md", rule="notes.md")
    first = Rounds(None, None)
    await first.ask(QUESTION)
    opened = first.left_open()
    assert opened is not None
    (key,) = opened["inputRequests"]

    second = Rounds({key: {"action": "accept", "content": {"answer": "once"}}}, opened["requestState"])
    assert ("once", "no") == (await second.ask(QUESTION), await second.ask(other))
    again = second.left_open()
    assert again is not None

    third = Rounds({}, again["requestState"])
    assert "once" == await third.ask(QUESTION)
