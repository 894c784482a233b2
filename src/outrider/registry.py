"""One file in a plural folder is one entry of a registry."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cached_property
from typing import TYPE_CHECKING, Any

from outrider.errors import NotInstalled

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Registry:
    """
    Names the implementers of one interface without importing them.

    Args:
        package: The plural folder, such as `outrider.search.providers`.
        attribute: What each of its modules, or an entry point's module, holds.
        group: The entry point group through which other distributions add entries.
    """

    def __init__(self, package: str, *, attribute: str, group: str) -> None:
        self._package = package
        self._attribute = attribute
        self._group = group

    @cached_property
    def _files(self) -> frozenset[str]:
        package = importlib.import_module(self._package)
        return frozenset(
            module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")
        )

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points  # 20 ms at import, and only a look for plugins needs it

        return {point.name: point for point in entry_points(group=self._group)}

    def names(self) -> list[str]:
        """Every entry's name, sorted; our own files win over an entry point of the same name."""
        return sorted(self._files | self._plugins.keys())

    def load(self, name: str) -> Any:
        """
        Import one entry.

        Raises:
            KeyError: There is no such entry.
            NotInstalled: The entry needs a package that is missing.
        """
        try:
            if name in self._files:
                return getattr(importlib.import_module(f"{self._package}.{name}"), self._attribute)
            return self._plugins[name].load()
        except ModuleNotFoundError as error:
            message = f"{name} needs the package {error.name}, which is not installed"
            raise NotInstalled(message, hint=f"Install it: pip install {error.name}") from error
