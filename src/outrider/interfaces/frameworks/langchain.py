"""Tools for LangChain and LangGraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from outrider.interfaces.frameworks.calling import run_tool

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.dialect import ToolSpec
    from outrider.web.web import Web


def tools(web: Web, call: Call | None = None) -> list[BaseTool]:
    """
    Asynchronous tools; a result's data is the message's artifact, and a failure sets the message's status.

    Args:
        call: Whose session the calls belong to.
    """
    return [_tool(web, spec, call) for spec in web.tools()]


def _tool(web: Web, spec: ToolSpec, call: Call | None) -> BaseTool:
    async def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = await run_tool(web, spec.name, arguments, call)
        if result.is_error:
            raise ToolException(result.text)
        return result.text, result.data

    return StructuredTool(
        name=spec.name,
        description=spec.description,
        args_schema=dict(spec.parameters),
        coroutine=run,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
