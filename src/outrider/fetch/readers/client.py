"""The caller's own model: what an MCP client lends through sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from outrider.errors import ReaderUnavailable
from outrider.fetch.reader import Prompt, ReaderSettings

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.egress.client import Client


class CallersModel:
    """Needs no key and no server: whoever makes the call is asked."""

    key_variable: ClassVar[str] = ""

    def __init__(self, settings: ReaderSettings, client: Client) -> None:
        del client
        self._settings = settings

    async def complete(self, prompt: Prompt, call: Call) -> str:
        """See `Reader`."""
        if call.complete is None:
            message = "the caller lends no model of its own"
            raise ReaderUnavailable(message, hint="Read the page without a prompt, or configure a reader model.")
        return await call.complete(prompt.system, prompt.user, self._settings.max_tokens)


READER = CallersModel
