"""A vendor's API: recorded replies under the vendor's real name, over TLS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from world.authority import Authority
from world.messages import Reply, Request, fields_of
from world.site import Site

Script = Iterable[Reply] | Callable[[Request], Reply]


def recorded(status: int, headers: dict[str, str], body: bytes | str | Path) -> Reply:
    """A reply as a vendor gave it; a path is read as the body."""
    content = body.read_bytes() if isinstance(body, Path) else body.encode() if isinstance(body, str) else body
    # The recording holds the decoded body of one transfer, so what described that transfer does not.
    kept = {
        name: value
        for name, value in headers.items()
        if name.lower() not in {"content-length", "transfer-encoding", "content-encoding", "connection"}
    }
    return Reply(status=status, fields=fields_of(kept), body=content)


class Vendor(Site):
    """Replays its script one reply for each request; asked once more, it fails the request with status 599."""

    def __init__(self, name: str, script: Script, *, authority: Authority, http2: bool = False) -> None:
        super().__init__({"*": self._next}, name=name, authority=authority, http2=http2, public=True)
        self._script = script if callable(script) else iter(list(script))

    def _next(self, request: Request) -> Reply:
        if callable(self._script):
            return self._script(request)
        return next(self._script, Reply(status=599, reason="Nothing recorded"))


S_co = TypeVar("S_co", covariant=True)


class Dials(Protocol[S_co]):
    """The part of the guard's `Dialer` that is passed on."""

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> S_co: ...


@dataclass(frozen=True, slots=True)
class Rerouted(Dials[S_co]):
    """
    Dials through another dialer, at another port.

    Vendors' endpoints are constants on port 443, which a test may not listen on: the host stays, and so do the guard's
    judgement of it and the TLS name.
    """

    dialer: Dials[S_co]
    ports: dict[tuple[str, int], int]

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> S_co:
        return await self.dialer.connect(host, self.ports.get((host, port), port), timeout_s=timeout_s)
