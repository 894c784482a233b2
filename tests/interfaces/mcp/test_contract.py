"""What is spoken over standard streams is the SDK's protocol: its server answers the same, and its models hold it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import methods, version

from interfaces.mcp.talking import PATIENCE_S, Message, answers_of, enveloped, initialize, request, talking
from outrider import Web
from outrider.interfaces.mcp import protocol
from outrider.interfaces.mcp.server import make_server
from world.site import Site

Script = Callable[[Site], Sequence[Message]]
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _call(url: str) -> Message:
    return {"name": "web_fetch", "arguments": {"url": url, "limit": 50}}


def _with_handshake(site: Site) -> Sequence[Message]:
    return (
        request(0, "ping"),
        request(1, "tools/list"),
        initialize(2),
        READY,
        request(3, "ping"),
        request(4, "tools/list"),
        request(5, "tools/call", _call(site.at("/short"))),
        request(6, "resources/list"),
        request(7, "resources/templates/list"),
        request(8, "resources/read", {"uri": "outrider://page/w1"}),
        request(9, "resources/read", {"uri": "outrider://page/w9"}),
        request(10, "resources/list", {"cursor": "; drop"}),
        request("eleven", "tools/call", {"name": "web_fetch", "arguments": {"nonsense": 1}}),
        request(12, "tools/call", {"name": "none"}),
        request(13, "tools/call", {"arguments": {}}),
        request(14, "tools/call", {"name": "web_fetch", "arguments": [1]}),
        request(15, "prompts/list"),
        request(
            16,
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": ""}},
        ),
        request(17, "logging/setLevel", {"level": "debug"}),
        request(18, "no/such"),
        enveloped(19, "tools/list"),
        enveloped("ping in an envelope", "ping"),
        enveloped("unknown in an envelope", "no/such"),
        request(20, "server/discover"),
        request(21, "resources/read"),
        request(22, "resources/list", {"cursor": 7}),
    )


def _with_envelopes(site: Site) -> Sequence[Message]:
    return (
        enveloped(1, "server/discover"),
        enveloped(2, "tools/list"),
        enveloped(3, "tools/call", _call(site.at("/short"))),
        enveloped(4, "resources/list"),
        enveloped(5, "resources/templates/list"),
        enveloped(6, "resources/read", {"uri": "outrider://page/w1"}),
        enveloped(7, "resources/read", {"uri": "outrider://page/w9"}),
        enveloped(8, "tools/call", {"name": "none"}),
        enveloped(9, "ping"),
        enveloped(10, "no/such"),
        enveloped(11, "subscriptions/listen", {"notifications": {}}),
        initialize(12),
        request(13, "tools/list"),
        request(14, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
        enveloped(15, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2199-01-01"}}),
        enveloped(16, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}),
    )


def _old_version(site: Site) -> Sequence[Message]:
    return (initialize(1, "2024-11-05"), READY, request(2, "tools/list"))


def _unknown_version(site: Site) -> Sequence[Message]:
    return (initialize(1, "1999-01-01"), request(2, "tools/list"))


def _incomplete_handshake(site: Site) -> Sequence[Message]:
    return (request(1, "initialize", {"capabilities": {}}), request(2, "tools/list"), initialize(3))


def _asking(site: Site) -> Sequence[Message]:
    """An approval is needed: the call ends with what the client is to ask its user."""
    return (enveloped(1, "tools/call", {"name": "download", "arguments": {"url": site.url}}, elicitation={}),)


SCRIPTS = (_with_handshake, _with_envelopes, _old_version, _unknown_version, _incomplete_handshake, _asking)
_OWN_TIMES = {"elapsed_s", "fetched_at"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__.strip("_"))
async def test_every_request_is_answered_as_the_sdks_server_answers_it(script: Script, site: Site) -> None:
    messages = script(site)
    async with Web() as web, talking(answers_of(web)) as talk:
        ours = [await talk.ask(message) for message in messages if "id" in message]
    async with Web() as web, _sdk_talking(web) as ask:
        theirs = [await ask(message) for message in messages]

    assert [_comparable(answer) for answer in theirs if answer is not None] == [_comparable(one) for one in ours]


@pytest.mark.parametrize("script", [_with_handshake, _with_envelopes, _asking], ids=lambda script: script.__name__)
async def test_every_result_is_to_the_letter_what_the_sdks_models_hold(script: Script, site: Site) -> None:
    spoken = "2025-11-25" if script is _with_handshake else "2026-07-28"
    checked = set()
    async with Web() as web, talking(answers_of(web)) as talk:
        for message in script(site):
            if "id" not in message:
                continue
            answer = await talk.ask(message)
            if "result" in answer:
                held = methods.serialize_server_result(message["method"], spoken, answer["result"])
                assert held == answer["result"]
                checked.add(message["method"])

    assert "tools/call" in checked


async def test_what_the_server_sends_on_its_own_is_what_the_sdks_models_hold(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")
    monkeypatch.setenv("OUTRIDER_READER_FAMILY", "client")
    sent = set()
    async with Web() as web, talking(answers_of(web)) as talk:
        await talk.ask(initialize(1, elicitation={}, sampling={}))
        arguments = {"url": site.at("/short"), "prompt": "When is high water?"}
        talk.say(
            request(
                2, "tools/call", {"name": "web_fetch", "arguments": arguments, "_meta": {"progressToken": "a token"}}
            )
        )
        while (heard := await talk.hear()).get("id") != 2 or "method" in heard:
            sent.add(heard["method"])
            if "id" not in heard:
                methods.parse_server_notification(heard["method"], "2025-11-25", heard["params"])
                assert "a token" == heard["params"]["progressToken"]
                continue
            methods.parse_server_request(heard["method"], "2025-11-25", heard["params"])
            talk.say({"jsonrpc": "2.0", "id": heard["id"], "result": _reply(heard["method"])})

    assert {"notifications/progress", "elicitation/create", "sampling/createMessage"} == sent


def _reply(method: str) -> Message:
    if method == "elicitation/create":
        return {"action": "accept", "content": {"answer": "once"}}
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": '{"answer": "At noon."}'}}


def test_the_protocols_names_and_numbers_are_the_sdks() -> None:
    assert version.HANDSHAKE_PROTOCOL_VERSIONS == protocol.HANDSHAKE_VERSIONS
    assert version.MODERN_PROTOCOL_VERSIONS == protocol.MODERN_VERSIONS
    assert methods.CACHEABLE_METHODS == set(protocol.TTL_MS)
    assert (types.PROTOCOL_VERSION_META_KEY, types.CLIENT_CAPABILITIES_META_KEY, types.SERVER_INFO_META_KEY) == (
        protocol.META_VERSION,
        protocol.META_CAPABILITIES,
        protocol.META_SERVER,
    )
    named = {
        types.PARSE_ERROR: protocol.PARSE_ERROR,
        types.INVALID_REQUEST: protocol.INVALID_REQUEST,
        types.METHOD_NOT_FOUND: protocol.METHOD_NOT_FOUND,
        types.INVALID_PARAMS: protocol.INVALID_PARAMS,
        types.INTERNAL_ERROR: protocol.INTERNAL_ERROR,
        types.UNSUPPORTED_PROTOCOL_VERSION: protocol.UNSUPPORTED_VERSION,
    }
    assert list(named) == list(named.values())


@asynccontextmanager
async def _sdk_talking(web: Web) -> AsyncIterator[Callable[[Message], Any]]:
    """The same answers behind the SDK's own server, over streams in memory."""
    server = make_server(answers_of(web))
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](8)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](8)

    async def ask(message: Message) -> Message | None:
        await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False)))
        if "id" not in message:
            return None
        async with asyncio.timeout(PATIENCE_S):
            answer = await from_server.receive()
        return answer.message.model_dump(by_alias=True, mode="json", exclude_unset=True)

    running = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
    try:
        yield ask
    finally:
        await to_server.aclose()
        await asyncio.wait_for(running, PATIENCE_S)
        from_server.close()


def _comparable(answer: Message) -> Any:
    """An error by its code, a result whole but for the time that things took and for names drawn at random."""
    if "error" in answer:
        return answer["id"], answer["error"]["code"]
    return answer["id"], _settled(answer["result"])


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _settled(one) for name, one in value.items() if name not in _OWN_TIMES}
    if isinstance(value, list):
        return [_settled(one) for one in value]
    return re.sub(r"[0-9a-f]{12,}", "random", value) if isinstance(value, str) else value
