"""Models behind the chat completions API of OpenAI, which most servers speak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outrider.errors import ReaderFailed
from outrider.fetch.reader import Prompt, ReaderSettings
from outrider.fetch.readers._http import ask

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.egress.client import Client

_OWN = "https://api.openai.com/v1"


class OpenAi:
    """Follows the API reference of chat completions, checked autumn 2026."""

    key_variable: ClassVar[str] = "OPENAI_API_KEY"

    def __init__(self, settings: ReaderSettings, client: Client) -> None:
        self._settings = settings
        self._client = client

    async def complete(self, prompt: Prompt, call: Call) -> str:
        """See `Reader`."""
        settings = self._settings
        base = (settings.base_url or _OWN).rstrip("/")
        # OpenAI's own newer models refuse the old name of the limit; other servers do not know the new one.
        limit = "max_completion_tokens" if base == _OWN else "max_tokens"
        body = {
            "model": settings.model,
            limit: settings.max_tokens,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        }
        # A server of one's own may need no key.
        headers = {"authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        found = await ask(self._client, f"{base}/chat/completions", headers, body, call, total_s=settings.total_s)
        return _text(found)


def _text(found: Any) -> str:
    try:
        text = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
    if not isinstance(text, str):
        message = "the reader model's answer holds no text"
        raise ReaderFailed(message, hint="Read the page without a prompt.")
    return text


READER = OpenAi
