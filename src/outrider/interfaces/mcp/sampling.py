"""The client's own model: what it is asked goes through the client, which pays for it and may show it to its user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from outrider.errors import ReaderFailed
from outrider.interfaces.mcp.protocol import Caller, ProtocolError

Complete = Callable[[str, str, int], Awaitable[str]]
"""Asks a model: what it is, what it is asked, and the most tokens of its reply."""


def completer(caller: Caller) -> Complete | None:
    """
    Asks the model of the client that makes a call; None when it lends none.

    From 2026-07-28 on the protocol advises against it, and no server sends requests.
    """
    send = caller.send
    if caller.capabilities.get("sampling") is None or send is None:
        return None

    async def complete(system: str, user: str, max_tokens: int) -> str:
        params = {
            "systemPrompt": system,
            "messages": [{"role": "user", "content": {"type": "text", "text": user}}],
            "maxTokens": max_tokens,
            "temperature": 0.0,
        }
        try:
            result = await send("sampling/createMessage", params)
        except ProtocolError as error:
            message = f"the client's model gave no answer: {error.message[:300]}"
            raise ReaderFailed(message, hint="Read the page without prompt.") from error
        return _text(result.get("content"))

    return complete


def _text(content: Any) -> str:
    match content:
        # From 2025-11-25 on a list too.
        case {"type": "text", "text": str(text)} | [{"type": "text", "text": str(text)}]:
            return text
    message = "the client's model answered with something other than text"
    raise ReaderFailed(message, hint="Read the page without prompt.")
