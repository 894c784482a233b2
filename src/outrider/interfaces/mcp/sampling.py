"""The client's own model: what it is asked goes through the client, which pays for it and may show it to its user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from outrider.errors import ReaderFailed
from outrider.interfaces.mcp.approvals import asks_between_calls

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

Complete = Callable[[str, str, int], Awaitable[str]]
"""Asks a model: what it is, what it is asked, and the most tokens of its reply."""


def completer(context: ServerRequestContext[Any, Any]) -> Complete | None:
    """
    Asks the model of the client that makes a call; None when it lends none.

    From 2026-07-28 on the protocol advises against it, and no server sends requests.
    """
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None or asks_between_calls(context.protocol_version):
        return None

    async def complete(system: str, user: str, max_tokens: int) -> str:
        params = types.CreateMessageRequestParams(
            system_prompt=system,
            messages=[types.SamplingMessage(role="user", content=types.TextContent(text=user))],
            max_tokens=max_tokens,
            temperature=0.0,
        )
        return await _reply(context, types.CreateMessageRequest(params=params))

    return complete


async def _reply(context: ServerRequestContext[Any, Any], request: types.CreateMessageRequest) -> str:
    from mcp.shared.message import ServerMessageMetadata

    try:
        # Tied to the call's own request: over HTTP it then travels in the answer that the client is reading.
        result = await context.session.send_request(
            request,
            types.CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except MCPError as error:
        message = f"the client's model gave no answer: {error.message[:300]}"
        raise ReaderFailed(message, hint="Read the page without prompt.") from error
    if not isinstance(result.content, types.TextContent):
        message = "the client's model answered with something other than text"
        raise ReaderFailed(message, hint="Read the page without prompt.")
    return result.content.text
