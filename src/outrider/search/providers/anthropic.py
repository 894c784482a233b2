"""Anthropic's server-side web search: a model searches, and its results are read from the stream."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar

from outrider.call import Call, Progress
from outrider.errors import (
    NotInstalled,
    ProviderAuthFailed,
    ProviderError,
    ProviderForbidden,
    ProviderInvalidRequest,
    ProviderMisconfigured,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search import failures, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, choices
from outrider.search.google_token import (
    NotCredentials,
    looks_like_credentials,
    read_credentials,
    token_in,
    token_request,
)
from outrider.search.hits import collect
from outrider.search.messages import Message
from outrider.search.platforms import INSTALL, NEEDED, Foundry, Vertex, require_sdk, say
from outrider.search.provider import Answer, HttpProvider, with_warnings
from outrider.search.text import body_text, plain
from outrider.search.wire import ApiReply, ApiRequest, Exchange
from outrider.types import Query

ENDPOINT = "https://api.anthropic.com/v1/messages"
API_VERSION = "2023-06-01"

FIRST_VERSION = "web_search_20250305"

MAX_USES = 8
"""Searches in one call."""

MAX_TURNS = 3
"""How often a turn that the server paused is continued."""

_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}", re.ASCII)
# What the vendor's own keys begin with.
_OWN_KEY = "sk-ant-"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)

_BLOCK_ERRORS: dict[str, type[ProviderError]] = {
    "max_uses_exceeded": ProviderQuotaExceeded,
    "too_many_requests": ProviderRateLimited,
    "unavailable": ProviderUnavailable,
    "invalid_tool_input": ProviderInvalidRequest,
    "query_too_long": ProviderInvalidRequest,
    "request_too_large": ProviderInvalidRequest,
}
_TYPES: dict[str, type[ProviderError]] = {
    "authentication_error": ProviderAuthFailed,
    "permission_error": ProviderForbidden,
    "billing_error": ProviderQuotaExceeded,
    "rate_limit_error": ProviderRateLimited,
    "invalid_request_error": ProviderInvalidRequest,
    "not_found_error": ProviderInvalidRequest,
    "request_too_large": ProviderInvalidRequest,
    "overloaded_error": ProviderUnavailable,
    "api_error": ProviderUnavailable,
    "timeout_error": ProviderUnavailable,
}


class Anthropic(HttpProvider):
    """Follows the vendor's documentation and SDK types of August 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="anthropic",
        name="Anthropic",
        description="A model searches and names its sources; on the vendor's own platform, Vertex or Foundry.",
        docs_url="https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool",
        requires_api_key=True,
        filters=frozenset({"country", "domains"}),
        max_results=20,
        bounds=Bounds(total_s=60.0),
        env={"api_key": ("ANTHROPIC_API_KEY",)},
        fields=(
            Field(key="model", label="Model", default="claude-sonnet-4-6"),
            Field(
                key="tool",
                label="Tool version",
                type="select",
                default=FIRST_VERSION,
                options=choices(FIRST_VERSION, "web_search_20260209", "web_search_20260318"),
                description="The newer ones filter results by code before they can be seen.",
            ),
            Field(
                key="platform",
                label="Platform",
                default="anthropic",
                description=(
                    "`anthropic`, `vertex` or `foundry`; the last two need the extra `anthropic`. On Vertex the key is "
                    "an access token, or the JSON of a service account or of a user's credentials."
                ),
            ),
            Field(key="region", label="Region", default="global", description="Of Vertex."),
            Field(
                key="project", label="Project", description="Of Vertex; a service account's own when it is left out."
            ),
            Field(key="resource", label="Resource", description="Of Foundry."),
            Field(
                key="vertex_models",
                label="Models on Vertex",
                default="claude-opus-4,claude-sonnet-4,claude-haiku-4",
                description="Parts of the ids of those that can search there, comma separated.",
            ),
        ),
        automatic=False,
    )

    # What goes out.

    def request(self, query: Query, today: date) -> ApiRequest:
        """One streamed turn with the search tool, on the vendor's own platform."""
        return self._own(*self.message(query, _question(query)))

    def message(self, query: Query, turns: list[dict[str, Any]]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """
        The message as the vendor's API takes it, and what had to be changed as warnings.

        Raises:
            ProviderMisconfigured: The platform does not offer the tool for the model.
        """
        why = self.declined(self._platform, self.option("model"))
        if why:
            raise self.error(ProviderMisconfigured, says=why)
        version, told = self._version()
        message = {
            "model": self.option("model"),
            "max_tokens": 2_048,
            "stream": True,
            "messages": turns,
            "tools": [_tool(query, version)],
        }
        return message, told

    def _own(self, message: dict[str, Any], told: tuple[str, ...]) -> ApiRequest:
        headers = {"x-api-key": self.settings.api_key, "anthropic-version": API_VERSION}
        return ApiRequest(url=ENDPOINT, method="POST", headers=headers, json=message, warnings=told)

    @property
    def _platform(self) -> str:
        return self.option("platform").lower()

    def _version(self) -> tuple[str, tuple[str, ...]]:
        """The tool's version; other platforms than the vendor's own serve the first one only."""
        asked = self.option("tool")
        if asked == FIRST_VERSION or self._platform == "anthropic":
            return asked, ()
        return FIRST_VERSION, (f"{self.info.name}: {asked} is not served on this platform; {FIRST_VERSION} was used",)

    def declined(self, platform: str, model: str) -> str:
        """Why the tool is not offered for a platform and model; empty when it is."""
        if not _MODEL.fullmatch(model):
            return "the configured model is not a model's name"
        if platform not in {"anthropic", "vertex", "foundry"}:
            return f"web search is not offered on the platform {plain(platform)[:40]!r}"
        able = [part.strip() for part in self.option("vertex_models").split(",") if part.strip()]
        if platform == "vertex" and not any(part in model for part in able):
            return f"web search on Vertex is offered only for models named {', '.join(able)}"
        return ""

    def _place(self) -> Vertex | Foundry | None:
        """The other vendor's platform, or None for the vendor's own."""
        if self._platform == "anthropic":
            return None
        if self.settings.api_key.startswith(_OWN_KEY):
            says = "its key belongs to the vendor's own platform, and is sent to no other"
            raise self.error(ProviderMisconfigured, says=says)
        if self._platform == "foundry":
            return Foundry(resource=self._named("resource"))
        return Vertex(region=self._named("region"), project=self._named("project"))

    def _named(self, key: str) -> str:
        value = self.option(key).lower()
        if not _NAME.fullmatch(value):
            raise self.error(ProviderMisconfigured, says=f"its setting {key} is missing or not a name")
        return value

    # What comes back.

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """One turn, continued where the server pauses it; what is searched for is told as it becomes known."""
        turns = _question(query)
        message, warnings = self.message(query, turns)
        if self._platform != "anthropic":
            async with self.seam(call):
                require_sdk()
        if self._platform == "vertex" and looks_like_credentials(self.settings.api_key):
            return await (await self._with_token(query, exchange, call)).search(query, exchange, call)
        whole = Message()
        for _ in range(MAX_TURNS):
            turn = Message(tell=lambda told: call.emit(Progress(stage="search", data=told)))
            reply = await self._say(message, query, exchange, call, turn.hear)
            self.read(reply)  # Raises what this turn's failure means.
            turn.close(reply)
            whole.add(turn)
            if turn.stop_reason != "pause_turn":
                break
            turns = [*turns, {"role": "assistant", "content": turn.content}]
            message, warnings = self.message(query, turns)
        return with_warnings(self._answer(whole), warnings)

    async def _say(
        self, message: dict[str, Any], query: Query, exchange: Exchange, call: Call, hear: Callable[[bytes], None]
    ) -> ApiReply:
        place = self._place()
        if place is None:
            return await self.ask_aloud(self._own(message, ()), query, exchange, call, hear)
        async with self.seam(call):
            key, limits = self.settings.api_key, self.limits(call)
            said = await say(place, message, key=key, exchange=exchange, limits=limits, hear=hear)
        return ApiReply(status=said.status, headers=said.headers, body=said.body, query=query, received=call.now())

    async def _with_token(self, query: Query, exchange: Exchange, call: Call) -> Anthropic:
        """
        The same provider with an access token in place of Google's credentials.

        Raises:
            ProviderError: The credentials are none, or Google refuses them.
        """
        try:
            credentials = read_credentials(self.settings.api_key)
            request = token_request(credentials, call.now())
        except NotCredentials as error:
            raise self.error(ProviderMisconfigured, says=f"its Google credentials cannot be used: {error}") from None
        except ImportError as error:
            raise self.unreachable(NotInstalled(NEEDED, hint=INSTALL)) from error
        reply = await self.ask(request, query, exchange, call)
        token = token_in(reply) if reply.status == 200 else ""
        if not token:
            # The vendor's words are left out: they may repeat what was sent.
            refused = reply.status in {400, 401, 403}
            kind = ProviderAuthFailed if refused else failures.kind_for(max(reply.status, 300))
            raise self.error(kind, reply, says=f"Google gives no access token (status {reply.status})")
        project = self.option("project") or credentials.project
        extra = {**self.settings.extra, "project": project}
        return Anthropic(replace(self.settings, api_key=token, extra=extra))

    def unreachable(self, error: WebError) -> WebError:
        """A missing extra is a matter of how this was installed."""
        if isinstance(error, NotInstalled):
            return self.error(ProviderMisconfigured, says=error.message, hint=error.hint, reason=error.code)
        return super().unreachable(error)

    def failure(self, reply: ApiReply) -> WebError:
        """The error's type decides; an empty account hides in a bad request."""
        error = reading.at(self.error_body(reply), "error")
        name = reading.text(reading.at(error, "type"))
        kind = _TYPES.get(name) or failures.kind_for(reply.status)
        if kind is ProviderInvalidRequest and "credit balance" in reading.text(reading.at(error, "message")).lower():
            kind = ProviderQuotaExceeded
        return self.error(kind, reply, code=name or None)

    def parse(self, reply: ApiReply) -> Answer:
        """A stream or one message; failed searches are reported inside a good status."""
        message = Message()
        message.hear(reply.body)
        message.close(reply)
        if message.error:
            kind = _TYPES.get(message.error, ProviderUnavailable)
            raise self.error(kind, reply, says=message.error_says, code=message.error)
        if not message.begun:
            raise self.unclear(reply)
        codes = message.failed_searches
        if codes and not message.results:
            kind = _BLOCK_ERRORS.get(codes[0], ProviderUnavailable)
            raise self.error(kind, reply, says=f"its search failed ({plain(codes[0])[:60]})", code=codes[0])
        return self._answer(message)

    def _answer(self, message: Message) -> Answer:
        warned = [f"{self.info.name}: one search failed ({plain(code)[:60]})" for code in message.failed_searches]
        if message.is_stream and not message.ended:
            warned.append(f"{self.info.name}: the answer broke off before its end")
        return Answer(
            hits=collect(message.hits()),
            answer=body_text(message.text),
            searched=bool(message.queries or message.results or message.failed_searches),
            query_used=plain(message.queries[0]) if message.queries else "",
            warnings=tuple(dict.fromkeys(warned)),
            usage=message.usage,
            stop_reason=plain(message.stop_reason),
        )


def _question(query: Query) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"Search the web for: {query.text}"}]


def _tool(query: Query, version: str) -> dict[str, Any]:
    tool: dict[str, Any] = {"type": version, "name": "web_search", "max_uses": MAX_USES}
    # Only one of the lists may be given; the other is applied to the answer.
    if query.allowed_domains:
        tool["allowed_domains"] = list(query.allowed_domains)
    elif query.blocked_domains:
        tool["blocked_domains"] = list(query.blocked_domains)
    if query.country not in {"", "ALL"}:
        tool["user_location"] = {"type": "approximate", "country": query.country}
    return tool


PROVIDER = Anthropic
