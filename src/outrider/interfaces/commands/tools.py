"""`outrider tools`: what a model is told about the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from outrider.interfaces import terminal
from outrider.interfaces.options import How, common, speaking

if TYPE_CHECKING:
    from outrider.web.dialect import ToolSpec
    from outrider.web.web import Web

_HELP = """Show the tools as a model gets them: names, descriptions and parameters.

A dialect is a family of tool names and texts that stands in for another harness's own web tools.
Only tools that work here are shown: those that the agent has, and whose parts are there.
"""
_EPILOG = """\b
Examples:
  outrider tools
  outrider tools --dialect claude-code
  outrider tools --agent researcher
  outrider tools --json | jq '.tools[].parameters'
"""


@click.command("tools", help=_HELP, epilog=_EPILOG)
@speaking
@common
def tools(*, how: How) -> int:
    """Look them up, then show."""
    from outrider.web.web import Web

    web = Web(how.config())
    if how.as_json:
        terminal.write_json({"dialect": web.dialect.name, "tools": [_entry(spec) for spec in web.tools()]})
    else:
        _show(terminal.Screen(), web)
    return 0


def _entry(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
        "annotations": dict(spec.annotations),
    }


def _show(screen: terminal.Screen, web: Web) -> None:
    specs = web.tools()
    if not specs:
        terminal.note("There are no tools.")
    for spec in specs:
        screen.say((spec.name, "bold green"))
        screen.say(spec.description, indent=2)
        _show_parameters(screen, spec)
        screen.say()


def _show_parameters(screen: terminal.Screen, spec: ToolSpec) -> None:
    properties: dict[str, dict[str, Any]] = spec.parameters["properties"]
    required = spec.parameters.get("required", ())
    width = max((len(name) for name in properties), default=0) + 2
    for name, schema in properties.items():
        kind = _kind(schema) + (", required" if name in required else "")
        if schema.get("default") is not None:
            kind += f", default {terminal.plain_json(schema['default'])}"
        screen.row((name, "cyan"), schema.get("description", ""), (f"  ({kind})", "dim"), width=width, indent=4)


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "any")
    return f"list of {schema['items'].get('type', 'any')}" if kind == "array" else str(kind)


COMMAND = tools
