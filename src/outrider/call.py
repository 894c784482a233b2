"""One call's circumstances."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from outrider.errors import TotalTimeout
from outrider.types import Scope

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from outrider.url import Url


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of a call, for whoever watches it."""

    stage: str
    """What is going on: `connect`, `redirect`, `receive`, `convert`, `search`, …"""
    message: str = ""
    done: int | None = None
    total: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


Approval = Literal["once", "session", "always", "no"]
"""How a person answers: for this call, for this session, from now on, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked before an agent goes on."""

    tool: str
    action: str
    """`network`, `search`, `write` or `execute`."""
    subject: str
    """What it is about: a URL, a path in the workspace, or a tool and what it is asked."""
    rule: str
    """What `session` and `always` allow from then on."""
    choices: tuple[Approval, ...] = ("once", "session", "always", "no")
    agent: str = ""
    """Who asks; empty for the main agent."""
    risk: str = ""
    """`low`, `medium` or `high`, as the manifest says."""
    note: str = ""
    """What else to consider, such as that a file will be replaced."""


def _now() -> datetime:
    return datetime.now(UTC)


def _ignore(_: Progress) -> None:
    return None


async def _anywhere(_: Url) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    Who calls, until when, and whom to tell.

    `deadline` is on the clock of `time.monotonic()`; None means that only the profile limits the call.
    """

    scope: Scope = field(default_factory=Scope)
    message: str = ""
    """Id of the conversation's message that makes the call."""
    tool_use: str = ""
    """Id of the very tool call, where the caller has one."""
    agent: str = ""
    """An agent of the manifest, whose tools and rules hold for this call too."""
    deadline: float | None = None
    now: Callable[[], datetime] = _now
    emit: Callable[[Progress], None] = _ignore
    ask: Callable[[Question], Awaitable[Approval]] | None = None
    """Puts a question to a person; None when there is nobody to ask."""
    complete: Callable[[str, str, int], Awaitable[str]] | None = None
    """Asks the caller's own model: what it is, what it is asked, and the most tokens of its reply; None without one."""
    allow: tuple[str, ...] = ()
    """Rules that hold for this call only, such as `domain:example.org`."""
    deny: tuple[str, ...] = ()
    visit: Callable[[Url], Awaitable[None]] = _anywhere
    """Raises when the call may not read an address. Set by the one gate; whoever reads an address asks it."""
    follow: Callable[[Url], Awaitable[None]] = _anywhere
    """The same for where a redirect leads."""

    def within(self, seconds: float) -> Call:
        """The same call, due at the latest in so many seconds."""
        due = time.monotonic() + seconds
        return replace(self, deadline=due if self.deadline is None else min(due, self.deadline))

    def remaining(self) -> float | None:
        """Seconds left, at least 0; None when there is no deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @asynccontextmanager
    async def limited(self, what: str) -> AsyncIterator[None]:
        """
        Run a block until the deadline.

        Raises:
            TotalTimeout: The deadline came first; `what` names what was cut short.
        """
        timeout = asyncio.timeout(self.remaining())
        try:
            async with timeout:
                yield
        except TimeoutError as error:
            if not timeout.expired():
                raise
            message = f"{what} did not finish in time"
            raise TotalTimeout(message, hint="Try again, or ask for less.") from error
