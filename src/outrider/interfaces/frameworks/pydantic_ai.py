"""Tools for Pydantic AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import Tool, ToolReturn
from pydantic_ai.exceptions import ToolFailed

from outrider.interfaces.frameworks.calling import run_tool

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.dialect import ToolSpec
    from outrider.web.web import Web


def tools(web: Web, call: Call | None = None) -> list[Tool[Any]]:
    """
    For an agent's `tools`; a result's data is the return's metadata.

    A failure is one that the model reads and adapts to, not one that the framework retries: its text says what helps.

    Args:
        call: Whose session the calls belong to.
    """
    return [_tool(web, spec, call) for spec in web.tools()]


def _tool(web: Web, spec: ToolSpec, call: Call | None) -> Tool[Any]:
    async def run(**arguments: Any) -> ToolReturn[str]:
        result = await run_tool(web, spec.name, arguments, call)
        if result.is_error:
            raise ToolFailed(result.text)
        return ToolReturn(return_value=result.text, metadata=result.data)

    return Tool.from_schema(
        run, name=spec.name, description=spec.description, json_schema=dict(spec.parameters), takes_ctx=False
    )
