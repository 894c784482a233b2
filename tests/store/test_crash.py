"""A process killed at any moment: what it was told is kept is kept, nothing is half there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outrider.errors import PageNotFound
from outrider.store.backend import open_store, url_of
from outrider.store.pages import PageStore
from outrider.types import Scope

HERE = Scope()
# Stores and deletes for ever; tells about each page once it is kept, and once it is gone.
CHILD = """
import asyncio, sys
from pathlib import Path
from outrider.store.backend import open_store, url_of
from outrider.store.pages import PageStore
from outrider.types import Document, Page, Scope

async def work(store, lane, start):
    for number in range(start, start + 10_000):
        text = f"lane{lane} number{number} quartz " * 400
        url = f"https://example.com/{lane}/{number}"
        page = Page(url=url, final_url=url, status=200, content_type="", document=Document(markdown=text), body_bytes=1)
        path = await store.save(Scope(), page, message=f"m{lane}-{number}")
        print("kept", path, lane, number, flush=True)
        if number % 3 == 0:
            print("going", path, flush=True)
            await store.forget_message(Scope(), f"m{lane}-{number}")
            print("gone", path, flush=True)

async def main(folder, start):
    urls = {"records": url_of("sqlite", folder / "index.db"), "blobs": url_of("file", folder / "pages")}
    store = PageStore(lambda: open_store(**urls))
    await asyncio.gather(*(work(store, lane, start) for lane in range(4)))

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


def killed_at_random(folder: Path, start: int, chance: random.Random) -> list[list[str]]:
    """What the child told before it was killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(start)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert child.stdout is not None
    told = [child.stdout.readline() for _ in range(chance.randint(1, 60))]
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    # A last line without its end was not told.
    lines = b"".join([*told, rest]).decode().rpartition("\n")[0].splitlines()
    return [line.split() for line in lines]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is how other systems end a process at once")
async def test_after_a_kill_every_acknowledged_page_is_there_and_every_deleted_one_gone(tmp_path: Path) -> None:
    rounds = int(os.environ.get("KILL_ROUNDS", "8"))
    chance = random.Random(7)
    kept: dict[str, str] = {}
    gone: set[str] = set()
    for number in range(rounds):
        told = killed_at_random(tmp_path, number * 10_000, chance)
        kept |= {words[1]: f"lane{words[2]} number{words[3]} quartz " * 400 for words in told if words[0] == "kept"}
        undecided = {words[1] for words in told if words[0] == "going"}
        gone |= {words[1] for words in told if words[0] == "gone"}
        for path in undecided:
            kept.pop(path, None)
        await check(tmp_path, kept, gone)


async def check(folder: Path, kept: dict[str, str], gone: set[str]) -> None:
    store = PageStore(
        lambda: open_store(records=url_of("sqlite", folder / "index.db"), blobs=url_of("file", folder / "pages"))
    )
    for path, text in kept.items():
        assert text == (await store.load(HERE, path)).content
    for path in gone:
        with pytest.raises(PageNotFound):
            await store.load(HERE, path)
    assert gone.isdisjoint(match.stored.path for match in await store.search(HERE, "quartz", limit=100))
    await store.settle()
    listed = await store.list_pages(HERE, limit=100_000)
    held = {page.path: page for page in listed}
    assert kept.keys() <= held.keys()
    await store.aclose()
    # Each text here belongs to one page, so bodies and pages are as many, and no mark or part is left.
    assert (len(held), 0) == files(folder)


def files(folder: Path) -> tuple[int, int]:
    """How many bodies, and how many marks and parts."""
    return len(list(folder.glob("pages/??/*.zst"))), len(list((folder / "pages" / "marks").iterdir()))
