from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.items import TResponseStreamEvent
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from outrider import Web
from outrider.interfaces.frameworks.openai_agents import tools
from world.site import Site


class Scripted(Model):
    """Gives its outputs one after the other, and keeps what it was told."""

    def __init__(self, *outputs: list[Any]) -> None:
        self._outputs = list(outputs)
        self.inputs: list[Any] = []
        self.offered: list[Any] = []

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002  (the framework's name)
        model_settings: Any,
        tools: Any,
        *rest: Any,
        **options: Any,
    ) -> ModelResponse:
        self.inputs.append(input)
        self.offered = tools
        return ModelResponse(output=self._outputs.pop(0), usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **options: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


async def test_an_agent_calls_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    def call(identity: str, url: str) -> ResponseFunctionToolCall:
        return ResponseFunctionToolCall(
            type="function_call", call_id=identity, name="web_fetch", arguments=json.dumps({"url": url})
        )

    said = ResponseOutputText(type="output_text", text="At noon.", annotations=[])
    answer = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[said])
    model = Scripted([call("one", site.at("/tides")), call("two", "http://169.254.169.254/")], [answer])
    agent = Agent(name="reader", model=model, tools=list(tools(web)))

    run = await Runner.run(agent, "When is high water?", run_config=RunConfig(tracing_disabled=True))

    assert "At noon." == run.final_output
    outputs = {
        item["call_id"]: item["output"] for item in model.inputs[1] if item.get("type") == "function_call_output"
    }
    assert "high water at noon" in outputs["one"]
    assert "ssrf_rejected" in outputs["two"]
    assert [spec.name for spec in web.tools()] == [tool.name for tool in model.offered]
    assert [dict(spec.parameters) for spec in web.tools()] == [tool.params_json_schema for tool in model.offered]
