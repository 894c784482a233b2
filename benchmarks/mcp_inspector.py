"""
The reference inspector's command line drives every tool, over standard streams and over HTTP.

    python benchmarks/mcp_inspector.py [--inspector COMMAND | --install]

The inspector is the package @modelcontextprotocol/inspector from npm. Without it there is nothing to run: that is said,
and it is a failure in continuous integration (`CI` set) only.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mcp_pages import serving
from mcp_peers import INSPECTOR, node_folder, npm_program, with_node

OURS = (sys.executable, "-m", "outrider", "mcp", "--set", "permissions.mode=yolo")


def calls(root: str) -> dict[str, tuple[dict[str, str], str]]:
    """For each tool the arguments, and the code that the call must end with; empty where it must succeed."""
    return {
        "web_search": ({"query": "tides"}, ""),
        "web_fetch": ({"url": root + "/article", "limit": "300"}, ""),
        # Each run of the inspector is a session of its own, and nobody reads another's pages.
        "read_page": ({"path": "web://127.0.0.1/0123456789abcdef"}, "page_not_found"),
        "download": ({"url": root + "/text", "path": "text.txt", "overwrite": "true"}, ""),
    }


def inspect(inspector: Sequence[str], target: Sequence[str], *words: str) -> dict[str, Any]:
    """One run of the inspector."""
    command = [*inspector, "--cli", *target, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}: {done.stderr or done.stdout}")
    return dict(json.loads(done.stdout))


def drive(inspector: Sequence[str], target: Sequence[str], root: str) -> list[str]:
    """Every tool of a server; gives what went wrong."""
    wrong = []
    known = calls(root)
    for tool in inspect(inspector, target, "--method", "tools/list")["tools"]:
        name = tool["name"]
        arguments, code = known[name]
        words = [word for argument, value in arguments.items() for word in ("--tool-arg", f"{argument}={value}")]
        result = inspect(inspector, target, "--method", "tools/call", "--tool-name", name, *words)
        ended = result.get("structuredContent", {}).get("error", {}).get("code", "")
        print(f"  {name:12} {'error' if result.get('isError') else 'ok':6} {ended}")
        if ended != code or bool(result.get("isError")) != bool(code):
            wrong.append(f"{name} ended with {ended or 'success'}")
    for method in ("resources/list", "resources/templates/list"):
        inspect(inspector, target, "--method", method)
    return wrong


@contextmanager
def listening(*words: str) -> Iterator[str]:
    """Our server over HTTP; gives its URL."""
    process = subprocess.Popen([*OURS, "--http", "--port", "0", *words], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        yield process.stderr.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(10)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inspector", default="", help="its command, when it is not in the cache folder")
    parser.add_argument("--install", action="store_true", help="install it, and Node, into the cache folder")
    options = parser.parse_args()
    inspector = shlex.split(options.inspector) or npm_program(INSPECTOR, install=options.install)
    if not inspector:
        print("!!! NOT RUN: the inspector is missing. Run again with --install, or name it with --inspector.")
        return 1 if os.environ.get("CI") else 0
    os.environ.update(with_node(node_folder(install=False)))
    with tempfile.TemporaryDirectory() as folder, serving() as root:
        os.chdir(folder)
        os.environ.update(
            OUTRIDER_ALLOW_HOSTS="127.0.0.1",
            OUTRIDER_DATA_DIR=folder,
            SEARXNG_URL=root,
            OUTRIDER_SEARCH_PROVIDER="searxng",
        )
        print("over standard streams")
        wrong = drive(inspector, OURS, root)
        print("over HTTP")
        with listening() as url:
            wrong += drive(inspector, (url, "--transport", "http"), root)
    for fault in wrong:
        print(f"wrong: {fault}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
