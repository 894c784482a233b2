"""
MCP over standard input and output: one client, which started this process.

A client waits for the server that it starts, and importing the SDK would take twice as long as everything else. The
protocol over a pipe is small, so it is spoken here; tests drive it with the SDK's client and hold every message against
the SDK's models.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from outrider.config import Config
from outrider.interfaces.mcp.pipe import Pipe, standard_streams

if TYPE_CHECKING:
    from outrider.interfaces.mcp.answers import Answers


async def serve_stdio(config: Config) -> None:
    """
    Answer until standard input ends.

    Raises:
        InvalidArgument: A setting is wrong, or a stream is missing.
    """
    # Before anything is opened, since a library may print while it is imported.
    with standard_streams() as streams:
        async with AsyncExitStack() as stack:
            with _without_collection():
                answers = await _open(config, stack)
            _end_on_signals(stack)
            await _serve(answers, *streams)


async def _open(config: Config, stack: AsyncExitStack) -> Answers:
    from outrider.interfaces.mcp.answers import Answers
    from outrider.interfaces.mcp.sessions import OneSession, end_session
    from outrider.web.web import Web

    session = OneSession()
    web = await stack.enter_async_context(Web(config))
    stack.push_async_callback(end_session, web, session.only)
    return Answers(web, session)


@contextmanager
def _without_collection() -> Iterator[None]:
    """
    Classes and functions are made by the thousand and none is dropped, so looking for garbage only costs.

    What was made stays to the end: later collections need not look at it either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def _serve(answers: Answers, source: int, sink: int) -> None:
    from outrider.interfaces.mcp.conversation import Conversation

    pipe = Pipe(source, sink)
    await Conversation(answers, pipe.post).run(pipe.lines())
    await pipe.drain()


def _end_on_signals(stack: AsyncExitStack) -> None:
    """Close what is open, then end at once, whatever is being answered."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []

    def end(number: int) -> None:
        ending.append(loop.create_task(_end(stack, number)))

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, end, number)


async def _end(stack: AsyncExitStack, number: int) -> None:
    try:
        await stack.aclose()
    finally:
        os._exit(128 + number)
