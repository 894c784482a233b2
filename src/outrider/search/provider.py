"""The interface of a search provider, and the base of those that are one HTTP request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Any, ClassVar, Protocol

from outrider.call import Call
from outrider.egress.message import Limits
from outrider.errors import (
    BodyTooLarge,
    ConnectionTimeout,
    DecodingFailed,
    HeadersTooLarge,
    Http429,
    InvalidArgument,
    InvalidUrl,
    ProviderBadResponse,
    ProviderBlocked,
    ProviderError,
    ProviderMisconfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    ReadTimeout,
    SsrfRejected,
    TotalTimeout,
    WebError,
)
from outrider.search import failures, reading
from outrider.search.answer import Answer, Topic, with_warnings
from outrider.search.catalogue import ProviderInfo
from outrider.search.reading import Json, NotJson
from outrider.search.settings import ProviderSettings
from outrider.search.wire import ApiReply, ApiRequest, Exchange, streaming
from outrider.types import Query

ENTRY_POINTS = "outrider.providers"
"""The entry point group through which other distributions add providers; each names a `Provider` class."""


class Provider(Protocol):
    """One search engine, set up with one tenant's settings. Made by calling the class with `ProviderSettings`."""

    info: ClassVar[ProviderInfo]

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """
        Ask once.

        Raises:
            ProviderError: Every failure, by kind.
            SsrfRejected: The guard refuses the configured address.
        """
        ...


