"""Address to page: get, convert, follow what a page itself redirects to."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING

from outrider.call import Call, Progress
from outrider.errors import (
    ApprovalRequired,
    EmptyContent,
    InvalidUrl,
    PermissionDenied,
    RedirectRejected,
    RobotsDenied,
    RobotsUnavailable,
    TooManyRedirects,
    WebError,
)
from outrider.fetch.answers import refusal
from outrider.fetch.flight import Flights
from outrider.fetch.profile import Profile
from outrider.fetch.worker import Order, Workshop
from outrider.types import Document, Page
from outrider.url import Url, canonical

if TYPE_CHECKING:
    from outrider.egress.client import Client, Permit
    from outrider.egress.message import Response
    from outrider.fetch.cache import Cache
    from outrider.fetch.flight import Emit
    from outrider.fetch.robots import Robots

# Markdown first, where a site serves it; then what converts well; then anything.
ACCEPT = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.7, "
    "application/xml;q=0.7, */*;q=0.5"
)
# An error page is converted only for its first lines.
_ERROR_BYTES = 64 * 1024
# What is refused to one caller, another may be allowed.
_OF_ONE_CALLER = (ApprovalRequired, PermissionDenied, RedirectRejected, RobotsDenied, RobotsUnavailable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one fetch is asked for."""

    url: Url
    headers: Mapping[str, str] | None = None
    whole: bool = False
    raw: bool = False
    """Keep the body as it came, decoded to text and not converted."""
    named: bool = True
    """The caller named this very URL; only then may robots.txt be ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trip:
    """One transfer's circumstances."""

    wish: Wish
    call: Call
    profile: Profile
    permit: Permit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    """What stood at the end of all redirects."""

    response: Response
    document: Document
    passed: tuple[str, ...]
    cached: bool
    """The answer was kept from before, and is still good."""


class Fetcher:
    """
    Reads pages; equal requests at one time are one transfer.

    Args:
        cache: Answers that came before; without one everything is asked anew.
        robots: Asked before pages that no call named, and before every page when `respect_robots`.
        images, pretty_json: How documents are written, see `ContentConfig`.
    """

    def __init__(
        self,
        client: Client,
        workshop: Workshop,
        robots: Robots,
        *,
        cache: Cache | None = None,
        respect_robots: bool = False,
        images: str = "markdown",
        pretty_json: bool = False,
    ) -> None:
        self._client = client
        self._workshop = workshop
        self._robots = robots
        self._cache = cache
        self._flights: Flights[Page] = Flights()
        self._respect_robots = respect_robots
        self._images = images
        self._pretty_json = pretty_json

    async def fetch(self, wish: Wish, call: Call, profile: Profile, *, permit: Permit | None = None) -> Page:
        """
        Read one page.

        Raises:
            WebError: Any code of the guard, the network, the server's answer or the content.
        """
        permit = permit or call.follow
        own = call.within(profile.limits.total_s)
        async with own.limited(f"reading {wish.url.host}"):
            while True:
                try:
                    return _as_asked(await self._share(wish, call, profile, permit), wish)
                except _NotOurs:
                    continue

    async def aclose(self) -> None:
        """End the transfers that are under way."""
        await self._flights.aclose()

    async def _share(self, wish: Wish, call: Call, profile: Profile, permit: Permit) -> Page:
        headers = frozenset((name.lower(), value) for name, value in (wish.headers or {}).items())
        bare = replace(wish, url=wish.url.without_fragment())
        leads = False

        async def travel(emit: Emit) -> Page:
            nonlocal leads
            leads = True
            # Its time is the profile's, whatever time the caller who began it has left.
            return await self._fetch(bare, replace(call, deadline=None, emit=emit), profile, permit)

        try:
            key = (bare.url, headers, wish.whole, wish.raw, wish.named, profile)
            return await self._flights.share(key, travel, call.emit)
        except _OF_ONE_CALLER as error:
            if leads:
                raise
            raise _NotOurs from error

    async def _fetch(self, wish: Wish, call: Call, profile: Profile, permit: Permit) -> Page:
        started = time.monotonic()
        call = call.within(profile.limits.total_s)
        async with call.limited(f"reading {wish.url.host}"):
            trip = _Trip(wish=wish, call=call, profile=profile, permit=permit)
            arrival = await self._arrive(trip)
        response, document = arrival.response, arrival.document
        if not document.markdown.strip():
            raise _empty(response, document)
        return Page(
            url=str(wish.url),
            final_url=str(response.url),
            status=response.status,
            content_type=response.headers.get("content-type", ""),
            document=document,
            body_bytes=len(response.body),
            truncated=response.truncated,
            via="cache" if arrival.cached else "http",
            elapsed_s=round(time.monotonic() - started, 3),
            redirects=arrival.passed,
            fetched_at=call.now().astimezone(UTC).isoformat(timespec="seconds"),
            warnings=_warnings(response, profile),
        )

    async def _arrive(self, trip: _Trip) -> _Arrival:
        """Follow HTTP redirects and those that pages declare, under one limit."""
        wish, call, max_redirects = trip.wish, trip.call, trip.profile.limits.max_redirects
        url, headers = wish.url, wish.headers
        passed: list[str] = []
        while True:
            response, cached = await self._answer(url, headers, trip, len(passed))
            passed += [str(hop) for hop in response.redirects]
            document = await self._read(response, wish, call)
            target = _declared_target(response.url, document)
            if target is None:
                return _Arrival(response=response, document=document, passed=tuple(passed), cached=cached)
            if len(passed) >= max_redirects:
                message = f"{url.host} redirects more than {max_redirects} times"
                raise TooManyRedirects(message, details={"redirects": passed})
            await self._client.approve(response.url, target, trip.permit)
            call.emit(Progress(stage="redirect", message=str(target)))
            passed.append(str(response.url))
            # Once another origin has had a say, the caller's headers stay behind.
            headers = headers if target.origin == response.url.origin == url.origin else None
            url = target

    async def _answer(
        self, url: Url, headers: Mapping[str, str] | None, trip: _Trip, hops: int
    ) -> tuple[Response, bool]:
        """The answer for one address, and whether it is one that was kept."""
        if self._respect_robots or not trip.wish.named:
            await self._robots.check(url, permit=trip.permit)
        if self._cache is None or headers:
            return await self._get(url, headers, trip, hops), False
        kept = await self._cache.find(url, ACCEPT)
        if kept is not None and self._cache.is_fresh(kept):
            return kept.response, True
        validators = kept.validators if kept is not None else {}
        response = await self._get(url, validators, trip, hops)
        if kept is not None and response.status == 304 and not response.redirects:
            return await self._cache.confirm(url, ACCEPT, kept, response), True
        if response.status == 304:
            # It speaks of another page than the one whose validators were sent along.
            await self._cache.drop(url, ACCEPT)
            response = await self._get(url, None, trip, hops)
        await self._cache.keep(url, ACCEPT, response)
        return response, False

    async def _get(self, url: Url, headers: Mapping[str, str] | None, trip: _Trip, hops: int) -> Response:
        call, profile = trip.call, trip.profile
        call.emit(Progress(stage="connect", message=url.host))
        limits = replace(
            profile.limits,
            total_s=max(0.001, min(profile.limits.total_s, call.remaining() or profile.limits.total_s)),
            max_redirects=profile.limits.max_redirects - hops,
        )
        return await self._client.get(url, limits=limits, headers=headers, accept=ACCEPT, permit=trip.permit)

    async def _read(self, response: Response, wish: Wish, call: Call) -> Document:
        if not 200 <= response.status < 300 or not response.body:
            error = refusal(response, await self._excerpt(response))
            if error is not None:
                raise error
        call.emit(Progress(stage="convert", message=response.url.host, done=len(response.body)))
        return await self._workshop.convert(response.body, self._order(response, whole=wish.whole, raw=wish.raw))

    async def _excerpt(self, response: Response) -> str:
        """The readable beginning of an error page."""
        short = replace(response, body=response.body[:_ERROR_BYTES])
        try:
            document = await self._workshop.convert(short.body, self._order(short, whole=True))
        except WebError:
            return ""
        return document.text.strip()

    def _order(self, response: Response, *, whole: bool, raw: bool = False) -> Order:
        declared = response.headers.get("content-type")
        return Order(
            url=str(response.url),
            content_type=_as_text(declared) if raw else declared,
            whole=whole,
            images=self._images,
            pretty_json=self._pretty_json,
        )


