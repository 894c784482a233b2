"""A model server that follows a script, in OpenAI's and in Anthropic's language."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from world.messages import Reply, Request


@dataclass(frozen=True)
class Turn:
    """What the model is asked in one request."""

    tools: tuple[str, ...]
    question: str
    results: tuple[str, ...]
    """Everything that came back so far: results of tools and complaints about outputs."""

    @property
    def is_lead(self) -> bool:
        return "investigate" in self.tools


@dataclass(frozen=True)
class Use:
    """The model uses a tool."""

    tool: str
    arguments: dict[str, Any]


Script = Callable[[Turn], str | Use]


@dataclass
class Model:
    """Handlers for a site; it counts what it is asked."""

    script: Script
    turns: list[Turn] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def openai(self, request: Request) -> Reply:
        body = json.loads(request.body)
        messages = body["messages"]
        said = [message for message in messages if message["role"] == "user"]
        turn = Turn(
            tools=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
            question=_text(said[0]["content"]),
            results=tuple(_text(message["content"]) for message in messages if message["role"] == "tool")
            + tuple(_text(message["content"]) for message in said[1:]),
        )
        return _json(_openai(self._next(turn)))

    def anthropic(self, request: Request) -> Reply:
        body = json.loads(request.body)
        blocks = [block for message in body["messages"] if message["role"] == "user" for block in _blocks(message)]
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        turn = Turn(
            tools=tuple(tool["name"] for tool in body.get("tools", ())),
            question=texts[0],
            results=tuple(_text(block["content"]) for block in blocks if block["type"] == "tool_result")
            + tuple(texts[1:]),
        )
        return _json(_anthropic(self._next(turn)))

    def _next(self, turn: Turn) -> str | Use:
        with self._lock:
            self.turns.append(turn)
        return self.script(turn)


def _openai(answer: str | Use) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else None}
    if isinstance(answer, Use):
        function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"id": "call", "type": "function", "function": function}]
    reason = "stop" if isinstance(answer, str) else "tool_calls"
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100},
    }


def _anthropic(answer: str | Use) -> dict[str, Any]:
    block = (
        {"type": "text", "text": answer}
        if isinstance(answer, str)
        else {"type": "tool_use", "id": "call", "name": answer.tool, "input": answer.arguments}
    )
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [block],
        "stop_reason": "end_turn" if isinstance(answer, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 90, "output_tokens": 10},
    }


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _json(document: dict[str, Any]) -> Reply:
    return Reply(body=json.dumps(document).encode(), fields=((b"content-type", b"application/json"),))
