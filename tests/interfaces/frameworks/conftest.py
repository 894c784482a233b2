"""A `Web` on the world, for agents of every framework."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from outrider import Web
from world.messages import page
from world.site import Site
from world.world import World


@pytest.fixture
async def site(world: World) -> Site:
    return await world.site({"/tides": page("<h1>Tides</h1><p>It is high water at noon.</p>")})


@pytest.fixture
async def web(site: Site, world: World, tmp_path: Path) -> AsyncIterator[Web]:
    async with world.web(data_dir=str(tmp_path / "data")) as opened:
        yield opened
