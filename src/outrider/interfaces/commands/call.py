"""`outrider call`: one tool, called as a model calls it."""

from __future__ import annotations

import click

from outrider.interfaces.inputs import read_text
from outrider.interfaces.options import How, common, speaking
from outrider.interfaces.speaking import read_arguments, speak_tool

_MAX_BYTES = 1_000_000
_HELP = """Call one tool as a model calls it, and show what the model would read.

ARGUMENTS is one JSON object; - reads it from standard input.
With --json the result's structured data is shown instead of its text.
`outrider tools` lists the tools and their parameters.
"""
_EPILOG = """\b
Examples:
  outrider call web_fetch '{"url": "https://example.com/", "limit": 500}'
  outrider call fetch '{"url": "https://example.com/"}' --dialect mcp-fetch
  outrider call web_search '{"query": "tides"}' --agent researcher --json
"""


@click.command("call", help=_HELP, epilog=_EPILOG)
@click.argument("tool", metavar="TOOL")
@click.argument("arguments", metavar="[ARGUMENTS]", default="{}")
@speaking
@common
def call(*, tool: str, arguments: str, how: How) -> int:
    """Call, then show."""
    return speak_tool(tool, read_arguments(read_text(_MAX_BYTES) if arguments == "-" else arguments), how)


COMMAND = call
