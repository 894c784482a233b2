"""Which of our sessions a client's request belongs to, and when it ends."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from outrider.errors import WebError
from outrider.types import Scope

if TYPE_CHECKING:
    from outrider.web.web import Web

_log = logging.getLogger("outrider")

IDLE_S = 30 * 60.0
"""After so long without a request a session over HTTP is over; the SDK's own default."""
_SESSION_HEADER = b"mcp-session-id"


class Whose(Protocol):
    """Tells whose call a request is."""

    def scope(self, request: Any) -> Scope:
        """
        The scope of a call.

        Args:
            request: The HTTP request that carries it; None over standard streams.
        """
        ...


class OneSession:
    """Over standard streams: one client, one process, one session. Its name is random: no later one finds its pages."""

    def __init__(self) -> None:
        self.only = Scope(session=f"mcp-{secrets.token_hex(8)}")

    def scope(self, request: Any) -> Scope:
        """See `Whose`."""
        return self.only


@dataclass(slots=True)
class _Seen:
    """One session over HTTP in which something was asked for."""

    scope: Scope = field(default_factory=Scope)
    visits: int = 0
    """Requests that are being answered."""
    left: float = 0.0
    """When the last of them began or ended."""


class Sessions:
    """
    Over HTTP: one of ours for each of the protocol's sessions.

    From 2026-07-28 on the protocol has none. The calls of such clients belong to one session for each credential, so
    that a page id found in one call can be read in the next.

    Args:
        end: Forgets what belongs to a session.
        idle_s: How long a session may be silent.
        clock: Seconds, as `time.monotonic` gives them.
    """

    def __init__(
        self,
        end: Callable[[Scope], Awaitable[object]],
        *,
        idle_s: float = IDLE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._end = end
        self._idle_s = idle_s
        self._clock = clock
        self._seen: dict[str, _Seen] = {}

    def scope(self, request: Any) -> Scope:
        """See `Whose`."""
        who = owner(request.scope)
        # A session id of the protocol holds no equals sign, so the two kinds never meet.
        key = session_id(request.scope) or f"={who}"
        seen = self._seen.setdefault(key, _Seen())
        seen.left = self._clock()
        seen.scope = Scope(owner=who, session=f"mcp-{key}")
        return seen.scope

    @asynccontextmanager
    async def visit(self, http: Any) -> AsyncIterator[None]:
        """
        One HTTP request, from its head to the last byte of its answer.

        Args:
            http: The request's ASGI scope.
        """
        await self._forget_silent()
        seen = self._seen.get(session_id(http))
        if seen is None:
            yield
            return
        seen.visits += 1
        try:
            yield
        finally:
            seen.visits -= 1
            seen.left = self._clock()

    async def close(self, http: Any) -> None:
        """The client ended the session that a request names."""
        await self._forget(session_id(http))

    async def close_all(self) -> None:
        """The server ends."""
        for key in list(self._seen):
            await self._forget(key)

    @property
    def count(self) -> int:
        """How many are remembered."""
        return len(self._seen)

    async def _forget_silent(self) -> None:
        latest = self._clock() - self._idle_s
        for key in [key for key, seen in self._seen.items() if not seen.visits and seen.left < latest]:
            await self._forget(key)

    async def _forget(self, key: str) -> None:
        seen = self._seen.pop(key, None)
        if seen is not None:
            await self._end(seen.scope)


def session_id(http: Any) -> str:
    """The session that an HTTP request names; empty where it names none."""
    named = next((value for name, value in http["headers"] if name == _SESSION_HEADER), b"")
    return str(named.decode("latin-1"))[:128]


def owner(http: Any) -> str:
    """The name that goes with the request's token; `local` where none is asked for."""
    token = getattr(http.get("user"), "access_token", None)
    if token is None:
        return "local"
    return f"{token.client_id}:{token.subject}" if token.subject else str(token.client_id)


async def end_session(web: Web, scope: Scope) -> None:
    """What belongs to a session ends with it: page ids, approvals, and every page that it stored."""
    try:
        await web.pages.forget_session(scope=scope)
    except WebError:
        # The pages stay where they are, under a name that nobody has any more.
        _log.warning("the pages of an ended session could not be deleted", exc_info=True)
