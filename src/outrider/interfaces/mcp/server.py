"""The answers as a server of the MCP SDK, for transports that the SDK carries."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import RequestHandler, Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.methods import CacheableMethod
from pydantic import BaseModel, ValidationError

from outrider.interfaces.mcp.answers import Answer, Answers
from outrider.interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    MODERN_VERSIONS,
    TTL_MS,
    Caller,
    ProtocolError,
    Report,
    Send,
)

Context = ServerRequestContext[Any, Any]

_PARAMS: dict[str, type[BaseModel]] = {
    "tools/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
}
"""What the SDK checks a request's params with."""


class _DatedServer(Server[Any]):
    """Instructions are made when a client asks for them: a server over HTTP lives longer than a day."""

    answers: Answers

    @property
    def instructions(self) -> str:
        """What a model is told about the server."""
        return self.answers.instructions

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """The base class sets what it was given, which is nothing."""


def make_server(answers: Answers) -> Server[Any]:
    """The server that gives these answers."""
    hints: dict[CacheableMethod, CacheHint] = {
        method: CacheHint(ttl_ms=ttl)  # type: ignore[misc]  # the SDK refuses a method that is none of its own
        for method, ttl in TTL_MS.items()
    }
    about = answers.server
    server = _DatedServer(
        about["name"],
        version=about["version"],
        title=about["title"],
        description=about["description"],
        cache_hints=hints,
    )
    server.answers = answers
    for method, answer in answers.methods().items():
        server.add_request_handler(method, _PARAMS[method], _handler(answer))
    return server


def _handler(answer: Answer) -> RequestHandler[Any, Any]:
    async def handle(context: Context, _: BaseModel) -> dict[str, Any]:
        try:
            # Of revisions that know no such member the SDK takes it out again.
            return {"resultType": "complete", **await answer(_caller(context), context.params or {})}
        except ProtocolError as error:
            raise MCPError(code=error.code, message=error.message, data=error.data) from error

    return handle


def _caller(context: Context) -> Caller:
    declared = context.session.client_capabilities
    return Caller(
        version=context.protocol_version,
        capabilities={} if declared is None else _as_json(declared),
        http=context.request,
        report=_report(context),
        send=None if context.protocol_version in MODERN_VERSIONS else _send(context),
    )


def _report(context: Context) -> Report | None:
    return context.session.report_progress if "progress_token" in (context.meta or {}) else None


def _send(context: Context) -> Send:
    # Tied to the call's own request: over HTTP it then travels in the answer that the client is reading.
    related = ServerMessageMetadata(related_request_id=context.request_id)

    async def send(method: str, params: Any) -> dict[str, Any]:
        try:
            if method == "elicitation/create":
                asked = types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(params))
                return _as_json(await context.session.send_request(asked, types.ElicitResult, metadata=related))
            assert method == "sampling/createMessage"
            wanted = types.CreateMessageRequest(params=types.CreateMessageRequestParams.model_validate(params))
            kind = types.CreateMessageResultWithTools  # whose content may be a list
            return _as_json(await context.session.send_request(wanted, kind, metadata=related))
        except MCPError as error:
            raise ProtocolError(error.code, error.message, data=error.data) from error
        except ValidationError as error:
            raise ProtocolError(INTERNAL_ERROR, "its answer is not what the protocol asks for") from error

    return send


def _as_json(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
