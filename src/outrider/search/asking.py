"""One provider asked once: paced, timed, remembered, its outcome named."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from outrider.call import Call, Progress
from outrider.errors import (
    ProviderError,
    ProviderMisconfigured,
    ProviderUnavailable,
    SsrfRejected,
    TotalTimeout,
    WebError,
)
from outrider.search import domains
from outrider.search.catalogue import ProviderInfo
from outrider.search.choice import Catalogue
from outrider.search.failures import Outcome, outcome_of
from outrider.search.health import Health
from outrider.search.pace import Pace
from outrider.search.provider import Answer
from outrider.search.settings import ProviderSettings
from outrider.search.shelf import Shelf
from outrider.search.wire import Exchange
from outrider.types import Attempt, Hit, Query

DID_NOT_SEARCH = "the model answered without searching"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What came of asking one provider."""

    info: ProviderInfo
    attempt: Attempt
    hits: tuple[Hit, ...] = ()
    """Those that the domain lists let through."""
    news: tuple[Hit, ...] = ()
    """Likewise."""
    answer: Answer | None = None
    error: WebError | None = None

    @property
    def settles(self) -> bool:
        """Nobody else has to be asked: it found something, or knows enough of the web to say that there is nothing."""
        if self.hits:
            return True
        answer = self.answer
        if answer is None or answer.hits or self.info.weak:
            return False
        return answer.searched and not answer.exhausted


class Asker:
    """
    Asks providers under one tenant's settings.

    Args:
        proxied: Gives the exchange that goes through a proxy URL; without it `proxy_url` is refused.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        catalogue: Catalogue,
        settings: Mapping[str, ProviderSettings],
        health: Health,
        pace: Pace,
        shelf: Shelf,
        proxied: Callable[[str], Exchange] | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exchange = exchange
        self._catalogue = catalogue
        self._settings = settings
        self._health = health
        self._pace = pace
        self._shelf = shelf
        self._proxied = proxied
        self._clock = clock

    async def ask(
        self, info: ProviderInfo, query: Query, call: Call, *, within_s: float | None = None, fresh: bool = False
    ) -> Served:
        """
        Ask and note how it went.

        Args:
            within_s: Most seconds, the wait for the provider's turn included.
            fresh: A kept answer does not count.
        """
        call.emit(_progress(info, "asking", f"asking {info.name}"))
        started = self._clock()
        try:
            answer = await self._answer(info, query, call if within_s is None else call.within(within_s), fresh=fresh)
        except (ProviderError, SsrfRejected) as error:
            served = self._failed(info, error, self._clock() - started, call.now().timestamp())
        else:
            served = self._answered(info, query, answer, self._clock() - started)
        outcome = served.attempt.outcome
        usage = dict(served.answer.usage) if served.answer is not None else {}
        call.emit(
            _progress(
                info, outcome, f"{info.name}: {outcome}", hits=len(served.hits), **({"usage": usage} if usage else {})
            )
        )
        return served

    async def _answer(self, info: ProviderInfo, query: Query, call: Call, *, fresh: bool) -> Answer:
        settings = self._settings.get(info.id, ProviderSettings())
        kept = None if fresh else self._shelf.find(info.id, query, settings)
        if kept is not None:
            return replace(kept, usage={})  # Given again, it costs nothing.
        answer = await self._exchange_answer(info, query, call, settings)
        self._shelf.keep(info.id, query, settings, answer, allowed_s=info.terms.cache_s)
        return answer

    async def _exchange_answer(
        self, info: ProviderInfo, query: Query, call: Call, settings: ProviderSettings
    ) -> Answer:
        provider = self._catalogue.make(info.id, settings)
        exchange = self._door(info, settings)
        try:
            async with call.limited(info.name), self._pace.turn(info.id, info.bounds):
                return await provider.search(query, exchange, call)
        except TotalTimeout as error:
            raise ProviderUnavailable(
                f"{info.name}: it did not answer in time",
                hint="Try again later, or use another provider.",
                details={"provider": info.id, "outcome": "timeout", "network": error.code},
            ) from error

    def _door(self, info: ProviderInfo, settings: ProviderSettings) -> Exchange:
        if not settings.proxy_url:
            return self._exchange
        if self._proxied is None:
            raise ProviderMisconfigured(f"{info.name}: its proxy cannot be used here", details={"provider": info.id})
        return self._proxied(settings.proxy_url)

    def _failed(self, info: ProviderInfo, error: WebError, elapsed_s: float, now: float) -> Served:
        outcome = outcome_of(error)
        wait_s = error.retry_after_s
        if wait_s is None and isinstance(error.details.get("retry_at"), int | float):
            wait_s = max(0.0, error.details["retry_at"] - now)
        self._health.failed(info.id, outcome, wait_s=wait_s)
        attempt = Attempt(
            provider=info.id,
            outcome=outcome,
            elapsed_s=round(elapsed_s, 3),
            message=_words(info, error),
            retry_after_s=error.retry_after_s,
        )
        return Served(info=info, attempt=attempt, error=error)

    def _answered(self, info: ProviderInfo, query: Query, answer: Answer, elapsed_s: float) -> Served:
        self._health.succeeded(info.id, pause_s=answer.cooldown_s)
        hits = domains.keep(answer.hits, query)
        message = "" if answer.searched else DID_NOT_SEARCH
        if answer.hits and not hits:
            message = "nothing was left of its results after the domain lists"
        without: Outcome = "empty" if answer.searched else "not_searched"
        attempt = Attempt(
            provider=info.id,
            outcome="ok" if hits else without,
            elapsed_s=round(elapsed_s, 3),
            hits=len(hits),
            message=message,
        )
        news = domains.keep(answer.news, query)
        return Served(info=info, attempt=attempt, hits=hits, news=news, answer=answer)


def _words(info: ProviderInfo, error: WebError) -> str:
    """The failure's sentence; a refused address, which only the operator knows, stays out of it."""
    return f"{info.name}: the guard refuses its address" if isinstance(error, SsrfRejected) else error.message


def _progress(info: ProviderInfo, state: str, message: str, **data: Any) -> Progress:
    return Progress(stage="search", message=message, data={"provider": info.id, "state": state, **data})
