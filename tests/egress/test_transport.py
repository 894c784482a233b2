"""The seam with the HTTP library: HTTP/2, TLS identity, pooled connections, and whatever bytes a server sends."""

from __future__ import annotations

import asyncio
import os
import random
import struct
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from outrider.egress.client import Client
from outrider.egress.message import Limits, Request
from outrider.egress.transport import MAX_CONNECTION_AGE_S, DialerBackend
from outrider.errors import (
    BodyTooLarge,
    ConnectionFailed,
    HeadersTooLarge,
    ReadTimeout,
    SsrfRejected,
    TlsFailed,
    TruncatedBody,
    WebError,
)
from outrider.url import Url
from world import trouble
from world.authority import stranger
from world.listener import Connection, Listener
from world.messages import Reply, fields_of, page, redirect
from world.world import World

MakeClient = Callable[..., Client]


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """RFC 9113 section 4.1."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack("!I", stream) + payload


_SETTINGS = _frame(4, 0, 0)


# HTTP/2.


async def test_http2_is_used_where_the_server_offers_it(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": "<p>two", "/r": redirect("/")}, name="site.test", http2=True)

    response = await make_client().get(Url.parse(site.at("/r")), limits=quick)
    plain = await make_client(http2=False).get(Url.parse(site.url), limits=quick)

    assert ("HTTP/2", b"<p>two") == (response.http_version, response.body)
    assert ("HTTP/1.1", b"<p>two") == (plain.http_version, plain.body)


async def test_many_requests_share_one_http2_connection(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"*": page("x" * 50_000)}, name="site.test", http2=True)
    client = make_client()
    await client.get(Url.parse(site.url), limits=quick)

    responses = await asyncio.gather(
        *(client.get(Url.parse(site.at(f"/{number}")), limits=quick) for number in range(20))
    )

    assert {50_000} == {len(response.body) for response in responses}
    assert 1 == len(site.connections)


async def test_long_bodies_over_one_http2_connection_are_not_taken_for_headers(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"*": page("x" * 3_000_000)}, name="site.test", http2=True)
    client = make_client()

    responses = await asyncio.gather(
        *(client.get(Url.parse(site.at(f"/{number}")), limits=quick) for number in range(4))
    )

    assert {3_000_000} == {len(response.body) for response in responses}


@pytest.mark.parametrize(
    "fields",
    [
        {"x": "y" * 70_000},
        {f"x-{number}": "y" * 100 for number in range(800)},
        {f"x{number}": "" for number in range(9_000)},
    ],
)
async def test_http2_headers_are_bounded(
    world: World, make_client: MakeClient, quick: Limits, fields: dict[str, str]
) -> None:
    site = await world.site({"/": Reply(fields=fields_of(fields), body=b"x")}, name="site.test", http2=True)

    with pytest.raises(WebError) as caught:
        await make_client().get(Url.parse(site.url), limits=quick)
    assert caught.value.code in {"headers_too_large", "connection_failed"}


async def test_a_body_without_end_is_stopped_over_http2(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": trouble.endless()}, name="site.test", http2=True)

    with pytest.raises(BodyTooLarge):
        await make_client().get(Url.parse(site.url), limits=replace(quick, max_body_bytes=300_000))


async def test_a_stream_that_is_reset_is_a_truncated_body(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": Reply(body=b"x" * 90_000, cut_after=40_000)}, name="site.test", http2=True)

    with pytest.raises(TruncatedBody):
        await make_client().get(Url.parse(site.url), limits=quick)


_FLOODS = {
    "pings": _frame(6, 0, 0, b"12345678"),
    "settings": _SETTINGS,
    "empty data": _frame(0, 0, 1),
    "continuations": _frame(9, 0, 1, b"\x00" + b"\x01a" + b"\x01b"),
    "resets": _frame(3, 0, 1, b"\0\0\0\0"),
    "priorities": _frame(2, 0, 1, b"\0\0\0\0\0"),
    "window updates": _frame(8, 0, 0, b"\0\0\0\1"),
    "unknown": _frame(77, 0, 0, b"x" * 100),
    "goaway": _frame(7, 0, 0, b"\0\0\0\0\0\0\0\0"),
    "pushes": _frame(5, 4, 1, b"\0\0\0\2"),
    "interim answers": _frame(1, 4, 1, b"\x08\x03103"),
    "oversized": b"\xff\xff\xff\0\0\0\0\0\1" + b"x" * 1_000,
    "http1": b"HTTP/1.1 200 OK\r\n\r\nhello",
}


@pytest.mark.parametrize("flood", _FLOODS)
async def test_a_flood_of_http2_frames_ends_in_time_with_an_error(
    world: World, make_client: MakeClient, quick: Limits, flood: str
) -> None:
    async def serve(connection: Connection) -> None:
        await connection.send(_SETTINGS)
        await connection.reader.read(65_536)
        if flood == "continuations":
            await connection.send(_frame(1, 0, 1, b"\x88"))
        if flood == "empty data":
            await connection.send(_frame(1, 4, 1, b"\x88"))
        while True:
            await connection.send(_FLOODS[flood] * 100)
            await asyncio.sleep(0)

    tls = world.authority.server(["site.test"], alpn=("h2",))
    async with Listener(serve, tls=tls) as listener:
        world.names["site.test"] = ["127.0.0.1"]
        limits = replace(quick, total_s=1, first_byte_s=1, stall_s=1)
        with pytest.raises(WebError) as caught:
            await make_client(allow=["site.test"]).get(Url.parse(f"https://site.test:{listener.port}/"), limits=limits)
    assert "internal" != caught.value.code


# Whatever a server sends.


def _mutations(count: int, seed: int) -> list[bytes]:
    """A good answer with random bytes changed, taken out or put in."""
    dice = random.Random(seed)
    good = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    )
    made = []
    for _ in range(count):
        text = bytearray(good)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(text))
            match dice.randrange(3):
                case 0:
                    text[at] = dice.randrange(256)
                case 1:
                    del text[at : at + dice.randint(1, 9)]
                case _:
                    text[at:at] = dice.randbytes(dice.randint(1, 9))
        made.append(bytes(text))
    return made


@pytest.mark.parametrize("answers", [_mutations(150, 1), [random.Random(9).randbytes(300) for _ in range(50)]])
async def test_any_bytes_over_http1_end_in_an_answer_or_an_error_of_ours(
    world: World, make_client: MakeClient, quick: Limits, answers: list[bytes]
) -> None:
    turn = iter(answers)

    async def serve(connection: Connection) -> None:
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(next(turn))
        connection.writer.close()

    async with Listener(serve) as listener:
        client = make_client(allow=["127.0.0.1"])
        for answer in answers:
            outcome = await _outcome(client.get(Url.parse(f"http://127.0.0.1:{listener.port}/"), limits=quick))
            assert outcome != "internal", answer


@pytest.mark.parametrize("seed", range(4))
async def test_any_frames_over_http2_end_in_an_answer_or_an_error_of_ours(
    world: World, make_client: MakeClient, quick: Limits, seed: int
) -> None:
    dice = random.Random(seed)

    def frames() -> bytes:
        return b"".join(
            _frame(dice.randrange(11), dice.choice([0, 1, 4, 5, 8, 32, 255]), dice.choice([0, 1, 1, 2, 3]),
                   dice.choice([b"", b"\x88", b"\0\0\0\1", b"\0\0\0\1\0\0\0\2", dice.randbytes(dice.randint(0, 40))]))
            for _ in range(dice.randint(1, 8))
        )  # fmt: skip

    async def serve(connection: Connection) -> None:
        await connection.send(_SETTINGS)
        await connection.reader.read(65_536)
        await connection.send(frames())
        await connection.reader.read(65_536)
        connection.writer.close()

    tls = world.authority.server(["site.test"], alpn=("h2",))
    async with Listener(serve, tls=tls) as listener:
        world.names["site.test"] = ["127.0.0.1"]
        for _ in range(25):
            client = make_client(allow=["site.test"])
            limits = replace(quick, first_byte_s=0.2, stall_s=0.2, total_s=1)
            outcome = await _outcome(client.get(Url.parse(f"https://site.test:{listener.port}/"), limits=limits))
            assert "internal" != outcome


async def _outcome(work: Awaitable[object]) -> str:
    try:
        await work
    except WebError as error:
        return error.code
    return "answer"


# TLS.


@pytest.mark.parametrize("fault", ["unknown authority", "other name", "expired", "no tls"])
async def test_a_server_that_does_not_prove_its_name_gets_no_request(
    world: World, make_client: MakeClient, quick: Limits, fault: str
) -> None:
    site = await world.site(
        {"/": "<p>x"}, name="site.test", tls=True, signed_by=stranger() if fault == "unknown authority" else None,
        certificate_names=["other.test"] if fault == "other name" else None,
    )  # fmt: skip
    url = site.url
    async with Listener(
        tls=world.authority.server(["site.test"], not_after=datetime(2020, 1, 1, tzinfo=UTC))
        if fault == "expired"
        else None,
        serve=lambda connection: connection.send(b"220 mail.test ready\r\n"),
    ) as other:
        if fault in {"expired", "no tls"}:
            url = f"https://site.test:{other.port}/"
        client = make_client(allow=["site.test"])

        with pytest.raises(TlsFailed) as caught:
            await client.get(Url.parse(url), limits=quick)

    assert caught.value.reason in {"tls-verification", "tls-handshake"}
    assert [] == site.requests


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_a_certificate_for_an_address_is_checked_against_the_address(
    world: World, make_client: MakeClient, quick: Limits, host: str
) -> None:
    right = await world.site({"/": "<p>x"}, tls=True, host=host, certificate_names=[host])
    wrong = await world.site({"/": "<p>x"}, tls=True, host=host, certificate_names=["10.0.0.1", "127.0.0.1.test"])
    client = make_client()

    assert 200 == (await client.get(Url.parse(right.url), limits=quick)).status
    with pytest.raises(TlsFailed):
        await client.get(Url.parse(wrong.url), limits=quick)


async def test_the_name_is_what_tls_asks_for_whatever_address_it_led_to(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/": "<p>x"}, name="site.test", tls=True)

    await make_client().get(Url.parse(site.url), limits=quick)

    assert ["site.test"] == [connection.server_name for connection in site.connections]


# Connections.


async def test_a_connection_is_used_again_by_its_origin_alone(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"*": "<p>x"}, name="site.test")
    world.names["alias.test"] = ["127.0.0.1"]
    client = make_client(allow=["127.0.0.1/32"])

    for host in ("site.test", "site.test", "alias.test", "site.test"):
        await client.get(Url.parse(f"http://{host}:{site.listener.port}/"), limits=quick)

    assert 2 == len(site.connections)


async def test_an_old_connection_is_not_used_again(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"*": "<p>x"}, name="site.test")
    now = 0.0
    client = make_client(clock=lambda: now)

    await client.get(Url.parse(site.url), limits=quick)
    now = MAX_CONNECTION_AGE_S + 1
    await client.get(Url.parse(site.url), limits=quick)

    assert 2 == len(site.connections)


async def test_a_connection_that_the_server_closed_is_replaced(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"*": page("<p>x")}, name="site.test")
    client = make_client()
    await client.get(Url.parse(site.url), limits=quick)
    site.connections[0].writer.transport.abort()

    response = await client.get(Url.parse(site.url), limits=replace(quick, retries=1))

    assert (200, 2) == (response.status, len(site.connections))


async def test_a_local_socket_is_never_opened() -> None:
    class Nobody:
        async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> None:
            raise AssertionError

    backend = DialerBackend(Nobody())  # type: ignore[arg-type]  # never connects
    with pytest.raises(ConnectionFailed):
        await backend.connect_unix_socket("/run/docker.sock")
    await backend.sleep(0)


async def test_a_cancelled_exchange_leaves_no_task_and_no_connection(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/": trouble.silence()})
    client = make_client()
    before = len(asyncio.all_tasks())
    task = asyncio.create_task(client.get(Url.parse(site.url), limits=quick))
    await site.until_requests(1)
    assert len(asyncio.all_tasks()) > before

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await client.aclose()

    async with asyncio.timeout(5):
        while not site.connections[0].reader.at_eof():  # noqa: ASYNC110  (a task of the world reads from it)
            await asyncio.sleep(0)
    assert task.cancelled()
    assert before >= len(asyncio.all_tasks()) - 1


async def test_closing_twice_is_closing(make_client: MakeClient) -> None:
    client = make_client()
    await client.aclose()
    await client.aclose()


async def test_key_logging_and_proxies_of_the_environment_are_not_read(
    world: World, make_client: MakeClient, quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = world.ca_file.with_name("keys.log")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.2:9")
    monkeypatch.setenv("NETRC", os.devnull)
    site = await world.site({"/": "<p>x"}, name="site.test", tls=True)

    assert 200 == (await make_client().get(Url.parse(site.url), limits=quick)).status
    assert not log.exists()
    assert [] == world.connections_to("127.0.0.2")
    with pytest.raises(SsrfRejected):
        await make_client(allow=[]).get(Url.parse(site.url), limits=quick)


async def test_header_lines_in_other_charsets_are_read(world: World, make_client: MakeClient, quick: Limits) -> None:
    fields = ((b"x-utf8", "é".encode()), (b"x-latin", b"\xe9"))
    site = await world.site({"/": Reply(fields=fields, body=b"x")})

    headers = (await make_client().get(Url.parse(site.url), limits=quick)).headers

    assert ("é", "é") == (headers["x-utf8"], headers["x-latin"])


async def test_an_oversized_header_block_is_refused_before_its_body(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/": page("<p>x", headers={"x": "y" * 3_000})})

    with pytest.raises(HeadersTooLarge):
        await make_client().get(Url.parse(site.url), limits=replace(quick, max_header_bytes=2_000))


async def test_a_body_in_thousands_of_tiny_chunks_leaves_room_for_other_work(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    site = await world.site({"/": trouble.raw(head + b"1\r\nx\r\n" * 5_000 + b"0\r\n\r\n")})
    turns = 0

    async def other_work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(other_work())
    response = await make_client().get(Url.parse(site.url), limits=quick)
    other.cancel()

    assert b"x" * 5_000 == response.body
    assert turns > 5_000 // 64


async def test_header_lines_that_drip_are_given_up(world: World, make_client: MakeClient, quick: Limits) -> None:
    async def drip(_: object, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            await connection.send(b"x: y\r\n")
            await asyncio.sleep(0.002)

    site = await world.site({"/": drip})

    with pytest.raises(ReadTimeout):
        await make_client().get(Url.parse(site.url), limits=replace(quick, connect_s=0.1, first_byte_s=0.1))


async def test_a_server_that_does_not_read_the_request_is_given_up(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    async def ignore(_: Connection) -> None:
        await asyncio.Event().wait()

    async with Listener(ignore) as listener:
        request = Request(url=Url.parse(f"http://127.0.0.1:{listener.port}/"), method="POST", body=b"x" * (32 << 20))
        with pytest.raises(ReadTimeout):
            await make_client(allow=["127.0.0.1"]).send(request, limits=replace(quick, stall_s=0.05))


async def test_an_exchange_under_way_keeps_its_connections_when_they_grow_old(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    go_on = asyncio.Event()

    async def slow(_: object, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nsl")
        await go_on.wait()
        await connection.send(b"ow")

    site = await world.site({"/slow": slow, "/": "<p>x"})
    now = 0.0
    client = make_client(clock=lambda: now)
    under_way = asyncio.create_task(client.get(Url.parse(site.at("/slow")), limits=quick))
    await site.until_requests(1)
    now = MAX_CONNECTION_AGE_S + 1

    assert 200 == (await client.get(Url.parse(site.url), limits=quick)).status
    go_on.set()

    assert b"slow" == (await under_way).body
