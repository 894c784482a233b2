"""The protocol's own names and numbers, as far as a server needs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

# modelcontextprotocol.io/specification, each revision's page, read 2026-11-30. A test holds them against the SDK.
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions in which a session begins with `initialize`; the newest is last."""
MODERN_VERSIONS = ("2026-07-28",)
"""Revisions in which every request says for itself who asks, and no server sends requests."""

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_SERVER = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

TTL_MS: Mapping[str, int] = {
    # The list of tools changes with the configuration, which needs another process.
    "tools/list": 60 * 60 * 1000,
    "prompts/list": 0,
    "resources/list": 0,
    "resources/templates/list": 0,
    "resources/read": 0,
    "server/discover": 0,
}
"""How long a client may keep each answer that it may keep at all, from 2026-07-28 on."""

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one notification: progress, total, message."""
Send = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Sends the client a request, its method and its params, and gives the result."""


class ProtocolError(Exception):
    """A request that is answered with an error where the protocol has no place for a result with a flag."""

    def __init__(self, code: int, message: str, *, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_dict(self) -> dict[str, Any]:
        """Shape: the member `error` of an answer."""
        told = {"code": self.code, "message": self.message}
        return told if self.data is None else {**told, "data": self.data}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who makes a request: what it speaks and can do, and how to reach it while it waits."""

    version: str
    capabilities: Mapping[str, Any]
    """As the client declared them."""
    http: Any = None
    """The HTTP request; None over standard streams."""
    report: Report | None = None
    """None unless the client asked to be told."""
    send: Send | None = None
    """None where no server sends requests."""


def text_of(params: Mapping[str, Any], name: str) -> str:
    """
    A text that a request must carry.

    Raises:
        ProtocolError: It is missing, or no text.
    """
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"{name} must be a string")
    return value


def object_of(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """
    An object that a request may carry; empty when it does not.

    Raises:
        ProtocolError: It is something else.
    """
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f"{name} must be an object")
    return value
