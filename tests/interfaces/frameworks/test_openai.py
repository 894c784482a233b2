from __future__ import annotations

import json
from typing import Any

import httpx2
import openai

from outrider import Web
from outrider.interfaces.frameworks.openai import answer_chat, answer_response, chat_tools, response_tools
from world.site import Site


class Scripted:
    """Answers the client library's requests one after the other, and keeps what it was sent."""

    def __init__(self, *replies: dict[str, Any]) -> None:
        self._replies = list(replies)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        return httpx2.Response(200, json=self._replies.pop(0))

    def client(self) -> openai.AsyncOpenAI:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return openai.AsyncOpenAI(api_key="none", base_url="http://model.test/v1", http_client=http)


def _completion(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}


def _chat_call(name: str, identity: str, arguments: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


async def test_a_chat_completion_calls_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    calls = [
        _chat_call("web_fetch", "one", json.dumps({"url": site.at("/tides")})),
        _chat_call("web_fetch", "two", json.dumps({"url": "http://169.254.169.254/"})),
        _chat_call("web_fetch", "three", "{broken"),
    ]
    model = Scripted(_completion({"content": None, "tool_calls": calls}), _completion({"content": "At noon."}))
    messages: list[Any] = [{"role": "user", "content": "When is high water?"}]
    async with model.client() as client:
        first = await client.chat.completions.create(model="m", messages=messages, tools=chat_tools(web))  # type: ignore[arg-type]  # as plain mappings
        message = first.choices[0].message
        messages += [message.model_dump(exclude_none=True), *await answer_chat(web, message)]
        last = await client.chat.completions.create(model="m", messages=messages)

    assert "At noon." == last.choices[0].message.content
    read, refused, broken = model.requests[1]["messages"][2:]
    assert ("tool", "one") == (read["role"], read["tool_call_id"])
    assert "high water at noon" in read["content"]
    assert "ssrf_rejected" in refused["content"]
    assert "invalid_argument" in broken["content"]
    offered = {tool["function"]["name"]: tool["function"] for tool in model.requests[0]["tools"]}
    assert {spec.name: dict(spec.parameters) for spec in web.tools()} == {
        name: function["parameters"] for name, function in offered.items()
    }


async def test_a_response_calls_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    wanted = {
        "type": "function_call",
        "id": "f",
        "call_id": "one",
        "name": "web_fetch",
        "arguments": json.dumps({"url": site.at("/tides")}),
    }
    said = {"type": "output_text", "text": "At noon.", "annotations": []}
    answered = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [said]}
    model = Scripted(_response([wanted]), _response([answered]))
    async with model.client() as client:
        first = await client.responses.create(model="m", input="When is high water?", tools=response_tools(web))  # type: ignore[arg-type]  # as plain mappings
        outputs = await answer_response(web, first.output)
        last = await client.responses.create(model="m", input=outputs, previous_response_id=first.id)  # type: ignore[arg-type]  # as plain mappings

    assert "At noon." == last.output_text
    (sent,) = model.requests[1]["input"]
    assert ("function_call_output", "one") == (sent["type"], sent["call_id"])
    assert "high water at noon" in sent["output"]


def _response(output: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "scripted",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
