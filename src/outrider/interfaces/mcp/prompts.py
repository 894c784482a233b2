"""Prompts, for dialects whose servers offer one: a page that the client's user picks."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from outrider.call import Call
from outrider.errors import WebError
from outrider.web.dialect import Desk
from outrider.web.web import Web

_FETCH = types.Prompt(
    name="fetch",
    description="Read a web page as Markdown.",
    arguments=[types.PromptArgument(name="url", description="The URL to fetch.", required=True)],
)


@runtime_checkable
class Prompting(Protocol):
    """A dialect that answers the prompt `fetch`."""

    def prompt(self, url: str, desk: Desk) -> Awaitable[str]:
        """The page as text."""
        ...


def list_prompts() -> types.ListPromptsResult:
    """The one there is."""
    return types.ListPromptsResult(prompts=[_FETCH])


async def get_prompt(web: Web, call: Call, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """
    The page as a message of the user; a failure is shown to the user in its place.

    Raises:
        MCPError: There is no such prompt, or it lacks its URL.
    """
    if params.name != _FETCH.name:
        raise MCPError(code=INVALID_PARAMS, message=f"Unknown prompt: {params.name[:100]}")
    url = (params.arguments or {}).get("url", "")
    if not url:
        raise MCPError(code=INVALID_PARAMS, message="URL is required")
    message = types.PromptMessage(role="user", content=types.TextContent(text=await _page(web, call, url)))
    return types.GetPromptResult(description=f"Contents of {url}", messages=[message])


async def _page(web: Web, call: Call, url: str) -> str:
    dialect = web.dialect
    assert isinstance(dialect, Prompting)
    tool = dialect.operations["fetch"]
    try:
        desk = Desk(
            run=web.run,
            call=call,
            session=web.session(call.scope),
            config=web.config,
            tool=web.clearance.permissions.manifest.tool(tool),
            gate=web.clearance.gate(tool, call),
        )
        return await dialect.prompt(url, desk)
    except WebError as error:
        return dialect.render_error(tool, error).text
