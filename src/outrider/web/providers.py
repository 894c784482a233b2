"""The search providers as an interface shows them: who is asked, and what the others lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outrider.errors import NotInstalled
from outrider.search.catalogue import FILTERS, ProviderInfo
from outrider.search.choice import Candidate, default_catalogue
from outrider.search.settings import missing_settings, settings_from

if TYPE_CHECKING:
    from outrider.config import Config
    from outrider.search.searcher import Searcher
    from outrider.web.web import Web


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStanding:
    """One provider, and whether a search without a chosen provider asks it."""

    id: str
    name: str
    place: int | None = None
    """1 is asked first; None is not asked."""
    state: str = "ready"
    """`ready`, `not_configured`, `resting`, `by_name`, `not_in_order`, `disabled`, `retired` or `not_installed`."""
    why: str = ""
    """What keeps it from being asked, and what would change that."""
    needs: tuple[str, ...] = ()
    """Keys of the settings without which it does not work."""
    missing: tuple[str, ...] = ()
    """What of it is not set here: the usual environment variable, or the setting's own name."""
    filters: tuple[str, ...] = ()
    health: str = "ok"
    """`ok`, or for how long it rests and after what; known only where searches were made, as in a service."""
    found: tuple[str, ...] = ()
    """Names, never values, of the environment variables and settings that configure it here."""

    def entry(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "needs": list(self.needs),
            "missing": list(self.missing),
            "filters": list(self.filters),
            "found": list(self.found),
        }


def provider_names() -> list[str]:
    """Ids of every provider there is, without importing any."""
    return default_catalogue().names()


def catalogue_entry(web: Web, name: str) -> dict[str, Any]:
    """
    What is known about one provider.

    Raises:
        InvalidArgument: There is no such provider.
        NotInstalled: It needs a package that is missing.
    """
    info = web.parts.searcher.catalogue.info(name)
    return {
        **info.entry(),
        "state": info.state,
        "environment": {key: list(names) for key, names in info.env.items()},
        "terms": {
            "attribution": info.terms.attribution,
            "personal_use": info.terms.personal_use,
            "cache_s": info.terms.cache_s,
            "note": info.terms.note,
        },
    }


def standings(web: Web) -> list[ProviderStanding]:
    """Every provider: those that would be asked, in that order, then the others with the reason."""
    searcher = web.parts.searcher
    plan = {candidate.id: candidate for candidate in searcher.plan()}
    asked = _asked(plan.values(), web.config)
    listed = [*asked, *(name for name in plan if name not in asked)]
    listed += [name for name in searcher.catalogue.names() if name not in plan]
    return [_standing(name, asked, plan.get(name), searcher, web.config) for name in listed]


def _asked(plan: Any, config: Config) -> list[str]:
    fixed = config.search.provider
    ready = [candidate.id for candidate in plan if candidate.refusal is None]
    if not fixed:
        return ready
    others = [name for name in ready if name != fixed] if config.search.fallback == "always" else []
    return [fixed, *others]


def _standing(
    name: str, asked: list[str], candidate: Candidate | None, searcher: Searcher, config: Config
) -> ProviderStanding:
    try:
        info = searcher.catalogue.info(name)
    except NotInstalled as error:
        return ProviderStanding(id=name, name=name, state="not_installed", why=error.message)
    missing = _missing(info, config)
    state, why = ("ready", "") if name in asked else _reason(info, candidate, config, missing)
    return ProviderStanding(
        id=name,
        name=info.name,
        place=asked.index(name) + 1 if name in asked else None,
        state=state,
        why=why,
        needs=_needs(info),
        missing=missing,
        filters=tuple(key for key in FILTERS if key in info.filters),
        health=_health(name, searcher),
        found=_found(info, config),
    )


def _health(name: str, searcher: Searcher) -> str:
    rest = searcher.health.rest(name)
    return "ok" if rest is None else f"rests for {rest.remaining_s:.0f} s after {rest.cause}"


def _reason(
    info: ProviderInfo, candidate: Candidate | None, config: Config, missing: tuple[str, ...]
) -> tuple[str, str]:
    also = f"; it needs {' and '.join(missing)}" if missing else ""
    if info.id in config.search.disabled:
        return "disabled", "search.disabled names it"
    if info.state == "retired":
        return "retired", f"retired; use {info.successor}" if info.successor else "retired"
    if candidate is not None and candidate.refusal is not None:
        needed = also.removeprefix("; it ") if candidate.refusal == "not_configured" else ""
        return candidate.refusal, needed or candidate.why
    if config.search.provider:
        return "by_name", f"search.provider asks {config.search.provider} only"
    if config.search.order:
        return "not_in_order", "search.order does not name it"
    return "by_name", f"only when asked for by --provider {info.id}{also}"


def _needs(info: ProviderInfo) -> tuple[str, ...]:
    needed = {
        "api_key": info.requires_api_key,
        "engine_id": info.requires_engine_id,
        "base_url": info.requires_base_url,
    }
    return tuple(key for key, is_needed in needed.items() if is_needed)


def _missing(info: ProviderInfo, config: Config) -> tuple[str, ...]:
    given = settings_from(info, environment=config.environment, configured=config.search.providers.get(info.id))
    return tuple(
        info.env[key][0] if info.env.get(key) else f"search.providers.{info.id}.{key}"
        for key in missing_settings(info, given)
    )


def _found(info: ProviderInfo, config: Config) -> tuple[str, ...]:
    environment: Mapping[str, str] = config.environment
    variables = [name for names in info.env.values() for name in names if environment.get(name, "").strip()]
    table = [f"search.providers.{info.id}.{key}" for key in config.search.providers.get(info.id, {})]
    return (*variables, *table)
