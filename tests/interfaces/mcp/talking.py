"""A conversation without a pipe: what a client sends goes in as lines, and what it gets comes out as messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from outrider import Web
from outrider.interfaces.mcp.answers import Answers
from outrider.interfaces.mcp.conversation import Conversation
from outrider.interfaces.mcp.sessions import OneSession

PATIENCE_S = 5.0
Message = dict[str, Any]


class Talk:
    """The client's end."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._heard: asyncio.Queue[Message] = asyncio.Queue()
        self.got: list[Message] = []

    def say(self, message: Message | bytes) -> None:
        self._lines.put_nowait(message if isinstance(message, bytes) else json.dumps(message).encode())

    async def hear(self) -> Message:
        message = await asyncio.wait_for(self._heard.get(), PATIENCE_S)
        self.got.append(message)
        return message

    async def ask(self, message: Message) -> Message:
        """Say something, and wait for what answers it."""
        self.say(message)
        while True:
            heard = await self.hear()
            if heard.get("id") == message["id"] and "method" not in heard:
                return heard

    def leave(self) -> None:
        self._lines.put_nowait(b"")

    async def lines(self) -> AsyncIterator[bytes]:
        while line := await self._lines.get():
            yield line

    def post(self, message: Message) -> asyncio.Future[None]:
        self._heard.put_nowait(json.loads(json.dumps(message)))
        left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        left.set_result(None)
        return left


def answers_of(web: Web) -> Answers:
    return Answers(web, OneSession())


@asynccontextmanager
async def talking(answers: Answers) -> AsyncIterator[Talk]:
    talk = Talk()
    running = asyncio.create_task(Conversation(answers, talk.post).run(talk.lines()))
    try:
        yield talk
    finally:
        talk.leave()
        await asyncio.wait_for(running, PATIENCE_S)


def request(number: int | str, method: str, params: Message | None = None) -> Message:
    message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def initialize(number: int = 1, version: str = "2025-11-25", **capabilities: Any) -> Message:
    told = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "test", "version": "1"},
    }
    return request(number, "initialize", told)


def enveloped(number: int | str, method: str, params: Message | None = None, **capabilities: Any) -> Message:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    given = dict(params or {})
    return request(number, method, {**given, "_meta": {**meta, **given.get("_meta", {})}})
