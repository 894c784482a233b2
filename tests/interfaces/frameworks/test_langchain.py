from __future__ import annotations

from typing import Any

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from outrider import Call, Scope, Web
from outrider.interfaces.frameworks.langchain import tools
from world.site import Site


async def test_a_model_calls_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    model = FakeMessagesListChatModel(
        responses=[
            AIMessage(
                content="",
                tool_calls=[
                    {"name": "web_fetch", "args": {"url": site.at("/tides")}, "id": "one", "type": "tool_call"},
                    {"name": "web_fetch", "args": {"url": "http://169.254.169.254/"}, "id": "two", "type": "tool_call"},
                ],
            ),
            AIMessage(content="At noon."),
        ]
    )
    by_name = {tool.name: tool for tool in tools(web)}
    asked = await model.ainvoke("When is high water?")
    assert isinstance(asked, AIMessage)
    results = [await by_name[call["name"]].ainvoke(call) for call in asked.tool_calls]
    last = await model.ainvoke(["When is high water?", asked, *results])

    read, refused = results
    assert isinstance(read, ToolMessage)
    assert isinstance(refused, ToolMessage)
    assert ("one", "success") == (read.tool_call_id, read.status)
    assert "high water at noon" in read.content
    assert "success" == read.artifact["items"][0]["status"]
    assert ("two", "error") == (refused.tool_call_id, refused.status)
    assert "ssrf_rejected" in refused.content
    assert "At noon." == last.content


async def test_models_are_shown_the_tools_own_schemas(web: Web) -> None:
    for spec, tool in zip(web.tools(), tools(web), strict=True):
        shown: dict[str, Any] = convert_to_openai_tool(tool)["function"]
        assert (spec.name, spec.description) == (shown["name"], shown["description"])
        assert dict(spec.parameters)["properties"] == shown["parameters"]["properties"]


async def test_calls_belong_to_the_session_that_is_named(web: Web, site: Site) -> None:
    call = Call(scope=Scope(session="theirs"))
    (fetch,) = [tool for tool in tools(web, call) if tool.name == "web_fetch"]
    await fetch.ainvoke({"url": site.at("/tides")})

    assert (await web.read("w1", call=call)).page.status == 200
