"""One call of a tool, as the frameworks hand it over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from outrider.errors import InvalidArgument

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.dialect import ToolResult
    from outrider.web.web import Web


async def run_tool(web: Web, tool: str, arguments: str | Mapping[str, Any], call: Call | None = None) -> ToolResult:
    """
    Run a tool; whatever goes wrong is the result's error, so that the model can read it.

    Args:
        arguments: Read, or as the JSON text that the model wrote.
    """
    if not isinstance(arguments, str):
        return await web.call(tool, arguments, call)
    try:
        read = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        message = f"the arguments are not JSON: {str(error)[:200]}"
        return web.dialect.render_error(tool, InvalidArgument(message, details={"field": "arguments"}))
    return await web.call(tool, read, call)
