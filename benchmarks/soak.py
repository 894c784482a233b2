"""
Many good and hostile fetches in one process, after which nothing has grown.

Prints threads, file descriptors, tasks and memory before, halfway and at the end. `--check` fails when threads,
descriptors or tasks grew, or memory grew by more than 8 MiB over the second half.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import gzip
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from outrider import Web, WebError

MOST_GROWTH_BYTES = 8 << 20
_OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n"
_PAGE = b"<title>Page</title><h1>Page</h1>" + b"<p>Some words of a page that is read again and again.</p>" * 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the process holds at one moment."""

    threads: int
    descriptors: int
    tasks: int
    memory_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.threads} threads, {self.descriptors} descriptors, {self.tasks} tasks, "
            f"{self.memory_bytes / 2**20:.1f} MiB"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a soak held before, halfway and at the end, and how its fetches ended."""

    before: Held
    halfway: Held
    after: Held
    outcomes: Counter[str]


def _with_length(head: bytes, body: bytes) -> bytes:
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


_GZIP = _OK + b"content-encoding: gzip\r\n"
_ANSWERS: dict[str, bytes] = {
    "page": _with_length(_OK, _PAGE),
    "zipped": _with_length(_GZIP, gzip.compress(_PAGE)),
    "large": _with_length(_OK, _PAGE * 40),
    "json": _with_length(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", b'{"a": [1, 2, 3]}'),
    "redirect": b"HTTP/1.1 302 Found\r\nlocation: /page\r\ncontent-length: 0\r\n\r\n",
    "loop": b"HTTP/1.1 302 Found\r\nlocation: /loop\r\ncontent-length: 0\r\n\r\n",
    "inward": b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
    "missing": _with_length(b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\n", b"<p>Not here"),
    "failing": _with_length(b"HTTP/1.1 500 Oh\r\ncontent-type: text/html\r\n", b"<p>Broken"),
    "empty": _with_length(_OK, b""),
    "short": _OK + b"content-length: 99999\r\n\r\nhalf of it",
    "garbage": b"\x00\x01\x02 this is not HTTP\r\n\r\n",
    "bomb": _with_length(_GZIP, gzip.compress(b"\0" * (12 << 20))),
    "broken-gzip": _with_length(_GZIP, b"\x1f\x8bnonsense"),
    "headers": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 80_000 + b"\r\n",
    "image": _with_length(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n", b"\x89PNG\r\n\x1a\n" + b"\0" * 999),
    "deep": _with_length(_OK, b"<div>" * 20_000 + b"<p>bottom"),
    "nothing": b"",
}


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            name = head.split(b" ", 2)[1].decode("latin-1").partition("?")[0].strip("/")
            if name == "silent":
                await reader.read()
                break
            writer.write(_ANSWERS[name])
            await writer.drain()
            if name in {"short", "garbage", "nothing"}:
                break
    writer.close()


@asynccontextmanager
async def _site() -> AsyncIterator[str]:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _give_back() -> None:
    """What was freed goes back to the system, so that only what is still held counts."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _held() -> Held:
    descriptors = Path("/proc/self/fd")
    statm = Path("/proc/self/statm")
    return Held(
        threads=threading.active_count(),
        descriptors=len(list(descriptors.iterdir())) if descriptors.exists() else 0,
        tasks=len(asyncio.all_tasks()),
        memory_bytes=int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0,
    )


async def _settled() -> Held:
    """What is held once the closed connections' last callbacks have run."""
    held = _held()
    for _ in range(200):
        await asyncio.sleep(0.01)
        now = _held()
        if (now.descriptors, now.tasks) == (held.descriptors, held.tasks) and now.tasks == 1:
            _give_back()
            return _held()
        held = now
    return held


async def soak(fetches: int, *, open_web: Callable[[], Web] | None = None) -> Result:
    """Read so many pages, eight at a time, and look at what is held."""
    folder = tempfile.TemporaryDirectory()
    make = open_web or (
        lambda: Web(allow_hosts=["127.0.0.1"], retries=0, first_byte_s=0.5, stall_s=0.5, data_dir=folder.name)
    )
    names = [*_ANSWERS, "silent"]
    outcomes: Counter[str] = Counter()

    async def fetch(web: Web, url: str) -> None:
        try:
            await web.fetch(url)
        except WebError as error:
            outcomes[error.code] += 1
        else:
            outcomes["success"] += 1

    async def run(site: str, numbers: range) -> None:
        async with make() as web:
            wanted = iter(numbers)

            async def worker() -> None:
                for number in wanted:
                    await fetch(web, f"{site}/{names[number % len(names)]}?{number}")

            await asyncio.gather(*(worker() for _ in range(8)))

    async with _site() as site:
        # Libraries load, pools and caches fill.
        await run(site, range(2 * len(names)))
        before = await _settled()
        outcomes.clear()
        await run(site, range(fetches // 2))
        halfway = await _settled()
        await run(site, range(fetches // 2, fetches))
        after = await _settled()
    folder.cleanup()
    return Result(before=before, halfway=halfway, after=after, outcomes=outcomes)


def grew(result: Result) -> list[str]:
    """What is larger than it was."""
    found = [
        name
        for name in ("threads", "descriptors", "tasks")
        if getattr(result.after, name) > getattr(result.before, name)
    ]
    if result.after.memory_bytes - result.halfway.memory_bytes > MOST_GROWTH_BYTES:
        found.append("memory")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fetches", type=int, default=500)
    parser.add_argument("--check", action="store_true", help="fail when something grew")
    options = parser.parse_args()
    result = asyncio.run(soak(options.fetches))
    for name in ("before", "halfway", "after"):
        print(f"{name:8} {getattr(result, name)}")
    print(", ".join(f"{code} {count}" for code, count in result.outcomes.most_common()))
    found = grew(result)
    print(f"grew: {', '.join(found) or 'nothing'}")
    return 1 if options.check and (found or result.outcomes["internal"]) else 0


if __name__ == "__main__":
    sys.exit(main())
