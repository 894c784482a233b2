"""
A dialect with the tools that the protocol's conformance suite calls by name.

Installed as any third party's dialect is, it puts the suite before what this server makes of a tool's text, failure,
progress, question and use of the client's model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outrider.call import Progress, Question
from outrider.errors import InvalidArgument, ReaderUnavailable
from outrider.web.dialect import Desk, ToolResult, ToolSpec
from outrider.web.dialects.mcp_fetch import McpFetchDialect

_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
_TOOLS: Mapping[str, dict[str, Any]] = {
    "test_simple_text": {"type": "object"},
    "test_error_handling": {"type": "object"},
    "test_tool_with_progress": {"type": "object"},
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    "json_schema_2020_12_tool": _SCHEMA,
}


class ConformanceDialect(McpFetchDialect):
    """The suite's tools, and the prompt of the dialect below."""

    name = "conformance"

    def tools(self) -> list[ToolSpec]:
        """See `Dialect`."""
        return [ToolSpec(name=name, description="For the suite.", parameters=schema) for name, schema in _TOOLS.items()]

    async def answer(self, tool: str, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """See `Dialect`."""
        match tool:
            case "test_error_handling":
                raise InvalidArgument("this tool always fails")
            case "test_tool_with_progress":
                for done in (0, 50, 100):
                    desk.call.emit(Progress(stage="receive", done=done, total=100))
                return ToolResult(text="three steps were told")
            case "test_sampling":
                return ToolResult(text=await self._model(arguments["prompt"], desk))
            case "test_elicitation":
                return ToolResult(text=await self._user(arguments["message"], desk))
            case _:
                return ToolResult(text="This is a simple text.")

    async def _model(self, prompt: str, desk: Desk) -> str:
        if desk.call.complete is None:
            raise ReaderUnavailable("the client lends no model")
        return await desk.call.complete("You answer a test.", prompt, 100)

    async def _user(self, message: str, desk: Desk) -> str:
        if desk.call.ask is None:
            return "nobody can be asked"
        question = Question(tool="test_elicitation", action="execute", subject=message, rule="tool:test_elicitation")
        return f"the answer was {await desk.call.ask(question)}"


DIALECT = ConformanceDialect
