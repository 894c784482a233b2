"""Other people's HTTP clients through our own."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import httpx2
import pytest

from outrider.egress.client import Client
from outrider.egress.httpx_transport import guarded_client, own_failures
from outrider.egress.message import Limits
from outrider.errors import (
    BodyTooLarge,
    ConnectionFailed,
    DecodingFailed,
    InvalidUrl,
    ReadTimeout,
    SsrfRejected,
    TruncatedBody,
    WebError,
)
from world.messages import Reply, page, redirect
from world.site import Site
from world.world import World

MakeClient = Callable[..., Client]


def through(client: Client, site: Site, limits: Limits) -> httpx2.AsyncClient:
    return guarded_client(client, origin=site.url.rstrip("/"), limits=limits)


async def test_a_request_arrives_as_the_library_meant_it(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/a": page("<p>there")})

    async with through(make_client(), site, quick) as http:
        answer = await http.post(site.at("/a") + "?x=1", json={"q": "é"}, headers={"x-api-key": "k"})

    assert (200, "<p>there") == (answer.status_code, answer.text)
    (sent,) = site.requests
    assert ("POST", {"x": "1"}, "k") == (sent.method, sent.query, sent.header("x-api-key"))
    assert {"q": "é"} == sent.json()
    assert "python-httpx2" not in sent.header("user-agent")


async def test_a_redirect_is_not_followed(world: World, make_client: MakeClient, quick: Limits) -> None:
    elsewhere = await world.site({"*": "caught"})
    site = await world.site({"/a": redirect(elsewhere.url)})

    async with through(make_client(), site, quick) as http:
        answer = await http.get(site.at("/a"), headers={"authorization": "Bearer k"})

    assert 302 == answer.status_code
    assert [] == elsewhere.requests


@pytest.mark.parametrize("redirected", [False, True])
async def test_a_key_never_leaves_its_origin(
    world: World, make_client: MakeClient, quick: Limits, *, redirected: bool
) -> None:
    elsewhere = await world.site({"*": "caught"})
    site = await world.site({"/a": redirect(elsewhere.url)})
    aimed = site.at("/a") if redirected else elsewhere.url

    async with through(make_client(), site, quick) as http:
        with pytest.raises(httpx2.ConnectError):
            await http.get(aimed, headers={"x-api-key": "k"}, follow_redirects=True)

    assert [] == elsewhere.requests


async def test_a_private_address_is_refused_as_ever(world: World, make_client: MakeClient, quick: Limits) -> None:
    world.names["turns.test"] = ["10.0.0.7"]

    async with guarded_client(make_client(), origin="http://turns.test", limits=quick) as http:
        with pytest.raises(SsrfRejected), own_failures():
            await http.get("http://turns.test/")

    assert [] == world.connections_to("10.0.0.7")


async def test_the_environment_changes_nothing(
    world: World, make_client: MakeClient, quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await world.recorder()
    site = await world.site({"/a": "<p>there"})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{proxy.host}:{proxy.port}")

    async with through(make_client(), site, quick) as http:
        answer = await http.get(site.at("/a"))

    assert "<p>there" == answer.text
    assert [] == world.connections_to(proxy.host)


async def test_a_body_comes_decoded_and_no_cookie_is_kept(world: World, make_client: MakeClient, quick: Limits) -> None:
    coded = {"content-encoding": "gzip", "set-cookie": "a=b"}
    site = await world.site({"/a": page(gzip.compress(b"<p>packed"), headers=coded)})

    async with through(make_client(), site, quick) as http:
        answer = await http.get(site.at("/a"))
        await http.get(site.at("/a"))

    assert "<p>packed" == answer.text
    assert "content-encoding" not in answer.headers
    assert "" == site.requests[1].header("cookie")


async def test_a_body_is_handed_on_as_it_arrives(world: World, make_client: MakeClient, quick: Limits) -> None:
    heard = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"first"
        await asyncio.wait_for(heard.wait(), 5)
        yield b"second"

    site = await world.site({"/a": Reply(body=slowly(), framing="chunked")})

    pieces = []
    async with through(make_client(), site, quick) as http, http.stream("GET", site.at("/a")) as answer:
        async for piece in answer.aiter_bytes():
            pieces.append(piece)
            heard.set()

    assert [b"first", b"second"] == pieces


FAILURES: list[tuple[Reply, tuple[type[httpx2.RequestError], type[WebError]]]] = [
    (Reply(body=b"x" * 100, cut_after=10), (httpx2.RemoteProtocolError, TruncatedBody)),
    (
        page(gzip.compress(b"x" * 1_000)[:10] + b"\xff" * 40, headers={"content-encoding": "gzip"}),
        (httpx2.DecodingError, DecodingFailed),
    ),
    (page(b"x" * 20_000), (httpx2.ConnectError, BodyTooLarge)),
]


@pytest.mark.parametrize(("reply", "failures"), FAILURES)
async def test_a_failure_is_the_librarys_own_and_ours_behind_it(
    world: World,
    make_client: MakeClient,
    quick: Limits,
    reply: Reply,
    failures: tuple[type[httpx2.RequestError], type[WebError]],
) -> None:
    theirs, ours = failures
    site = await world.site({"/a": reply})

    async with through(make_client(), site, replace(quick, max_body_bytes=10_000)) as http:
        with pytest.raises(theirs):
            await http.get(site.at("/a"))
        with pytest.raises(ours), own_failures():
            await http.get(site.at("/a"))


async def test_a_server_that_says_nothing_is_a_timeout(world: World, make_client: MakeClient, quick: Limits) -> None:
    async def never() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    site = await world.site({"/a": Reply(body=never(), framing="chunked")})

    async with through(make_client(), site, replace(quick, stall_s=0.1)) as http:
        with pytest.raises(httpx2.ReadTimeout) as raised:
            await http.get(site.at("/a"))

    assert isinstance(raised.value.__cause__, ReadTimeout)


async def test_an_address_that_only_looks_like_one_is_refused(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    async with guarded_client(make_client(), origin="http://127.1", limits=quick) as http:
        with pytest.raises(InvalidUrl), own_failures():
            await http.get("http://127.1/")


async def test_what_is_not_ours_is_left_as_it_is(world: World) -> None:
    with pytest.raises(KeyError), own_failures():
        raise KeyError


async def test_a_refused_origin_is_told_in_our_words(world: World, make_client: MakeClient, quick: Limits) -> None:
    async with guarded_client(make_client(), origin="https://a.test", limits=quick) as http:
        with pytest.raises(ConnectionFailed), own_failures():
            await http.get("https://a.test:8443/")
