"""Tools and their results in MCP's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outrider.interfaces.mcp.schemas import OUTPUTS
from outrider.web.dialect import ToolResult, ToolSpec

_HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
_READS: Mapping[str, bool] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": True,
}


def as_tool(spec: ToolSpec, *, dialect: str) -> dict[str, Any]:
    """A tool as a client lists it. Shape: the protocol's `Tool`."""
    hints = {**_default_hints(spec.name), **{name: value for name, value in spec.annotations.items() if name in _HINTS}}
    tool = {
        "name": spec.name,
        "title": spec.name.replace("_", " ").replace("-", " ").capitalize(),
        "description": spec.description,
        "inputSchema": dict(spec.parameters),
        "annotations": hints,
    }
    promised = output_schema(spec.name, dialect=dialect)
    return tool if promised is None else {**tool, "outputSchema": promised}


def output_schema(tool: str, *, dialect: str) -> dict[str, Any] | None:
    """The shape of a tool's structured content; None where the dialect promises none."""
    return OUTPUTS.get(tool) if dialect == "outrider" else None


def as_call_result(result: ToolResult) -> dict[str, Any]:
    """
    A call's result: the text for the model, the data beside it, and the error flag with its code.

    Shape: the protocol's `CallToolResult`.
    """
    failure = result.error
    data = dict(result.data)
    if failure is not None:
        data.setdefault("error", failure.as_dict())
    shown = {"content": [{"type": "text", "text": result.text}], "isError": failure is not None}
    return {**shown, "structuredContent": data} if data else shown


def _default_hints(tool: str) -> Mapping[str, bool]:
    """Everything reads, except for what writes a file or ends a job."""
    if tool in ("download", "job-kill"):
        return {**_READS, "readOnlyHint": False, "destructiveHint": True}
    if tool in ("read_page", "read_file", "job-output"):
        return {**_READS, "openWorldHint": False}
    return _READS
