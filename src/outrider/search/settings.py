"""One tenant's credentials and options for a provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from outrider.search.catalogue import ProviderInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """Credentials and options; its `repr` never shows a secret."""

    api_key: str = ""
    engine_id: str = ""
    base_url: str = ""
    proxy_url: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Values of the provider's extra fields by key."""

    def __repr__(self) -> str:
        key = "set" if self.api_key else "none"
        proxy = "set" if self.proxy_url else "none"
        return f"ProviderSettings(api_key={key}, engine_id={self.engine_id!r}, proxy_url={proxy})"

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not appear in any text that leaves."""
        return (self.api_key,) if self.api_key else ()


def missing_settings(info: ProviderInfo, settings: ProviderSettings) -> tuple[str, ...]:
    """The keys of the required fields that are not set."""
    required = {
        "api_key": (info.requires_api_key, settings.api_key),
        "engine_id": (info.requires_engine_id, settings.engine_id),
        "base_url": (info.requires_base_url, settings.base_url),
    }
    return tuple(key for key, (needed, value) in required.items() if needed and not value)


def settings_from(
    info: ProviderInfo, *, environment: Mapping[str, str], configured: Mapping[str, str] | None = None
) -> ProviderSettings:
    """
    Settings from a configuration file's table, and the usual environment variables where the table says nothing.

    Args:
        environment: The process's variables.
        configured: Values by field key.
    """
    chosen = dict(configured or {})
    for key, names in info.env.items():
        found = next((environment[name].strip() for name in names if environment.get(name, "").strip()), "")
        if found:
            chosen.setdefault(key, found)
    common = {key: chosen.pop(key, "") for key in ("api_key", "engine_id", "base_url", "proxy_url")}
    known = {field.key for field in info.fields}
    return ProviderSettings(**common, extra={key: value for key, value in chosen.items() if key in known})
