"""HTTP through the guard: redirects, cookies, retries and limits."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from outrider.egress.cookies import Cookies
from outrider.egress.decode import accepted
from outrider.egress.guard import Guard, refuse
from outrider.egress.message import Headers, Limits, Request, Response
from outrider.egress.pace import MAX_WAIT_S, Pace, backoff, retry_after
from outrider.errors import (
    ConnectionFailed,
    InvalidArgument,
    InvalidUrl,
    RedirectRejected,
    SsrfRejected,
    TooManyRedirects,
    TotalTimeout,
    TruncatedBody,
)
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.egress.transport import Incoming, Transport

REDIRECTS = frozenset({301, 302, 303, 307, 308})

Permit = Callable[[Url], Awaitable[None]]
"""Asked before each redirect hop; raises to refuse it."""

# RFC 9110 section 5.6.2 and 5.5.
_FIELD_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")
# What belongs to a connection or is derived from the URL and the body is not the caller's to set.
_RESERVED = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade"}
)
_RETRIED_STATUSES = frozenset({429, 502, 503, 504})
_IDEMPOTENT = frozenset({"GET", "HEAD"})
# HTML, "shared declarative refresh steps": the time, then what separates it from the target.
_REFRESH_TIME = re.compile(r"\s*([0-9]{1,3})(?:\.[0-9.]*)?\s*[;,]")
_REFRESH_LABEL = re.compile(r"url\s*=\s*", re.IGNORECASE)
MAX_REFRESH_S = 5
"""A Refresh within so many seconds is a redirect."""


@dataclass(slots=True)
class _Journey:
    """One call's way through its redirects."""

    url: Url
    headers: Headers
    """The caller's own; emptied when an origin is left."""
    cookies: Cookies = field(default_factory=Cookies)
    passed: list[Url] = field(default_factory=list)


