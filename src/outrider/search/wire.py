"""One request to a search API, and its reply: what goes out, what comes back, what the network did."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlencode

from outrider.egress.message import Headers, Limits, Request, Response
from outrider.errors import InvalidArgument
from outrider.search.reading import Json, decode, load_json
from outrider.types import Query
from outrider.url import Url


class Exchange(Protocol):
    """The guarded door: sends one request, follows no redirect, gives back an answer of any status."""

    async def send(self, request: Request, *, limits: Limits) -> Response:
        """
        One exchange.

        Raises:
            WebError: The network or the guard prevented it.
        """
        ...


class Stream(Protocol):
    """An answer whose body is still arriving."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Headers:
        """Its fields."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The decoded body, as it arrives."""
        ...


@runtime_checkable
class StreamingExchange(Protocol):
    """A door that can also give a body piece by piece; providers that answer slowly use it to tell how far they are."""

    def stream(self, request: Request, *, limits: Limits) -> AbstractAsyncContextManager[Stream]:
        """One exchange; failures as those of `Exchange.send`."""
        ...


@dataclass(frozen=True, slots=True)
class _AtOnce:
    """The body of a door that cannot stream: one piece."""

    response: Response

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def headers(self) -> Headers:
        return self.response.headers

    async def pieces(self) -> AsyncIterator[bytes]:
        yield self.response.body


@dataclass(frozen=True, slots=True)
class _Whole:
    """A door that cannot stream, as one that can."""

    exchange: Exchange

    @asynccontextmanager
    async def stream(self, request: Request, *, limits: Limits) -> AsyncIterator[Stream]:
        yield _AtOnce(await self.exchange.send(request, limits=limits))


def streaming(exchange: Exchange) -> StreamingExchange:
    """The door itself, or one around it that gives the whole body as one piece."""
    return exchange if isinstance(exchange, StreamingExchange) else _Whole(exchange)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """What a provider wants to send. At most one of `json` and `form` is set."""

    url: str
    """The endpoint without a query."""
    method: str = "GET"
    params: Mapping[str, str] = field(default_factory=dict)
    """The query; it may carry the key, and is never shown."""
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    form: Mapping[str, str] | None = None
    warnings: tuple[str, ...] = ()
    """What was cut, lowered or left out."""

    def __repr__(self) -> str:
        return f"ApiRequest({self.method} {self.url})"

    @property
    def body(self) -> bytes:
        """The encoded `json` or `form`."""
        if self.json is not None:
            return json.dumps(self.json, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return urlencode(self.form, errors="replace").encode("ascii") if self.form is not None else b""

    def as_request(self) -> Request:
        """
        The request on the wire.

        Raises:
            InvalidUrl: The endpoint is none, which only a configured base URL can cause.
            InvalidArgument: A header's value, such as a key, holds what no header can carry.
        """
        query = urlencode(self.params, errors="replace")
        return Request(
            url=Url.parse(f"{self.url}?{query}" if query else self.url),
            method=self.method,
            headers=Headers(self._fields()),
            body=self.body,
        )

    def _fields(self) -> Sequence[tuple[str, str]]:
        fields = {"accept": "application/json"} | {name.lower(): value for name, value in self.headers.items()}
        if self.json is not None:
            fields.setdefault("content-type", "application/json")
        elif self.form is not None:
            fields.setdefault("content-type", "application/x-www-form-urlencoded")
        for name, value in fields.items():
            if not (value.isascii() and value.isprintable()):
                # Only a key or another setting can be so.
                raise InvalidArgument(f"the value of the header {name} cannot be sent", details={"field": name})
        return list(fields.items())


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class ApiReply:
    """What came back, together with what was asked, so that reading it needs nothing else."""

    status: int
    headers: Headers
    body: bytes
    query: Query
    received: datetime = field(default_factory=_now)

    @cached_property
    def text(self) -> str:
        """The body as text, in whatever charset it is."""
        _, _, charset = self.headers.get("content-type", "").partition("charset=")
        return decode(self.body, charset=charset.partition(";")[0].strip(" \"'"))

    @cached_property
    def json(self) -> Json:
        """
        The body as JSON, whatever type its header claims.

        Raises:
            NotJson: It is none.
        """
        return load_json(self.text)

    @property
    def says_html(self) -> bool:
        """Its header claims that it is a web page."""
        return "html" in self.headers.get("content-type", "").lower()

    @property
    def is_html(self) -> bool:
        """The body looks like a web page."""
        start = self.text[:1_000].lstrip().lower()
        return start.startswith(("<!doctype html", "<html")) or "<html" in start
