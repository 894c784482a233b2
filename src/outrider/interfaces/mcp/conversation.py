"""One client's messages over one stream: which are requests, which are answers, and what a cancellation stops."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeGuard

from outrider.interfaces.mcp.answers import Answers
from outrider.interfaces.mcp.eras import Era, era_of
from outrider.interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ProtocolError,
    Report,
)

Post = Callable[[dict[str, Any]], asyncio.Future[None]]
"""Puts a message on the way at once; what it gives is done when the message has left."""
_Id = str | int
MOST_AT_ONCE = 1_000
"""Requests of one client that wait for their answers; how many of them reach the net at once is the guard's matter."""

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
        self._running: dict[asyncio.Task[None], str] = {}
        self._asked: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._count = 0

    async def run(self, lines: AsyncIterator[bytes]) -> None:
        """Answer until the client says no more; what is still being answered then is given up."""
        async with asyncio.TaskGroup() as group:
            async for line in lines:
                self._hear(line, group)
            # What was asked last begins at least, so that whoever pipes requests in gets what needs no waiting.
            await asyncio.sleep(0)
            for task in self._running:
                task.cancel()

    def _hear(self, line: bytes, group: asyncio.TaskGroup) -> None:
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            _ = self._refuse(None, ProtocolError(PARSE_ERROR, "the line is no JSON"))
            return
        match message:
            case {"jsonrpc": "2.0", "id": asked, "method": str(method)} if _is_id(asked):
                self._take(group, asked, method, message.get("params"))
            case {"jsonrpc": "2.0", "method": str(method), **rest} if "id" not in rest:
                self._note(method, rest.get("params"))
            case {"jsonrpc": "2.0", **answer} if "method" not in answer and answer.keys() & {"result", "error"}:
                self._settle(answer)
            case _:
                _ = self._refuse(_id_of(message), ProtocolError(INVALID_REQUEST, "this is no JSON-RPC 2.0"))

    def _take(self, group: asyncio.TaskGroup, asked: _Id, method: str, params: Any) -> None:
        params = {} if params is None else params
        if not isinstance(params, dict):
            _ = self._refuse(asked, ProtocolError(INVALID_REQUEST, "params must be an object"))
            return
        if len(self._running) >= MOST_AT_ONCE:
            message = f"at most {MOST_AT_ONCE:,} requests are answered at once"
            _ = self._refuse(asked, ProtocolError(INTERNAL_ERROR, message))
            return
        self._era = self._era or era_of(method, params, self._answers)
        task = group.create_task(self._answer(asked, self._era, method, params), name=method)
        # By task, since nothing keeps a client from giving one id twice.
        self._running[task] = str(asked)
        task.add_done_callback(self._running.pop)

    def _refuse(self, asked: _Id | None, error: ProtocolError) -> asyncio.Future[None]:
        return self._post({"jsonrpc": "2.0", "id": asked, "error": error.as_dict()})

    async def _answer(self, asked: _Id, era: Era, method: str, params: Mapping[str, Any]) -> None:
        try:
            result = await era.answer(method, params, self._report(params), self._send)
            _ = self._post({"jsonrpc": "2.0", "id": asked, "result": result})
        except ProtocolError as error:
            _ = self._refuse(asked, error)
        except Exception:  # noqa: BLE001  (the edge: one request that fails must not end the others)
            _log.warning("the answer to %s failed", method, exc_info=True)
            _ = self._refuse(asked, ProtocolError(INTERNAL_ERROR, "something went wrong inside Outrider"))

    def _note(self, method: str, params: Any) -> None:
        """Of what a client tells only a cancellation matters here."""
        match params:
            case {"requestId": asked} if method == "notifications/cancelled" and _is_id(asked):
                for task, key in self._running.items():
                    # Without the handshake every later request would be refused; the protocol forbids to cancel it.
                    if key == str(asked) and task.get_name() != "initialize":
                        task.cancel()

    def _report(self, params: Mapping[str, Any]) -> Report | None:
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not _is_id(token):
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

    def _settle(self, answer: Mapping[Any, Any]) -> None:
        """Hand an answer to whoever waits for it. None is ever answered itself, whatever its shape."""
        waiting = self._asked.get(str(_id_of(answer)))
        if waiting is None or waiting.done():
            return
        result = answer.get("result")
        if isinstance(result, dict):
            waiting.set_result(result)
        else:
            waiting.set_exception(_refusal(answer.get("error")))


def _refusal(error: Any) -> ProtocolError:
    told = error if isinstance(error, dict) else {}
    code, message = told.get("code"), told.get("message")
    return ProtocolError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        message if isinstance(message, str) else "its answer is no result and names no error",
        data=told.get("data"),
    )


def _id_of(message: Any) -> _Id | None:
    named = message.get("id") if isinstance(message, dict) else None
    return named if _is_id(named) else None


def _is_id(value: object) -> TypeGuard[_Id]:
    # To Python a boolean is a number.
    return isinstance(value, str | int) and not isinstance(value, bool)
