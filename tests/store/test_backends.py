"""Every backend keeps the promises of its protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from outrider.errors import InvalidArgument, StorageError
from outrider.store.backend import BACKENDS, Blobs, Records, Transaction, open_backend, path_of, url_of
from outrider.store.backends.memory import MemoryShared

KEY = "ab" * 32


@pytest.fixture(params=["file", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    url = url_of("file", tmp_path / "blobs") if request.param == "file" else "memory://blobs"
    opened: Blobs = open_backend(url)
    return opened


def test_every_backend_names_its_schemes() -> None:
    schemes = [scheme for name in BACKENDS.names() for scheme in BACKENDS.load(name).schemes]
    assert len(schemes) == len(set(schemes))
    assert {"sqlite", "file", "memory"} <= set(schemes)


def test_an_unknown_scheme_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument):
        open_backend("ftp://example.com/")


@pytest.mark.parametrize("name", ["plain", "with space", "ünï/cödé", "per%cent", "que?ry#frag"])
def test_a_path_survives_its_url(tmp_path: Path, name: str) -> None:
    assert tmp_path / name == path_of(url_of("file", tmp_path / name))


@pytest.mark.parametrize("body", [b"", b"x", b"text " * 100_000, bytes(range(256))])
def test_a_body_comes_back_as_it_went(blobs: Blobs, body: bytes) -> None:
    blobs.put(KEY, body)
    blobs.put(KEY, body)
    assert blobs.has(KEY)
    assert body == blobs.get(KEY)


def test_a_body_that_is_not_there_is_none(blobs: Blobs) -> None:
    assert None is blobs.get(KEY)
    assert not blobs.has(KEY)
    blobs.remove(KEY)
    blobs.put(KEY, b"x")
    blobs.remove(KEY)
    assert None is blobs.get(KEY)


def test_the_marks_of_a_living_process_are_its_own(blobs: Blobs) -> None:
    mark = blobs.mark(KEY)
    assert [] == list(blobs.marks())
    blobs.unmark(mark)
    blobs.unmark(mark)


async def records(tmp_path: Path, kind: str) -> Records:
    url = url_of("sqlite", tmp_path / "index.db") if kind == "file" else "sqlite://memory"
    opened: Records = await asyncio.to_thread(open_backend, url)
    return opened


@pytest.mark.parametrize("kind", ["file", "memory"])
async def test_a_failing_unit_of_work_changes_nothing_and_harms_no_other(tmp_path: Path, kind: str) -> None:
    opened = await records(tmp_path, kind)
    add = "INSERT INTO settings (name, value) VALUES (?, ?)"

    def fails(work: Transaction) -> None:
        work.run(add, ("half", "x"))
        raise LookupError

    outcomes = await asyncio.gather(
        *(opened.write(lambda work, n=n: work.run(add, (f"n{n}", "x"))) for n in range(5)),  # type: ignore[misc]
        opened.write(fails),
        *(opened.write(lambda work, n=n: work.run(add, (f"m{n}", "x"))) for n in range(5)),  # type: ignore[misc]
        opened.write(lambda work: work.run("SELECT nonsense")),
        return_exceptions=True,
    )
    assert isinstance(outcomes[5], LookupError)
    assert isinstance(outcomes[-1], StorageError)
    names = {name for (name,) in await opened.read("SELECT name FROM settings WHERE value = 'x'")}
    assert {f"{letter}{n}" for letter in "nm" for n in range(5)} == names
    await opened.aclose()


async def test_a_caller_that_leaves_stops_no_other(tmp_path: Path) -> None:
    opened = await records(tmp_path, "file")
    add = "INSERT INTO settings (name, value) VALUES (?, 'x')"
    tasks = [asyncio.create_task(opened.write(lambda work, n=n: work.run(add, (f"n{n}",)))) for n in range(200)]  # type: ignore[misc]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    names = {name for (name,) in await opened.read("SELECT name FROM settings WHERE value = 'x'")}
    assert {f"n{n}" for n in range(1, 200, 2)} <= names
    await opened.aclose()


async def test_closed_records_say_so(tmp_path: Path) -> None:
    opened = await records(tmp_path, "file")
    await opened.read("SELECT 1")
    await opened.aclose()
    with pytest.raises(StorageError):
        await opened.write(lambda work: work.run("SELECT 1"))
    with pytest.raises(StorageError):
        await opened.read("SELECT 1")


async def test_what_was_put_off_is_done_before_closing(tmp_path: Path) -> None:
    opened = await records(tmp_path, "file")
    opened.later(lambda work: work.run("INSERT INTO settings (name, value) VALUES ('late', 'x')"))
    await opened.aclose()
    opened = await records(tmp_path, "file")
    assert [("x",)] == await opened.read("SELECT value FROM settings WHERE name = 'late'")
    await opened.aclose()


async def test_a_file_that_is_no_database_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"not a database at all " * 100)
    with pytest.raises(StorageError):
        await records(tmp_path, "file")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_shared_value_lives_as_long_as_it_was_given() -> None:
    clock = Clock()
    shared = MemoryShared(clock=clock)
    await shared.put("a", b"1", seconds=10)
    clock.now = 9
    assert b"1" == await shared.get("a")
    clock.now = 10
    assert None is await shared.get("a")


async def test_shared_values_are_bounded_by_their_size() -> None:
    shared = MemoryShared(max_bytes=100)
    for name in "abc":
        await shared.put(name, b"x" * 40, seconds=10)
    assert [None, b"x" * 40, b"x" * 40] == [await shared.get(name) for name in "abc"]
    await shared.put("d", b"x" * 101, seconds=10)
    assert None is await shared.get("d")
    await shared.remove("c")
    assert None is await shared.get("c")
