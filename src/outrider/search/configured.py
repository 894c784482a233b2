"""Every provider's settings, out of the configuration and the environment, read when they are first wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from outrider.errors import InvalidArgument, NotInstalled
from outrider.search.choice import Catalogue
from outrider.search.settings import ProviderSettings, settings_from


class Configured(Mapping[str, ProviderSettings]):
    """
    Settings by provider id; which there are is known only from the provider, and so it is loaded no sooner than needed.

    Args:
        environment: The process's variables.
        tables: The configuration's own values, by provider id and field key.
    """

    def __init__(
        self, catalogue: Catalogue, *, environment: Mapping[str, str], tables: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._catalogue = catalogue
        self._environment = environment
        self._tables = tables
        self._read: dict[str, ProviderSettings] = {}

    def __getitem__(self, name: str) -> ProviderSettings:
        if name not in self._read:
            try:
                info = self._catalogue.info(name)
            except (InvalidArgument, NotInstalled):
                raise KeyError(name) from None
            self._read[name] = settings_from(info, environment=self._environment, configured=self._tables.get(name))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter([info.id for info in self._catalogue.entries()])

    def __len__(self) -> int:
        return len(self._catalogue.entries())
