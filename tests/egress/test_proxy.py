"""Dialling through a CONNECT proxy."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.egress.client import Client
from outrider.egress.guard import Dialer, Guard
from outrider.egress.message import Limits
from outrider.egress.policy import AllowList, Policy
from outrider.egress.proxy import Proxy, ProxyDialer, bypasses, proxied
from outrider.egress.transport import Transport
from outrider.errors import InvalidArgument, ProxyFailed, SsrfRejected, TlsFailed, WebError
from outrider.url import Url
from world.listener import Connection, Listener
from world.messages import Reply
from world.world import World


def _client(
    world: World, proxy_url: str, *, allow: list[str] | None = None, environment: Mapping[str, str] | None = None
) -> Client:
    entries = [*world.allow_hosts, "127.0.0.1"] if allow is None else allow
    guard = Guard(Policy(allow=AllowList.parse(entries)), world.resolver)
    tls = world.authority.client
    dialers: dict[str, Dialer] = proxied(guard, guard, proxy_url=proxy_url, environment=environment or {}, tls=tls)
    return Client(guard, Transport(dialers, tls), user_agent="test")


async def _get(client: Client, url: str, quick: Limits) -> bytes:
    try:
        return (await client.get(Url.parse(url), limits=quick)).body
    finally:
        await client.aclose()


@pytest.mark.parametrize("tls", [False, True])
async def test_the_proxy_is_told_the_judged_address_and_not_the_name(world: World, quick: Limits, *, tls: bool) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>through"}, name="site.test", tls=tls)

    assert b"<p>through" == await _get(_client(world, proxy.url), site.url, quick)

    assert [f"127.0.0.1:{site.listener.port}"] == proxy.targets
    assert ["site.test"] == [name for name in world.resolver.asked if name == "site.test"][:1]


async def test_http2_is_spoken_through_the_tunnel(world: World, quick: Limits) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>two"}, name="site.test", http2=True)
    client = _client(world, proxy.url)

    response = await client.get(Url.parse(site.url), limits=quick)
    await client.aclose()

    assert "HTTP/2" == response.http_version


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "http://inner.test/", "http://localhost/", "http://169.254.169.254/"]
)
async def test_a_refused_destination_never_reaches_the_proxy(world: World, quick: Limits, url: str) -> None:
    proxy = await world.proxy()
    world.names["inner.test"] = ["10.0.0.2"]

    with pytest.raises(SsrfRejected):
        await _get(_client(world, proxy.url), url, quick)
    assert [] == proxy.requests


async def test_a_proxy_on_a_private_network_has_to_be_allowed(world: World, quick: Limits) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>x"}, name="site.test")

    with pytest.raises(SsrfRejected) as caught:
        await _get(_client(world, proxy.url, allow=[site.authority]), site.url, quick)

    assert proxy.url.removeprefix("http://") in caught.value.hint
    assert [] == proxy.listener.connections


async def test_the_proxys_credentials_go_to_the_proxy_alone(world: World, quick: Limits) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>x"}, name="site.test")

    await _get(_client(world, proxy.url.replace("://", "://us%65r:p%40ss@")), site.url, quick)

    expected = "Basic " + base64.b64encode(b"user:p@ss").decode()
    assert [expected] == [request.header("proxy-authorization") for request in proxy.requests]
    assert [""] == [request.header("proxy-authorization") for request in site.requests]


@pytest.mark.parametrize("status", [407, 403, 502, 302])
async def test_a_proxy_that_refuses_the_tunnel_fails(world: World, quick: Limits, status: int) -> None:
    proxy = await world.proxy(refuse=Reply(status=status, body=b"no"))
    site = await world.site({"/": "<p>x"}, name="site.test")

    with pytest.raises(ProxyFailed) as caught:
        await _get(_client(world, proxy.url), site.url, quick)

    assert status == caught.value.status
    assert [] == site.connections


@pytest.mark.parametrize(
    "answer",
    [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000, b"HTTP/2 200\r\n\r\n"],
)
async def test_a_proxy_that_answers_nonsense_fails(world: World, quick: Limits, answer: bytes) -> None:
    async def serve(connection: Connection) -> None:
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(answer)
        connection.writer.close()

    async with Listener(serve) as listener:
        site = await world.site({"/": "<p>x"}, name="site.test")
        with pytest.raises(WebError) as caught:
            await _get(_client(world, f"http://127.0.0.1:{listener.port}"), site.url, quick)

    assert caught.value.code in {"proxy_failed", "connection_failed"}


async def test_a_silent_proxy_is_given_up(world: World) -> None:
    async with Listener() as listener:
        guard = Guard(Policy(allow=AllowList.parse(["127.0.0.1"])), world.resolver)
        proxy = Proxy.parse(f"http://127.0.0.1:{listener.port}")
        dialer = ProxyDialer(guard, guard, proxy, tls=world.authority.client)

        with pytest.raises(ProxyFailed):
            await dialer.connect("127.0.0.1", 80, timeout_s=0.05)


async def test_a_dead_proxy_fails_as_a_proxy(world: World, quick: Limits) -> None:
    async with Listener() as listener:
        port = listener.port
    site = await world.site({"/": "<p>x"}, name="site.test")

    with pytest.raises(ProxyFailed):
        await _get(_client(world, f"http://127.0.0.1:{port}"), site.url, quick)


async def test_a_proxy_cannot_slip_an_answer_in_front_of_the_tls_handshake(world: World, quick: Limits) -> None:
    async def serve(connection: Connection) -> None:
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(b"HTTP/1.1 200 OK\r\n\r\n" + b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged")
        await connection.closed_by_peer()

    async with Listener(serve) as listener:
        site = await world.site({"/": "<p>x"}, name="site.test", tls=True)
        with pytest.raises(TlsFailed):
            await _get(_client(world, f"http://127.0.0.1:{listener.port}"), site.url, quick)


async def test_an_https_proxy_has_to_prove_its_name(world: World, quick: Limits) -> None:
    async with Listener(tls=world.authority.server(["other.test"])) as listener:
        world.names["proxy.test"] = ["127.0.0.1"]
        site = await world.site({"/": "<p>x"}, name="site.test")
        client = _client(
            world, f"https://proxy.test:{listener.port}", allow=[*world.allow_hosts, f"proxy.test:{listener.port}"]
        )
        with pytest.raises(ProxyFailed):
            await _get(client, site.url, quick)


async def test_an_https_proxy_tunnels(world: World, quick: Limits) -> None:
    async def serve(connection: Connection) -> None:
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")

    async with Listener(serve, tls=world.authority.server(["proxy.test"])) as listener:
        world.names |= {"proxy.test": ["127.0.0.1"], "site.test": ["127.0.0.1"]}
        client = _client(world, f"https://proxy.test:{listener.port}", allow=["proxy.test", "site.test"])
        assert b"hi" == await _get(client, "http://site.test/", quick)


@pytest.mark.parametrize(
    ("environment", "url", "through"),
    [
        ({"HTTP_PROXY": "{proxy}"}, "http", True),
        ({"http_proxy": "{proxy}"}, "http", True),
        ({"HTTPS_PROXY": "{proxy}"}, "http", False),
        ({"ALL_PROXY": "{proxy}"}, "http", True),
        ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "site.test"}, "http", False),
        ({"HTTP_PROXY": "{proxy}", "no_proxy": ".test"}, "http", False),
        ({"HTTP_PROXY": "{proxy}", "no_proxy": "*"}, "http", False),
        ({"HTTP_PROXY": "{proxy}", "no_proxy": "ite.test, other"}, "http", True),
    ],
)
async def test_the_environment_names_proxies_in_every_common_way(
    world: World, quick: Limits, environment: dict[str, str], url: str, *, through: bool
) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>x"}, name="site.test")
    variables = {name: value.replace("{proxy}", proxy.url) for name, value in environment.items()}

    await _get(_client(world, "", environment=variables), site.url, quick)

    assert through == bool(proxy.targets)


@pytest.mark.parametrize(
    ("entry", "host", "port", "matched"),
    [
        ("*", "a.test", 80, True),
        ("a.test", "a.test", 80, True),
        ("a.test", "x.a.test", 80, True),
        ("a.test", "xa.test", 80, False),
        (".a.test", "x.a.test", 80, True),
        ("*.a.test", "x.a.test", 80, True),
        ("a.test:8080", "a.test", 8080, True),
        ("a.test:8080", "a.test", 80, False),
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("10.0.0.0/8", "11.1.2.3", 80, False),
        ("10.0.0.1:80", "10.0.0.1", 80, True),
        ("::1", "::1", 80, True),
        ("[::1]", "::1", 80, True),
        ("[::1]:8080", "::1", 8080, True),
        ("[::1]:8080", "::1", 80, False),
        ("fd00::/8", "fd00::1", 80, True),
        (".", "a.test", 80, False),
        ("a.test:²", "a.test", 80, False),
        ("10.0.0.0/99", "10.0.0.1", 80, False),
    ],
)
def test_no_proxy_entries_name_hosts_as_other_programs_read_them(
    entry: str, host: str, port: int, *, matched: bool
) -> None:
    assert matched == bypasses([entry], host, port)


@given(st.text(max_size=30), st.sampled_from(["a.test", "10.0.0.1", "::1"]))
def test_any_no_proxy_entry_is_read_or_ignored(entry: str, host: str) -> None:
    bypasses([entry], host, 80)


@pytest.mark.parametrize(
    "text", ["socks5://a.test:1", "http://", "ftp://a.test", "http://a b", "http://[::1", "http://u:pw@"]
)
def test_what_is_no_proxy_url_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Proxy.parse(text.replace("pw", "secret"))
    assert "secret" not in str(caught.value.as_dict())


def test_a_proxy_without_a_scheme_speaks_http() -> None:
    assert "http://proxy.test:3128" == Proxy.parse("proxy.test:3128").url.origin


def test_a_proxy_does_not_show_its_credentials() -> None:
    assert "secret" not in repr(Proxy.parse("http://user:secret@proxy.test:3128"))