class HttpProvider:
    """A provider that is one request: an implementer writes `info`, `request` and `parse`."""

    info: ClassVar[ProviderInfo]

    def __init__(self, settings: ProviderSettings) -> None:
        self.settings = settings

    def request(self, query: Query, today: date) -> ApiRequest:
        """What to send. Pure; unset fields are left out, what is cut is a warning."""
        raise NotImplementedError

    def parse(self, reply: ApiReply) -> Answer:
        """
        What a good reply says. Pure.

        Raises:
            ProviderError: The body reports a failure, or cannot be understood.
        """
        raise NotImplementedError

    def failure(self, reply: ApiReply) -> WebError:
        """What a reply with an error status says. Pure."""
        return self.error(failures.kind_for(reply.status), reply)

    def means_nothing_found(self, reply: ApiReply) -> bool:
        """Whether a reply with an error status is this vendor's way to say that nothing was found. Pure."""
        return False

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """Send the one request and read the reply."""
        request = self.request(query, call.now().date())
        reply = await self.ask(request, query, exchange, call)
        return with_warnings(self.read(reply), request.warnings)

    def read(self, reply: ApiReply) -> Answer:
        """
        A reply of any status as an answer.

        Raises:
            ProviderError: It is a failure.
        """
        if failures.shows_challenge(reply.headers) and reply.status in {403, 429, 503}:
            raise self.error(ProviderBlocked, reply, reason="bot_challenge")
        if 300 <= reply.status < 400:
            raise self.error(ProviderBadResponse, reply, says="it redirects, and keys do not follow redirects")
        if reply.status >= 400:
            if self.means_nothing_found(reply):
                return Answer()
            raise self.failure(reply)
        return self.parse(reply)

    async def ask(self, request: ApiRequest, query: Query, exchange: Exchange, call: Call) -> ApiReply:
        """
        One exchange within this provider's bounds.

        Raises:
            ProviderUnavailable: The network failed; `details["outcome"]` is `timeout` when time ran out.
            ProviderBadResponse: The answer is too large or cannot be decoded.
            SsrfRejected: As the guard said it.
        """
        async with self.seam(call):
            response = await exchange.send(request.as_request(), limits=self.limits(call))
        return ApiReply(
            status=response.status,
            headers=response.headers,
            body=response.body,
            query=query,
            received=call.now(),
        )

    async def ask_aloud(
        self, request: ApiRequest, query: Query, exchange: Exchange, call: Call, hear: Callable[[bytes], None]
    ) -> ApiReply:
        """As `ask`; a good answer's pieces are heard as they arrive, or all at once where the door cannot stream."""
        pieces: list[bytes] = []
        async with (
            self.seam(call),
            streaming(exchange).stream(request.as_request(), limits=self.limits(call)) as stream,
        ):
            async for piece in stream.pieces():
                pieces.append(piece)
                if stream.status < 300:
                    hear(piece)
        return ApiReply(
            status=stream.status, headers=stream.headers, body=b"".join(pieces), query=query, received=call.now()
        )

    @asynccontextmanager
    async def seam(self, call: Call) -> AsyncIterator[None]:
        """Where the network's failures become this provider's."""
        try:
            async with call.within(self.info.bounds.total_s).limited(self.info.name):
                yield
        except (ProviderError, SsrfRejected):
            raise
        except WebError as error:
            raise self.unreachable(error) from self._harmless(error)

    def limits(self, call: Call) -> Limits:
        """The bounds of one exchange: the provider's own, or what is left of the call's time."""
        bounds = self.info.bounds
        left = call.remaining()
        total_s = bounds.total_s if left is None else min(bounds.total_s, left)
        return Limits(
            connect_s=min(bounds.connect_s, max(total_s, 0.001)),
            first_byte_s=max(total_s, 0.001),
            total_s=max(total_s, 0.001),
            max_body_bytes=bounds.max_body_bytes,
            max_redirects=0,
            retries=0,
        )

    def _harmless(self, error: WebError) -> WebError | None:
        """The cause to show, unless it repeats a secret."""
        return None if any(secret in str(error) for secret in self.settings.secrets) else error

    def unreachable(self, error: WebError) -> WebError:
        """The failure that a network error means."""
        if isinstance(error, BodyTooLarge | DecodingFailed | HeadersTooLarge):
            return self.error(ProviderBadResponse, says=f"its answer could not be received ({error.code})")
        if isinstance(error, Http429):
            return self.error(ProviderRateLimited, says=error.message, retry_after_s=error.retry_after_s)
        if isinstance(error, InvalidArgument):
            return self.error(ProviderMisconfigured, says="its key or another setting cannot be sent as it is")
        if isinstance(error, InvalidUrl):
            return self.error(ProviderMisconfigured, says="its base URL is not a URL that can be fetched")
        if isinstance(error, ConnectionTimeout | ReadTimeout | TotalTimeout):
            late = "it did not answer in time"
            return self.error(ProviderUnavailable, says=late, outcome="timeout", network=error.code)
        return self.error(ProviderUnavailable, says=f"it could not be reached ({error.code})", network=error.code)

    def error(
        self,
        kind: type[ProviderError],
        reply: ApiReply | None = None,
        *,
        says: str = "",
        retry_after_s: float | None = None,
        reason: str = "",
        hint: str = "",
        **details: Any,
    ) -> ProviderError:
        """
        A failure of this provider, in the vendor's words where there are any, without secrets.

        Args:
            says: What happened, when the reply does not say it itself.
            retry_after_s: A wait that the body names; `Retry-After` is read without being told.
        """
        words = failures.redact(says or self._own_words(reply), self.settings.secrets)
        waits = issubclass(kind, ProviderRateLimited | ProviderUnavailable) and reply is not None
        if waits and retry_after_s is None and reply is not None:
            retry_after_s = failures.wait_of(reply.headers, reply.received)
        return kind(
            f"{self.info.name}: {words or _lead(kind)}",
            hint=hint or failures.HINTS.get(kind, ""),
            retry_after_s=retry_after_s,
            reason=reason,
            status=reply.status if reply is not None else None,
            details={"provider": self.info.id, **self._tidy(details)},
        )

    def _tidy(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Details without what is None; their texts, too, are a vendor's own words."""
        secrets = self.settings.secrets
        return {
            key: failures.redact(value, secrets) if isinstance(value, str) else value
            for key, value in details.items()
            if value is not None
        }

    @staticmethod
    def _own_words(reply: ApiReply | None) -> str:
        if reply is None:
            return ""
        try:
            return failures.says(reply.json)
        except NotJson:
            return "" if reply.text.lstrip().startswith("<") else reply.text[:1_000]

    # For implementers.

    def body(self, reply: ApiReply) -> reading.Record:
        """
        The JSON object that the reply holds.

        Raises:
            ProviderBadResponse: It holds none.
        """
        try:
            found: Json = reply.json
        except NotJson:
            page = " (it is a web page)" if reply.is_html else ""
            raise self.error(ProviderBadResponse, reply, says=f"its answer is not JSON{page}") from None
        if not isinstance(found, dict):
            raise self.error(ProviderBadResponse, reply, says="its answer is not a JSON object")
        return found

    def error_body(self, reply: ApiReply) -> Json:
        """What an error reply holds as JSON; None when it is something else."""
        try:
            return reply.json
        except NotJson:
            return None

    def listed(self, reply: ApiReply, found: Json, *, missing_is_empty: bool = False) -> list[reading.Record]:
        """
        The objects of a result list.

        Args:
            missing_is_empty: The vendor leaves the list out, or sends null, when nothing was found.

        Raises:
            ProviderBadResponse: There is no such list.
        """
        if found is None and missing_is_empty:
            return []
        items = reading.records(found)
        if not isinstance(found, list) or (found and not items):
            raise self.error(ProviderBadResponse, reply, says="its answer holds no list of results")
        return items

    def within(self, reply: ApiReply, found: Json, *keys: str) -> Json:
        """
        What stands under a path of keys; None where a part of it is missing or null.

        Raises:
            ProviderBadResponse: A part of it is something else than an object.
        """
        for key in keys:
            if found is None:
                return None
            if not isinstance(found, dict):
                raise self.unclear(reply)
            found = found.get(key)
        return found

    def unclear(self, reply: ApiReply) -> ProviderError:
        """The answer is neither results nor an error that the contract knows."""
        return self.error(ProviderBadResponse, reply, says="its answer is not what its documentation describes")

    @property
    def bearer(self) -> dict[str, str]:
        """The usual authorisation header; empty without a key."""
        return {"authorization": f"Bearer {self.settings.api_key}"} if self.settings.api_key else {}

    def option(self, key: str) -> str:
        """An extra setting, or its default when it is not set or not one of the options."""
        known = next(field for field in self.info.fields if field.key == key)
        value = self.settings.extra.get(key, "").strip()
        allowed = {option.value for option in known.options}
        return value if value and (not allowed or value in allowed) else known.default


def _lead(kind: type[ProviderError]) -> str:
    doc = (kind.__doc__ or kind.code).strip().rstrip(".")
    return doc[:1].lower() + doc[1:]


__all__ = [
    "ENTRY_POINTS",
    "Answer",
    "ApiReply",
    "ApiRequest",
    "Exchange",
    "HttpProvider",
    "Provider",
    "ProviderInfo",
    "ProviderSettings",
    "Topic",
    "with_warnings",
]
