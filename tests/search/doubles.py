"""An exchange, a clock and small vendors for the tests of search."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from outrider.call import Call, Progress
from outrider.egress.message import Headers, Limits, Request, Response
from outrider.errors import WebError
from outrider.registry import Registry
from outrider.search.catalogue import ProviderInfo
from outrider.search.choice import Catalogue
from outrider.search.provider import Answer
from outrider.search.settings import ProviderSettings
from outrider.search.wire import ApiReply, Exchange
from outrider.types import Hit, Query


@dataclass(slots=True)
class Clock:
    """Seconds that pass only when a test says so."""

    at: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


def response(request: Request, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Response:
    return Response(url=request.url, status=status, headers=Headers(headers or {}), body=body)


@dataclass(slots=True)
class Replies:
    """An exchange that answers by host, and keeps what was sent."""

    by_host: dict[str, Callable[[Request], Response] | WebError]
    sent: list[Request] = field(default_factory=list)

    async def send(self, request: Request, *, limits: Limits) -> Response:
        self.sent.append(request)
        found = self.by_host[request.url.host]
        if isinstance(found, WebError):
            raise found
        return found(request)

    def json(self, at: int = -1) -> Any:
        """The JSON body of a request that was sent."""
        return json.loads(self.sent[at].body)


def says(body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Callable[[Request], Response]:
    """A script that always answers the same; anything but bytes is sent as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = "text/html" if isinstance(body, bytes) else "application/json"
    return lambda request: response(request, status, raw, {"content-type": kind, **(headers or {})})


def reply(
    body: Any, *, status: int = 200, query: str = "a question", headers: Mapping[str, str] | None = None
) -> ApiReply:
    """A reply as a provider's `read` gets it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ApiReply(status=status, headers=Headers(headers or {}), body=raw, query=Query(text=query))


def hits(*urls: str) -> tuple[Hit, ...]:
    return tuple(Hit(url=url, title=url.rpartition("/")[2] or url, snippet="words") for url in urls)


class Fake:
    """A provider that does what its `act` says; made by `fake`."""

    info: ClassVar[ProviderInfo]
    act: ClassVar[list[Answer | WebError]]
    asked: ClassVar[list[Query]]

    def __init__(self, settings: ProviderSettings) -> None:
        self.settings = settings

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        self.asked.append(query)
        done = self.act[min(len(self.asked), len(self.act)) - 1]
        if isinstance(done, WebError):
            raise done
        return done


def fake(id: str, *act: Answer | WebError, **known: Any) -> type[Fake]:  # noqa: A002  # the catalogue's word
    """A provider class that answers, or fails, with one of `act` after the other, the last one for ever."""
    info = ProviderInfo(id=id, name=id.title(), description="A double.", docs_url="https://example.com/", **known)
    return type(id.title(), (Fake,), {"info": info, "act": list(act), "asked": []})


class _Listed(Registry):
    def __init__(self, kinds: Mapping[str, type[Fake]]) -> None:
        super().__init__("outrider.search.providers", attribute="PROVIDER", group="none")
        self._kinds = kinds

    def names(self) -> list[str]:
        return sorted(self._kinds)

    def load(self, name: str) -> Any:
        return self._kinds[name]


def catalogue(*kinds: type[Fake]) -> Catalogue:
    return Catalogue(_Listed({kind.info.id: kind for kind in kinds}))


def nobody() -> Replies:
    return Replies({})


@dataclass(slots=True)
class Watcher:
    """Keeps the progress of a call."""

    seen: list[Progress] = field(default_factory=list)

    def call(self) -> Call:
        return Call(emit=self.seen.append)
