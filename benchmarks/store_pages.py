"""
What 100,000 stored pages cost beside 1,000: opening, listing, reading a window, searching; and the index's size.

    python benchmarks/store_pages.py [--pages 100000] [--folder FOLDER]

Promised: every ratio below 5, the index database below twice the text that it indexes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from outrider.store.backend import Store, open_store, url_of
from outrider.store.kept import Quota
from outrider.store.pages import PageStore
from outrider.types import Document, Page, PagePath, Scope

HERE = Scope()
ROUNDS = 15
MOST_RATIO, MOST_SIZE = 5.0, 2.0
SYLLABLES = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]


def vocabulary(size: int) -> list[str]:
    chance = random.Random(1)
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(size)]


class Pages:
    """Pages with words as frequent as words are: the n-th is 1/n as frequent as the first."""

    def __init__(self) -> None:
        self._words = vocabulary(30_000)
        self._weights = [1 / (rank + 1) for rank in range(len(self._words))]

    def page(self, number: int) -> Page:
        """The page of a number, always the same."""
        chance = random.Random(number)
        picked = chance.choices(self._words, self._weights, k=400)
        text = "\n\n".join(" ".join(picked[at : at + 40]) for at in range(0, 400, 40))
        text += f"\n\nrare{number // 10} unique{number}\n"
        url = f"https://example.com/{number}"
        document = Document(markdown=text, title=f"Page {number} {picked[0]}")
        return Page(url=url, final_url=url, status=200, content_type="text/html", document=document, body_bytes=1)

    @property
    def questions(self) -> dict[str, str]:
        """What is searched for, by what kind of question it is."""
        return {
            "one page": "unique17",
            "a rare word": "rare42",
            "a common word": self._words[0],
            "two common words": f"{self._words[3]} {self._words[5]}",
            "a middling word": self._words[900],
            "common and rare": f"{self._words[1]} {self._words[4_000]}",
            "some of the words": f"{self._words[2]} {self._words[3_000]} unheardof",
        }


def opener(folder: Path) -> Callable[[], Awaitable[Store]]:
    return lambda: open_store(records=url_of("sqlite", folder / "index.db"), blobs=url_of("file", folder / "pages"))


async def fill(folder: Path, count: int, pages: Pages) -> tuple[list[PagePath], int]:
    store = PageStore(opener(folder), quota=Quota(max_pages=count + 1))
    paths: list[PagePath] = []
    size = 0
    for start in range(0, count, 64):
        batch = [pages.page(number) for number in range(start, min(start + 64, count))]
        paths += await asyncio.gather(*(store.save(HERE, page) for page in batch))
        size += sum(len(page.document.markdown.encode()) for page in batch)
    await store.search(HERE, "settle")
    await store.aclose()
    return paths, size


async def median_ms(work: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await work()
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times)


async def open_and_list(folder: Path) -> None:
    store = PageStore(opener(folder))
    await store.list_pages(HERE, limit=1)
    await store.aclose()


async def costs(folder: Path, paths: list[PagePath], pages: Pages) -> dict[str, float]:
    measured = {"opening": await median_ms(lambda: open_and_list(folder))}
    store = PageStore(opener(folder))
    chance = random.Random(2)

    async def read() -> None:
        for _ in range(10):
            kept = await store.load(HERE, chance.choice(paths))
            assert kept.content[:2_000]

    await read()
    measured["listing 50"] = await median_ms(lambda: store.list_pages(HERE, limit=50))
    measured["reading 10 windows"] = await median_ms(read)
    for name, question in pages.questions.items():
        measured[f"searching {name}"] = await median_ms(lambda question=question: store.search(HERE, question))  # type: ignore[misc]
    await store.aclose()
    return measured


async def measure(folder: Path, count: int) -> bool:
    pages = Pages()
    few, many = folder / "few", folder / "many"
    small_paths, _ = await fill(few, 1_000, pages)
    started = time.perf_counter()
    paths, size = await fill(many, count, pages)
    print(f"{count} pages stored and indexed, {count / (time.perf_counter() - started):.0f}/s")
    small, large = await costs(few, small_paths, pages), await costs(many, paths, pages)
    good = True
    for name, cost in large.items():
        ratio = cost / small[name]
        good &= ratio < MOST_RATIO
        print(f"{name:32} {small[name]:8.2f} ms at 1,000   {cost:8.2f} ms at {count:,}   ratio {ratio:5.2f}")
    index = sum(path.stat().st_size for path in many.glob("index.db*"))
    print(f"index {index / 2**20:.0f} MiB, text {size / 2**20:.0f} MiB, ratio {index / size:.2f}")
    return good and index < MOST_SIZE * size


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=100_000)
    options.add_argument("--folder", type=Path)
    chosen = options.parse_args()
    if chosen.folder is not None:
        return 0 if asyncio.run(measure(chosen.folder, chosen.pages)) else 1
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder), chosen.pages)) else 1


if __name__ == "__main__":
    sys.exit(main())
