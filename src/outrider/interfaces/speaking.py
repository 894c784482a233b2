"""What a dialect's tool answers, asked with the options of the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from outrider.errors import FACES, InvalidArgument
from outrider.interfaces import terminal

if TYPE_CHECKING:
    from outrider.interfaces.options import How
    from outrider.web.dialect import ToolResult, ToolSpec
    from outrider.web.web import Web

# An option of ours, and what some dialects call it.
_ALSO = {
    "offset": ("start_index",),
    "limit": ("max_chars", "max_length"),
    "max_results": ("count",),
}


def speak(operation: str, options: Mapping[str, Any], how: How) -> int:
    """
    Ask the dialect's tool for an operation, show what a model would read, and give the exit status.

    Args:
        operation: `search` or `fetch`.
        options: By our own names; those that are None, False or () were not given.

    Raises:
        InvalidArgument: The dialect has no such tool, or the tool no such parameter.
        WebError: The web cannot be opened.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False and value != ()}
    return _show(asyncio.run(_ask(operation, given, how)), how)


def speak_tool(tool: str, arguments: Mapping[str, Any], how: How) -> int:
    """
    The same for a tool that is named, with its own arguments.

    Raises:
        WebError: The web cannot be opened.
    """
    return _show(asyncio.run(_call(tool, arguments, how)), how)


async def _ask(operation: str, given: dict[str, Any], how: How) -> ToolResult:
    from outrider.web.web import Web

    web = Web(how.config())
    spec = _tool_for(web, operation)
    return await _answer(web, spec.name, _arguments(spec, given), how)


async def _call(tool: str, arguments: Mapping[str, Any], how: How) -> ToolResult:
    from outrider.web.web import Web

    return await _answer(Web(how.config()), tool, arguments, how)


async def _answer(web: Web, tool: str, arguments: Mapping[str, Any], how: How) -> ToolResult:
    from outrider.interfaces.asking import call_for

    with terminal.progress(quiet=how.quiet) as live:
        async with web:
            return await web.call(tool, arguments, call_for(live))


def _tool_for(web: Web, operation: str) -> ToolSpec:
    name = web.dialect.operations.get(operation)
    for spec in web.tools():
        if spec.name == name:
            return spec
    message = f"the dialect {web.dialect.name} offers no tool for {operation} here"
    raise InvalidArgument(
        message, details={"field": "dialect"}, hint="`outrider tools --dialect NAME` lists its tools."
    )


def _arguments(spec: ToolSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options under the names that the tool has for them."""
    known = spec.parameters["properties"]
    urls = given.get("urls", ())
    one = {name: value for name, value in given.items() if name != "urls"}
    if not urls:
        return _renamed(spec.name, one, known)
    if "url" in known and len(urls) == 1:
        return _renamed(spec.name, {"url": urls[0], **one}, known)
    if "items" not in known:
        message = f"{spec.name} reads one page at a time"
        raise InvalidArgument(message, details={"field": "url"})
    fields = known["items"]["items"]["properties"]
    return {"items": [_renamed(spec.name, {"url": url, **one}, fields) for url in urls]}


def _renamed(tool: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in given.items():
        names = [candidate for candidate in (name, *_ALSO.get(name, ())) if candidate in known]
        if not names:
            message = f"{tool} has no parameter for {name.replace('_', '-')}; it takes {', '.join(known)}"
            raise InvalidArgument(message, details={"field": name})
        renamed[names[0]] = list(value) if isinstance(value, tuple) else value
    return renamed


def _show(result: ToolResult, how: How) -> int:
    error = result.error
    if how.as_json:
        terminal.write_json(result.data | ({"error": error.as_dict()} if error is not None else {}))
    elif error is None:
        terminal.write(result.text + "\n")
    if error is None:
        return 0
    terminal.flush()
    terminal.complain(error)
    return FACES[error.code].exit_status


def read_arguments(text: str) -> dict[str, Any]:
    """
    The arguments of a tool, from the command line.

    Raises:
        InvalidArgument: They are no JSON object.
    """
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = "the arguments cannot be read as JSON"
        hint = """Give one object, such as '{"url": "https://example.com/"}', or - to read it."""
        raise InvalidArgument(message, details={"field": "arguments"}, hint=hint) from error
    if not isinstance(arguments, dict):
        message = "the arguments must be one JSON object"
        raise InvalidArgument(message, details={"field": "arguments"})
    return arguments
