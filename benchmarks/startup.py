"""
What starting costs: imports, help, and one page as a whole process, beside the HTTP library and a fetch server.

Every figure is the median of interleaved rounds, and ratios are printed: absolutes belong to the machine.

    python benchmarks/startup.py [--rounds 9] [--peer-python PYTHON | --install-peer]

The peer is mcp-server-fetch. It lives in an environment of its own: one that is given, or one that `--install-peer`
makes in the user's cache folder and later runs find again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import platformdirs

PEER = "mcp-server-fetch"
CACHE = Path(platformdirs.user_cache_dir("outrider")) / "benchmarks"
PAGE = (
    "<!doctype html><title>A page</title><main><h1>A page</h1>"
    + "".join(f"<p>Paragraph {number} with <a href=/{number}>a link</a> and some words.</p>" for number in range(120))
    + "</main>"
).encode()

IMPORT_LIMIT = 1.5
"""`from outrider import Web` costs at most so many times `import httpx2` alone."""
HELP_LIMIT = 0.5
"""`outrider --help` costs at most this part of the peer's help."""

FIRST_FETCH = """
import asyncio, json, sys, time
start = time.perf_counter()
from outrider import Web
imported = time.perf_counter()
async def main():
    async with Web(allow_hosts=[sys.argv[2]]) as web:
        opened = time.perf_counter()
        await web.fetch(sys.argv[1])
        first = time.perf_counter()
        await web.fetch(sys.argv[1])
        second = time.perf_counter()
    print(json.dumps([imported - start, opened - imported, first - opened, second - first]))
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one process, from its start to its end."""

    wall_s: float
    cpu_s: float
    output: str = ""


Program = Callable[[], Cost]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peer-python", type=Path, help=f"a Python that has {PEER}")
    parser.add_argument("--install-peer", action="store_true", help=f"install {PEER} into the cache folder")
    wanted = parser.parse_args()
    peer = wanted.peer_python or find_peer(install=wanted.install_peer)
    with serving(PAGE) as authority:
        costs = measure(programs(peer, authority), wanted.rounds)
    return report(costs, has_peer=peer is not None)


# The programs.


def programs(peer: Path | None, authority: str) -> dict[str, Program]:
    here = Path(sys.executable)
    url = f"http://{authority}/"
    # Quietly allowed: whoever runs this measures loopback.
    allowing = {"OUTRIDER_ALLOW_HOSTS": authority}
    found: dict[str, Program] = {
        "nothing": lambda: run([here, "-c", "pass"]),
        "import httpx2": lambda: run([here, "-c", "import httpx2"]),
        "import outrider": lambda: run([here, "-c", "import outrider"]),
        "from outrider import Web": lambda: run([here, "-c", "from outrider import Web"]),
        "outrider --help": lambda: run([here, "-m", "outrider", "--help"]),
        "outrider fetch": lambda: run([here, "-m", "outrider", "fetch", url], allowing),
        "first fetch": lambda: run([here, "-c", FIRST_FETCH, url, authority]),
    }
    if peer is not None:
        flags = peer_flags(peer)
        found[f"{PEER} --help"] = lambda: run([peer, "-m", "mcp_server_fetch", "--help"])
        found[f"{PEER} fetch"] = lambda: converse([peer, "-m", "mcp_server_fetch", *flags], url)
    return found


def run(command: Sequence[str | Path], extra: Mapping[str, str] | None = None) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment() | dict(extra or {})
    )
    out, err = process.communicate(timeout=120)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command[:4]))} failed:\n{err.decode()}")
    return Cost(wall_s=time.perf_counter() - start, cpu_s=spent(), output=out.decode())


