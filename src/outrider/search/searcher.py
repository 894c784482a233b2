"""A question put to whoever can answer it: chosen, asked, replaced on failure, merged, filtered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from outrider.call import Call
from outrider.errors import ProviderUnavailable, WebError
from outrider.search.asking import DID_NOT_SEARCH, Asker, Served
from outrider.search.catalogue import ProviderInfo
from outrider.search.choice import Candidate, Catalogue, default_catalogue
from outrider.search.chooser import Chooser
from outrider.search.fusion import fuse
from outrider.search.health import Health
from outrider.search.pace import Pace
from outrider.search.settings import ProviderSettings
from outrider.search.shelf import Shelf
from outrider.search.wire import Exchange
from outrider.types import Attempt, Query, SearchAnswer

Fallback = Literal["auto", "always"]
"""`auto`: the failure of a provider that was chosen is the answer. `always`: others are asked then."""

# Part of what is left of a call's time that one provider may take while others wait behind it.
_SHARE = 0.6


class Searcher:
    """
    Every search of one tenant.

    Args:
        exchange: The guarded door.
        settings: Credentials and options by provider id.
        order: Who is asked, in this order; empty means the order out of the box.
        fixed: The provider that the configuration chooses; empty means none.
        fallback: What happens when a chosen provider fails.
        fan_out: How many are asked at once and merged.
        disabled: Providers that are never asked.
        proxied: Gives the exchange that goes through a provider's proxy URL.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        settings: Mapping[str, ProviderSettings] | None = None,
        order: Sequence[str] = (),
        fixed: str = "",
        fallback: Fallback = "auto",
        fan_out: int = 1,
        disabled: Collection[str] = (),
        catalogue: Catalogue | None = None,
        health: Health | None = None,
        pace: Pace | None = None,
        shelf: Shelf | None = None,
        proxied: Callable[[str], Exchange] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exchange = exchange
        self._settings = {} if settings is None else settings
        self._fixed = fixed
        self._fallback: Fallback = fallback
        self._fan_out = max(1, fan_out)
        self._proxied = proxied
        self.catalogue = catalogue or default_catalogue()
        self.health = health or Health(clock=clock)
        self._pace = pace or Pace(clock=clock)
        self._chooser = Chooser(
            self.catalogue,
            settings=self._settings,
            order=order,
            disabled=disabled,
            health=self.health,
        )
        self._asker = Asker(
            exchange,
            catalogue=self.catalogue,
            settings=self._settings,
            health=self.health,
            pace=self._pace,
            shelf=shelf or Shelf(clock=clock),
            proxied=proxied,
            clock=clock,
        )

    async def search(
        self,
        query: Query,
        call: Call,
        *,
        provider: str | None = None,
        fallback: Fallback | None = None,
        fan_out: int | None = None,
    ) -> SearchAnswer:
        """
        Ask until somebody found something.

        Args:
            provider: Ask this one; its failure is the answer unless `fallback` is `always`.

        Raises:
            InvalidArgument: There is no such provider.
            FilterUnsupported: The chosen provider, or every one that could be asked, lacks a filter of the query.
            ProviderError: Everybody failed; `details["attempts"]` lists them.
            SsrfRejected: The guard refuses the address of the chosen provider.
        """
        chosen = provider or self._fixed
        may_fall_back = (fallback or self._fallback) == "always"
        lineup = self._chooser.line_up(query, chosen=chosen, may_fall_back=may_fall_back)
        width = 1 if chosen else fan_out or self._fan_out
        served = await self._cascade(lineup.asked, query, call, width, fresh=bool(provider))
        attempts = [*lineup.kept_out, *(one.attempt for one in served)]
        return self._answer(query, served, attempts, blamed=chosen if chosen and not may_fall_back else "")

    def plan(self, query: Query | None = None) -> list[Candidate]:
        """Who would be asked for a query, in order, and why the others would not."""
        return self._chooser.plan(query)

    def with_settings(self, name: str, settings: ProviderSettings) -> Searcher:
        """A searcher of the same tenant that tries other settings for one provider; nothing of it is remembered."""
        return Searcher(
            self._exchange,
            settings={**self._settings, name: settings},
            catalogue=self.catalogue,
            pace=self._pace,
            shelf=Shelf(seconds=0),
            proxied=self._proxied,
        )

    # Asking.

    async def _cascade(
        self, candidates: Sequence[ProviderInfo], query: Query, call: Call, width: int, *, fresh: bool
    ) -> list[Served]:
        served: list[Served] = []
        for start in range(0, len(candidates), width):
            batch = candidates[start : start + width]
            last = start + width >= len(candidates)
            within_s = None if last else _share(call)
            served += await self._ask_all(batch, query, call, within_s=within_s, fresh=fresh)
            if any(one.settles for one in served) or call.remaining() == 0:
                break
        return served

    async def _ask_all(
        self, batch: Sequence[ProviderInfo], query: Query, call: Call, *, within_s: float | None, fresh: bool
    ) -> list[Served]:
        if len(batch) == 1:
            return [await self._asker.ask(batch[0], query, call, within_s=within_s, fresh=fresh)]
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(self._asker.ask(info, query, call, within_s=within_s, fresh=fresh)) for info in batch
            ]
        return [one.result() for one in asked]

    # Answering.

    def _answer(
        self, query: Query, served: Sequence[Served], attempts: Sequence[Attempt], *, blamed: str
    ) -> SearchAnswer:
        found = [one for one in served if one.hits]
        errors = {one.info.id: one.error for one in served if one.error is not None}
        errors |= {one.provider: _rests(one) for one in attempts if one.outcome == "resting"}
        if errors and not found and not any(one.settles for one in served):
            blame = [errors[blamed]] if blamed in errors else list(errors.values())
            raise _most_useful(blame, attempts)
        ranked = fuse([[replace(hit, provider=one.info.id) for hit in one.hits] for one in found])
        answers = [one.answer.answer for one in served if one.answer is not None and one.answer.answer]
        return SearchAnswer(
            query=query.text,
            hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(ranked[: query.max_results], start=1)),
            provider=", ".join(one.info.id for one in found),
            attempts=tuple(attempts),
            warnings=tuple(dict.fromkeys(_warnings(served))),
            answer=answers[0] if answers else "",
            searched=bool(found) or not any(one.attempt.outcome == "not_searched" for one in served),
            news=fuse([one.news for one in served])[: query.max_results],
            usage=_usage(served),
            attribution=tuple(dict.fromkeys(one.info.terms.attribution for one in found if one.info.terms.attribution)),
        )


