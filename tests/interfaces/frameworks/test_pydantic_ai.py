from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from outrider import Web
from outrider.interfaces.frameworks.pydantic_ai import tools
from world.site import Site


async def test_an_agent_calls_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    offered: list[dict[str, object]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered[:] = [{"name": tool.name, "schema": tool.parameters_json_schema} for tool in info.function_tools]
        if len(messages) == 1:
            return ModelResponse(
                parts=[
                    ToolCallPart("web_fetch", {"url": site.at("/tides")}, tool_call_id="one"),
                    ToolCallPart("web_fetch", {"url": "http://169.254.169.254/"}, tool_call_id="two"),
                ]
            )
        return ModelResponse(parts=[TextPart("At noon.")])

    agent = Agent(FunctionModel(model), tools=tools(web))
    run = await agent.run("When is high water?")

    assert "At noon." == run.output
    returned = {
        part.tool_call_id: part
        for message in run.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    assert "high water at noon" in str(returned["one"].content)
    assert "success" == returned["one"].metadata["items"][0]["status"]
    assert "ssrf_rejected" in str(returned["two"].content)
    assert [{"name": spec.name, "schema": dict(spec.parameters)} for spec in web.tools()] == offered
