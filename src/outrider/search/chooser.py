"""Who is asked for one query: the chosen one, or everybody who can, with the reasons why the others are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from outrider.errors import FilterUnsupported, ProviderGone, ProviderNotConfigured, ProviderUnavailable, WebError
from outrider.search.catalogue import ProviderInfo
from outrider.search.choice import Candidate, Catalogue, default_order, line_up, needs
from outrider.search.health import Health
from outrider.search.settings import ProviderSettings, missing_settings
from outrider.types import Attempt, Query

_NO_FILTERS = Query(text="-")


@dataclass(frozen=True, slots=True)
class Lineup:
    """Who is asked, in this order, and who of the configured ones is not."""

    asked: list[ProviderInfo]
    kept_out: list[Attempt]


class Chooser:
    """
    Chooses among the providers of one tenant.

    Args:
        order: Who is asked, in this order; empty means the order out of the box.
        disabled: Providers that are never asked.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        settings: Mapping[str, ProviderSettings],
        order: Sequence[str],
        disabled: Collection[str],
        health: Health,
    ) -> None:
        self._catalogue = catalogue
        self._settings = settings
        self._order = tuple(order)
        self._disabled = frozenset(disabled)
        self._health = health

    def line_up(self, query: Query, *, chosen: str, may_fall_back: bool) -> Lineup:
        """
        Who is asked.

        Args:
            chosen: The provider that the call or the configuration names; empty means none.
            may_fall_back: Others may be asked after a chosen one.

        Raises:
            WebError: Nobody can be asked; which class says why.
        """
        kept_out: list[Attempt] = []
        if chosen:
            asked = self._chosen(chosen, query, may_fall_back=may_fall_back, attempts=kept_out)
        else:
            asked = self._eligible(self.plan(query), query, kept_out)
        return Lineup(asked, kept_out)

    def plan(self, query: Query | None = None) -> list[Candidate]:
        """Who would be asked for a query, in order, and why the others would not."""
        order = self._order or default_order(self._catalogue.names())
        return line_up(
            query or _NO_FILTERS,
            catalogue=self._catalogue,
            order=order,
            named=frozenset(self._order),
            settings=self._settings,
            disabled=self._disabled,
            health=self._health,
        )

    def _chosen(self, name: str, query: Query, *, may_fall_back: bool, attempts: list[Attempt]) -> list[ProviderInfo]:
        info = self._catalogue.info(name)
        refusal = self._refusal(info, query)
        if refusal is not None and not may_fall_back:
            raise refusal
        first = [info] if refusal is None else []
        if refusal is not None:
            attempts.append(_refused(info, refusal))
        first += self._next_of_kin(info, query) if refusal is None else []
        if not may_fall_back:
            return first
        known = {one.id for one in first} | {name}
        others = [one for one in self.plan(query) if one.id not in known]
        return first + self._eligible(others, query, attempts, required=not first)

    def _refusal(self, info: ProviderInfo, query: Query) -> WebError | None:
        missing = missing_settings(info, self._settings.get(info.id, ProviderSettings()))
        if info.id in self._disabled:
            return ProviderNotConfigured(f"{info.name} is switched off", hint="Remove it from search.disabled.")
        if missing and info.state == "retired":
            return ProviderGone(f"{info.name} was retired", hint=f"Use {info.successor} instead.")
        if missing:
            hint = "Set it, or leave provider out to let another be chosen."
            return ProviderNotConfigured(needs(info, missing), hint=hint, details={"missing": list(missing)})
        unsupported = info.unsupported(query)
        return self._lacks(f"{info.name} cannot apply {', '.join(unsupported)}", query) if unsupported else None

    def _next_of_kin(self, info: ProviderInfo, query: Query) -> list[ProviderInfo]:
        """The provider that belongs to a chosen one and is asked when it gave nothing."""
        if not info.then or info.then in self._disabled:
            return []
        then = self._catalogue.info(info.then)
        return [] if then.unsupported(query) else [then]

    def _lacks(self, what: str, query: Query) -> FilterUnsupported:
        able = [info for info in self._catalogue.entries() if not info.unsupported(query) and info.state != "retired"]
        hint = f"Providers that can: {', '.join(map(_with_needs, able))}." if able else "No provider can."
        return FilterUnsupported(
            what, hint=hint, details={"filters": sorted(query.filters), "providers": [info.id for info in able]}
        )

    def _eligible(
        self, candidates: Sequence[Candidate], query: Query, attempts: list[Attempt], *, required: bool = True
    ) -> list[ProviderInfo]:
        """
        Those who may be asked; the configured ones who may not are noted as attempts.

        Raises:
            WebError: Nobody may be asked, and somebody is `required`.
        """
        ready = [one.info for one in candidates if one.refusal is None and one.info is not None]
        if all(info.weak for info in ready):
            # Nobody is left who knows the web: those who rest after a passing fault are asked all the same.
            ready = [one.info for one in candidates if (one.refusal is None or one.restless) and one.info is not None]
        asked = {info.id for info in ready}
        kept_out = [one for one in candidates if one.refusal not in {None, "not_configured"} and one.id not in asked]
        attempts.extend(_kept_out(one) for one in kept_out)
        if not ready and required:
            raise self._nobody(kept_out, query, attempts)
        return ready

    def _nobody(self, kept_out: Sequence[Candidate], query: Query, attempts: Sequence[Attempt]) -> WebError:
        details = {"attempts": [asdict(attempt) for attempt in attempts]}
        waits = [one.retry_after_s for one in kept_out if one.retry_after_s is not None]
        if waits:
            return ProviderUnavailable(
                "every search provider rests: " + "; ".join(f"{one.id} {one.why}" for one in kept_out),
                hint="Try again later.",
                retry_after_s=round(min(waits), 1),
                details=details,
            )
        if kept_out:
            return self._lacks("; ".join(one.why for one in kept_out), query)
        hint = "Configure a provider; `outrider providers` lists them."
        return ProviderNotConfigured("no search provider is configured", hint=hint, details=details)


def _with_needs(info: ProviderInfo) -> str:
    if info.requires_api_key:
        return f"{info.id} (with a key)"
    return f"{info.id} (your own server)" if info.requires_base_url else info.id


def _kept_out(candidate: Candidate) -> Attempt:
    assert candidate.refusal is not None
    return Attempt(
        provider=candidate.id,
        outcome=candidate.refusal,
        message=candidate.why,
        retry_after_s=candidate.retry_after_s,
    )


def _refused(info: ProviderInfo, refusal: WebError) -> Attempt:
    outcome = "filter_unsupported" if isinstance(refusal, FilterUnsupported) else "not_configured"
    return Attempt(provider=info.id, outcome=outcome, message=refusal.message)  # type: ignore[arg-type]  # both are
