"""The server half of the MCP SDK, without the parts that a server never uses."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from types import ModuleType

from outrider.errors import NotInstalled

PACKAGES = ("mcp", "mcp.server")
"""Their `__init__` files import the client and the high-level server beside what is asked for."""


def load_sdk(*modules: str) -> None:
    """
    Import modules of the SDK as cheaply as they allow; whoever needs them afterwards imports them by name.

    A client starts this server and waits for it. Importing any module of the SDK runs the `__init__` of its packages,
    which costs a fifth more time and 13 MB: measured as 1.28 s against 1.05 s of processor time on the machine where
    importing mcp-server-fetch takes 1.70 s. Meant for a process that is this server and nothing else.

    Args:
        modules: Full names, such as `mcp.server.stdio`.

    Raises:
        NotInstalled: The SDK is not there.
    """
    if all(name in sys.modules for name in modules):
        return
    try:
        _load(modules)
    except ModuleNotFoundError as error:
        message = f"the MCP server needs the package {error.name}, which is not installed"
        raise NotInstalled(message, hint='Install the extra: pip install "outrider[mcp]"') from error


def _load(modules: tuple[str, ...]) -> None:
    if PACKAGES[0] in sys.modules:
        _import(modules)
        return
    try:
        with _bare_packages():
            _import(modules)
    except (ImportError, AttributeError):
        # A version of the SDK whose parts lean on their packages: the ordinary way works with every one.
        _import(modules)


def _import(modules: tuple[str, ...]) -> None:
    for name in modules:
        importlib.import_module(name)


@contextmanager
def _bare_packages() -> Iterator[None]:
    """Inside, the SDK's packages are folders and nothing more; afterwards they are as if never touched."""
    bare: dict[str, ModuleType] = {}
    try:
        path = None
        for name in PACKAGES:
            spec = PathFinder.find_spec(name, path)
            if spec is None or spec.submodule_search_locations is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            package = ModuleType(name)
            path = package.__path__ = list(spec.submodule_search_locations)
            bare[name] = sys.modules[name] = package
        yield
    finally:
        for name in bare:
            sys.modules.pop(name, None)
