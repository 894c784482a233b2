"""Tools for the OpenAI Agents SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from outrider.interfaces.frameworks.calling import run_tool

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.dialect import ToolSpec
    from outrider.web.web import Web


def tools(web: Web, call: Call | None = None) -> list[FunctionTool]:
    """
    For an agent's `tools`.

    Args:
        call: Whose session the calls belong to.
    """
    return [_tool(web, spec, call) for spec in web.tools()]


def _tool(web: Web, spec: ToolSpec, call: Call | None) -> FunctionTool:
    async def run(_: ToolContext[Any], arguments: str) -> str:
        return (await run_tool(web, spec.name, arguments, call)).text

    return FunctionTool(
        name=spec.name,
        description=spec.description,
        params_json_schema=dict(spec.parameters),
        on_invoke_tool=run,
        # Strict mode would force every optional parameter to be given.
        strict_json_schema=False,
    )
