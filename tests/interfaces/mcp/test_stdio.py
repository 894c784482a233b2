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


async def _start(
    *words: str, program: tuple[str, ...] = ("-m", "outrider", "mcp"), stdout: int = asyncio.subprocess.PIPE
) -> Started:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *program, *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=stdout,
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


_WITHOUT_THE_SDK = """
import sys
for name in ("mcp", "mcp_types", "pydantic", "starlette", "uvicorn"):
    sys.modules[name] = None
from outrider.interfaces.cli import main
main(["mcp", *sys.argv[1:]])
"""


async def test_over_standard_streams_the_sdk_is_not_needed(site: Site) -> None:
    server = await _start(program=("-c", _WITHOUT_THE_SDK))
    await server.ask(INITIALIZE)
    call = {"name": "web_fetch", "arguments": {"url": site.at("/short")}}
    answer = await server.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})

    assert not answer["result"]["isError"]
    assert (0, b"") == await server.end()


async def test_without_the_sdk_http_names_the_extra() -> None:
    server = await _start("--http", "--port", "0", program=("-c", _WITHOUT_THE_SDK))
    status, errors = await server.end()

    assert 0 != status
    assert b"outrider[mcp]" in errors


async def test_a_client_that_does_not_read_cannot_keep_the_server(site: Site) -> None:
    read, write = os.pipe()
    server = await _start(stdout=write)
    os.close(write)
    assert server.process.stdin is not None
    server.process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    for number in range(2, 200):
        listing = {"jsonrpc": "2.0", "id": number, "method": "tools/list"}
        server.process.stdin.write(json.dumps(listing).encode() + b"\n")
    status, errors = await server.end()
    os.close(read)

    assert (0, b"") == (status, errors)


_PRINTING = """
import os, subprocess, sys
from outrider.interfaces.mcp.pipe import standard_streams
with standard_streams() as (source, sink):
    print("printed")
    child = [sys.executable, "-c", "import sys; print('child', repr(sys.stdin.read()))"]
    subprocess.run(child)
    os.write(sink, os.read(source, 100))
print("after", sys.stdin.read())
"""


async def test_what_is_printed_and_what_a_child_does_never_meets_the_client() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PRINTING),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    out, errors = await asyncio.wait_for(process.communicate(b"from the client"), PATIENCE_S)

    assert b"from the clientafter \n" == out.replace(b"\r", b"")
    assert {b"printed", b"child ''"} == set(errors.splitlines())
