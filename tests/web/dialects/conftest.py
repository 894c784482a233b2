"""What the tests of dialects share."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from web.dialects.sea import ARTICLE, HUGE, LONG, Golden, Sea, engine
from world.messages import page, redirect
from world.world import World

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
async def sea(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sea]:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    other = await world.site({"/": ARTICLE}, name="elsewhere.test")
    site = await world.site(
        {
            "/article": ARTICLE,
            "/long": LONG,
            "/untitled": "<p>A page that has no title at all, only this one sentence.</p>",
            "/data.json": page('{"tides": [1, 2, 3]}', content_type="application/json"),
            "/notes.txt": page("First line\nSecond line\n", content_type="text/plain"),
            "/gone": page("<p>There is nothing here any more</p>", status=404),
            "/broken": page("<p>The server is on fire</p>", status=500),
            "/image": page(b"\x89PNG\r\n\x1a\n" + bytes(64), content_type="image/png"),
            "/huge": page(HUGE),
            "/moved": redirect("/article"),
            "/away": redirect(other.url),
            "/robots.txt": page("User-agent: *\nDisallow: /long\n", content_type="text/plain"),
            "/search": engine,
        },
        name="site.test",
    )
    async with AsyncExitStack() as stack:
        yield Sea(world=world, site=site, other=other, stack=stack, project=project)


@pytest.fixture
def golden() -> Golden:
    """Holds a text to the file of a name; `GOLDEN=write` writes the files anew, to be read as a diff."""

    def hold(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return hold
