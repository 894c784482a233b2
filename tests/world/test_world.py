"""The world itself: what other tests rely on when they build one."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import aiodns
import httpcore2
import pytest

from outrider.errors import DnsFailed
from world.authority import stranger
from world.distant import DistantWorld
from world.dns import DnsServer
from world.listener import Connection
from world.messages import Reply, Request, answer_json, fields_of, page, pieces, redirect
from world.names import Alias, Answer, Trouble, Truncated, changing
from world.site import Handler
from world.tripwire import Tripped, Tripwire
from world.trouble import bad_chunk, drip, endless, endless_headers, raw, reset, short, silence, stall
from world.vendor import recorded
from world.world import World

PUBLIC = ("93.184.215.14", 80)


async def get(
    world: World, url: str, *, http2: bool = False, proxy: str | None = None, server_name: str | None = None
) -> httpcore2.Response:
    with world.unguarded():
        async with httpcore2.AsyncConnectionPool(
            ssl_context=world.authority.client(), http2=http2, proxy=httpcore2.Proxy(proxy) if proxy else None
        ) as pool:
            return await pool.request("GET", url, extensions={"sni_hostname": server_name} if server_name else {})


async def connect(world: World, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    with world.unguarded():
        return await asyncio.open_connection(host, port)


async def test_a_site_answers_its_paths_and_remembers_what_was_asked(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>", "/old": redirect("/new"), "/echo": lambda r: answer_json(r.query)})

    assert (await get(world, site.url)).content == b"<p>Hi</p>"
    assert (await get(world, site.at("/old"))).status == 302
    assert (await get(world, site.at("/echo?a=1"))).content == b'{"a": "1"}'
    assert (await get(world, site.at("/none"))).status == 404
    assert ["/", "/old", "/echo", "/none"] == [request.path for request in site.requests]
    assert {site.authority} == {request.host for request in site.requests}
    assert len(site.connections) == 4


async def test_a_connection_is_kept_alive(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>"})
    with world.unguarded():
        async with httpcore2.AsyncConnectionPool() as pool:
            await pool.request("GET", site.url)
            await pool.request("POST", site.url, content=b"body")

    assert [b"", b"body"] == [request.body for request in site.requests]
    assert len(site.connections) == 1


@pytest.mark.parametrize("http2", [False, True])
async def test_a_site_speaks_tls_under_its_name(world: World, *, http2: bool) -> None:
    site = await world.site({"/": page("x" * 300_000, headers={"x-odd": "\xff"})}, tls=True, http2=http2)

    response = await get(world, site.url, http2=http2, server_name="site.test")

    assert response.content == b"x" * 300_000
    assert (b"x-odd", b"\xff") in response.headers
    assert ["2" if http2 else "1.1"] == [request.version for request in site.requests]
    assert ["site.test"] == [connection.server_name for connection in site.connections]


async def test_http2_bodies_may_be_cut_short_or_come_in_pieces(world: World) -> None:
    site = await world.site({"/short": short(b"abc"), "/pieces": pieces(b"ab", b"c")}, http2=True)

    assert (await get(world, site.at("/pieces"), http2=True)).content == b"abc"
    with pytest.raises(httpcore2.RemoteProtocolError):
        await get(world, site.at("/short"), http2=True)


async def test_a_failed_handshake_is_a_connection_without_a_request(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>"}, signed_by=stranger())

    with pytest.raises(httpcore2.ConnectError):
        await get(world, site.url)

    await site.listener.until(lambda: site.connections[0].tls_error is not None)
    assert [] == site.requests


async def test_a_certificate_for_another_name_is_refused(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>"}, tls=True, certificate_names=["other.test"])

    with pytest.raises(httpcore2.ConnectError):
        await get(world, site.url)


@pytest.mark.parametrize(
    "handler",
    [
        reset(),
        short(),
        bad_chunk(),
        raw(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"),
        raw(b"nonsense\r\n\r\n"),
        endless_headers(),
    ],
)
async def test_a_site_misbehaves_on_request(world: World, handler: Handler) -> None:
    site = await world.site({"/": handler})

    with pytest.raises((httpcore2.NetworkError, httpcore2.ProtocolError)):
        await get(world, site.url)

    assert len(site.requests) == 1


@pytest.mark.parametrize("handler", [silence(), stall(), endless(b"x"), drip([b"x"] * 1_000, pause_s=1.0)])
async def test_a_site_that_never_ends_lets_go_of_a_client_that_leaves(world: World, handler: Handler) -> None:
    site = await world.site({"/": handler})
    reader, writer = await connect(world, "127.0.0.1", site.listener.port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    await site.until_requests(1)

    writer.transport.abort()

    assert isinstance(reader, asyncio.StreamReader)


async def test_a_raw_handler_writes_what_it_likes(world: World) -> None:
    async def handler(request: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.0 200 Fine\r\nx-path: " + request.path.encode() + b"\r\n\r\nbody")

    site = await world.site({"*": handler})

    response = await get(world, site.at("/any"))

    assert (response.content, dict(response.headers)[b"x-path"]) == (b"body", b"/any")


async def test_a_body_may_end_with_the_connection(world: World) -> None:
    site = await world.site(
        {"/": Reply(body=b"abc", framing="close", fields=fields_of({"content-type": "text/plain"}))}
    )

    assert (await get(world, site.url)).content == b"abc"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (["127.0.0.1", "::1"], ["127.0.0.1", "::1"]),
        (Alias("real.test"), ["10.0.0.9"]),
        (Truncated(("10.0.0.1",)), ["10.0.0.1"]),
        (changing(["10.0.0.1"], ["10.0.0.2"]), ["10.0.0.1"]),
    ],
)
async def test_both_resolvers_give_the_chosen_answer(world: World, answer: Answer, expected: list[str]) -> None:
    world.names["real.test"] = ["10.0.0.9"]
    world.names["x.test"] = answer
    server = await world.dns_server()
    inside = await world.resolver.resolve("x.test")
    world.names.forget()

    assert (expected, set(expected)) == (inside, set(await look_up(server, "x.test")))
    assert {query.kind for query in server.queries} == {"A", "AAAA"}


async def test_a_truncated_answer_is_asked_for_again_over_tcp(world: World) -> None:
    world.names["long.test"] = Truncated(tuple(f"10.0.0.{number}" for number in range(1, 90)))
    server = await world.dns_server()

    assert len(await look_up(server, "long.test")) == 89
    assert {"udp", "tcp"} == {query.transport for query in server.queries}


async def test_an_answer_changes_from_query_to_query(world: World) -> None:
    world.names["turns.test"] = changing(["10.0.0.1"], Trouble.NXDOMAIN, ["10.0.0.3"])

    assert await world.resolver.resolve("turns.test") == ["10.0.0.1"]
    with pytest.raises(DnsFailed):
        await world.resolver.resolve("turns.test")
    assert await world.resolver.resolve("turns.test") == ["10.0.0.3"]
    assert await world.resolver.resolve("turns.test") == ["10.0.0.3"]


@pytest.mark.parametrize("trouble", [Trouble.NXDOMAIN, Trouble.SERVFAIL, Trouble.REFUSED, Alias("x.test")])
async def test_both_resolvers_fail_as_told(world: World, trouble: Answer) -> None:
    world.names["x.test"] = trouble
    server = await world.dns_server()

    with pytest.raises(aiodns.error.DNSError):
        await look_up(server, "x.test")
    with pytest.raises(DnsFailed):
        await world.resolver.resolve("x.test")


async def test_a_silent_name_server_hears_the_question(world: World) -> None:
    world.names["x.test"] = Trouble.SILENCE
    server = await world.dns_server()

    with pytest.raises(aiodns.error.DNSError):
        await look_up(server, "x.test", timeout_s=0.05)
    assert "x.test" in {query.name for query in server.queries}


async def look_up(server: DnsServer, name: str, *, timeout_s: float = 2.0) -> list[str]:
    host, port = server.address
    async with aiodns.DNSResolver([host], udp_port=port, tcp_port=port, timeout=timeout_s, tries=1) as resolver:
        answer = await resolver.getaddrinfo(name + ".", type=socket.SOCK_STREAM)
    return [node.addr[0].decode() for node in answer.nodes]


class Straight:
    """A dialer that connects to loopback and judges nothing."""

    def __init__(self) -> None:
        self.dialled: list[tuple[str, int]] = []

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> tuple[str, int]:
        self.dialled.append((host, port))
        return host, port


async def test_a_vendor_replays_its_recordings_under_its_own_name(world: World, tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_bytes(b'{"hits": []}')
    vendor = await world.vendor(
        "api.vendor.example", [recorded(200, {"Content-Type": "application/json"}, tmp_path / "reply.json")]
    )
    dialer = Straight()

    host, port = await world.dialer(dialer).connect("api.vendor.example", 443)
    assert (host, port) == ("api.vendor.example", vendor.listener.port)
    reader, writer = await connect(world, "127.0.0.1", port)
    await writer.start_tls(world.authority.client(), server_hostname="api.vendor.example")
    writer.write(b"GET /v1?q=x HTTP/1.1\r\nhost: api.vendor.example\r\nx-key: k\r\nconnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()

    assert answer.endswith(b'\r\n\r\n{"hits": []}')
    assert "k" == vendor.requests[0].header("X-Key")
    assert [f"api.vendor.example:{port}", "api.vendor.example:443"] == world.allow_hosts


async def test_a_vendor_with_nothing_left_says_so(world: World) -> None:
    vendor = await world.vendor("api.vendor.example", [])

    assert (await get(world, f"https://127.0.0.1:{vendor.listener.port}/")).status == 599


async def test_a_proxy_tunnels_and_writes_down_the_target(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>"}, name="site.test", tls=True)
    proxy = await world.proxy()

    response = await get(world, site.url, proxy=proxy.url)

    assert response.content == b"<p>Hi</p>"
    assert [site.authority] == proxy.targets


async def test_a_proxy_refuses_as_told(world: World) -> None:
    site = await world.site({"/": "<p>Hi</p>"}, tls=True)
    proxy = await world.proxy(refuse=Reply(status=407))

    with pytest.raises(httpcore2.ProxyError):
        await get(world, site.url, proxy=proxy.url)
    assert [] == site.connections


async def test_a_recorder_sees_a_contact_that_sends_nothing(world: World) -> None:
    recorder = await world.recorder("127.0.0.2")

    _, writer = await connect(world, "127.0.0.2", recorder.port)
    await recorder.until(lambda: bool(recorder.connections))
    writer.close()

    assert len(world.connections_to("127.0.0.2")) == 1
    assert [] == world.connections_to("127.0.0.3")


@pytest.fixture
def trips(tripwire: Tripwire) -> Callable[[], list[str]]:
    """What the tripwire stopped; taken off the record, so that the test passes."""

    def taken() -> list[str]:
        hosts = [contact.host for contact in tripwire.tripped]
        tripwire.clear()
        return hosts

    return taken


async def test_a_socket_that_the_guard_did_not_open_trips_the_wire(
    world: World, trips: Callable[[], list[str]]
) -> None:
    site = await world.site({"/": "<p>Hi</p>"})

    with pytest.raises(Tripped):
        await asyncio.open_connection("127.0.0.1", site.listener.port)

    assert ["127.0.0.1"] == trips()
    assert [] == site.connections


def test_a_lookup_and_a_datagram_trip_the_wire(trips: Callable[[], list[str]]) -> None:
    with pytest.raises(Tripped):
        socket.getaddrinfo("name.test", 80)
    with socket.socket(type=socket.SOCK_DGRAM) as udp, pytest.raises(Tripped):
        udp.sendto(b"x", PUBLIC)

    assert ["name.test", PUBLIC[0]] == trips()


async def test_a_lookup_in_a_thread_trips_the_wire(trips: Callable[[], list[str]]) -> None:
    with pytest.raises(Tripped):
        await asyncio.get_running_loop().getaddrinfo("name.test", 80)

    assert ["name.test"] == trips()


async def test_what_the_guard_dials_on_loopback_is_noted_and_passes(world: World) -> None:
    from outrider.egress.guard import DIALLING

    site = await world.site({"/": "<p>Hi</p>"})
    token = DIALLING.set(True)
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", site.listener.port)
    finally:
        DIALLING.reset(token)
    writer.close()
    await site.listener.until(lambda: bool(site.connections))

    # Once as tried here, once as accepted there.
    assert len(world.connections_to("127.0.0.1")) == 2


async def test_what_the_guard_dials_outside_is_noted_and_leads_nowhere(world: World) -> None:
    from outrider.egress.guard import DIALLING

    token = DIALLING.set(True)
    try:
        with pytest.raises(OSError, match="no network"):
            await asyncio.open_connection(*PUBLIC)
    finally:
        DIALLING.reset(token)

    assert len(world.connections_to(PUBLIC[0])) == 1


def test_a_world_in_another_thread_serves_synchronous_code(distant_world: DistantWorld) -> None:
    site = distant_world.build(lambda world: world.site({"/": "<p>Hi</p>"}))

    with distant_world.world.unguarded(), socket.create_connection(("127.0.0.1", site.listener.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65_536), b""))

    assert answer.endswith(b"<p>Hi</p>")


def test_the_environment_is_swept() -> None:
    assert not [
        name for name in os.environ if name.upper().endswith("_PROXY") or name.startswith(("OUTRIDER_", "SSL_"))
    ]
    assert not Path.home().exists()


async def test_the_authority_is_handed_out_as_a_file(world: World) -> None:
    context = ssl.create_default_context(cafile=world.ca_file)

    assert len(context.get_ca_certs()) >= 1


async def test_the_product_meets_the_world_in_place_of_the_network(world: World) -> None:
    site = await world.site({"/guide": "<h1>Guide</h1><p>Read me.</p>"}, name="docs.example", tls=True, public=True)

    async with world.web() as web:
        fetched = await web.fetch("https://docs.example/guide")

    assert "Read me." in fetched.markdown
    assert ["docs.example"] == [request.host for request in site.requests]
