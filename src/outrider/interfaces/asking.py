"""Questions of the permissions, put to the person at the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from outrider.call import Approval, Call, Question
from outrider.interfaces import terminal

_ATTEMPTS = 3
_MAX_LINE_BYTES = 1024
_MEANINGS: dict[Approval, str] = {
    "once": "this time",
    "session": "for this command",
    "always": "from now on, in this folder",
    "no": "not at all",
}


def call_for(live: terminal.Live) -> Call:
    """A call of the command line: progress on the terminal, and questions where a person can answer them."""
    return Call(emit=live, ask=asker(live))


def asker(live: terminal.Live) -> Callable[[Question], Awaitable[Approval]] | None:
    """Puts questions to the terminal; None when nobody sits at it."""
    if not (terminal.is_terminal(sys.stdin) and terminal.is_terminal(sys.stderr)):
        return None
    turn = asyncio.Lock()

    async def ask(question: Question) -> Approval:
        async with turn:
            with live.still():
                return await _ask(question)

    return ask


async def _ask(question: Question) -> Approval:
    who = f"{question.agent}: " if question.agent else ""
    terminal.note(
        ("May this be done?  ", "bold yellow"), f"{who}{question.tool}, {question.action}: {question.subject}"
    )
    for name, said in (("risk", question.risk), ("note", question.note), ("rule", question.rule)):
        if said:
            terminal.note((f"  {name}  ", "dim"), said)
    choices = ", ".join(f"{choice} ({_MEANINGS[choice]})" for choice in question.choices)
    for _ in range(_ATTEMPTS):
        terminal.note(("  answer  ", "dim"), choices)
        line = await _line()
        if line is None:
            return "no"
        meant = [choice for choice in question.choices if line and choice.startswith(line.strip().lower() or "?")]
        if len(meant) == 1:
            return meant[0]
    return "no"


async def _line() -> str | None:
    """A line that is typed; None at the end of the input. A thread waits for it, which an interrupt leaves behind."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def settle(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def read() -> None:
        try:
            line = os.read(sys.stdin.fileno(), _MAX_LINE_BYTES)
        except OSError:
            line = b""
        # The loop may have ended while nothing was typed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, line)

    threading.Thread(target=read, name="answer", daemon=True).start()
    line = await typed
    return line.decode("utf-8", "replace") if line else None
