from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client.context import ClientRequestContext
from mcp_types import (
    INVALID_REQUEST,
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ErrorData,
    ImageContent,
    TextContent,
)

from interfaces.mcp.conftest import Connect
from outrider.interfaces.mcp.protocol import Caller
from outrider.interfaces.mcp.sampling import completer
from world.site import Site

SAID = {"answer": "At noon.", "quotes": ["It is high water at noon."]}


class Model:
    """Says the same to everything, and remembers what it was asked."""

    def __init__(self, said: CreateMessageResult | CreateMessageResultWithTools | ErrorData) -> None:
        self._said = said
        self.asked: list[CreateMessageRequestParams] = []

    async def __call__(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools | ErrorData:
        self.asked.append(params)
        return self._said


def _text(text: str) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=text), model="m")


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch, site: Site) -> Site:
    """Questions about pages go to the client's own model."""
    monkeypatch.setenv("OUTRIDER_READER_FAMILY", "client")
    return site


async def _asked(connect: Connect, site: Site, **options: Any) -> CallToolResult:
    async with connect(**options) as client:
        return await client.call_tool("web_fetch", {"url": site.at("/short"), "prompt": "When is high water?"})


async def test_a_page_question_is_answered_by_the_clients_own_model(
    lent: Site, connect_with_handshake: Connect
) -> None:
    model = Model(_text(json.dumps(SAID)))
    result = await _asked(connect_with_handshake, lent, sampling_callback=model)

    assert not result.is_error
    assert "At noon." in result.content[0].text  # type: ignore[union-attr]  # as sent
    asked = model.asked[0]
    assert asked.system_prompt
    assert "It is high water at noon." in asked.messages[0].content.text  # type: ignore[union-attr]  # as sent


async def test_a_client_that_refuses_is_a_failure_with_a_code(lent: Site, connect_with_handshake: Connect) -> None:
    model = Model(ErrorData(code=INVALID_REQUEST, message="the user said no"))
    result = await _asked(connect_with_handshake, lent, sampling_callback=model)

    assert "reader_failed" in result.content[0].text  # type: ignore[union-attr]  # as sent
    assert "the user said no" in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_an_answer_that_is_no_text_is_a_failure(lent: Site, connect_with_handshake: Connect) -> None:
    picture = ImageContent(data="", mime_type="image/png")
    model = Model(CreateMessageResult(role="assistant", content=picture, model="m"))
    result = await _asked(connect_with_handshake, lent, sampling_callback=model)

    assert "reader_failed" in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_an_answer_in_a_list_counts_like_one_without(lent: Site, connect_with_handshake: Connect) -> None:
    said = TextContent(text=json.dumps(SAID))
    model = Model(CreateMessageResultWithTools(role="assistant", content=[said], model="m"))
    result = await _asked(connect_with_handshake, lent, sampling_callback=model)

    assert "At noon." in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_an_answer_that_holds_nothing_is_a_failure(lent: Site, connect_with_handshake: Connect) -> None:
    model = Model(CreateMessageResultWithTools(role="assistant", content=[], model="m"))
    result = await _asked(connect_with_handshake, lent, sampling_callback=model)

    assert "reader_failed" in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_a_client_without_a_model_is_told_so(lent: Site, connect: Connect) -> None:
    result = await _asked(connect, lent)

    assert "reader_unavailable" in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_where_no_server_sends_requests_no_model_is_asked() -> None:
    assert None is completer(Caller(version="2026-07-28", capabilities={"sampling": {}}))