class _NotOurs(Exception):
    """A shared transfer failed on the permissions of whoever began it."""


def _as_text(content_type: str | None) -> str:
    """Plain text in the charset that a header declares."""
    _, semicolon, parameters = (content_type or "").partition(";")
    return f"text/plain{semicolon}{parameters}"


def _as_asked(page: Page, wish: Wish) -> Page:
    """A shared page under the URL of this caller, whose fragment is its own."""
    final = Url.parse(page.final_url)
    if final.fragment is None and wish.url.fragment is not None:
        final = replace(final, fragment=wish.url.fragment)
    return replace(page, url=str(wish.url), final_url=str(final))


def _declared_target(url: Url, document: Document) -> Url | None:
    """Where a page sends a browser at once; None when nowhere else."""
    if not document.refresh_url:
        return None
    try:
        target = url.join(document.refresh_url).without_fragment()
    except InvalidUrl as error:
        if document.markdown.strip():
            return None
        message = f"{url.host} redirects to what cannot be fetched: {error.message}"
        raise RedirectRejected(message, reason=error.reason) from error
    return None if canonical(target) == canonical(url) else target


def _empty(response: Response, document: Document) -> EmptyContent:
    host = response.url.host
    if document.method == "shell":
        message = f"{host} sent a page that has menus and nothing else"
        reason = "needs_javascript" if document.needs_javascript else "menus_only"
        return EmptyContent(
            message, reason=reason, hint="Use another source, or ask for the whole page to read the menus."
        )
    if document.needs_javascript:
        message = f"{host} sent an empty page that a browser would fill by script"
        return EmptyContent(message, reason="needs_javascript", hint="Use another source, or a tool with a browser.")
    return EmptyContent(f"{host} sent a page without readable text", hint="Use another source.")


def _warnings(response: Response, profile: Profile) -> tuple[str, ...]:
    if not response.truncated:
        return ()
    return (f"The page was cut after {profile.limits.max_body_bytes} bytes.",)
