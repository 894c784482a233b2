"""The interface of an operation: a typed request to a typed result."""

from __future__ import annotations

from typing import Protocol, TypeVar

from outrider.call import Call
from outrider.permissions.rules import Subject
from outrider.web.session import Session

__all__ = ["Operation", "Subject"]

RequestT_contra = TypeVar("RequestT_contra", contravariant=True)
ResultT_co = TypeVar("ResultT_co", covariant=True)


class Operation(Protocol[RequestT_contra, ResultT_co]):
    """One thing that an agent can do on the web."""

    def subjects(self, request: RequestT_contra, session: Session) -> list[Subject]:
        """What permission is asked about before `run`."""
        ...

    async def run(self, request: RequestT_contra, call: Call, session: Session) -> ResultT_co:
        """Do it."""
        ...
