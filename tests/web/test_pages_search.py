"""Searching with content: the first pages are read too, and kept for the fetch that follows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from outrider import Call, Web
from outrider.url import Url
from outrider.web import evidence
from world.messages import Reply, Request, answer_json, page
from world.site import Site
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]
LONG = "<h1>Long</h1>" + "".join(f"<p>Sentence {number} about quartz.</p>" for number in range(900))


@pytest.fixture
def open_here(open_web: OpenWeb, tmp_path: Path) -> OpenWeb:
    async def opened(site: Site, **settings: Any) -> Web:
        own: dict[str, Any] = {
            "data_dir": str(tmp_path / "data"),
            "provider": "searxng",
            "providers": {"searxng": {"base_url": site.url}},
        }
        return await open_web(**(own | settings))

    return opened


async def engine(world: World, paths: dict[str, Any], *, count: int = 4) -> Site:
    """A site whose search engine finds its own pages."""

    def search(_: Request) -> Reply:
        found = [
            {
                "url": site.at(f"/p{number}"),
                "title": f"Page {number}",
                "content": f"Snippet {number}.",
                "engines": ["x"],
            }
            for number in range(1, count + 1)
        ]
        return answer_json({"query": "q", "results": found, "unresponsive_engines": []})

    site = await world.site({"/search": search} | paths)
    return site


def asked(site: Site) -> list[str]:
    return [request.path for request in site.requests if request.path.startswith("/p")]


async def test_the_first_three_pages_are_read_and_named(world: World, open_here: OpenWeb) -> None:
    site = await engine(world, {f"/p{number}": LONG for number in range(1, 5)})
    web = await open_here(site)

    result = await web.search("quartz", content=True)

    assert ["/p1", "/p2", "/p3"] == sorted(asked(site))
    for hit in result.hits[:3]:
        assert hit.content.startswith("# Long")
        assert len(hit.content) <= 5_000
        assert hit.evidence is not None
        assert hit.evidence.path is not None
        assert (await web.read(hit.evidence.path)).text.startswith(hit.content)
    assert result.hits[3].evidence is None


async def test_the_fetch_that_follows_asks_the_site_nothing_once(world: World, open_here: OpenWeb) -> None:
    site = await engine(world, {f"/p{number}": LONG for number in range(1, 5)})
    web = await open_here(site)
    await web.search("quartz", content=True)

    first = await web.fetch("w1")
    assert 3 == len(asked(site))
    assert first.next_offset is not None
    await web.fetch("w1", offset=first.next_offset)
    assert 3 == len(asked(site))
    await web.fetch("w1")
    assert 4 == len(asked(site))


async def test_a_page_that_fails_keeps_its_snippet_and_says_why(world: World, open_here: OpenWeb) -> None:
    site = await engine(world, {"/p1": page("gone", status=404), "/p2": LONG, "/p3": LONG})
    web = await open_here(site)

    told = await web.call("web_search", {"query": "quartz", "content": True})

    first, second = told.data["results"][:2]
    assert ("http_404", "Snippet 1.", False) == (first["content_error"]["code"], first["snippet"], first["verified"])
    assert ("content_error" in second, True) == (False, second["verified"])
    assert "Snippet 1." in told.text
    assert "http_404" in told.text


async def test_robots_rules_are_respected_for_pages_that_nobody_named(world: World, open_here: OpenWeb) -> None:
    robots = page("User-agent: *\nDisallow: /p1\n", content_type="text/plain")
    site = await engine(world, {"/robots.txt": robots, "/p1": LONG, "/p2": LONG, "/p3": LONG})
    web = await open_here(site)

    result = await web.search("quartz", content=True)

    assert result.hits[0].evidence is not None
    assert result.hits[0].evidence.error is not None
    assert "robots_denied" == result.hits[0].evidence.error.code
    assert (await web.fetch("w1")).markdown


async def test_what_is_late_runs_on_and_is_joined_by_the_fetch(world: World, open_here: OpenWeb) -> None:
    release = asyncio.Event()

    async def slow(_: Request, connection: Any) -> None:
        await release.wait()
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nlate")

    site = await engine(world, {"/p1": slow, "/p2": LONG}, count=2)
    web = await open_here(site)
    urls = [hit.url for hit in (await web.search("quartz")).hits]
    assert urls
    session = web.session(Call().scope)
    reading = web.parts.reading
    read = await evidence.gather([Url.parse(url) for url in urls], reading, Call(), session, within_s=0.5)

    assert [error.code if (error := one.error) else "" for one in read] == ["total_timeout", ""]
    fetching = asyncio.create_task(web.fetch("w1"))
    await asyncio.sleep(0)
    release.set()
    assert "late" == (await fetching).markdown
    assert 1 == asked(site).count("/p1")


async def test_closing_ends_what_runs_on(world: World, open_web: OpenWeb, open_here: OpenWeb) -> None:
    async def never(_: Request, connection: Any) -> None:
        await connection.closed_by_peer()

    site = await engine(world, {"/p1": never}, count=1)
    web = await open_here(site)
    await web.search("quartz", content=True, call=Call().within(1.0))
    before = len(asyncio.all_tasks())
    await web.__aexit__(None, None, None)
    assert len(asyncio.all_tasks()) < before


async def test_evidence_shares_one_budget(world: World, open_here: OpenWeb) -> None:
    site = await engine(world, {f"/p{number}": LONG for number in range(1, 5)}, count=20)
    web = await open_here(site)
    told = await web.call("web_search", {"query": "quartz", "content": True, "max_results": 20})
    assert len(told.text) < 16_000 + 20 * 200
