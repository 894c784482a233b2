from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.context import ClientRequestContext
from mcp.server.lowlevel.server import Server
from mcp_types import (
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ErrorData,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from interfaces.mcp.conftest import Connect
from interfaces.mcp.serving import listening
from outrider import Web
from outrider.errors import ReaderFailed
from outrider.interfaces.mcp.sampling import completer
from world.site import Site

QUESTION = ("You read pages.", "When is high water?", 200)


async def _call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
    """Asks the client's model, and says what became of it."""
    complete = completer(context)
    if complete is None:
        return CallToolResult(content=[TextContent(text="no model")])
    try:
        return CallToolResult(content=[TextContent(text=await complete(*QUESTION))])
    except ReaderFailed as error:
        return CallToolResult(content=[TextContent(text=error.message)], is_error=True)


async def _list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="ask", input_schema={"type": "object"})])


async def _asked(answer: Any, *, mode: str = "legacy") -> CallToolResult:
    options = {} if answer is None else {"sampling_callback": answer}
    async with Client(
        Server("test", on_call_tool=_call_tool, on_list_tools=_list_tools), mode=mode, **options
    ) as client:
        return await client.call_tool("ask", {})


async def test_the_clients_model_is_asked_and_answers() -> None:
    asked: list[CreateMessageRequestParams] = []

    async def answer(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        asked.append(params)
        return CreateMessageResult(role="assistant", content=TextContent(text="At noon."), model="m")

    result = await _asked(answer)

    assert [TextContent(text="At noon.")] == result.content
    (params,) = asked
    assert QUESTION == (params.system_prompt, params.messages[0].content.text, params.max_tokens)  # type: ignore[union-attr]  # as sent


async def test_a_client_that_refuses_is_a_failure_with_a_code() -> None:
    async def refuse(context: ClientRequestContext, params: CreateMessageRequestParams) -> ErrorData:
        return ErrorData(code=INVALID_REQUEST, message="the user said no")

    result = await _asked(refuse)

    assert result.is_error
    assert "the user said no" in result.content[0].text  # type: ignore[union-attr]  # as sent


async def test_an_answer_that_is_no_text_is_a_failure() -> None:
    async def draw(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        picture = ImageContent(data="", mime_type="image/png")
        return CreateMessageResult(role="assistant", content=picture, model="m")

    assert (await _asked(draw)).is_error


@pytest.mark.parametrize(("answers", "mode"), [(False, "legacy"), (True, "auto")])
async def test_without_a_model_to_lend_there_is_none(*, answers: bool, mode: str) -> None:
    async def answer(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        raise MCPError(code=INVALID_REQUEST, message="not to be asked")

    result = await _asked(answer if answers else None, mode=mode)

    assert [TextContent(text="no model")] == result.content


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch, site: Site) -> Site:
    """Questions about pages go to the client's own model."""
    monkeypatch.setenv("OUTRIDER_READER_FAMILY", "client")
    return site


async def test_a_page_question_is_answered_by_the_clients_own_model(lent: Site) -> None:
    asked: list[str] = []

    async def answer(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        asked.append(params.messages[0].content.text)  # type: ignore[union-attr]  # as sent
        said = json.dumps({"answer": "At noon.", "quotes": ["It is high water at noon."]})
        return CreateMessageResult(role="assistant", content=TextContent(text=said), model="m")

    async with Web() as web, listening(web) as door, door.client(mode="legacy", sampling_callback=answer) as client:
        result = await client.call_tool("web_fetch", {"url": lent.at("/short"), "prompt": "When is high water?"})

    assert not result.is_error
    assert "At noon." in result.content[0].text  # type: ignore[union-attr]  # as sent
    assert "It is high water at noon." in asked[0]


async def test_a_client_without_a_model_is_told_so(lent: Site, connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("web_fetch", {"url": lent.at("/short"), "prompt": "When is high water?"})

    assert "reader_unavailable" in result.content[0].text  # type: ignore[union-attr]  # as sent
