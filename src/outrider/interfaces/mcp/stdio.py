"""MCP over standard input and output: one client, which started this process."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from outrider.config import Config
from outrider.interfaces.mcp.sdk import load_sdk

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

_SDK = ("mcp.server.lowlevel.server", "mcp.server.stdio")


async def serve_stdio(config: Config) -> None:
    """
    Answer until standard input ends.

    Raises:
        NotInstalled: The SDK is not there.
        InvalidArgument: A setting is wrong.
    """
    async with AsyncExitStack() as stack:
        with _without_collection():
            server = await _open(config, stack)
        _end_on_signals(stack)
        await _serve(server)


async def _open(config: Config, stack: AsyncExitStack) -> Server[Any]:
    load_sdk(*_SDK)
    from outrider.interfaces.mcp.server import make_server
    from outrider.interfaces.mcp.sessions import OneSession, end_session
    from outrider.web.web import Web

    session = OneSession()
    web = await stack.enter_async_context(Web(config))
    stack.push_async_callback(end_session, web, session.only)
    return make_server(web, session)


@contextmanager
def _without_collection() -> Iterator[None]:
    """
    Classes and their validators are made by the thousand and none is dropped, so looking for garbage only costs.

    What was made stays to the end: later collections need not look at it either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def _serve(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _end_on_signals(stack: AsyncExitStack) -> None:
    """Close what is open, then end at once: a thread is reading standard input, and nothing wakes it."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []

    def end(number: int) -> None:
        ending.append(loop.create_task(_end(stack, number)))

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, number)


async def _end(stack: AsyncExitStack, number: int) -> None:
    try:
        await stack.aclose()
    finally:
        os._exit(128 + number)
