"""Lets the attack lab score `Web.fetch`: `lab.py run attack_adapter:fetch --path benchmarks --python …`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import outrider
from outrider import Web

# The rooms that a fetch goes through, and the libraries that they load at first use.
_ROOMS = ("content", "egress", "fetch", "web")
_LIBRARIES = ("aiodns", "brotli", "httpcore2", "idna", "protego", "regex", "turbohtml")


def SETUP() -> None:  # noqa: N802  (the lab's name)
    """Load what a first fetch would load, so that only the fetch itself is measured over idle."""
    for module in walk_packages(outrider.__path__, "outrider."):
        if module.name.split(".")[1] in _ROOMS:
            import_module(module.name)
    for library in _LIBRARIES:
        import_module(library)


async def fetch(url: str) -> str:
    """A fetch with the defaults."""
    return await _read(url)


async def fetch_headers(url: str, headers: Mapping[str, str]) -> str:
    """A fetch that carries the caller's own headers."""
    return await _read(url, headers=headers)


async def fetch_allow(url: str, hosts: Sequence[str]) -> str:
    """A fetch by an operator who lets these private hosts through."""
    return await _read(url, allow_hosts=list(hosts))


async def _read(url: str, *, headers: Mapping[str, str] | None = None, **settings: Any) -> str:
    async with Web(**settings) as web:
        outcome = await web.fetch(url, headers=headers, limit=32_000)
        return outcome.markdown