def _share(call: Call) -> float | None:
    left = call.remaining()
    return None if left is None else left * _SHARE


def _usage(served: Sequence[Served]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for one in served:
        for name, count in (one.answer.usage if one.answer is not None else {}).items():
            counted[name] = counted.get(name, 0) + count
    return counted


def _warnings(served: Sequence[Served]) -> list[str]:
    found: list[str] = []
    for one in served:
        if one.answer is None:
            continue
        found += one.answer.warnings
        if not one.answer.searched:
            found.append(f"{one.info.name}: {DID_NOT_SEARCH}")
    return found


def _most_useful(errors: Sequence[WebError], attempts: Sequence[Attempt]) -> WebError:
    """
    The failure that tells the caller most, with all attempts in it.

    One that may pass comes first, the shortest wait before the longer ones: it says that the same search can succeed.
    """
    passing = [error for error in errors if error.retryable]
    best = min(passing, key=lambda error: error.retry_after_s or 0.0) if passing else errors[0]
    asked = [attempt for attempt in attempts if attempt.outcome not in {"ok", "empty", "not_searched"}]
    message = best.message if len(asked) == 1 else "no provider answered: " + "; ".join(map(_in_words, asked))
    details: dict[str, Any] = {**best.details, "attempts": [asdict(attempt) for attempt in attempts]}
    failure = type(best)(
        message,
        hint=best.hint,
        retry_after_s=best.retry_after_s,
        reason=best.reason,
        status=best.status,
        details=details,
    )
    failure.__cause__ = best
    return failure


def _rests(attempt: Attempt) -> WebError:
    """A provider that was not asked leaves the question as open as one that failed."""
    message = f"{attempt.provider} {attempt.message}"
    return ProviderUnavailable(message, hint="Try again later.", retry_after_s=attempt.retry_after_s)


def _in_words(attempt: Attempt) -> str:
    """One attempt for a list; most messages name their provider."""
    return f"{attempt.provider} {attempt.message}" if attempt.outcome == "resting" else attempt.message
