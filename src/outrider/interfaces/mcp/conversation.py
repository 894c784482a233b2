"""One client's messages over one stream: which are requests, which are answers, and what a cancellation stops."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from outrider.interfaces.mcp.answers import Answers
from outrider.interfaces.mcp.eras import Era, era_of
from outrider.interfaces.mcp.protocol import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ProtocolError,
    Report,
)

Post = Callable[[dict[str, Any]], asyncio.Future[None]]
"""Puts a message on the way at once; what it gives is done when the message has left."""
_Id = str | int

_log = logging.getLogger("outrider")


class Conversation:
    """
    Answers one client, each request in a task of its own.

    Args:
        post: The way to the client.
    """

    def __init__(self, answers: Answers, post: Post) -> None:
        self._answers = answers
        self._post = post
        self._era: Era | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._asked: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._count = 0

    async def run(self, lines: AsyncIterator[bytes]) -> None:
        """Answer until the client says no more; what is still being answered then is given up."""
        async with asyncio.TaskGroup() as group:
            async for line in lines:
                self._hear(line, group)
            # What was asked last begins at least, so that whoever pipes requests in gets what needs no waiting.
            await asyncio.sleep(0)
            for task in self._running.values():
                task.cancel()

    def _hear(self, line: bytes, group: asyncio.TaskGroup) -> None:
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            _ = self._refuse(None, ProtocolError(PARSE_ERROR, "the line is no JSON"))
            return
        match message:
            case {"jsonrpc": "2.0", "id": str() | int() as asked, "method": str(method)}:
                self._take(group, asked, method, message.get("params") or {})
            case {"jsonrpc": "2.0", "method": str(method), **rest} if "id" not in rest:
                self._note(method, rest.get("params"))
            case {"jsonrpc": "2.0", "id": str() | int() as asked, "result": dict() as result}:
                self._settle(asked, result, None)
            case {"jsonrpc": "2.0", "id": str() | int() as asked, "error": dict() as error}:
                self._settle(asked, {}, error)
            case {"jsonrpc": "2.0", "error": _}:
                _log.debug("the client could not read a message: %s", str(message)[:500])
            case _:
                _ = self._refuse(_id_of(message), ProtocolError(INVALID_REQUEST, "this is no JSON-RPC 2.0"))

    def _take(self, group: asyncio.TaskGroup, asked: _Id, method: str, params: Any) -> None:
        if not isinstance(params, dict):
            _ = self._refuse(asked, ProtocolError(INVALID_REQUEST, "params must be an object"))
            return
        self._era = self._era or era_of(method, params, self._answers)
        task = group.create_task(self._answer(asked, self._era, method, params))
        self._running[str(asked)] = task
        task.add_done_callback(lambda done: self._forget(str(asked), done))

    def _refuse(self, asked: _Id | None, error: ProtocolError) -> asyncio.Future[None]:
        return self._post({"jsonrpc": "2.0", "id": asked, "error": error.as_dict()})

    def _forget(self, key: str, done: asyncio.Task[None]) -> None:
        # A later request may have taken the same id.
        if self._running.get(key) is done:
            del self._running[key]

    async def _answer(self, asked: _Id, era: Era, method: str, params: Mapping[str, Any]) -> None:
        try:
            result = await era.answer(method, params, self._report(params), self._send)
            left = self._post({"jsonrpc": "2.0", "id": asked, "result": result})
        except ProtocolError as error:
            left = self._refuse(asked, error)
        except Exception:  # noqa: BLE001  (the edge: one request that fails must not end the others)
            _log.warning("the answer to %s failed", method, exc_info=True)
            left = self._refuse(asked, ProtocolError(INTERNAL_ERROR, "something went wrong inside Outrider"))
        await left

    def _note(self, method: str, params: Any) -> None:
        """Of what a client tells only a cancellation matters here."""
        match params:
            case {"requestId": str() | int() as asked} if method == "notifications/cancelled":
                task = self._running.get(str(asked))
                if task is not None:
                    task.cancel()

    def _report(self, params: Mapping[str, Any]) -> Report | None:
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not isinstance(token, str | int):
            return None

        async def report(progress: float, total: float | None, message: str | None) -> None:
            said = {"progressToken": token, "progress": progress, "total": total, "message": message}
            told = {name: value for name, value in said.items() if value is not None}
            await self._post({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})

        return report

    async def _send(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """
        Ask the client something, and wait for what it says.

        Raises:
            ProtocolError: It refused, or it left.
        """
        self._count += 1
        number = self._count
        answered: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[str(number)] = answered
        try:
            await self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return await answered
        except asyncio.CancelledError:
            told = {"requestId": number, "reason": "no longer needed"}
            _ = self._post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": told})
            raise
        finally:
            del self._asked[str(number)]

    def _settle(self, number: _Id, result: Mapping[str, Any], error: Mapping[str, Any] | None) -> None:
        waiting = self._asked.get(str(number))
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(result)
            return
        code, message = error.get("code"), error.get("message")
        waiting.set_exception(
            ProtocolError(code if isinstance(code, int) else CONNECTION_CLOSED, str(message), data=error.get("data"))
        )


def _id_of(message: Any) -> _Id | None:
    named = message.get("id") if isinstance(message, dict) else None
    return named if isinstance(named, str | int) else None