class Client:
    """
    The HTTP client that everything in Outrider uses.

    Args:
        guard: Judges URLs before a request is built; the transport's dialer judges again when it connects.
        transport: Carries the messages.
        user_agent: The identity sent with every request.
        allow_downgrade: Whether a redirect may lead from https to http.
    """

    def __init__(
        self,
        guard: Guard,
        transport: Transport,
        *,
        user_agent: str,
        pace: Pace | None = None,
        allow_downgrade: bool = False,
    ) -> None:
        self._guard = guard
        self._transport = transport
        self._user_agent = user_agent
        self._pace = pace or Pace()
        self._allow_downgrade = allow_downgrade

    @property
    def user_agent(self) -> str:
        """The identity sent with every request."""
        return self._user_agent

    async def get(
        self,
        url: Url,
        *,
        limits: Limits,
        headers: Mapping[str, str] | None = None,
        accept: str = "*/*",
        permit: Permit | None = None,
    ) -> Response:
        """
        Fetch a URL, following its redirects.

        Args:
            headers: The caller's own fields; they go to the URL's origin only.
            permit: Asked before each redirect hop.

        Raises:
            WebError: Any code of the guard, of redirects or of the network. An answer of any status is returned.
        """
        own = check_headers(headers or {})
        started = time.monotonic()
        journey = _Journey(url.without_fragment(), own)
        try:
            async with asyncio.timeout(limits.total_s):
                response = await self._travel(journey, limits, accept, permit)
        except TimeoutError as error:
            message = f"{journey.url.host} did not finish within {limits.total_s:g} seconds"
            raise TotalTimeout(message, hint="Try again, or read another source.") from error
        final = response.url
        if final.fragment is None and url.fragment is not None:
            final = replace(final, fragment=url.fragment)
        return replace(
            response, url=final, redirects=tuple(journey.passed), elapsed_s=round(time.monotonic() - started, 4)
        )

    async def send(self, request: Request, *, limits: Limits) -> Response:
        """
        Make exactly one exchange: redirects are returned as they are, and pacing is the caller's matter.

        Raises:
            WebError: Any code of the guard or of the network.
        """
        started = time.monotonic()
        async with self.stream(request, limits=limits) as incoming:
            response = await _whole(request, incoming)
        return replace(response, elapsed_s=round(time.monotonic() - started, 4))

    @asynccontextmanager
    async def stream(self, request: Request, *, limits: Limits) -> AsyncIterator[Incoming]:
        """
        As `send`, with the body piece by piece as it arrives.

        Raises:
            WebError: Any code of the guard or of the network; also while the body is read.
        """
        fields = check_headers(dict(request.headers.fields)).fields
        whole = replace(request, headers=self._complete(request.url, fields, request.body))
        timeout = asyncio.timeout(limits.total_s)
        try:
            async with timeout:
                self.judge(request.url)
                async with self._transport.open(whole, limits) as incoming:
                    yield incoming
        except TimeoutError as error:
            if not timeout.expired():
                raise
            message = f"{request.url.host} did not finish within {limits.total_s:g} seconds"
            raise TotalTimeout(message) from error

    async def approve(self, source: Url, target: Url, permit: Permit | None) -> None:
        """
        Judge a redirect hop from the start, as if it were a first request.

        Raises:
            RedirectRejected, SsrfRejected: The hop may not be made; nothing was requested from its target.
        """
        if source.scheme == "https" and target.scheme == "http" and not self._allow_downgrade:
            raise _rejected(source, target, "it leads from https to http")
        with _named_hop(source, target):
            self.judge(target)
        # Asked before the name is looked up: a lookup already tells a host that is not permitted something.
        if permit is not None:
            await permit(target)
        if target.origin == source.origin:
            return
        with _named_hop(source, target):
            if await self._enters_private(source, target):
                raise _rejected(source, target, "it leads from a public page to a private service")

    def judge(self, url: Url) -> None:
        """
        Judge what a URL names, before anything is resolved or asked.

        Raises:
            SsrfRejected: The guard would refuse it.
        """
        refuse(self._guard.policy.judge_host(url.host, url.port, disguised=url.disguised), url.host)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    async def _travel(self, journey: _Journey, limits: Limits, accept: str, permit: Permit | None) -> Response:
        while True:
            response = await self._try(journey, limits, accept)
            journey.cookies.keep(journey.url, response.headers.every("set-cookie"))
            target = _redirect(response)
            if target is None:
                return response
            if len(journey.passed) >= limits.max_redirects:
                message = f"{journey.url.host} redirects more than {limits.max_redirects} times"
                raise TooManyRedirects(message, details={"redirects": [str(url) for url in journey.passed]})
            try:
                await self.approve(journey.url, target, permit)
            except RedirectRejected as error:
                error.status = response.status
                raise
            journey.passed.append(journey.url)
            if target.origin != journey.url.origin:
                journey.headers = Headers()
            journey.url = target

    async def _enters_private(self, source: Url, target: Url) -> bool:
        if not self._guard.policy.opens_anything:
            return False
        if not await self._guard.reaches_private(target.host, target.port):
            return False
        return not await self._guard.reaches_private(source.host, source.port)

    async def _try(self, journey: _Journey, limits: Limits, accept: str) -> Response:
        attempt = 0
        while True:
            wait_s = backoff(attempt)
            try:
                response = await self._attempt(journey, limits, accept)
            except (ConnectionFailed, TruncatedBody) as error:
                if attempt >= limits.retries or error.reason == "protocol":
                    raise
            else:
                pause = retry_after(response.headers.get("retry-after"))
                if response.status in (429, 503) and pause:
                    self._pace.rest(journey.url.host, pause)
                if response.status not in _RETRIED_STATUSES or attempt >= limits.retries:
                    return response
                if pause is not None and pause > MAX_WAIT_S:
                    return response
                wait_s = max(wait_s, pause or 0.0)
            attempt += 1
            await asyncio.sleep(wait_s)

    async def _attempt(self, journey: _Journey, limits: Limits, accept: str) -> Response:
        self.judge(journey.url)
        fields = [("accept", accept), *journey.headers.fields]
        cookie = journey.cookies.header(journey.url)
        if cookie:
            fields = _with_cookie(fields, cookie)
        request = Request(url=journey.url, headers=self._complete(journey.url, fields, b""))
        async with self._pace.turn(journey.url.host):
            return await self._exchange(request, limits, follows=True)

    async def _exchange(self, request: Request, limits: Limits, *, follows: bool = False) -> Response:
        async with self._transport.open(request, limits) as incoming:
            if follows and incoming.status in REDIRECTS and "location" in incoming.headers:
                # Nobody sees the body of a redirect that is followed; it may be endless or broken.
                await incoming.skip()
                return _response(request, incoming, b"")
            return await _whole(request, incoming)

    def _complete(self, url: Url, fields: Iterable[tuple[str, str]], body: bytes) -> Headers:
        given = Headers(fields)
        defaults = {"user-agent": self._user_agent, "accept": "*/*", "accept-encoding": accepted()}
        added = [(name, value) for name, value in defaults.items() if name not in given]
        length = [("content-length", str(len(body)))] if body else []
        # A later Accept of the caller's wins over the one before it.
        last = dict(given.fields)
        return Headers([("host", url.authority), *added, *last.items(), *length])


