"""Who is asked, in which order, and why not the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from outrider.errors import InvalidArgument, NotInstalled
from outrider.registry import Registry
from outrider.search.catalogue import ProviderInfo
from outrider.search.failures import Outcome
from outrider.search.health import Health
from outrider.search.provider import ENTRY_POINTS, Provider
from outrider.search.settings import ProviderSettings, missing_settings
from outrider.types import Query

OWN = "searxng"
"""The server of one's own: first when it is configured."""

KEYED = (
    "brave", "tavily", "exa", "kagi", "perplexity", "serper", "you", "linkup", "parallel", "firecrawl", "jina",
    "serpapi", "webiq", "mojeek", "google", "bocha", "zhipu", "baidu", "metaso", "doubao", "ollama",
)  # fmt: skip
"""Those that need a key, in the order in which they are asked once they have one."""

KEYLESS = ("duckduckgo", "keenable", "duckduckgo_instant", "wikipedia")
"""Those that answer without a key."""

LAST = "local"
"""What was read before; asked last when it has something."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A provider that may be asked, or the reason why it is not."""

    id: str
    info: ProviderInfo | None
    refusal: Outcome | None = None
    why: str = ""
    retry_after_s: float | None = None
    restless: bool = False
    """It rests, but may be asked when nobody else is left."""


class Catalogue:
    """
    Every provider there is.

    Args:
        registry: Names and loads them.
    """

    def __init__(self, registry: Registry | None = None) -> None:
        self._registry = registry or Registry("outrider.search.providers", attribute="PROVIDER", group=ENTRY_POINTS)

    def names(self) -> list[str]:
        """Every provider's id, sorted, without importing any."""
        return self._registry.names()

    def kind(self, name: str) -> Any:
        """
        The provider's class.

        Raises:
            InvalidArgument: There is no such provider.
            NotInstalled: It needs a package that is missing.
        """
        try:
            return self._registry.load(name)
        except KeyError:
            known = ", ".join(self.names())
            raise InvalidArgument(
                f"provider must be one of {known}",
                details={"field": "provider"},
                hint="Leave provider out to let one be chosen.",
            ) from None

    def info(self, name: str) -> ProviderInfo:
        """
        The catalogue entry.

        Raises:
            InvalidArgument, NotInstalled: As for `kind`.
        """
        found = self.kind(name).info
        assert isinstance(found, ProviderInfo)
        return found

    def entries(self) -> list[ProviderInfo]:
        """Every entry that can be loaded, by id."""
        found: list[ProviderInfo] = []
        for name in self.names():
            try:
                found.append(self.info(name))
            except NotInstalled:
                continue
        return found

    def make(self, name: str, settings: ProviderSettings) -> Provider:
        """A provider with one tenant's settings."""
        made: Provider = self.kind(name)(settings)
        return made


@cache
def default_catalogue() -> Catalogue:
    """The providers of this installation."""
    return Catalogue()


def default_order(names: Collection[str]) -> tuple[str, ...]:
    """The order out of the box, third parties' after ours that need a key."""
    ours = (OWN, *KEYED, *KEYLESS, LAST)
    others = [name for name in sorted(names) if name not in ours]
    return tuple(name for name in (OWN, *KEYED, *others, *KEYLESS, LAST) if name in names)


def line_up(
    query: Query,
    *,
    catalogue: Catalogue,
    order: Sequence[str],
    named: Collection[str],
    settings: Mapping[str, ProviderSettings],
    disabled: Collection[str],
    health: Health,
) -> list[Candidate]:
    """
    Everybody in the order, each with the reason why it is not asked, if there is one.

    Args:
        named: Those of the order that somebody asked for by name; the others have to belong to the automatic order.
    """
    lined: list[Candidate] = []
    for name in dict.fromkeys(order):
        if name in disabled:
            continue
        try:
            info = catalogue.info(name)
        except NotInstalled as error:
            if name in named:
                lined.append(Candidate(name, None, "not_configured", error.message))
            continue
        own = settings.get(name, ProviderSettings())
        if name in named:
            lined.append(_judge(info, query, own, health))
        elif info.automatic and info.state != "retired":
            lined.append(_awaits_key(info, own) or _judge(info, query, own, health))
    return lined


def _awaits_key(info: ProviderInfo, settings: ProviderSettings) -> Candidate | None:
    """Some of those that need a key answer a little without one; that is for who asks for it."""
    if settings.api_key or info.id not in KEYED or not info.supports_optional_api_key:
        return None
    set_it = f"{info.env['api_key'][0]} or search.providers.{info.id}.api_key"
    return Candidate(info.id, info, "not_configured", f"asked only when named, or with {set_it}")


def _judge(info: ProviderInfo, query: Query, settings: ProviderSettings, health: Health) -> Candidate:
    missing = missing_settings(info, settings)
    if missing:
        return Candidate(info.id, info, "not_configured", needs(info, missing))
    unsupported = info.unsupported(query)
    if unsupported:
        return Candidate(info.id, info, "filter_unsupported", f"{info.name} cannot apply {', '.join(unsupported)}")
    rest = health.rest(info.id)
    if rest is None:
        return Candidate(info.id, info)
    why = f"rests for {rest.remaining_s:.0f} s after {rest.cause}"
    return Candidate(info.id, info, "resting", why, round(rest.remaining_s, 1), rest.may_be_cut_short)


def needs(info: ProviderInfo, missing: Sequence[str]) -> str:
    """What has to be set, and where, in one sentence."""
    named = [f"{info.env[key][0]} or search.providers.{info.id}.{key}" for key in missing if info.env.get(key)]
    plain = [f"search.providers.{info.id}.{key}" for key in missing if not info.env.get(key)]
    return f"{info.name} is not configured: set {' and '.join([*named, *plain])}"
