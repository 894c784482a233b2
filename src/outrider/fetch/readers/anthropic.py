"""Models behind the messages API of Anthropic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outrider.errors import ReaderFailed
from outrider.fetch.reader import Prompt, ReaderSettings
from outrider.fetch.readers._http import ask

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.egress.client import Client

_OWN = "https://api.anthropic.com"
_VERSION = "2023-06-01"


class Anthropic:
    """Follows the API reference of messages, checked autumn 2026."""

    key_variable: ClassVar[str] = "ANTHROPIC_API_KEY"

    def __init__(self, settings: ReaderSettings, client: Client) -> None:
        self._settings = settings
        self._client = client

    async def complete(self, prompt: Prompt, call: Call) -> str:
        """See `Reader`."""
        settings = self._settings
        base = (settings.base_url or _OWN).rstrip("/").removesuffix("/v1")
        body = {
            "model": settings.model,
            "max_tokens": settings.max_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        headers = {"x-api-key": settings.api_key, "anthropic-version": _VERSION}
        found = await ask(self._client, f"{base}/v1/messages", headers, body, call, total_s=settings.total_s)
        return _text(found)


def _text(found: Any) -> str:
    blocks = found.get("content") if isinstance(found, dict) else None
    texts = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    if not texts:
        message = "the reader model's answer holds no text"
        raise ReaderFailed(message, hint="Read the page without a prompt.")
    return "".join(texts)


READER = Anthropic
