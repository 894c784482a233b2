from __future__ import annotations

import asyncio
from typing import Any

import pytest

from interfaces.mcp.talking import PATIENCE_S, Message, Talk, answers_of, enveloped, initialize, request, talking
from outrider import Web
from outrider.interfaces.mcp import conversation
from outrider.interfaces.mcp.answers import Answers
from outrider.interfaces.mcp.protocol import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from outrider.interfaces.mcp.sessions import OneSession
from world.site import Site


class Stuck:
    """A page that begins, and ends when its reader leaves."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.left = asyncio.Event()

    async def serve(self, asked: Any, connection: Any) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>It is high water ")
        self.begun.set()
        await connection.reader.read()
        self.left.set()


@pytest.fixture
def stuck(site: Site) -> Stuck:
    page = Stuck()
    site.paths["/stuck"] = page.serve
    return page


def _call(number: int, url: str) -> Message:
    return request(number, "tools/call", {"name": "web_fetch", "arguments": {"url": url}})


async def test_a_cancelled_call_stops_and_is_never_answered(web: Web, site: Site, stuck: Stuck) -> None:
    async with talking(answers_of(web)) as talk:
        await talk.ask(initialize())
        talk.say(_call(2, site.at("/stuck")))
        await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)
        await talk.ask(_call(3, site.at("/short")))

    assert [1, 3] == [message["id"] for message in talk.got]


async def test_a_handshake_cannot_be_cancelled(web: Web) -> None:
    async with talking(answers_of(web)) as talk:
        talk.say(initialize(1))
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        listed = await talk.ask(request(2, "tools/list"))

    assert [1, 2] == [message["id"] for message in talk.got]
    assert listed["result"]["tools"]


async def _call_twice(talk: Talk, site: Site) -> list[Stuck]:
    """Two calls under one id, both under way; gives the pages that they wait for."""
    pages = {path: Stuck() for path in ("/one", "/other")}
    site.paths.update({path: page.serve for path, page in pages.items()})
    await talk.ask(initialize())
    for path, page in pages.items():
        talk.say(_call(2, site.at(path)))
        await asyncio.wait_for(page.begun.wait(), PATIENCE_S)
    return list(pages.values())


async def test_calls_that_share_an_id_are_cancelled_together(web: Web, site: Site) -> None:
    async with talking(answers_of(web)) as talk:
        pages = await _call_twice(talk, site)
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        for page in pages:
            await asyncio.wait_for(page.left.wait(), PATIENCE_S)


async def test_a_client_that_gave_an_id_twice_leaves_nothing_running(web: Web, site: Site) -> None:
    async with talking(answers_of(web)) as talk:
        pages = await _call_twice(talk, site)

    for page in pages:
        await asyncio.wait_for(page.left.wait(), PATIENCE_S)


async def test_more_requests_at_once_than_there_are_places_for_are_refused(
    web: Web, site: Site, stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "MOST_AT_ONCE", 1)
    async with talking(answers_of(web)) as talk:
        await talk.ask(initialize())
        talk.say(_call(2, site.at("/stuck")))
        await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)
        refused = await talk.ask(request(3, "tools/list"))
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)
        listed = await talk.ask(request(4, "tools/list"))

    assert INTERNAL_ERROR == refused["error"]["code"]
    assert "result" in listed


@pytest.mark.parametrize("token", [True, 1.5, None, ["a"]])
async def test_a_token_of_the_wrong_kind_asks_for_no_progress(web: Web, site: Site, token: object) -> None:
    call = _call(2, site.at("/short"))
    call["params"]["_meta"] = {"progressToken": token}
    async with talking(answers_of(web)) as talk:
        await talk.ask(initialize())
        await talk.ask(call)

    assert [1, 2] == [message["id"] for message in talk.got]


@pytest.mark.parametrize(
    "answer",
    [{"result": None}, {"result": []}, {"error": "no"}, {"error": {}}, {"error": {"code": "x", "message": 7}}],
)
@pytest.mark.parametrize(("asks", "code"), [("elicitation", "permission_denied"), ("sampling", "reader_failed")])
async def test_a_question_whose_answer_has_no_right_shape_fails_and_is_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch, answer: Message, asks: str, code: str
) -> None:
    arguments = {"url": site.at("/short")}
    if asks == "sampling":
        monkeypatch.setenv("OUTRIDER_READER_FAMILY", "client")
        arguments["prompt"] = "When is high water?"
    else:
        monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")
    async with Web() as web, talking(answers_of(web)) as talk:
        await talk.ask(initialize(1, "2025-11-25", **{asks: {}}))
        talk.say(request(2, "tools/call", {"name": "web_fetch", "arguments": arguments}))
        question = await talk.hear()
        talk.say({"jsonrpc": "2.0", "id": question["id"], **answer})
        told = await talk.hear()

    assert 2 == told["id"]
    assert code == told["result"]["structuredContent"]["items"][0]["error"]["code"]


async def test_requests_are_answered_side_by_side(web: Web, site: Site, stuck: Stuck) -> None:
    async with talking(answers_of(web)) as talk:
        await talk.ask(initialize())
        talk.say(_call(2, site.at("/stuck")))
        await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)
        answer = await talk.ask(_call(3, site.at("/short")))

    assert not answer["result"]["isError"]


async def test_a_client_that_leaves_leaves_nothing_running(web: Web, site: Site, stuck: Stuck) -> None:
    async with talking(answers_of(web)) as talk:
        await talk.ask(initialize())
        talk.say(_call(2, site.at("/stuck")))
        await asyncio.wait_for(stuck.begun.wait(), PATIENCE_S)

    await asyncio.wait_for(stuck.left.wait(), PATIENCE_S)


async def test_whoever_asks_and_leaves_at_once_gets_what_needs_no_waiting(web: Web) -> None:
    async with talking(answers_of(web)) as talk:
        talk.say(initialize(1))
        talk.say(request(2, "tools/list"))

    assert [1, 2] == [(await talk.hear())["id"] for _ in range(2)]


async def test_a_client_that_leaves_with_a_question_open_leaves_nothing_running(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")
    async with Web() as web, talking(answers_of(web)) as talk:
        await talk.ask(initialize(elicitation={}))
        talk.say(_call(2, site.at("/short")))
        question = await talk.hear()

    assert "elicitation/create" == question["method"]
    assert [] == site.requests


async def test_a_cancelled_call_takes_its_question_back(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")
    async with Web() as web, talking(answers_of(web)) as talk:
        await talk.ask(initialize(elicitation={}))
        talk.say(_call(2, site.at("/short")))
        question = await talk.hear()
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "2"}})
        taken_back = await talk.hear()

    assert ("notifications/cancelled", question["id"]) == (taken_back["method"], taken_back["params"]["requestId"])


@pytest.mark.parametrize(
    ("line", "answered", "code"),
    [
        (b"{", None, PARSE_ERROR),
        (b"[" * 100_000, None, PARSE_ERROR),
        (b"[]", None, INVALID_REQUEST),
        (b"7", None, INVALID_REQUEST),
        (b'{"id": 5, "method": "ping"}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 7}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": []}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": false}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 5, "method": "ping"}]', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, INVALID_REQUEST),
    ],
)
async def test_what_is_no_message_is_told_so_and_the_next_is_answered(
    web: Web, line: bytes, answered: int | None, code: int
) -> None:
    async with talking(answers_of(web)) as talk:
        talk.say(line)
        refused = await talk.hear()
        pinged = await talk.ask(request(9, "ping"))

    assert (answered, code) == (refused["id"], refused["error"]["code"])
    assert {} == pinged["result"]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 99, "result": {}},
        {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "what?"}},
        {"jsonrpc": "2.0", "error": {"code": 1, "message": "what?"}},
        {"jsonrpc": "2.0", "id": 99, "result": None},
        {"jsonrpc": "2.0", "id": 99, "result": []},
        {"jsonrpc": "2.0", "id": 99, "error": "no"},
        {"jsonrpc": "2.0", "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": True}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [9]},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "method": "notifications/of/the/future", "params": {"a": 1}},
    ],
)
async def test_what_answers_nothing_and_asks_nothing_is_passed_over(web: Web, message: Message) -> None:
    async with talking(answers_of(web)) as talk:
        talk.say(message)
        await talk.ask(request(9, "ping"))

    assert [9] == [heard["id"] for heard in talk.got]


class Broken(Answers):
    """Fails in two ways that nobody thought of."""

    async def _list_tools(self, caller: Any, params: Any) -> dict[str, Any]:
        raise ZeroDivisionError

    async def _list_templates(self, caller: Any, params: Any) -> dict[str, Any]:
        return {"resourceTemplates": [object()]}


@pytest.mark.parametrize("method", ["tools/list", "resources/templates/list"])
async def test_an_answer_that_fails_in_an_unforeseen_way_costs_that_request_only(web: Web, method: str) -> None:
    async with talking(Broken(web, OneSession())) as talk:
        failed = await talk.ask(enveloped(1, method))
        listed = await talk.ask(enveloped(2, "resources/list"))

    assert INTERNAL_ERROR == failed["error"]["code"]
    assert "result" in listed
