"""
What a search costs beside the exchange it consists of.

    python benchmarks/search_costs.py [parse] [cascade] [concurrent]

`parse`: reading a full answer of each provider, as a multiple of decoding its JSON alone (where it is JSON).
`cascade`: five providers in a row, two failing and two empty, beside asking the last one alone.
`concurrent`: 200 searches at once against a local server, beside 200 exchanges of the bare client.

Times are CPU seconds of this process, which the local server shares equally with both sides of a comparison; the
figures to read are the ratios and differences, medians of interleaved rounds.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from outrider.call import Call
from outrider.egress.client import Client
from outrider.egress.message import Headers, Limits
from outrider.search.choice import Catalogue
from outrider.search.provider import HttpProvider
from outrider.search.searcher import Searcher
from outrider.search.settings import ProviderSettings
from outrider.search.shelf import Shelf
from outrider.search.wire import ApiReply
from outrider.types import Query
from search.typical import TYPICAL, Typical
from search_vendor import Asked, Reply, vendor

ROUNDS = 5
RESULTS = 20
SETTINGS = ProviderSettings(api_key="k", engine_id="c", base_url="https://search.example.net")


# Parsing.


def full(typical: Typical) -> bytes:
    """The typical reply with every list of results grown to about twenty different ones."""
    if isinstance(typical.body, str):
        return typical.raw
    return json.dumps(grow(typical.body)).encode()


def grow(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: grow(one) for key, one in value.items()}
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return value
    return [renumber(value[at % len(value)], at) for at in range(RESULTS)]


def renumber(row: Any, at: int) -> Any:
    grown = grow(row)
    return {
        key: f"{one}?row={at}" if isinstance(one, str) and one.startswith("https://") and "?" not in one else one
        for key, one in grown.items()
    }


def each(work: Callable[[], object], *, times: int) -> float:
    """Seconds of one call, the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - started) / times)
    return best


def parse() -> None:
    catalogue = Catalogue()
    print(f"{'reading an answer':22} {'bytes':>7} {'hits':>5} {'ms':>7} {'x json':>7}")
    for name, typical in TYPICAL.items():
        raw = full(typical)
        provider = catalogue.make(name, SETTINGS)
        assert isinstance(provider, HttpProvider)

        def read(provider: HttpProvider = provider, raw: bytes = raw) -> int:
            return len(provider.read(ApiReply(status=200, headers=Headers(), body=raw, query=Query(text="q"))).hits)

        cost = each(read, times=20)
        is_json = not isinstance(typical.body, str)
        floor = each(lambda raw=raw: json.loads(raw), times=200) if is_json else 0.0  # type: ignore[misc]  # a default
        ratio = f"{cost / floor:7.1f}" if floor else f"{'–':>7}"
        print(f"{name:22} {len(raw):7} {read():5} {cost * 1_000:7.2f} {ratio}")


# Over sockets.


async def cpu(work: Callable[[], Awaitable[object]]) -> float:
    started = time.process_time()
    await work()
    return time.process_time() - started


def script(asked: Asked) -> Reply:
    """Two that fail, two that find nothing, and one that finds."""
    host = asked.host
    if host in {"api.search.brave.com", "api.tavily.com"}:
        return Reply(status=500, body=b"{}")
    if host == "en.wikipedia.org":
        return Reply(body=TYPICAL["wikipedia"].raw_empty)
    if host == "api.duckduckgo.com":
        return Reply(body=TYPICAL["duckduckgo_instant"].raw_empty)
    return Reply(body=FOUND)


FOUND = full(TYPICAL["searxng"])
ORDER = ("brave", "tavily", "wikipedia", "duckduckgo_instant", "searxng")
HOSTS = ("api.search.brave.com", "api.tavily.com", "en.wikipedia.org", "api.duckduckgo.com", "search.example.net")


def searcher(client: Client, order: tuple[str, ...]) -> Searcher:
    # Fresh ones, so that no rest period and no kept answer shortens the way.
    return Searcher(client, settings=dict.fromkeys(ORDER, SETTINGS), order=order, shelf=Shelf(seconds=0))


async def cascade() -> None:
    times = 20
    async with vendor(script, hosts=HOSTS) as (_, client):

        async def ask(order: tuple[str, ...]) -> None:
            for _ in range(times):
                found = await searcher(client, order).search(Query(text="tides"), Call())
                assert found.hits
                assert len(order) == len(found.attempts)

        await ask(ORDER)
        alone, five = [], []
        for _ in range(ROUNDS):
            alone.append(await cpu(lambda: ask(ORDER[-1:])) / times * 1_000)
            five.append(await cpu(lambda: ask(ORDER)) / times * 1_000)
    one, all_five = statistics.median(alone), statistics.median(five)
    print(f"the last alone         {one:7.2f} ms CPU a search")
    print(f"five, two failing      {all_five:7.2f} ms CPU a search, {all_five / one:.2f} x for 5 x the exchanges")


async def concurrent() -> None:
    count = 200
    async with vendor(script, hosts=HOSTS, at_once=32) as (_, client):
        provider = Catalogue().make("searxng", SETTINGS)
        assert isinstance(provider, HttpProvider)
        door = searcher(client, ("searxng",))
        today = Call().now().date()

        async def bare() -> None:
            async def one(at: int) -> None:
                request = provider.request(Query(text=f"tides {at}"), today).as_request()
                await client.send(request, limits=Limits(max_redirects=0, retries=0))

            await asyncio.gather(*(one(at) for at in range(count)))

        async def searches() -> None:
            await asyncio.gather(*(door.search(Query(text=f"tides {at}"), Call()) for at in range(count)))

        await bare()
        without, with_search = [], []
        for _ in range(ROUNDS):
            without.append(await cpu(bare) / count * 1_000)
            with_search.append(await cpu(searches) / count * 1_000)
    floor, whole = statistics.median(without), statistics.median(with_search)
    print(f"bare client            {floor:7.2f} ms CPU an exchange, {count} at once")
    print(f"search                 {whole:7.2f} ms CPU, {whole - floor:.2f} ms more ({whole / floor:.2f} x)")


def main() -> int:
    chosen = sys.argv[1:] or ["parse", "cascade", "concurrent"]
    if "parse" in chosen:
        parse()
    if "cascade" in chosen:
        asyncio.run(cascade())
    if "concurrent" in chosen:
        asyncio.run(concurrent())
    return 0


if __name__ == "__main__":
    sys.exit(main())
