from __future__ import annotations

import json
from typing import Any

import anthropic
import httpx2

from outrider import Web
from outrider.interfaces.frameworks.anthropic import answer, tools
from world.site import Site


class Scripted:
    """Answers the client library's requests one after the other, and keeps what it was sent."""

    def __init__(self, *contents: list[dict[str, Any]]) -> None:
        self._contents = list(contents)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": self._contents.pop(0),
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    def client(self) -> anthropic.AsyncAnthropic:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return anthropic.AsyncAnthropic(api_key="none", base_url="http://model.test", http_client=http)


async def test_a_message_uses_the_tools_and_reads_their_results(web: Web, site: Site) -> None:
    uses: list[dict[str, Any]] = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "one", "name": "web_fetch", "input": {"url": site.at("/tides")}},
        {"type": "tool_use", "id": "two", "name": "web_fetch", "input": {"url": "http://169.254.169.254/"}},
    ]
    model = Scripted(uses, [{"type": "text", "text": "At noon."}])
    messages: list[Any] = [{"role": "user", "content": "When is high water?"}]
    async with model.client() as client:
        first = await client.messages.create(model="m", max_tokens=100, messages=messages, tools=tools(web))  # type: ignore[arg-type]  # as plain mappings
        results = await answer(web, first.content)
        messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
        last = await client.messages.create(model="m", max_tokens=100, messages=messages)

    assert "At noon." == last.content[0].text  # type: ignore[union-attr]  # the script's
    read, refused = model.requests[1]["messages"][2]["content"]
    assert ("tool_result", "one", None) == (read["type"], read["tool_use_id"], read.get("is_error"))
    assert "high water at noon" in read["content"]
    assert refused["is_error"]
    assert "ssrf_rejected" in refused["content"]
    assert [spec.name for spec in web.tools()] == [tool["name"] for tool in model.requests[0]["tools"]]
