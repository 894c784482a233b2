"""
The MCP server beside the reference fetch server: start-up, latency and memory as ratios, and 30 pages side by side.

    python benchmarks/mcp_peer.py [--peer /path/to/bin/mcp-server-fetch | --install] [--rounds 5] [--no-node] [--pages]

Both are driven by the same few lines of JSON-RPC, on the same pages of a server on loopback, in turns. Where the peer
finds Node it converts pages with it, which is what its authors recommend; so both ways are measured.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from mcp_pages import PAGES, serving
from mcp_peers import fetch_server, node_folder, with_node

OURS = (sys.executable, "-m", "outrider", "mcp", "--dialect", "mcp-fetch", "--allow-private-ips")
WARM_CALLS = 5
ALIKE = 0.985
"""Share of words in the same order from which on two texts count as the same."""


@dataclass
class Server:
    """One server process under test, spoken to over its standard streams."""

    command: Sequence[str]
    environment: dict[str, str]
    stderr: Any = subprocess.DEVNULL
    _count: int = 0
    _process: Any = None
    peak_kb: int = 0
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            list(self.command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, env=self.environment
        )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def start(self) -> None:
        """The handshake."""
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "benchmark", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def fetch(self, url: str, **arguments: Any) -> dict[str, Any]:
        """One call of the tool `fetch`."""
        return self.ask("tools/call", {"name": "fetch", "arguments": {"url": url, **arguments}})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """One request, and its result."""
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise SystemExit(f"{self.command[0]} ended instead of answering {method}")
            message = json.loads(line)
            if message.get("id") == self._count and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{self.command[0]}: {message['error']}")
                return dict(message["result"])

    def _send(self, message: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            self.peak_kb = max(self.peak_kb, sum(map(_pss_kb, _family(self._process.pid))))


def _family(pid: int) -> Iterator[int]:
    """A process and everything it started, as far as it still runs."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        # A child that has not begun its own program yet shares its parent's memory, and would count it twice.
        waiting += [child for child in _children(one) if _words(child) != _words(one)]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _pss_kb(pid: int) -> int:
    try:
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) if found else 0


@dataclass(frozen=True)
class Figures:
    """One round of one server."""

    cold_s: float
    warm_s: float
    peak_mb: float


def measure(command: Sequence[str], environment: dict[str, str], root: str) -> Figures:
    """Start, answer one call, answer some more."""
    started = time.monotonic()
    with Server(command, environment) as server:
        server.start()
        _expect_text(server.fetch(root + "/article"))
        cold = time.monotonic() - started
        times = []
        for _ in range(WARM_CALLS):
            before = time.monotonic()
            _expect_text(server.fetch(root + "/article"))
            times.append(time.monotonic() - before)
    return Figures(cold, statistics.median(times), server.peak_kb / 1024)


def _expect_text(result: dict[str, Any]) -> None:
    if result.get("isError"):
        raise SystemExit(f"the call failed: {result}")


