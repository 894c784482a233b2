"""What every test gets: a swept environment, the tripwire, and a world on demand."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import settings

from world.distant import DistantWorld
from world.tripwire import Tripwire
from world.world import World

_TRIPWIRE = Tripwire()
# A busy machine is not a failure; and what CI finds, it finds every time.
settings.register_profile("outrider", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("outrider")
_HOMES = count()
_SWEPT_PREFIXES = ("OUTRIDER_", "SSL_", "XDG_")
_SWEPT_SUFFIXES = ("_PROXY", "_CA_BUNDLE", "_EXTRA_CA_CERTS")


def pytest_configure(config: pytest.Config) -> None:
    """A suite started in the background inherits ignored interrupts, and so would every program that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, the loop that the project is written for."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _swept_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in list(os.environ):
        if name.upper().startswith(_SWEPT_PREFIXES) or name.upper().endswith(_SWEPT_SUFFIXES):
            monkeypatch.delenv(name)
    # Nobody's own configuration, cache or data is read or written, and no test sees another's.
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp() / f"home-{next(_HOMES)}"))


@pytest.fixture(autouse=True)
def tripwire() -> Iterator[Tripwire]:
    """Fails the test when anything but the guard opens a connection or looks a name up."""
    _TRIPWIRE.clear()
    _TRIPWIRE.armed = True
    yield _TRIPWIRE
    _TRIPWIRE.armed = False
    # A product that swallows the exception in the hook does not get away with it.
    assert [] == _TRIPWIRE.tripped


@pytest.fixture
async def world(tmp_path: Path, tripwire: Tripwire) -> AsyncIterator[World]:
    """Sites, names, vendors and proxies on loopback, in the test's own loop."""
    async with World(tmp_path, tripwire) as built:
        yield built


@pytest.fixture
def distant_world(tmp_path: Path, tripwire: Tripwire) -> Iterator[DistantWorld]:
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(World(tmp_path, tripwire)) as built,
    ):
        yield DistantWorld(built, portal.call)
