"""Prompts, for dialects whose servers offer one: a page that the client's user picks."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, runtime_checkable

from outrider.call import Call
from outrider.errors import WebError
from outrider.interfaces.mcp.protocol import INVALID_PARAMS, ProtocolError, text_of
from outrider.web.dialect import Desk
from outrider.web.web import Web

_FETCH = {
    "name": "fetch",
    "description": "Read a web page as Markdown.",
    "arguments": [{"name": "url", "description": "The URL to fetch.", "required": True}],
}


@runtime_checkable
class Prompting(Protocol):
    """A dialect that answers the prompt `fetch`."""

    def prompt(self, url: str, desk: Desk) -> Awaitable[str]:
        """The page as text."""
        ...


def list_prompts() -> dict[str, Any]:
    """The one there is. Shape: the protocol's `ListPromptsResult`."""
    return {"prompts": [_FETCH]}


async def get_prompt(web: Web, call: Call, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """
    The page as a message of the user; a failure is shown to the user in its place.

    Shape: the protocol's `GetPromptResult`.

    Raises:
        ProtocolError: There is no such prompt, or it lacks its URL.
    """
    if name != _FETCH["name"]:
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}")
    if not arguments.get("url"):
        raise ProtocolError(INVALID_PARAMS, "URL is required")
    url = text_of(arguments, "url")
    content = {"type": "text", "text": await _page(web, call, url)}
    return {"description": f"Contents of {url}", "messages": [{"role": "user", "content": content}]}


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
