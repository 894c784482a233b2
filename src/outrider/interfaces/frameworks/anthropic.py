"""Tools for the Anthropic API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from outrider.interfaces.frameworks.calling import run_tool

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.web import Web


def tools(web: Web) -> list[dict[str, Any]]:
    """What goes into `tools` of a message."""
    return [
        {"name": spec.name, "description": spec.description, "input_schema": dict(spec.parameters)}
        for spec in web.tools()
    ]


async def answer(web: Web, content: Iterable[Any], call: Call | None = None) -> list[dict[str, Any]]:
    """
    Run every tool use among an assistant's content blocks, side by side.

    Args:
        content: Of the client library, or the same as mappings.

    Returns:
        Shape: one `tool_result` block for each use, in their order; together they are the next user's message.
    """

    async def one(use: Any) -> dict[str, Any]:
        result = await run_tool(web, _of(use, "name"), _of(use, "input"), call)
        block = {"type": "tool_result", "tool_use_id": _of(use, "id"), "content": result.text}
        return {**block, "is_error": True} if result.is_error else block

    return await asyncio.gather(*(one(block) for block in content if _of(block, "type") == "tool_use"))


def _of(item: Any, name: str) -> Any:
    """The client library gives objects; what was stored, or came from elsewhere, is a mapping."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
