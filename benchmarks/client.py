"""
The guarded `Client.get` beside the bare HTTP libraries: CPU per request, as a ratio in one run.

A server in a process of its own answers 1 KB over kept connections. Rounds of the candidates take turns, so that a busy
machine slows all alike, and the median of their ratios is printed. `--check` fails above 1.15 times the CPU of httpx2.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import httpcore2
import httpx2

from outrider.egress.client import Client
from outrider.egress.guard import Guard
from outrider.egress.message import Limits
from outrider.egress.pace import Pace
from outrider.egress.policy import AllowList, Policy
from outrider.egress.resolve import SystemResolver
from outrider.egress.transport import Transport
from outrider.egress.trust import client_context
from outrider.url import Url

Ask = Callable[[], Awaitable[int]]
"""Makes one request and returns the length of its body."""

CONCURRENCIES = (1, 16, 128)
MOST = 1.15
_BODY = b"x" * 1024
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1024\r\n\r\n" + _BODY


class _Server(asyncio.Protocol):
    """The least that answers a GET, so that the client is what is measured."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._held = b""

    def data_received(self, data: bytes) -> None:
        *requests, self._held = (self._held + data).split(b"\r\n\r\n")
        self._transport.write(_ANSWER * len(requests))


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Server, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _cpu_us(ask: Ask, *, requests: int, concurrency: int) -> float:
    """CPU time of this process for each request, in microseconds."""
    left = iter(range(requests))

    async def worker() -> None:
        for _ in left:
            if await ask() != len(_BODY):
                raise AssertionError

    started = time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return (time.process_time() - started) * 1e6 / requests


async def _measure(port: int, *, requests: int, rounds: int) -> dict[int, dict[str, list[float]]]:
    url = f"http://127.0.0.1:{port}/"
    parsed = Url.parse(url)
    guard = Guard(Policy(allow=AllowList.parse(["127.0.0.1"])), SystemResolver())
    guarded = Client(
        guard,
        Transport({"http": guard, "https": guard}, client_context),
        user_agent="bench",
        pace=Pace(per_host=256, overall=256),
    )
    limits = Limits()
    bounds = httpx2.Limits(max_connections=256, max_keepalive_connections=256)
    async with (
        httpx2.AsyncClient(trust_env=False, limits=bounds) as httpx_client,
        httpcore2.AsyncConnectionPool(max_connections=256, max_keepalive_connections=256) as core,
    ):

        async def ask_guarded() -> int:
            return len((await guarded.get(parsed, limits=limits)).body)

        async def ask_httpx() -> int:
            return len((await httpx_client.get(url)).content)

        async def ask_core() -> int:
            return len((await core.request("GET", url)).content)

        candidates: dict[str, Ask] = {"httpcore2": ask_core, "httpx2": ask_httpx, "outrider": ask_guarded}
        figures: dict[int, dict[str, list[float]]] = {}
        for concurrency in CONCURRENCIES:
            row = figures[concurrency] = {name: [] for name in candidates}
            for ask in candidates.values():
                await _cpu_us(ask, requests=concurrency * 2, concurrency=concurrency)
            for _ in range(rounds):
                for name, ask in candidates.items():
                    row[name].append(await _cpu_us(ask, requests=requests, concurrency=concurrency))
    await guarded.aclose()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000, help="in each round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--check", action="store_true", help=f"fail above {MOST} times the CPU of httpx2")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(_serve())
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            figures = asyncio.run(_measure(port, requests=options.requests, rounds=options.rounds))
        finally:
            server.kill()
    print("CPU per request, relative to httpx2 in the same round (median)")
    worst = 0.0
    for concurrency, row in figures.items():
        ratios = {
            name: statistics.median(mine / base for mine, base in zip(values, row["httpx2"], strict=True))
            for name, values in row.items()
        }
        worst = max(worst, ratios["outrider"])
        shown = "  ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"{concurrency:4} at a time: {shown}  (httpx2 {statistics.median(row['httpx2']):.0f} us)")
    return 1 if options.check and worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