def redirect_target(url: Url, status: int, headers: Headers) -> Url | None:
    """
    Where an answer's Location leads; None when the answer is no redirect.

    Raises:
        RedirectRejected: It leads to several places, or to what cannot be fetched.
    """
    locations = headers.every("location") if status in REDIRECTS else []
    if not locations:
        return None
    if len(locations) > 1:
        message = f"{url.host} redirects to {len(locations)} places at once"
        raise RedirectRejected(message, reason="redirect")
    return _resolved(url, locations[0])


def check_headers(headers: Mapping[str, str]) -> Headers:
    """
    Validate fields that a caller sends along.

    Raises:
        InvalidArgument: A name or value is not allowed.
    """
    given: Mapping[Any, Any] = headers
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str):
            message = "headers: names and values must be texts"
            raise InvalidArgument(message)
        if not _FIELD_NAME.fullmatch(name):
            message = f"headers: {name!r} is not a header name"
            raise InvalidArgument(message)
        if not _FIELD_VALUE.fullmatch(value):
            message = f"headers: the value of {name} holds a control character"
            raise InvalidArgument(message)
        if name.lower() in _RESERVED:
            message = f"headers: {name} cannot be set, it follows from the request"
            raise InvalidArgument(message)
    return Headers(headers)


def _redirect(response: Response) -> Url | None:
    """Where an answer leads, by its Location or its Refresh, when it is a redirect that is followed."""
    refresh = _refresh(response)
    if refresh is not None:
        return _resolved(response.url, refresh)
    return redirect_target(response.url, response.status, response.headers)


def _resolved(url: Url, reference: str) -> Url:
    try:
        return url.join(reference).without_fragment()
    except InvalidUrl as error:
        message = f"{url.host} redirects to what cannot be fetched: {error.message}"
        reason = "redirect-scheme" if error.reason == "scheme" else error.reason
        raise RedirectRejected(message, reason=reason) from error


def _refresh(response: Response) -> str | None:
    value = response.headers.get("refresh", "")
    match = _REFRESH_TIME.match(value)
    if match is None or not 200 <= response.status < 300 or int(match.group(1)) > MAX_REFRESH_S:
        return None
    rest = value[match.end() :].strip()
    label = _REFRESH_LABEL.match(rest)
    target = rest[label.end() :] if label else rest
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return target.strip() or None


def _with_cookie(fields: list[tuple[str, str]], cookie: str) -> list[tuple[str, str]]:
    own = [value for name, value in fields if name == "cookie"]
    others = [(name, value) for name, value in fields if name != "cookie"]
    return [*others, ("cookie", "; ".join([*own, cookie]))]


@contextmanager
def _named_hop(source: Url, target: Url) -> Iterator[None]:
    """A refusal in here names the redirect that led to it."""
    try:
        yield
    except SsrfRejected as error:
        message = f"{source.host} redirects to {target.authority}, which is not a public host, so it is not contacted"
        raise SsrfRejected(message, reason=error.reason, hint=error.hint, details={"hop": str(target)}) from error


def _rejected(source: Url, target: Url, why: str) -> RedirectRejected:
    return RedirectRejected(
        f"{source.host} redirects to {target}, which was not followed: {why}",
        reason="redirect",
        hint="Fetch the target itself if it is what you want.",
        details={"target": str(target)},
    )


async def _whole(request: Request, incoming: Incoming) -> Response:
    # A BytesIO hands its buffer over; joined pieces would hold the body twice for a moment.
    body = BytesIO()
    async for piece in incoming.pieces():
        body.write(piece)
    return _response(request, incoming, body.getvalue())


def _response(request: Request, incoming: Incoming, body: bytes) -> Response:
    return Response(
        url=request.url,
        status=incoming.status,
        headers=incoming.headers,
        body=body,
        truncated=incoming.truncated,
        http_version=incoming.http_version,
    )
