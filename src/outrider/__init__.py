"""Guarded web access for AI agents: search, read and page through the web behind one door."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.call import Call, Progress
    from outrider.config import Config
    from outrider.errors import WebError
    from outrider.types import Scope
    from outrider.web.operations.fetch import FetchItem
    from outrider.web.web import SyncWeb, Web

__all__ = ["Call", "Config", "FetchItem", "Progress", "Scope", "SyncWeb", "Web", "WebError"]

# Where each public name lives. They load on first use: the command line shows its help without an event loop.
_HOMES = {
    "Call": "outrider.call",
    "Config": "outrider.config",
    "FetchItem": "outrider.web.operations.fetch",
    "Progress": "outrider.call",
    "Scope": "outrider.types",
    "SyncWeb": "outrider.web.web",
    "Web": "outrider.web.web",
    "WebError": "outrider.errors",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