def _environment(*, node: bool) -> dict[str, str]:
    environment = with_node(node_folder(install=False)) if node else dict(os.environ)
    if not node:
        # Only what this interpreter needs; a folder with node in it is left out.
        folders = environment.get("PATH", "").split(os.pathsep)
        environment["PATH"] = os.pathsep.join(one for one in folders if not (Path(one) / "node").exists())
    # Compiled once by the first run of each, as for whoever installed them, wherever they were installed.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    folder = tempfile.mkdtemp(prefix="outrider-benchmark-")
    return {**environment, "OUTRIDER_DATA_DIR": folder, "PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}


def timings(peer: str, rounds: int, *, node: bool) -> dict[str, float]:
    """Medians of interleaved rounds, ours over theirs."""
    environment = _environment(node=node)
    theirs_command = (peer, "--allow-private-ips")
    with serving() as root:
        # The first run of theirs installs its Node packages and compiles; ours compiles too.
        for command in (theirs_command, OURS):
            measure(command, environment, root)
        pairs = [(measure(theirs_command, environment, root), measure(OURS, environment, root)) for _ in range(rounds)]
    ratios: dict[str, float] = {}
    for name, unit in (("cold_s", "s"), ("warm_s", "s"), ("peak_mb", "MB")):
        theirs = statistics.median(getattr(pair[0], name) for pair in pairs)
        ours = statistics.median(getattr(pair[1], name) for pair in pairs)
        ratios[name] = ours / theirs
        print(f"{name:8} theirs {theirs:8.3f} {unit}   ours {ours:8.3f} {unit}   ratio {ours / theirs:.2f}")
    return ratios


@contextmanager
def both(peer: str) -> Iterator[tuple[Server, Server]]:
    environment = _environment(node=True)
    with Server((peer, "--allow-private-ips"), environment) as theirs, Server(OURS, environment) as ours:
        theirs.start()
        ours.start()
        yield theirs, ours


def side_by_side(peer: str, *, show: bool) -> int:
    """Every page through both; a difference that is not explained beside the page is a failure."""
    unexplained = []
    with serving() as root, both(peer) as (theirs, ours):
        for page in PAGES:
            their, our = (server.fetch(root + page.path, **page.arguments) for server in (theirs, ours))
            their_text, our_text = _text(their, root), _text(our, root)
            same_flag = bool(their.get("isError")) == bool(our.get("isError"))
            before, after = (_split(_content(text)) for text in (their_text, our_text))
            alike = difflib.SequenceMatcher(None, before, after, autojunk=False).ratio() if same_flag else 0.0
            if alike < ALIKE and not page.differs:
                unexplained.append(page.path)
            print(f"{page.path:14} {alike:5.2f}  {page.about}{': ' + page.differs if alike < ALIKE else ''}")
            if show:
                print("  theirs | " + their_text.replace("\n", "\n         | "))
                print("  ours   | " + our_text.replace("\n", "\n         | "))
    for path in unexplained:
        print(f"not explained: {path}")
    return 1 if unexplained else 0


def _text(result: dict[str, Any], root: str) -> str:
    return "\n".join(part["text"] for part in result["content"]).replace(root, "http://site")


def _content(text: str) -> str:
    """What is behind the line that names the page, without the servers' own words at the end."""
    return re.sub(r"<error>[^<]*</error>$", "", text.partition("Contents of ")[2] or text)


def _split(text: str) -> list[str]:
    return re.findall(r"\w+", text)


LIMITS = {
    True: {"cold_s": 0.7, "warm_s": 0.5, "peak_mb": 0.7},
    False: {"cold_s": 1.0, "warm_s": 0.5, "peak_mb": 0.7},
}
"""What is promised with Node installed, and without."""


def holds(peer: str, rounds: int, *, node: bool) -> bool:
    """Whether the promises hold; measured once more when they do not, since a machine may be busy for a while."""
    for again in ("measured again", ""):
        ratios = timings(peer, rounds, node=node)
        missed = [name for name, limit in LIMITS[node].items() if ratios[name] > limit]
        if not missed:
            return True
        print(f"over the limit: {', '.join(missed)}{'; ' + again if again else ''}")
    return False


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", default="", help="mcp-server-fetch, when it is not in the cache folder")
    parser.add_argument("--install", action="store_true", help="install it, and Node, into the cache folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-node", action="store_true", help="hide Node from the peer")
    parser.add_argument("--pages", action="store_true", help="the 30 pages instead of the timings")
    parser.add_argument("--show", action="store_true", help="with --pages: the texts")
    options = parser.parse_args()
    peer = options.peer or fetch_server(install=options.install)
    if not peer:
        print("!!! NOT MEASURED: mcp-server-fetch is missing. Run again with --install, or name it with --peer.")
        return 1 if os.environ.get("CI") else 0
    if not options.no_node:
        node_folder(install=options.install)
        if shutil.which("node", path=_environment(node=True)["PATH"]) is None:
            print("!!! NOT MEASURED: Node is missing. Run again with --install, or with --no-node.")
            return 1 if os.environ.get("CI") else 0
    if options.pages:
        return side_by_side(peer, show=options.show)
    return 0 if holds(peer, options.rounds, node=not options.no_node) else 1


if __name__ == "__main__":
    sys.exit(main())
