"""What goes over the wire and comes back: requests, responses and their limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from outrider.url import Url


class Headers(Mapping[str, str]):
    """
    HTTP fields: case-insensitive names, every value kept in order.

    As a mapping it gives the first value of a name.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> None:
        pairs = fields.items() if isinstance(fields, Mapping) else fields
        self._fields = tuple((name.lower(), value) for name, value in pairs)

    def __getitem__(self, name: str) -> str:
        wanted = name.lower()
        for known, value in self._fields:
            if known == wanted:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for name, _ in self._fields))

    def __len__(self) -> int:
        return len({name for name, _ in self._fields})

    def every(self, name: str) -> list[str]:
        """All values of a name, in order."""
        wanted = name.lower()
        return [value for known, value in self._fields if known == wanted]

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Every field as it came, names in lower case."""
        return self._fields

    def __repr__(self) -> str:
        # Values may be credentials; names are enough to find a fault.
        return f"Headers({', '.join(self)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one exchange, redirects included."""

    connect_s: float = 10.0
    first_byte_s: float = 30.0
    """From the request's end to the first byte of the answer."""
    stall_s: float = 20.0
    """Without a byte, while the body arrives."""
    total_s: float = 60.0
    max_body_bytes: int = 10 * 1024 * 1024
    """Both on the wire and after decoding."""
    on_excess: Literal["error", "cut"] = "error"
    max_header_bytes: int = 65_536
    max_redirects: int = 5
    retries: int = 1
    """Further tries after a failure that may pass, for GET and HEAD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request, before redirects."""

    url: Url
    method: str = "GET"
    headers: Headers = field(default_factory=Headers)
    body: bytes = b""

    def __repr__(self) -> str:
        # The query may carry a key.
        return f"Request({self.method} {self.url.origin}{self.url.path})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One HTTP answer of any status, its body decoded from Content-Encoding."""

    url: Url
    """Where it came from, after redirects."""
    status: int
    headers: Headers
    body: bytes
    redirects: tuple[Url, ...] = ()
    """The URLs passed through, without the final one."""
    truncated: bool = False
    """The body was cut at `Limits.max_body_bytes`."""
    http_version: str = "HTTP/1.1"
    elapsed_s: float = 0.0

    def __repr__(self) -> str:
        return f"Response({self.status} {self.url.origin}{self.url.path}, {len(self.body)} bytes)"
