"""The two ways of the protocol to say who asks: a handshake at the beginning, or an envelope around every request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from outrider.interfaces.mcp.answers import Answer, Answers
from outrider.interfaces.mcp.protocol import (
    HANDSHAKE_VERSIONS,
    INVALID_PARAMS,
    INVALID_REQUEST,
    META_CAPABILITIES,
    META_SERVER,
    META_VERSION,
    METHOD_NOT_FOUND,
    MODERN_VERSIONS,
    TTL_MS,
    UNSUPPORTED_VERSION,
    Caller,
    ProtocolError,
    Report,
    Send,
    object_of,
    text_of,
)


class Era(Protocol):
    """Answers the requests of one connection as its era has it."""

    async def answer(self, method: str, params: Mapping[str, Any], report: Report | None, send: Send) -> dict[str, Any]:
        """
        A request's result.

        Raises:
            ProtocolError: It is answered with an error.
        """
        ...


def era_of(method: str, params: Mapping[str, Any], answers: Answers) -> Era:
    """The era of a connection, which its first request decides."""
    return Envelopes(answers) if method != "initialize" and _is_enveloped(params) else Handshake(answers)


class Handshake:
    """Up to 2025-11-25: `initialize` comes first, and what it said holds for the rest of the connection."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._methods = answers.methods()
        self._version = ""
        self._capabilities: Mapping[str, Any] = {}

    async def answer(self, method: str, params: Mapping[str, Any], report: Report | None, send: Send) -> dict[str, Any]:
        """See `Era`."""
        if method == "initialize":
            return self._meet(params)
        if _is_enveloped(params):
            raise ProtocolError(INVALID_REQUEST, f"this connection began with a handshake: no {META_VERSION} in it")
        if method == "ping":
            return {}
        answer = _found(self._methods, method)
        if not self._version:
            raise ProtocolError(INVALID_PARAMS, "initialize comes first")
        caller = Caller(version=self._version, capabilities=self._capabilities, report=report, send=send)
        return await answer(caller, params)

    def _meet(self, params: Mapping[str, Any]) -> dict[str, Any]:
        asked, capabilities = text_of(params, "protocolVersion"), object_of(params, "capabilities")
        object_of(params, "clientInfo")
        self._capabilities = capabilities
        self._version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        return {
            "protocolVersion": self._version,
            "capabilities": self._answers.capabilities,
            "serverInfo": self._answers.server,
            "instructions": self._answers.instructions,
        }


class Envelopes:
    """From 2026-07-28 on: every request says who asks, and every result who answers."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._methods: dict[str, Answer] = {"server/discover": self._discover, **answers.methods()}

    async def answer(self, method: str, params: Mapping[str, Any], report: Report | None, send: Send) -> dict[str, Any]:
        """See `Era`."""
        if method == "initialize":
            asked = params.get("protocolVersion")
            raise _unsupported(asked if isinstance(asked, str) else "")
        caller = _caller(params, report)
        result = await _found(self._methods, method)(caller, params)
        return self._enveloped(method, result)

    async def _discover(self, caller: Caller, params: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": self._answers.capabilities,
            "instructions": self._answers.instructions,
        }

    def _enveloped(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        kept = {"ttlMs": TTL_MS[method], "cacheScope": "private"} if method in TTL_MS else {}
        return {"resultType": "complete", **kept, **result, "_meta": {META_SERVER: self._answers.server}}


def _found(methods: Mapping[str, Answer], method: str) -> Answer:
    answer = methods.get(method)
    if answer is None:
        raise ProtocolError(METHOD_NOT_FOUND, "Method not found", data=method[:100])
    return answer


def _is_enveloped(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and META_VERSION in meta


def _caller(params: Mapping[str, Any], report: Report | None) -> Caller:
    meta = object_of(params, "_meta")
    missing = [key for key in (META_VERSION, META_CAPABILITIES) if key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}")
    version, capabilities = text_of(meta, META_VERSION), object_of(meta, META_CAPABILITIES)
    if version not in MODERN_VERSIONS:
        raise _unsupported(version)
    return Caller(version=version, capabilities=capabilities, report=report)


def _unsupported(version: str) -> ProtocolError:
    told = {"supported": list(MODERN_VERSIONS), "requested": version[:100]}
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data=told)
