"""The byte stream under the HTTP library."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress

import httpcore2
import pytest

from outrider.egress.guard import Guard
from outrider.egress.policy import AllowList, Policy
from outrider.egress.stream import METER, Meter, Stream, Wire
from outrider.errors import ConnectionTimeout, HeadersTooLarge, TlsFailed
from world.authority import stranger
from world.listener import Connection, Listener
from world.world import World

_FORGED = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged"


async def _connect(world: World, port: int, host: str = "127.0.0.1") -> Stream:
    guard = Guard(Policy(allow=AllowList.parse(["127.0.0.1", "site.test"])), world.resolver)
    stream = await guard.connect(host, port, timeout_s=5)
    assert isinstance(stream, Stream)
    return stream


async def test_plain_bytes_sent_before_the_tls_handshake_are_not_taken_for_the_servers_answer(world: World) -> None:
    """Somebody on the way can speak in plain text before TLS begins."""
    authority = world.authority.server(["site.test"])

    async def forge(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_FORGED)
        with suppress(OSError):
            await writer.start_tls(authority)
        writer.close()

    world.names["site.test"] = ["127.0.0.1"]
    async with await asyncio.start_server(forge, "127.0.0.1", 0) as server:
        stream = await _connect(world, server.sockets[0].getsockname()[1], "site.test")
        async with asyncio.timeout(5):
            # The stream tells nobody when bytes come; the loop has to turn until they did.
            while not stream.get_extra_info("is_readable"):  # noqa: ASYNC110
                await asyncio.sleep(0)

        with pytest.raises(TlsFailed) as caught:
            await stream.start_tls(world.authority.client(), "site.test", 5)

    assert "tls-handshake" == caught.value.reason


async def test_reads_give_what_was_sent_in_order_and_no_more_than_asked(world: World) -> None:
    async with Listener(lambda connection: connection.send(b"abcdef")) as listener:
        stream = await _connect(world, listener.port)

        assert b"ab" == await stream.read(2, 5)
        assert b"cdef" == await stream.read(100, 5)
        await stream.aclose()


async def test_a_sender_faster_than_its_reader_is_slowed_down_and_nothing_is_lost(world: World) -> None:
    size = 8 << 20
    sent = asyncio.Event()

    async def pour(connection: Connection) -> None:
        await connection.send(b"x" * size)
        sent.set()

    async with Listener(pour) as listener:
        stream = await _connect(world, listener.port)
        received = len(await stream.read(1, 5))
        for _ in range(200):
            await asyncio.sleep(0)
        assert not sent.is_set()

        while received < size:
            received += len(await stream.read(65_536, 5))

        assert size == received
        await stream.aclose()


async def test_a_read_without_data_times_out(world: World) -> None:
    async with Listener() as listener:
        stream = await _connect(world, listener.port)

        with pytest.raises(httpcore2.ReadTimeout):
            await stream.read(1, 0.01)
        await stream.aclose()


async def test_a_write_that_nobody_reads_times_out(world: World) -> None:
    async def ignore(_: Connection) -> None:
        await asyncio.Event().wait()

    async with Listener(ignore) as listener:
        stream = await _connect(world, listener.port)

        with pytest.raises(httpcore2.WriteTimeout):
            await stream.write(b"x" * (64 << 20), 0.05)
        await stream.aclose()


async def test_a_reset_connection_fails_reads_and_writes(world: World) -> None:
    async def reset(connection: Connection) -> None:
        await connection.reader.read(1)
        connection.reset()

    async with Listener(reset) as listener:
        stream = await _connect(world, listener.port)
        await stream.write(b"x", 5)

        with pytest.raises(httpcore2.ReadError):
            await stream.read(1, 5)
        with pytest.raises(httpcore2.WriteError):
            await stream.write(b"x", 5)


async def test_a_closed_stream_takes_no_more_bytes(world: World) -> None:
    async with Listener() as listener:
        stream = await _connect(world, listener.port)
        await stream.write(b"")
        await stream.aclose()

        with pytest.raises(httpcore2.WriteError):
            await stream.write(b"x", 5)


async def test_the_end_of_a_stream_is_an_empty_read(world: World) -> None:
    async def close(connection: Connection) -> None:
        connection.writer.close()

    async with Listener(close) as listener:
        stream = await _connect(world, listener.port)

        assert b"" == await stream.read(1, 5)
        assert stream.get_extra_info("is_readable")
        await stream.aclose()


async def test_a_stream_tells_its_peer_and_its_tls(world: World) -> None:
    site = await world.site({}, name="site.test", tls=True)
    stream = await _connect(world, site.listener.port, "site.test")
    assert stream.get_extra_info("ssl_object") is None

    secure = await stream.start_tls(world.authority.client(), "site.test", 5)

    assert isinstance(secure.get_extra_info("ssl_object"), ssl.SSLObject)
    assert ("127.0.0.1", site.listener.port) == secure.get_extra_info("server_addr")
    assert secure.get_extra_info("something else") is None
    await secure.aclose()


@pytest.mark.parametrize("fault", ["stranger", "other name", "no tls", "closed"])
async def test_a_handshake_that_does_not_prove_the_name_fails(world: World, fault: str) -> None:
    async def close(connection: Connection) -> None:
        connection.writer.close()

    async with (
        Listener(lambda connection: connection.send(b"HTTP/1.1 400 What\r\n\r\n")) as plain,
        Listener(close) as shut,
    ):
        site = await world.site(
            {}, name="site.test", tls=True, signed_by=stranger() if fault == "stranger" else None,
            certificate_names=["other.test"] if fault == "other name" else None,
        )  # fmt: skip
        port = {"no tls": plain.port, "closed": shut.port}.get(fault, site.listener.port)
        stream = await _connect(world, port, "site.test")

        with pytest.raises((TlsFailed, httpcore2.ConnectError)):
            await stream.start_tls(world.authority.client(), "site.test", 5)
        assert [] == site.requests


async def test_a_handshake_that_never_ends_is_given_up(world: World) -> None:
    async with Listener() as listener:
        stream = await _connect(world, listener.port)

        with pytest.raises(ConnectionTimeout):
            await stream.start_tls(world.authority.client(), "site.test", 0.02)


async def test_a_cancelled_handshake_closes_the_connection(world: World) -> None:
    gone = asyncio.Event()

    async def serve(connection: Connection) -> None:
        await connection.closed_by_peer()
        gone.set()

    async with Listener(serve) as listener:
        stream = await _connect(world, listener.port)
        task = asyncio.create_task(stream.start_tls(world.authority.client(), "site.test", 5))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        async with asyncio.timeout(5):
            await gone.wait()


async def test_a_handshake_that_is_reset_is_a_broken_connection(world: World) -> None:
    async def reset(connection: Connection) -> None:
        await connection.reader.read(1)
        connection.reset()

    async with Listener(reset) as listener:
        stream = await _connect(world, listener.port)

        with pytest.raises((httpcore2.ConnectError, TlsFailed)):
            await stream.start_tls(world.authority.client(), "site.test", 5)


async def test_a_stream_that_was_never_connected_tells_nothing() -> None:
    stream = Stream(Wire())

    assert stream.get_extra_info("ssl_object") is None
    await stream.aclose()
    with pytest.raises(httpcore2.WriteError):
        await stream.write(b"x")


def test_headers_without_end_are_stopped_by_the_meter() -> None:
    meter = Meter(max_header_bytes=1_000)

    def read_on() -> None:
        for _ in range(1_000):
            meter.count(1_000)

    with pytest.raises(HeadersTooLarge):
        read_on()


def test_a_body_is_not_metered() -> None:
    meter = Meter(max_header_bytes=1_000)
    meter.in_headers = False

    for _ in range(1_000):
        meter.count(1_000)

    assert METER.get() is None
