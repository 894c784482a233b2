"""Tools for the OpenAI API, and for the many that speak it: Chat Completions and Responses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from outrider.interfaces.frameworks.calling import run_tool

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.web import Web


def chat_tools(web: Web) -> list[dict[str, Any]]:
    """What goes into `tools` of a chat completion."""
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)},
        }
        for spec in web.tools()
    ]


async def answer_chat(web: Web, message: Any, call: Call | None = None) -> list[dict[str, Any]]:
    """
    Run every tool call of an assistant's message, side by side.

    Args:
        message: Of the client library, or the same as a mapping.

    Returns:
        Shape: one message of the role `tool` for each call, in their order.
    """

    async def answer(wanted: Any) -> dict[str, Any]:
        function = _of(wanted, "function")
        result = await run_tool(web, _of(function, "name"), _of(function, "arguments"), call)
        return {"role": "tool", "tool_call_id": _of(wanted, "id"), "content": result.text}

    return await asyncio.gather(*(answer(wanted) for wanted in _of(message, "tool_calls") or ()))


def response_tools(web: Web) -> list[dict[str, Any]]:
    """What goes into `tools` of a response. Not strict: that mode would force every optional parameter to be given."""
    return [
        {
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": dict(spec.parameters),
            "strict": False,
        }
        for spec in web.tools()
    ]


async def answer_response(web: Web, output: Iterable[Any], call: Call | None = None) -> list[dict[str, Any]]:
    """
    Run every function call among a response's output items, side by side.

    Returns:
        Shape: one item of the type `function_call_output` for each call, in their order.
    """

    async def answer(wanted: Any) -> dict[str, Any]:
        result = await run_tool(web, _of(wanted, "name"), _of(wanted, "arguments"), call)
        return {"type": "function_call_output", "call_id": _of(wanted, "call_id"), "output": result.text}

    return await asyncio.gather(*(answer(item) for item in output if _of(item, "type") == "function_call"))


def _of(item: Any, name: str) -> Any:
    """The client library gives objects; what was stored, or came from elsewhere, is a mapping."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
