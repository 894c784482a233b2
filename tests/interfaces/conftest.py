"""The command line, and what it may reach."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from interfaces.commandline import LONG, CommandLine, Neighbourhood
from world.distant import DistantWorld
from world.messages import page
from world.site import Site


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capsys)


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Away from any project's outrider.toml, and without what colours or narrows a terminal."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "SEARXNG_URL", "SEARXNG_BASE_URL", "SEARXNG_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    # A test started from a checkout without an installation finds the package all the same.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


@pytest.fixture
def nearby(distant_world: DistantWorld, monkeypatch: pytest.MonkeyPatch) -> Neighbourhood:
    return Neighbourhood(distant_world, monkeypatch)


@pytest.fixture
def long_page(nearby: Neighbourhood) -> Site:
    return nearby.site({"/long": page(LONG)})
