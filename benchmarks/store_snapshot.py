"""
What reading on costs beside fetching and converting the page again.

    python benchmarks/store_snapshot.py

Promised: a window from the session's snapshot costs at most a hundredth of a fetch. The window from the store, for a
session that no longer holds the page, is shown beside it.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

from outrider import Call, Scope, Web

ROUNDS = 9
MOST_RATIO = 0.01
PARAGRAPHS = 6_000


def html() -> bytes:
    body = "".join(
        f"<h2 id=s{number}>Section {number}</h2><p>Paragraph <b>{number}</b> says <a href=/p{number}>something</a>, "
        f"and <code>code_{number}</code> too.</p><ul><li>one</li><li>two</li></ul>"
        for number in range(PARAGRAPHS)
    )
    return f"<html><head><title>Long</title></head><body><main><h1>Long</h1>{body}</main></body></html>".encode()


async def serve(body: bytes) -> asyncio.Server:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (await reader.readline()).strip():
            while (await reader.readline()).strip():
                pass
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", 0)


async def median_ms(work: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        await work()
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times)


async def measure(folder: str) -> bool:
    body = html()
    server = await serve(body)
    port = server.sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    async with Web(allow_hosts=[f"127.0.0.1:{port}"], data_dir=folder, http_cache=False) as web:
        first = await web.fetch(url)
        offset, path = first.next_offset or 0, first.path or ""
        await web.fetch(url, offset=offset)
        fetching = await median_ms(lambda: web.fetch(url))
        held = await median_ms(lambda: web.fetch(url, offset=offset))
        lines = await median_ms(lambda: web.read(path, offset=500))
        scopes = [Scope(session=f"s{number}") for number in range(ROUNDS)]
        for scope in scopes:
            await web.fetch(url, call=Call(scope=scope))
            web.end_session(scope)
        waiting = iter(scopes)
        stored = await median_ms(lambda: web.fetch(url, offset=offset, call=Call(scope=next(waiting))))
    server.close()
    print(f"page of {len(body) / 1_000:.0f} kB")
    for name, cost in {"fetch and convert": fetching, "snapshot": held, "read_page": lines, "store": stored}.items():
        print(f"{name:18} {cost:8.2f} ms   ratio {cost / fetching:.4f}")
    return held / fetching <= MOST_RATIO


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
