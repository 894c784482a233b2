"""Tools and their results in MCP's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from outrider.interfaces.mcp.schemas import OUTPUTS
from outrider.web.dialect import ToolResult, ToolSpec

_HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
_READS: Mapping[str, bool] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": True,
}


def as_tool(spec: ToolSpec, *, dialect: str) -> types.Tool:
    """A tool as a client lists it."""
    hints = {**_default_hints(spec.name), **{name: value for name, value in spec.annotations.items() if name in _HINTS}}
    return types.Tool(
        name=spec.name,
        title=spec.name.replace("_", " ").replace("-", " ").capitalize(),
        description=spec.description,
        input_schema=dict(spec.parameters),
        output_schema=output_schema(spec.name, dialect=dialect),
        annotations=types.ToolAnnotations.model_validate(hints),
    )


def output_schema(tool: str, *, dialect: str) -> dict[str, Any] | None:
    """The shape of a tool's structured content; None where the dialect promises none."""
    return OUTPUTS.get(tool) if dialect == "outrider" else None


def as_call_result(result: ToolResult) -> types.CallToolResult:
    """A call's result: the text for the model, the data beside it, and the error flag with its code."""
    failure = result.error
    data = dict(result.data)
    if failure is not None:
        data.setdefault("error", failure.as_dict())
    return types.CallToolResult(
        content=[types.TextContent(text=result.text)],
        structured_content=data or None,
        is_error=failure is not None,
    )


def _default_hints(tool: str) -> Mapping[str, bool]:
    """Everything reads, except for what writes a file or ends a job."""
    if tool in ("download", "job-kill"):
        return {**_READS, "readOnlyHint": False, "destructiveHint": True}
    if tool in ("read_page", "read_file", "job-output"):
        return {**_READS, "openWorldHint": False}
    return _READS
