from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import Any

import pytest

from world.site import Site

pytestmark = pytest.mark.slow
PATIENCE_S = 30.0
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


class Started:
    """A server process, spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_S)
            answer = json.loads(line)
            if answer.get("id") == message["id"]:
                return dict(answer)

    async def end(self) -> tuple[int, bytes]:
        assert self.process.stdin is not None
        self.process.stdin.close()
        _, errors = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        assert self.process.returncode is not None
        return self.process.returncode, errors


async def _start(*words: str) -> Started:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "outrider", "mcp", *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    return Started(process)


async def test_the_server_ends_when_its_client_closes_the_stream(site: Site) -> None:
    server = await _start()
    await server.ask(INITIALIZE)

    assert (0, b"") == await server.end()


async def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_nothing_running(site: Site) -> None:
    held = asyncio.Event()

    async def stuck(request: Any, connection: Any) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>begun")
        held.set()
        await connection.reader.read()

    site.paths["/stuck"] = stuck
    server = await _start()
    await server.ask(INITIALIZE)
    assert server.process.stdin is not None
    call = {"name": "web_fetch", "arguments": {"url": site.at("/stuck")}}
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for message in (initialized, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}):
        server.process.stdin.write(json.dumps(message).encode() + b"\n")
    await asyncio.wait_for(held.wait(), PATIENCE_S)

    status, errors = await server.end()

    assert (0, b"") == (status, errors)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_at_once(site: Site, number: signal.Signals) -> None:
    server = await _start()
    await server.ask(INITIALIZE)
    server.process.send_signal(number)

    assert (128 + number, b"") == (await asyncio.wait_for(server.process.wait(), PATIENCE_S), b"")


async def test_options_for_http_are_refused_without_it(site: Site) -> None:
    server = await _start("--token-file", "tokens")
    status, errors = await server.end()

    assert 2 == status
    assert b"--token-file goes with --http" in errors


async def test_only_what_a_server_needs_of_the_sdk_is_imported() -> None:
    program = (
        "import sys\n"
        "from outrider.interfaces.mcp.sdk import load_sdk\n"
        "load_sdk('mcp.server.lowlevel.server', 'mcp.server.stdio')\n"
        "assert 'mcp.client' not in sys.modules and 'mcp.server.mcpserver' not in sys.modules\n"
        "import mcp\n"
        "from mcp.server import Server, lowlevel\n"
        "assert mcp.Client and lowlevel.Server is Server\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stderr=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    _, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)

    assert (0, b"") == (process.returncode, errors)


async def test_without_the_sdk_the_extra_is_named() -> None:
    program = (
        "import sys\n"
        "sys.modules['mcp'] = None\n"
        "from outrider.errors import NotInstalled\n"
        "from outrider.interfaces.mcp.sdk import load_sdk\n"
        "try:\n"
        "    load_sdk('mcp.server.stdio')\n"
        "except NotInstalled as error:\n"
        "    assert 'outrider[mcp]' in error.hint\n"
        "else:\n"
        "    raise SystemExit(1)\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, env=dict(os.environ))

    assert 0 == await asyncio.wait_for(process.wait(), PATIENCE_S)
