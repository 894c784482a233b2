"""A cache of answers by the rules of HTTP (RFC 9111), shared by everybody who asks without headers of their own."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from outrider.egress.message import Headers, Response
from outrider.url import Url, canonical

if TYPE_CHECKING:
    from outrider.store.backend import Shared

MAX_BODY_BYTES = 2 * 1024 * 1024
"""Larger answers are not kept."""
MAX_NEGATIVE_S = 10.0
"""That a page does not exist is believed for so long at most."""
_MAX_FRESH_S = 24 * 3_600.0
# An answer that can be asked about again is worth keeping beyond its freshness.
_KEEP_STALE_S = 24 * 3_600.0
_NEGATIVE = frozenset({404, 410})
_SIZE = struct.Struct("!I")
_DIRECTIVE = re.compile(r'([a-z0-9-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?', re.IGNORECASE)
# RFC 9111 section 3.2: what belongs to the body that came first stays with it.
_NOT_UPDATED = frozenset({"content-length", "content-encoding", "content-range", "content-type", "transfer-encoding"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An answer that came before."""

    response: Response
    fresh_until: float
    """Seconds since the epoch."""

    @property
    def validators(self) -> dict[str, str]:
        """What asks the server whether the answer still holds; empty when it cannot be asked."""
        asked = {"if-none-match": "etag", "if-modified-since": "last-modified"}
        headers = self.response.headers
        return {field: headers[name] for field, name in asked.items() if name in headers}


class Cache:
    """
    Answers to plain GET requests.

    Args:
        shared: Holds them.
        identity: The User-Agent; servers may answer each differently.
        clock: Seconds since the epoch.
    """

    def __init__(self, shared: Shared, *, identity: str = "", clock: Callable[[], float] = time.time) -> None:
        self._shared = shared
        self._identity = identity
        self._clock = clock

    async def find(self, url: Url, accept: str) -> Kept | None:
        """The answer that came last, fresh or not."""
        packed = await self._shared.get(self._key(url, accept))
        return None if packed is None else _unpack(packed)

    def is_fresh(self, kept: Kept) -> bool:
        """Whether it may be given without asking."""
        return self._clock() < kept.fresh_until

    async def keep(self, url: Url, accept: str, response: Response) -> None:
        """Keep an answer, if HTTP and its headers allow it."""
        now = self._clock()
        if not is_storable(response):
            return
        fresh_s = freshness_s(response, now)
        kept = Kept(response=response, fresh_until=now + fresh_s)
        seconds = fresh_s + (_KEEP_STALE_S if kept.validators and response.status == 200 else 0)
        if seconds > 0:
            await self._shared.put(self._key(url, accept), _pack(kept), seconds=seconds)

    async def confirm(self, url: Url, accept: str, kept: Kept, answer: Response) -> Response:
        """The server says that a kept answer still holds (304): its headers are renewed."""
        new = [(name, value) for name, value in answer.headers.fields if name not in _NOT_UPDATED]
        renewed = {name for name, _ in new}
        old = [(name, value) for name, value in kept.response.headers.fields if name not in renewed]
        response = replace(kept.response, headers=Headers([*old, *new]), elapsed_s=answer.elapsed_s)
        await self.keep(url, accept, response)
        return response

    async def drop(self, url: Url, accept: str) -> None:
        """Forget an answer."""
        await self._shared.remove(self._key(url, accept))

    def _key(self, url: Url, accept: str) -> str:
        """Everything in a request that differs between two of ours, so that any Vary but `*` is honoured."""
        named = "\n".join((self._identity, accept, canonical(url)))
        return "http:" + hashlib.sha256(named.encode()).hexdigest()


def is_storable(response: Response) -> bool:
    """Whether a shared cache may keep an answer to a request without credentials. Pure."""
    directives = _directives(response.headers)
    return (
        (response.status == 200 or response.status in _NEGATIVE)
        and not response.truncated
        and not response.redirects
        and len(response.body) <= MAX_BODY_BYTES
        and not directives.keys() & {"no-store", "private"}
        and "*" not in ",".join(response.headers.every("vary"))
    )


def freshness_s(response: Response, now: float) -> float:
    """
    Seconds for which an answer may be given again without asking; nothing is guessed. Pure.

    Source: RFC 9111 section 4.2.
    """
    directives = _directives(response.headers)
    if "no-cache" in directives:
        return 0.0
    lifetime_s = _lifetime_s(directives, response.headers, now)
    if response.status in _NEGATIVE:
        return MAX_NEGATIVE_S if lifetime_s is None else min(lifetime_s, MAX_NEGATIVE_S)
    age_s = _number(response.headers.get("age", "")) or 0.0
    return min(max(0.0, (lifetime_s or 0.0) - age_s), _MAX_FRESH_S)


def _lifetime_s(directives: Mapping[str, str], headers: Headers, now: float) -> float | None:
    for name in ("s-maxage", "max-age"):
        if name in directives:
            # What cannot be read counts as stale.
            return _number(directives[name]) or 0.0
    if "expires" not in headers:
        return None
    expires, sent = _date(headers["expires"]), _date(headers.get("date", ""))
    return 0.0 if expires is None else max(0.0, expires - (now if sent is None else sent))


def _directives(headers: Headers) -> dict[str, str]:
    found = _DIRECTIVE.findall(",".join(headers.every("cache-control"))[:2_000])
    return {name.lower(): quoted or plain for name, quoted, plain in found}


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _pack(kept: Kept) -> bytes:
    response = kept.response
    head = json.dumps(
        {
            "url": str(response.url),
            "status": response.status,
            "fields": response.headers.fields,
            "http_version": response.http_version,
            "fresh_until": kept.fresh_until,
        }
    ).encode()
    return _SIZE.pack(len(head)) + head + response.body


def _unpack(packed: bytes) -> Kept:
    (size,) = _SIZE.unpack_from(packed)
    head = json.loads(packed[_SIZE.size : _SIZE.size + size])
    response = Response(
        url=Url.parse(head["url"]),
        status=head["status"],
        headers=Headers([(name, value) for name, value in head["fields"]]),
        body=packed[_SIZE.size + size :],
        http_version=head["http_version"],
    )
    return Kept(response=response, fresh_until=head["fresh_until"])
