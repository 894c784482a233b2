"""What a site was asked, and what it answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

Framing = Literal["length", "chunked", "close"]
Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived."""

    method: str
    target: str
    """As on the request line, or as HTTP/2's `:path`."""
    fields: Fields
    """Names in lower case, in the order they came."""
    body: bytes = b""
    version: Literal["1.0", "1.1", "2"] = "1.1"

    def header(self, name: str, default: str = "") -> str:
        """All values of a field, joined as HTTP does it; HTTP/2's `:authority` is `host`."""
        values = [value.decode("latin-1") for key, value in self.fields if key == name.lower().encode()]
        return ", ".join(values) if values else default

    @property
    def host(self) -> str:
        return self.header("host") or self.header(":authority")

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    def json(self) -> object:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    An answer that keeps the rules unless it is told not to.

    Server and client may disagree on purpose: `fields` are sent as they are, and a `content-length` among them
    replaces the true one.
    """

    status: int = 200
    reason: str = ""
    fields: Fields = ()
    body: bytes | AsyncIterable[bytes] = b""
    """Pieces are sent one by one, each flushed."""
    framing: Framing = "length"
    """How an HTTP/1 body ends; pieces cannot have `length` unless it is among the fields."""
    keep_alive: bool = True
    cut_after: int | None = None
    """Close the connection after so many bytes of the body."""

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body, piece by piece."""
        if isinstance(self.body, bytes):
            yield self.body
            return
        async for piece in self.body:
            yield piece

    def declares(self, name: bytes) -> bool:
        return any(key.lower() == name for key, _ in self.fields)


def fields_of(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> Fields:
    """Header fields from text; a value may hold any byte as the character of the same number."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs)


def page(
    html: str | bytes = "<p>Hello</p>",
    *,
    status: int = 200,
    content_type: str = "text/html; charset=utf-8",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """A page. Given as text it is sent as UTF-8, whatever the type says."""
    body = html.encode() if isinstance(html, str) else html
    fields = fields_of({"content-type": content_type, "date": formatdate(0, usegmt=True)} | dict(headers or {}))
    return Reply(status=status, fields=fields, body=body)


def redirect(location: str, *, status: int = 302, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status=status, fields=fields_of({"location": location} | dict(headers or {})))


def answer_json(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return page(json.dumps(value), status=status, content_type="application/json", headers=headers)


def pieces(*parts: bytes, content_type: str = "text/html; charset=utf-8") -> Reply:
    """A chunked page, a chunk for each part."""

    async def each() -> AsyncIterable[bytes]:
        for part in parts:
            yield part

    return Reply(fields=fields_of({"content-type": content_type}), body=each(), framing="chunked")
