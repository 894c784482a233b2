"""The one gate: what a call goes with, and what becomes of it when its time is up or something is unforeseen."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.call import Call
from outrider.errors import Internal, WebError
from outrider.permissions.rules import Subject
from outrider.web.operations.search import SearchRequest

if TYPE_CHECKING:
    from outrider.permissions.manifest import Tool
    from outrider.permissions.permissions import Gate
    from outrider.url import Url
    from outrider.web.clearance import Clearance
    from outrider.web.dialect import OperationRequest
    from outrider.web.session import Session

GRACE_S = 1.0
"""After its deadline a call has so long to say by itself what it did not reach, item by item."""

_log = logging.getLogger("outrider")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What one call goes with through the gate."""

    tool: Tool
    call: Call
    session: Session
    gate: Gate
    clearance: Clearance
    judge: Callable[[Url], None]
    """The guard's own word on an address: nobody is asked about what could not be reached anyway."""

    async def admit(self, subject: Subject) -> None:
        """
        Ask the guard, then the permissions.

        Raises:
            SsrfRejected: The guard refuses the address.
            PermissionDenied, ApprovalRequired: The permissions refuse the subject.
        """
        if subject.url is not None:
            self.judge(subject.url)
        await self.gate.permit(subject)

    def limited_call(self) -> Call:
        """The call with the tool's own time, asking the gate for every address."""
        call = replace(self.call, visit=self._visit, follow=self.gate.hop)
        return call if self.tool.timeout_s is None else call.within(self.tool.timeout_s)

    def held(self, request: OperationRequest) -> OperationRequest:
        """The request, held to the agents' own limits."""
        return self.clearance.held(request) if isinstance(request, SearchRequest) else request

    async def _visit(self, url: Url) -> None:
        await self.admit(Subject(action="network", url=url))


@contextmanager
def edge() -> Iterator[None]:
    """Where what is unforeseen is logged and becomes `internal`."""
    try:
        yield
    except WebError:
        raise
    except Exception as error:
        _log.exception("unforeseen failure")
        message = "something went wrong inside Outrider; the log has the details"
        raise Internal(message) from error


@asynccontextmanager
async def overdue(call: Call, tool: str) -> AsyncIterator[None]:
    """
    End what did not end by itself when its time was up.

    Raises:
        TotalTimeout: It is later than the call's deadline and some grace.
    """
    late = call if call.deadline is None else replace(call, deadline=call.deadline + GRACE_S)
    async with late.limited(tool):
        yield
