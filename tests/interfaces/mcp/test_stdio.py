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
# Sent when the terminal closes in which the client runs.
_ON_HANG_UP = [] if sys.platform == "win32" else [signal.SIGHUP]
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
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, *_ON_HANG_UP])
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


_SHUT = """
import os, sys
for number in sys.argv[1]:
    os.close(int(number))
os.execv(sys.executable, [sys.executable, "-m", "outrider", "mcp"])
"""
_posix = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are handed on in another way")


@_posix
@pytest.mark.parametrize("shut", ["0", "1", "01"])
async def test_without_a_stream_to_speak_over_the_server_does_not_start(site: Site, shut: str) -> None:
    server = await _start(shut, program=("-c", _SHUT))
    status, errors = await server.end()

    assert 2 == status
    assert b"[invalid_argument]" in errors


@_posix
async def test_without_standard_error_the_server_speaks_all_the_same(site: Site) -> None:
    server = await _start("2", program=("-c", _SHUT))
    call = {"name": "web_fetch", "arguments": {"url": site.at("/short")}}
    await server.ask(INITIALIZE)
    answer = await server.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})

    assert not answer["result"]["isError"]
    assert (0, b"") == await server.end()


@_posix
async def test_over_streams_that_do_not_wait_every_answer_arrives_whole(site: Site) -> None:
    source, write = os.pipe()
    read, sink = os.pipe()
    for end in (source, sink):
        os.set_blocking(end, False)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "outrider", "mcp"), stdin=source, stdout=sink, env=dict(os.environ)
    )
    os.close(source)
    os.close(sink)
    listings = [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(2, 42)]
    os.write(write, b"".join(json.dumps(message).encode() + b"\n" for message in (INITIALIZE, *listings)))
    heard = b""
    while heard.count(b"\n") < 41 and (more := await asyncio.to_thread(os.read, read, 2**16)):
        heard += more
    os.close(write)
    os.close(read)

    assert list(range(1, 42)) == [json.loads(line)["id"] for line in heard.splitlines()]
    assert 0 == await asyncio.wait_for(process.wait(), PATIENCE_S)


async def test_what_is_printed_while_the_server_opens_never_meets_the_client(site: Site) -> None:
    server = await _start(program=("-c", _LOUD))
    assert server.process.stdout is not None
    assert server.process.stdin is not None
    server.process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    first = await asyncio.wait_for(server.process.stdout.readline(), PATIENCE_S)

    assert 1 == json.loads(first)["id"]
    assert (0, b"loud") == tuple(part.strip() if isinstance(part, bytes) else part for part in await server.end())


_LOUD = """
from outrider.web import web
class Loud(web.Web):
    def __init__(self, *given):
        print("loud")
        super().__init__(*given)
web.Web = Loud
from outrider.interfaces.cli import main
main(["mcp"])
"""
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
