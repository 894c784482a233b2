"""Pages that outlive a call: read on from memory, then from the store, then told to be gone; never spliced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from outrider import Call, Scope, Web
from outrider.errors import InvalidArgument, PageNotFound, SnapshotExpired, WebError
from outrider.web.operations.fetch import FetchItem
from world.messages import Reply, Request, page
from world.site import Site
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]
ALICE = Call(scope=Scope("acme", "alice", "s1"), message="m1")
STRANGERS = [Scope("other", "alice", "s1"), Scope("acme", "bob", "s1"), Scope("acme", "alice", "s2")]


@pytest.fixture
def open_here(open_web: OpenWeb, tmp_path: Path) -> OpenWeb:
    async def opened(**settings: Any) -> Web:
        return await open_web(**({"data_dir": str(tmp_path / "data")} | settings))

    return opened


def article(sentences: int = 2_000, *, marker: str = "ZEBRA-TAIL") -> str:
    body = "".join(f"<p>Sentence number {number} of a long article.</p>" for number in range(sentences))
    return f"<html><head><title>Long</title></head><body><h1>Long</h1>{body}<p>{marker}</p></body></html>"


def changing() -> Callable[[Request], Reply]:
    """A page whose every answer is another version."""
    count = 0

    def handler(_: Request) -> Reply:
        nonlocal count
        count += 1
        return page(article(marker=f"VERSION-{count}"))

    return handler


async def read_to_end(web: Web, url: str, *, offset: int, call: Call | None = None) -> str:
    text = ""
    following: int | None = offset
    while following is not None:
        outcome = await web.fetch(url, offset=following, limit=32_000, call=call)
        text += outcome.markdown
        following = outcome.next_offset
    return text


async def test_a_page_names_where_its_full_text_is(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": article()})
    web = await open_here()

    outcome = await web.fetch(site.url)

    assert outcome.page is not None
    assert outcome.path is not None
    assert outcome.path.startswith("web://")
    assert outcome.storage_error is None
    whole = await web.read(outcome.path)
    assert outcome.page.document.markdown.startswith(whole.text)


async def test_reading_on_asks_the_site_nothing(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing()})
    web = await open_here()
    first = await web.fetch(site.url)
    assert first.next_offset is not None

    rest = await read_to_end(web, site.url, offset=first.next_offset)

    assert rest.rstrip().endswith("VERSION-1")
    assert 1 == len(site.requests)


async def test_beyond_eight_snapshots_reading_on_comes_from_the_store(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing(), "*": "<p>Another page.</p>"})
    web = await open_here()
    first = await web.fetch(site.url)
    for number in range(9):
        await web.fetch(site.at(f"/{number}"))

    rest = await web.fetch(site.url, offset=first.next_offset or 0, limit=32_000)

    assert rest.page is not None
    assert ("store", first.path) == (rest.page.via, rest.path)
    assert 1 == len([request for request in site.requests if request.path == "/"])
    assert first.page is not None
    assert first.page.document.markdown == first.markdown + await read_to_end(web, site.url, offset=len(first.markdown))


async def test_another_process_reads_on_in_what_was_stored(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing()})
    first = await (await open_here()).fetch(site.url)

    again = await open_here()
    rest = await again.fetch(site.url, offset=first.next_offset or 0)

    assert rest.page is not None
    assert "store" == rest.page.via
    assert 1 == len(site.requests)


async def test_what_is_neither_held_nor_stored_is_expired(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing(), "*": "<p>Another page.</p>"})
    web = await open_here()
    first = await web.fetch(site.url)
    assert first.path is not None
    for number in range(9):
        await web.fetch(site.at(f"/{number}"))
    await web.pages.remove(first.path)

    with pytest.raises(SnapshotExpired):
        await web.fetch(site.url, offset=first.next_offset or 0)
    assert (await web.fetch(site.url)).markdown


async def test_reading_on_never_mixes_two_versions(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing(), "*": "<p>Another page.</p>"})
    web, other = await open_here(), await open_here()
    first = await web.fetch(site.url)
    await other.fetch(site.url)
    for number in range(9):
        await web.fetch(site.at(f"/{number}"))

    rest = await read_to_end(web, site.url, offset=first.next_offset or 0)

    assert "VERSION-1" in rest
    assert "VERSION-2" not in rest


async def test_one_batch_shows_one_version_of_a_page(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": changing()})
    web = await open_here()
    await web.fetch(site.url)

    result = await web.fetch_many(
        [FetchItem(url=site.url), FetchItem(url=site.url, offset=8_000), FetchItem(url=site.url + "#x", offset=16_000)]
    )

    assert ["success"] * 3 == [item.status for item in result.items]
    assert 1 == len({item.path for item in result.items})
    assert 2 == len(site.requests)


async def test_a_store_that_cannot_be_written_loses_no_page(world: World, open_here: OpenWeb, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    site = await world.site({"/": article()})
    web = await open_here(data_dir=str(tmp_path / "file"))

    first = await web.fetch(site.url)
    rest = await web.fetch(site.url, offset=first.next_offset or 0)
    by_id = await web.read(str(first.page_id))
    told = await web.call("web_fetch", {"url": site.url})

    assert first.storage_error is not None
    assert "storage_error" == first.storage_error.code
    assert first.path is None
    assert rest.markdown
    assert by_id.text
    assert "storage_error" == told.data["items"][0]["storage_error"]["code"]


async def test_a_text_over_eight_mebibytes_stays_readable_in_memory(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": page("word " * 1_800_000, content_type="text/plain")})
    web = await open_here()

    first = await web.fetch(site.url)
    later = await web.fetch(site.url, offset=8_900_000)

    assert first.storage_error is not None
    assert later.markdown
    assert 1 == len(site.requests)


# Whose page it is.


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_another_scope_reads_no_page_of_this_one(world: World, open_here: OpenWeb, stranger: Scope) -> None:
    site = await world.site({"/": article()})
    web = await open_here()
    first = await web.fetch(site.url, call=ALICE)
    assert first.path is not None

    with pytest.raises(PageNotFound):
        await web.read(first.path, call=Call(scope=stranger))
    await web.fetch(site.url, offset=8_000, call=Call(scope=stranger))
    assert 2 == len(site.requests)


async def test_a_deleted_message_takes_its_pages_along(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": article()})
    web = await open_here()
    first = await web.fetch(site.url, call=ALICE)
    assert first.path is not None

    await web.pages.forget_message("m1", scope=ALICE.scope)

    with pytest.raises(PageNotFound):
        await web.read(first.path, call=ALICE)
    with pytest.raises(PageNotFound):
        await web.read("w1", call=ALICE)
    with pytest.raises(SnapshotExpired):
        await web.fetch(site.url, offset=8_000, call=ALICE)


async def test_a_page_that_came_back_from_the_store_goes_with_its_message_too(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": article()})
    await (await open_here()).fetch(site.url, call=ALICE)
    web = await open_here()
    await web.fetch(site.url, offset=8_000, call=Call(scope=ALICE.scope, message="m2"))

    await web.pages.forget_message("m1", scope=ALICE.scope)

    with pytest.raises(PageNotFound):
        await web.read("w1", call=ALICE)


async def test_a_message_deleted_during_the_fetch_keeps_nothing(world: World, open_here: OpenWeb) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def slow(_: Request, connection: Any) -> None:
        asked.set()
        await answer.wait()
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello")

    site = await world.site({"/": slow})
    web = await open_here()
    fetching = asyncio.create_task(web.fetch(site.url, call=ALICE))
    await asyncio.wait_for(asked.wait(), 5)
    await web.pages.forget_message("m1", scope=ALICE.scope)
    answer.set()

    outcome = await fetching

    assert "hello" == outcome.markdown
    assert outcome.path is None
    with pytest.raises(PageNotFound):
        await web.read("w1", call=ALICE)


async def test_a_deleted_session_is_gone_from_memory_and_store(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": article()})
    web = await open_here()
    first = await web.fetch(site.url, call=ALICE)
    assert first.path is not None

    assert 1 == await web.pages.forget_session(scope=ALICE.scope)

    with pytest.raises(PageNotFound):
        await web.read(first.path, call=ALICE)
    with pytest.raises(WebError):
        await web.read("w1", call=ALICE)
    assert [] == await web.pages.listed(scope=ALICE.scope)


async def test_a_child_reads_its_parents_pages_and_not_the_other_way_round(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": article(), "/child": article(marker="CHILD")})
    web = await open_here()
    first = await web.fetch(site.url)
    assert first.path is not None
    child = web.child()

    assert (await child.read(first.path)).text
    own = await child.fetch(site.at("/child"))
    assert own.path is not None
    with pytest.raises(PageNotFound):
        await web.read(own.path)


# What of it.

GUIDE = """
<html><head><title>Guide</title></head><body><main>
<h1 id="guide">Guide</h1><p>Welcome to the guide of the harbour, which was built in 1874.</p>
<h2 id="install">Install</h2><p>Run the installer.</p><pre><code>run me</code></pre>
<h3>On a ship</h3><p>Ask the captain.</p>
<h2 id="use">Use</h2><p>Use it with care. The harbour closes at night.</p>
</main></body></html>
"""


async def guide(world: World, open_here: OpenWeb) -> tuple[Web, str, Site]:
    site = await world.site({"/": GUIDE})
    web = await open_here()
    outcome = await web.fetch(site.url)
    assert outcome.path is not None
    return web, outcome.path, site


async def test_the_outline_gives_the_lines_of_the_headings(world: World, open_here: OpenWeb) -> None:
    web, path, _ = await guide(world, open_here)

    result = await web.read(path, outline=True)

    assert result.outline is not None
    assert ["Guide", "Install", "On a ship", "Use"] == [entry.heading.text for entry in result.outline]
    for entry in result.outline:
        line = (await web.read(path, offset=entry.line, limit=1)).text
        assert f"{'#' * entry.heading.level} {entry.heading.text}" == line.strip()


async def test_a_section_is_read_alone_and_to_its_end(world: World, open_here: OpenWeb) -> None:
    web, path, _ = await guide(world, open_here)

    result = await web.read(path, section="install")

    assert result.text.startswith("## Install")
    assert "Ask the captain." in result.text
    assert "Use it with care." not in result.text
    assert result.window is not None
    assert result.window.next_offset is None
    piece = await web.read(path, section="#install", limit=1)
    assert piece.window is not None
    again = await web.read(path, section="install", offset=piece.window.next_offset)
    assert result.text == piece.text + again.text
    with pytest.raises(InvalidArgument):
        await web.read(path, section="install", offset=1)
    with pytest.raises(InvalidArgument):
        await web.read(path, section="nowhere")


async def test_find_gives_lines_and_offsets(world: World, open_here: OpenWeb) -> None:
    web, path, _ = await guide(world, open_here)
    whole = (await web.read(path)).text

    result = await web.read(path, find="/[Hh]arbour/")

    assert result.found is not None
    places = [place for passage in result.found.passages for place in passage.matches]
    lines = [line for group in result.found_lines for line in group]
    assert ["harbour", "harbour"] == [whole[start:end] for start, end in places]
    assert [whole.count("\n", 0, start) + 1 for start, _ in places] == lines


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("the harbour, which was built in 1874", "exact"),
        ("the harbour, which was built in 1875", "close"),
        ("ferries leave every hour for the islands", "absent"),
    ],
)
async def test_a_citation_is_verified(world: World, open_here: OpenWeb, quote: str, verdict: str) -> None:
    web, path, _ = await guide(world, open_here)

    result = await web.read(path, quote=quote)
    told = await web.call("read_page", {"path": path, "quote": quote})

    assert result.verdict is not None
    assert (verdict, verdict) == (result.verdict.verdict, told.data["quote"]["verdict"])
    if verdict != "absent":
        assert result.verdict_lines is not None


async def test_lines_are_read_on_to_the_whole_text(world: World, open_here: OpenWeb) -> None:
    text = "short\n" + "x" * 100_000 + "\n" + "line\n" * 5_000
    site = await world.site({"/": page(text, content_type="text/plain")})
    web = await open_here()
    path = (await web.fetch(site.url)).path
    assert path is not None
    read, offset, line_offset = "", 1, 0
    while True:
        data = (await web.call("read_page", {"path": path, "offset": offset, "line_offset": line_offset})).data
        read += data["content"]
        assert len(data["content"].encode()) <= 51_200
        assert data["content"].count("\n") <= 2_000
        if not data["truncated"]:
            break
        offset, line_offset = data["next_offset"], data["next_line_offset"]
    assert text == read


@pytest.mark.parametrize(
    "arguments",
    [
        {"offset": 0},
        {"offset": 10_000},
        {"limit": 0},
        {"limit": 2_001},
        {"line_offset": 9_999},
        {"find": ""},
        {"find": "/(/"},
        {"quote": " "},
        {"find": "a", "quote": "b"},
        {"outline": True, "section": "use"},
        {"unknown": 1},
    ],
)
async def test_a_wrong_argument_is_named(world: World, open_here: OpenWeb, arguments: dict[str, Any]) -> None:
    web, path, _ = await guide(world, open_here)
    result = await web.call("read_page", {"path": path} | arguments)
    assert result.error is not None
    assert "invalid_argument" == result.error.code


@pytest.mark.parametrize(
    "path", ["web://example.com/none", "nonsense", "/etc/passwd", "https://example.com/", "web://"]
)
async def test_what_is_no_stored_page_is_not_found(world: World, open_here: OpenWeb, path: str) -> None:
    web, _, _ = await guide(world, open_here)
    result = await web.call("read_page", {"path": path})
    assert result.error is not None
    assert "page_not_found" == result.error.code


async def test_every_answer_keeps_to_the_output_budget(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": page("word " * 180_000, content_type="text/plain")})
    web = await open_here()
    first = await web.fetch(site.url)
    assert first.path is not None

    found = await web.fetch(site.url, find="/(word ){9000}/")
    looked = await web.read(first.path, find="word")
    lines = await web.read(first.path)

    assert len(found.markdown) <= 32_000
    assert max(len(looked.text), len(lines.text)) <= 33_000
    assert len(lines.text) <= 32_000


# Profiles.


async def test_the_pipeline_profile_is_plain_text_and_cuts(world: World, open_here: OpenWeb) -> None:
    body = "<h1>Title</h1><p>Some <b>bold</b> text.</p>" + "<p>More and more of it.</p>" * 10_000
    site = await world.site({"/": page(body), "/small": page("<p>Some <b>bold</b> text.</p>")})
    web = await open_here()

    cut = await web.fetch(site.url, profile="pipeline")
    small = await web.fetch(site.at("/small"), profile="pipeline")

    assert cut.page is not None
    assert (102_400, True) == (cut.page.body_bytes, cut.page.truncated)
    assert small.page is not None
    assert ("Some bold text.", False) == (small.markdown.strip(), small.page.truncated)
    with pytest.raises(InvalidArgument):
        await web.fetch(site.url, profile="parrot")
