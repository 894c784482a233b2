"""What was read once is found again without the network, by whoever read it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from outrider import Call, Scope, Web
from outrider.errors import WebError
from outrider.web.assembly import Wiring
from world.messages import page
from world.world import World

Open = Callable[..., Awaitable[Web]]
ALICE = Call(scope=Scope("acme", "alice", "s1"))
STRANGERS = [Scope("other", "alice", "s1"), Scope("acme", "bob", "s1"), Scope("acme", "alice", "s2")]
TEXTS = {
    "/rock": "# Granite\n\nGranite is a rock that holds quartz and feldspar.\n",
    "/zh": "# 检索\n\n全文检索引擎支持中文。\n",
    "/tree": "# Oak\n\nThe oak is a tree.\n",
}


@pytest.fixture
async def opened(world: World, tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def make(**settings: Any) -> Web:
            own: dict[str, Any] = {"allow_hosts": world.allow_hosts, "data_dir": str(tmp_path / "data"), "retries": 0}
            wiring = Wiring(resolver=world.resolver, tls=world.authority.client)
            return await stack.enter_async_context(Web(wiring=wiring, **(own | settings)))

        yield make


async def read_all(world: World, web: Web, call: Call = ALICE) -> dict[str, str]:
    site = world.sites[0]
    for path in TEXTS:
        await web.fetch(site.at(path), call=call)
    return {path: site.at(path) for path in TEXTS}


async def library(world: World) -> None:
    await world.site({path: page(text, content_type="text/markdown") for path, text in TEXTS.items()})


@pytest.mark.parametrize(
    ("question", "path"),
    [("quartz", "/rock"), ("quartz feldspar", "/rock"), ("检索", "/zh"), ("全文检索引擎", "/zh"), ("OAK", "/tree")],
)
async def test_a_page_that_was_read_is_found_again(world: World, opened: Open, question: str, path: str) -> None:
    await library(world)
    web = await opened()
    urls = await read_all(world, web)
    asked = len(world.sites[0].requests)

    result = await web.search(question, provider="local", call=ALICE)

    assert urls[path] == result.hits[0].url
    assert "local" == result.answer.provider
    assert "**" in result.hits[0].hit.snippet
    assert asked == len(world.sites[0].requests)


@pytest.mark.parametrize("scope", STRANGERS)
async def test_others_do_not_find_it(world: World, opened: Open, scope: Scope) -> None:
    await library(world)
    web = await opened()
    await read_all(world, web)
    assert 1 == len((await web.search("quartz", provider="local", call=ALICE)).hits)

    result = await web.search("quartz", provider="local", call=Call(scope=scope))

    assert () == result.hits


async def test_the_domain_lists_hold(world: World, opened: Open) -> None:
    await library(world)
    web = await opened()
    urls = await read_all(world, web)
    host = urls["/rock"].split("/")[2].partition(":")[0]

    kept = await web.search("quartz", provider="local", allowed_domains=[host], call=ALICE)
    dropped = await web.search("quartz", provider="local", blocked_domains=[host], call=ALICE)

    assert (1, 0) == (len(kept.hits), len(dropped.hits))


async def test_it_is_the_last_resort_and_named_as_such(world: World, opened: Open) -> None:
    await library(world)
    broken = await world.site({"*": page("down", status=500)})
    web = await opened(order=["searxng", "local"], providers={"searxng": {"base_url": broken.url}})
    await read_all(world, web)

    result = await web.search("quartz", call=ALICE)

    assert "local" == result.answer.provider
    assert ["searxng", "local"] == [attempt.provider for attempt in result.answer.attempts]
    assert any("read before" in warning for warning in result.warnings)


async def test_a_store_that_cannot_be_read_is_a_failure_of_the_provider(
    world: World, opened: Open, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    web = await opened(data_dir=str(tmp_path / "file"))
    with pytest.raises(WebError) as failure:
        await web.search("quartz", provider="local")
    assert "provider_unavailable" == failure.value.code
