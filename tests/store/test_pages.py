"""The page store: what is kept, who may read it, what goes and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from outrider.errors import PageNotFound, StorageError
from outrider.store.backend import Store, open_store, url_of
from outrider.store.kept import Quota
from outrider.store.pages import PageStore
from outrider.types import Document, Heading, Page, Scope
from outrider.url import Url

ALICE = Scope("acme", "alice", "s1")
STRANGERS = (Scope("other", "alice", "s1"), Scope("acme", "bob", "s1"), Scope("acme", "alice", "s2"))


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def page(text: str = "# Hello\n\nWorld.\n", *, url: str = "https://example.com/a", title: str = "Hello") -> Page:
    outline = (Heading(level=1, text="Hello", offset=0, anchor="hello"),)
    document = Document(markdown=text, title=title, outline=outline, anchors={"hello": 0}, kind="html")
    return Page(
        url=url, final_url=url, status=200, content_type="text/html", document=document, body_bytes=len(text),
        fetched_at="2026-11-30T00:00:00+00:00",
    )  # fmt: skip


Opening = Callable[..., PageStore]


@pytest.fixture(params=["disk", "memory"])
async def opening(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opening]:
    opened: list[PageStore] = []

    async def open_one() -> Store:
        if request.param == "memory":
            return await open_store(records="sqlite://memory", blobs="memory://blobs")
        return await open_store(
            records=url_of("sqlite", tmp_path / "index.db"), blobs=url_of("file", tmp_path / "pages")
        )

    def make(**options: object) -> PageStore:
        opened.append(PageStore(open_one, **{"clock": Clock(), **options}))  # type: ignore[arg-type]  # a test's own
        return opened[-1]

    yield make
    for store in opened:
        await store.aclose()


def bodies(folder: Path) -> list[Path]:
    return sorted(folder.glob("pages/??/*.zst"))


async def test_a_stored_page_is_read_as_it_was(opening: Opening) -> None:
    store = opening()
    stored = page("# Hello\n\nWörld 世界 🎉\n")

    path = await store.save(ALICE, stored, message="m1")
    kept = await store.load(ALICE, path)

    assert path.startswith("web://example.com/")
    assert stored.document.markdown == kept.content
    assert stored.document.outline == kept.page.document.outline
    assert stored.document.anchors == kept.page.document.anchors
    assert ("store", 200, stored.final_url) == (kept.page.via, kept.page.status, kept.page.final_url)
    assert "m1" == kept.stored.message


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_another_tenant_owner_or_session_finds_no_page(opening: Opening, stranger: Scope) -> None:
    store = opening()
    path = await store.save(ALICE, page("Quartz is a mineral."))

    with pytest.raises(PageNotFound):
        await store.load(stranger, path)
    with pytest.raises(PageNotFound):
        await store.remove(stranger, path)
    assert [] == await store.list_pages(stranger)
    assert [] == await store.search(stranger, "quartz")
    assert None is await store.newest(stranger, Url.parse("https://example.com/a"))
    assert 1 == len(await store.search(ALICE, "quartz"))


@pytest.mark.parametrize(
    "path", ["", "web://", "web://example.com/none", "https://example.com/a", "w1", "file:///etc/passwd"]
)
async def test_what_is_no_page_is_not_found(opening: Opening, path: str) -> None:
    store = opening()
    await store.save(ALICE, page())
    with pytest.raises(PageNotFound):
        await store.load(ALICE, path)


async def test_deleting_a_message_makes_its_pages_unreadable(opening: Opening) -> None:
    store = opening()
    gone = await store.save(ALICE, page("Quartz."), message="m1")
    stays = await store.save(ALICE, page("Quartz."), message="m2")

    assert 1 == await store.forget_message(ALICE, "m1")

    with pytest.raises(PageNotFound):
        await store.load(ALICE, gone)
    assert "Quartz." == (await store.load(ALICE, stays)).content
    with pytest.raises(StorageError):
        await store.save(ALICE, page("Quartz again."), message="m1")


async def test_deleting_a_session_takes_what_is_on_its_way_too(opening: Opening) -> None:
    clock = Clock()
    store = opening(clock=clock)
    path = await store.save(ALICE, page())
    began = clock()

    await store.forget_session(ALICE)

    with pytest.raises(PageNotFound):
        await store.load(ALICE, path)
    with pytest.raises(StorageError) as failure:
        await store.save(ALICE, page(), since=began)
    assert "deleted" == failure.value.reason
    assert "# Hello" in (await store.load(ALICE, await store.save(ALICE, page()))).content


async def test_a_text_held_twice_is_kept_once_and_goes_with_its_last_holder(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path), clock=Clock())
    first = await store.save(ALICE, page("Same text."))
    second = await store.save(STRANGERS[0], page("Same text."))
    await store.save(ALICE, page("Another."))
    assert 2 == len(bodies(tmp_path))

    await store.remove(ALICE, first)
    assert "Same text." == (await store.load(STRANGERS[0], second)).content
    await store.remove(STRANGERS[0], second)
    await store.aclose()

    assert 1 == len(bodies(tmp_path))
    assert [] == list((tmp_path / "pages" / "marks").iterdir())


async def test_a_removed_text_is_no_longer_found(opening: Opening) -> None:
    store = opening()
    path = await store.save(ALICE, page("Quartz."))
    await store.save(ALICE, page("Feldspar."))
    assert 1 == len(await store.search(ALICE, "quartz"))

    await store.remove(ALICE, path)

    assert [] == await store.search(ALICE, "quartz")
    assert 1 == len(await store.search(ALICE, "feldspar"))
    again = await store.save(ALICE, page("Quartz."))
    assert [again] == [match.stored.path for match in await store.search(ALICE, "quartz")]


async def test_the_newest_version_of_a_page_is_found_by_its_url(opening: Opening) -> None:
    store = opening()
    url = Url.parse("https://example.com/a#part")
    await store.save(ALICE, page("Old."))
    newer = await store.save(ALICE, page("New."))
    whole = await store.save(ALICE, page("New, whole."), whole=True)

    found = await store.newest(ALICE, url)
    found_whole = await store.newest(ALICE, url, whole=True)

    assert found is not None
    assert found_whole is not None
    assert [newer, whole] == [found.stored.path, found_whole.stored.path]


async def test_one_fetch_stored_twice_is_one_page(opening: Opening) -> None:
    store = opening()
    first = await store.save(ALICE, page(), message="m1")
    assert first == await store.save(ALICE, page(), message="m1")
    assert first != await store.save(ALICE, page(), message="m2")


async def test_a_text_over_eight_mebibytes_is_not_stored(opening: Opening) -> None:
    store = opening()
    assert await store.save(ALICE, page("x" * 8 * 1024 * 1024))
    with pytest.raises(StorageError):
        await store.save(ALICE, page("x" * (8 * 1024 * 1024 + 1)))


async def test_beyond_the_quota_a_tenants_oldest_pages_go(opening: Opening) -> None:
    store = opening(quota=Quota(max_pages=2))
    paths = [await store.save(ALICE, page(f"Page {number}.")) for number in range(4)]
    other = await store.save(STRANGERS[0], page("Another tenant's."))

    assert paths[:1:-1] == [stored.path for stored in await store.list_pages(ALICE)]
    assert (await store.usage("acme")).pages == 2
    assert other == (await store.load(STRANGERS[0], other)).stored.path


async def test_beyond_the_byte_quota_the_newest_page_stays(opening: Opening) -> None:
    store = opening(quota=Quota(max_bytes=10_000))
    await store.save(ALICE, page("x" * 6_000))
    await store.save(ALICE, page("y" * 6_000))
    newest = await store.save(ALICE, page("z" * 20_000))

    assert [newest] == [stored.path for stored in await store.list_pages(ALICE)]


async def test_a_page_older_than_allowed_is_not_read_and_goes(opening: Opening) -> None:
    clock = Clock()
    store = opening(quota=Quota(max_age_s=100), clock=clock)
    path = await store.save(ALICE, page("Quartz."))
    clock.now += 200

    with pytest.raises(PageNotFound):
        await store.load(ALICE, path)
    assert [] == await store.list_pages(ALICE)
    assert [] == await store.search(ALICE, "quartz")
    await store.save(ALICE, page("Feldspar."))
    assert 1 == (await store.usage("acme")).pages


async def test_lists_go_on_where_they_ended(opening: Opening) -> None:
    store = opening()
    paths = [await store.save(ALICE, page(f"{number}", url=f"https://example.com/{number}")) for number in range(5)]

    first = await store.list_pages(ALICE, limit=3)
    rest = await store.list_pages(ALICE, limit=3, before=first[-1].cursor)

    assert paths[::-1] == [stored.path for stored in [*first, *rest]]


async def on_disk(folder: Path) -> Store:
    return await open_store(records=url_of("sqlite", folder / "index.db"), blobs=url_of("file", folder / "pages"))


async def test_pages_outlive_the_process_that_stored_them(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path))
    path = await store.save(ALICE, page("Quartz."))
    await store.aclose()

    store = PageStore(lambda: on_disk(tmp_path))
    assert "Quartz." == (await store.load(ALICE, path)).content
    assert [path] == [match.stored.path for match in await store.search(ALICE, "quartz")]
    await store.aclose()


async def test_two_stores_share_one_folder(tmp_path: Path) -> None:
    one, two = PageStore(lambda: on_disk(tmp_path)), PageStore(lambda: on_disk(tmp_path))
    path = await one.save(ALICE, page("Quartz."))
    other = await two.save(ALICE, page("Quartz."), message="m")

    await two.remove(ALICE, path)

    assert [other] == [stored.path for stored in await one.list_pages(ALICE)]
    assert [other] == [match.stored.path for match in await one.search(ALICE, "quartz")]
    await one.aclose()
    await two.aclose()


async def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store = PageStore(lambda: on_disk(tmp_path / "file"))
    with pytest.raises(StorageError):
        await store.save(ALICE, page())
    with pytest.raises(StorageError):
        await store.load(ALICE, "web://example.com/1")
    await store.aclose()


async def test_what_a_dead_process_left_is_cleared_at_the_next_start(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path))
    path = await store.save(ALICE, page())
    await store.aclose()
    marks, orphan = tmp_path / "pages" / "marks", tmp_path / "pages" / "ab" / ("ab" + "0" * 62 + ".zst")
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"written, but its row never came")
    dead = 2**22 + 1  # Above the highest process number of Linux.
    (marks / f"{orphan.stem}.{dead}-1").touch()
    (marks / f"{orphan.stem}.0123456789abcdef.part").write_bytes(b"half")

    store = PageStore(lambda: on_disk(tmp_path))
    assert path == (await store.load(ALICE, path)).stored.path
    await store.aclose()

    assert not orphan.exists()
    assert [] == list(marks.iterdir())
    assert 1 == len(bodies(tmp_path))


async def test_a_damaged_body_costs_its_own_page_only(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path))
    damaged = await store.save(ALICE, page("Quartz."))
    (body,) = bodies(tmp_path)
    whole = await store.save(ALICE, page("Quartz too."))
    await store.aclose()
    body.write_bytes(body.read_bytes()[:-3])

    store = PageStore(lambda: on_disk(tmp_path))
    with pytest.raises(StorageError):
        await store.load(ALICE, damaged)
    assert whole == (await store.load(ALICE, whole)).stored.path
    await store.aclose()


async def test_the_data_is_for_its_owner_only(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path / "data"))
    await store.save(ALICE, page())
    assert 0o700 == (tmp_path / "data").stat().st_mode & 0o777
    await store.aclose()


async def test_an_index_made_by_other_rules_is_made_anew(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path))
    await store.save(ALICE, page("Quartz."))
    await store.search(ALICE, "quartz")
    await store.aclose()
    opened = await on_disk(tmp_path)
    await opened.records.write(lambda records: records.run("UPDATE settings SET value = '0'"))
    await opened.records.write(lambda records: records.forget_index())
    await opened.aclose()

    store = PageStore(lambda: on_disk(tmp_path))
    await store.list_pages(ALICE)
    await store.aclose()
    store = PageStore(lambda: on_disk(tmp_path))
    assert 1 == len(await store.search(ALICE, "quartz"))
    await store.aclose()


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "index.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    store = PageStore(lambda: on_disk(tmp_path))
    with pytest.raises(StorageError):
        await store.save(ALICE, page())


async def test_a_text_form_is_its_own_page(opening: Opening) -> None:
    store = opening()
    both = page("# Hello")
    both = replace(both, document=replace(both.document, text="Hello"))
    path = await store.save(ALICE, both, form="text")
    assert "Hello" == (await store.load(ALICE, path)).content
    assert None is await store.newest(ALICE, Url.parse(both.url))


async def test_half_characters_cost_no_page(opening: Opening) -> None:
    store = opening()
    path = await store.save(ALICE, page("Quartz \ud800.", title="Half \udfff"), message="m")
    assert "Quartz ?." == (await store.load(ALICE, path)).content
    with pytest.raises(PageNotFound):
        await store.load(ALICE, "web://\ud800")
    with pytest.raises(StorageError):
        await store.save(ALICE, page(), message="\ud800")


async def test_a_caller_that_leaves_during_the_opening_leaves_it_to_the_others(tmp_path: Path) -> None:
    opened = 0

    async def slow() -> Store:
        nonlocal opened
        opened += 1
        await asyncio.sleep(0)
        return await on_disk(tmp_path)

    store = PageStore(slow)
    hasty = asyncio.create_task(store.save(ALICE, page("One.")))
    patient = asyncio.create_task(store.save(ALICE, page("Two.")))
    await asyncio.sleep(0)
    hasty.cancel()
    path = await patient

    assert "Two." == (await store.load(ALICE, path)).content
    assert 1 == opened
    await store.aclose()
    with pytest.raises(StorageError):
        await store.load(ALICE, path)


async def test_closing_while_it_opens_closes_it(tmp_path: Path) -> None:
    store = PageStore(lambda: on_disk(tmp_path))
    saving = asyncio.create_task(store.save(ALICE, page()))
    await asyncio.sleep(0)
    await store.aclose()
    with pytest.raises(StorageError):
        await saving