def converse(command: Sequence[str | Path], url: str) -> Cost:
    """One fetch over standard input and output, as a client of the protocol asks for it."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
    _send(process.stdin, id=1, method="initialize", params=client)
    _answer_to(1, process.stdout)
    _send(process.stdin, method="notifications/initialized")
    _send(process.stdin, id=2, method="tools/call", params={"name": "fetch", "arguments": {"url": url}})
    answer = _answer_to(2, process.stdout)
    wall_s = time.perf_counter() - start
    process.stdin.close()
    process.wait(timeout=60)
    process.stdout.close()
    if "Paragraph 7" not in answer:
        sys.exit(f"{PEER} did not fetch the page: {answer[:500]}")
    return Cost(wall_s=wall_s, cpu_s=spent())


def _send(stream: object, **message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), file=stream, flush=True)  # type: ignore[call-overload]  # a text stream


def _answer_to(number: int, lines: Iterator[str]) -> str:
    for line in lines:
        if json.loads(line).get("id") == number:
            return line
    sys.exit(f"{PEER} ended without an answer")


def environment() -> dict[str, str]:
    """As a user has it: with compiled files, kept apart from the checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(CACHE / "compiled")}


_SPENT = [0.0]
"""The system keeps one sum for all children."""


def spent() -> float:
    """CPU seconds of the children that ended since the last time."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = usage.ru_utime + usage.ru_stime
    since, _SPENT[0] = total - _SPENT[0], total
    return since


# The peer.


def find_peer(*, install: bool) -> Path | None:
    folder = CACHE / PEER
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists() and install:
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python if python.exists() else None


def peer_flags(peer: Path) -> list[str]:
    """What lets it read loopback, as far as this version knows such flags."""
    told = run([peer, "-m", "mcp_server_fetch", "--help"]).output
    return [flag for flag in ("--ignore-robots-txt", "--allow-private-ips") if flag in told]


# Measuring.


def measure(found: Mapping[str, Program], rounds: int) -> dict[str, list[Cost]]:
    """Interleaved, after one round that only warms the caches."""
    for program in found.values():
        program()
    spent()
    costs: dict[str, list[Cost]] = {name: [] for name in found}
    for number in range(rounds):
        print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr, flush=True)
        for name, program in found.items():
            costs[name].append(program())
    print(file=sys.stderr)
    return costs


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """One page on loopback, in a thread of its own; gives host and port."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(_reply_with(body), "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _reply_with(body: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    )

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head % len(body) + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        writer.close()

    return reply


# The report.


def report(costs: Mapping[str, Sequence[Cost]], *, has_peer: bool) -> int:
    wall = {name: median(cost.wall_s for cost in each) for name, each in costs.items()}
    cpu = {name: median(cost.cpu_s for cost in each) for name, each in costs.items()}
    print(f"{'program':32}{'wall ms':>9}{'CPU ms':>9}")
    for name, wall_s in wall.items():
        print(f"{name:32}{wall_s * 1000:9.0f}{cpu[name] * 1000:9.0f}")
    _report_first_fetch(costs["first fetch"])
    floor = cpu["nothing"]
    import_ratio = (cpu["from outrider import Web"] - floor) / (cpu["import httpx2"] - floor)
    passed = _judge(
        "from outrider import Web / import httpx2, CPU beyond the bare interpreter", import_ratio, IMPORT_LIMIT
    )
    if not has_peer:
        print(f"\n!!! NOT MEASURED: {PEER} is missing. Run again with --install-peer, or name one with --peer-python.")
        return 0 if passed else 1
    help_ratio = cpu["outrider --help"] / cpu[f"{PEER} --help"]
    passed &= _judge(f"outrider --help / {PEER} --help, CPU", help_ratio, HELP_LIMIT)
    fetch_ratio = wall["outrider fetch"] / wall[f"{PEER} fetch"]
    print(f"{fetch_ratio:6.2f}        one page as a whole process / {PEER} answering one fetch, wall")
    return 0 if passed else 1


def _report_first_fetch(costs: Sequence[Cost]) -> None:
    steps = [median(step) * 1000 for step in zip(*(json.loads(cost.output) for cost in costs), strict=True)]
    imported, opened, first, second = steps
    print(
        f"\nIn one process: import {imported:.0f} ms, opening a Web {opened:.0f} ms, first fetch {first:.0f} ms "
        f"(loads the HTML library), second fetch {second:.1f} ms\n"
    )


def _judge(what: str, ratio: float, limit: float) -> bool:
    print(f"{ratio:6.2f} {'ok' if ratio <= limit else 'TOO MUCH':8}{what} (at most {limit})")
    return ratio <= limit


if __name__ == "__main__":
    sys.exit(main())
