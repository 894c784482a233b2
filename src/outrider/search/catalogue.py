"""What is known about a provider before it is asked: the entry that forms, commands and the choice are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from outrider.types import Query

SPANS = frozenset({"day", "week", "month", "year"})
"""The named spans of freshness."""

FILTERS = ("country", "freshness", "domains", "language", "safe")
"""Every filter that a query may carry, in the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a field."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One setting of a provider, as a form shows it."""

    key: str
    """`api_key`, `engine_id`, `base_url`, `proxy_url`, or the name of an extra setting."""
    label: str
    type: Literal["secret", "text", "url", "select"] = "text"
    required: bool = False
    default: str = ""
    description: str = ""
    options: tuple[Option, ...] = ()

    def entry(self) -> dict[str, Any]:
        """Shape: `{key, label, type, required, default, description, options: [{label, value}]}`."""
        return {
            "key": self.key,
            "label": self.label,
            "type": self.type,
            "required": self.required,
            "default": self.default,
            "description": self.description,
            "options": [{"label": option.label, "value": option.value} for option in self.options],
        }


def choices(*values: str) -> tuple[Option, ...]:
    """Options that are shown as what they are; the first is the default."""
    return tuple(Option(value=value, label=value) for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a vendor asks of those who use its answers."""

    cache_s: int = 60
    """How long an answer may be kept to be given again; 0 forbids it."""
    attribution: str = ""
    """How the source has to be named, when it has to be."""
    personal_use: bool = False
    """Not for commercial use."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long, how often and how much at most."""

    total_s: float = 20.0
    connect_s: float = 10.0
    max_body_bytes: int = 8 * 1024 * 1024
    concurrency: int = 4
    """Requests at one time."""
    spacing_s: float = 0.0
    """From the start of one request to the start of the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderInfo:
    """A catalogue entry."""

    id: str
    name: str
    description: str
    docs_url: str
    requires_api_key: bool = False
    supports_optional_api_key: bool = False
    requires_engine_id: bool = False
    requires_base_url: bool = False
    supports_proxy: bool = True
    filters: frozenset[str] = frozenset()
    """Those of `FILTERS` that it can honour."""
    spans: frozenset[str] = SPANS
    """The named spans it knows, when it honours freshness."""
    date_ranges: bool = True
    """It knows ranges of days, when it honours freshness."""
    countries: frozenset[str] = frozenset()
    """The only countries it knows; empty means any."""
    max_domains: int = 100
    """Allowed domains that it takes in one query."""
    max_results: int = 20
    """Most results of one call."""
    max_query_chars: int = 2_000
    """Longer questions are cut, with a warning."""
    bounds: Bounds = Bounds()
    env: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Usual environment variables by field key, the best known first."""
    fields: tuple[Field, ...] = ()
    """Extra settings, never secret."""
    terms: Terms = Terms()
    automatic: bool = True
    """Belongs to the order out of the box as soon as it is configured."""
    weak: bool = False
    """Knows little of the web: an empty answer says nothing and does not end a chain."""
    state: Literal["active", "legacy", "retired"] = "active"
    successor: str = ""
    """The provider to move to, when this one is legacy or retired."""
    then: str = ""
    """The provider that is asked next when this one was named by the caller and gave nothing."""

    @property
    def config_fields(self) -> tuple[Field, ...]:
        """Every setting that a form asks for."""
        return (*self._common_fields(), *self.fields)

    def _common_fields(self) -> tuple[Field, ...]:
        asked: list[Field] = []
        if self.requires_api_key or self.supports_optional_api_key:
            asked.append(Field(key="api_key", label="API key", type="secret", required=self.requires_api_key))
        if self.requires_engine_id:
            asked.append(Field(key="engine_id", label="Search engine ID", required=True))
        if self.requires_base_url:
            asked.append(Field(key="base_url", label="Base URL", type="url", required=True))
        if self.supports_proxy:
            note = "http or https; tunnels only."
            asked.append(Field(key="proxy_url", label="Proxy URL", type="url", description=note))
        return tuple(asked)

    def entry(self) -> dict[str, Any]:
        """The catalogue entry as the HTTP service gives it: JSON values only."""
        return {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "docs_url": self.docs_url,
            "requires_api_key": self.requires_api_key,
            "supports_optional_api_key": self.supports_optional_api_key,
            "requires_engine_id": self.requires_engine_id,
            "requires_base_url": self.requires_base_url,
            "supports_proxy": self.supports_proxy,
            "filters": [name for name in FILTERS if name in self.filters],
            "max_results": self.max_results,
            "config_fields": [field.entry() for field in self.config_fields],
        }

    def unsupported(self, query: Query) -> tuple[str, ...]:
        """What the query asks for and this provider cannot honour, in words; empty when it can honour all."""
        missing = [name for name in FILTERS if name in query.filters and name not in self.filters]
        if query.country == "ALL" and "country" in missing:
            missing.remove("country")  # Every provider without the filter searches everywhere.
        return (*missing, *self._beyond(query))

    def _beyond(self, query: Query) -> list[str]:
        beyond: list[str] = []
        fresh = query.freshness if "freshness" in self.filters else None
        if fresh is not None and fresh.span and fresh.span not in self.spans:
            beyond.append(f"freshness {fresh.span}")
        if fresh is not None and not fresh.span and not self.date_ranges:
            beyond.append("freshness as a range of days")
        if "country" in self.filters and self.countries and query.country not in {"", "ALL", *self.countries}:
            beyond.append(f"country {query.country}")
        if "domains" in self.filters and len(query.allowed_domains) > self.max_domains:
            beyond.append(f"more than {self.max_domains} allowed domains")
        return beyond
