"""HTTP through the guard: redirects, credentials, retries, limits."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.egress.client import Client, check_headers
from outrider.egress.message import Headers, Limits, Request, Response
from outrider.errors import (
    BodyTooLarge,
    ConnectionFailed,
    DecodingFailed,
    HeadersTooLarge,
    Http429,
    InvalidArgument,
    PermissionDenied,
    ReadTimeout,
    RedirectRejected,
    SsrfRejected,
    TooManyRedirects,
    TotalTimeout,
    TruncatedBody,
    WebError,
)
from outrider.url import Url
from world import trouble
from world.listener import Connection
from world.messages import Reply, fields_of, page, redirect
from world.messages import Request as Asked
from world.world import World

MakeClient = Callable[..., Client]


def _url(text: str) -> Url:
    return Url.parse(text)


# Redirects.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed_and_told(
    world: World, make_client: MakeClient, quick: Limits, status: int
) -> None:
    site = await world.site({"/a": redirect("./b?x#y", status=status), "/b": "<p>there"})

    response = await make_client().get(_url(site.at("/a")), limits=quick)

    assert (200, site.at("/b") + "?x") == (response.status, str(response.url))
    assert (site.at("/a"),) == tuple(map(str, response.redirects))
    assert b"<p>there" == response.body


@pytest.mark.parametrize("status", [300, 304, 305, 306, 201])
async def test_other_statuses_with_a_location_are_answers(
    world: World, make_client: MakeClient, quick: Limits, status: int
) -> None:
    trap = await world.recorder()
    site = await world.site({"/": redirect(f"http://127.0.0.2:{trap.port}/", status=status)})

    response = await make_client().get(_url(site.url), limits=quick)

    assert status == response.status
    assert [] == world.connections_to("127.0.0.2")


async def test_a_redirect_without_a_location_is_an_answer(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": page("<p>where to?", status=302)})

    assert 302 == (await make_client().get(_url(site.url), limits=quick)).status


@pytest.mark.parametrize(
    "refresh",
    ["0;url=/b", "0; URL='/b'", '0; url="/b"', "3,/b", "5 ; /b", "0.5; url = /b", "0;url=/b ", "0; Url='/b'; x"],
)
async def test_a_refresh_header_within_five_seconds_is_a_redirect(
    world: World, make_client: MakeClient, quick: Limits, refresh: str
) -> None:
    site = await world.site({"/a": page("<p>wait", headers={"refresh": refresh}), "/b": "<p>there"})

    assert b"<p>there" == (await make_client().get(_url(site.at("/a")), limits=quick)).body


@pytest.mark.parametrize(
    "refresh",
    ["6;url=/b", "30; /b", "0", "5", ";url=/b", "url=/b", "-1;url=/b", "x", "0;", "0;url=", "0;url=''", "²;url=/b"],
)
async def test_other_refresh_headers_are_ignored(
    world: World, make_client: MakeClient, quick: Limits, refresh: str
) -> None:
    fields = ((b"content-type", b"text/html"), (b"refresh", refresh.encode()))
    site = await world.site({"/a": Reply(fields=fields, body=b"<p>stay"), "/b": "<p>there"})

    assert b"<p>stay" == (await make_client().get(_url(site.at("/a")), limits=quick)).body


@pytest.mark.parametrize("middle", [" " * 40_000, "\t" * 40_000, "url" + " " * 40_000])
async def test_a_long_refresh_header_does_not_hold_up_the_program(
    world: World, make_client: MakeClient, quick: Limits, middle: str
) -> None:
    site = await world.site({"/": page("<p>stay", headers={"refresh": f'0;{middle}"x"y\'z'})})

    with suppress(WebError):
        await make_client().get(_url(site.url), limits=quick)
    assert len(site.requests) in {1, 2}


async def test_the_sixth_redirect_is_not_followed(world: World, make_client: MakeClient, quick: Limits) -> None:
    paths = {f"/{number}": redirect(f"/{number + 1}") for number in range(9)}
    site = await world.site({**paths, "/9": "<p>end"})

    with pytest.raises(TooManyRedirects) as caught:
        await make_client().get(_url(site.at("/3")), limits=quick)
    assert [site.at(f"/{number}") for number in range(3, 8)] == caught.value.details["redirects"]
    assert 200 == (await make_client().get(_url(site.at("/4")), limits=quick)).status


async def test_two_locations_at_once_are_refused(world: World, make_client: MakeClient, quick: Limits) -> None:
    reply = Reply(status=302, fields=((b"location", b"/b"), (b"location", b"/c")))
    site = await world.site({"/": reply, "/b": "<p>b", "/c": "<p>c"})

    with pytest.raises(RedirectRejected):
        await make_client().get(_url(site.url), limits=quick)
    assert 1 == len(site.requests)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("ftp://a.test/", "redirect-scheme"),
        ("javascript:alert(1)", "redirect-scheme"),
        ("file:///etc/hosts", "redirect-scheme"),
        ("http://u:p@a.test/", "userinfo"),
        ("http:\\\\127.0.0.2/", "parser-differential"),
        ("///127.0.0.2/", "malformed"),
        ("http://0x7f.2/", "ipv4-nonstandard"),
        ("http://%31/", "percent-encoded-host"),
        ("http://[fe80::1%25lo]/", "ipv6-zone"),
    ],
)
async def test_a_location_that_is_no_plain_url_is_refused_with_its_reason(
    world: World, make_client: MakeClient, quick: Limits, location: str, reason: str
) -> None:
    site = await world.site({"/": redirect(location)})

    with pytest.raises(RedirectRejected) as caught:
        await make_client().get(_url(site.url), limits=quick)
    assert reason == caught.value.reason


@pytest.mark.parametrize("location", ["http://127.0.0.2:{port}/", "//127.0.0.2:{port}/", "http://inner.test:{port}/"])
async def test_a_redirect_to_a_private_address_is_refused_without_contact(
    world: World, make_client: MakeClient, quick: Limits, location: str
) -> None:
    trap = await world.recorder()
    world.names["inner.test"] = ["127.0.0.2"]
    target = location.format(port=trap.port)
    site = await world.site({"/": redirect(target)})

    with pytest.raises(SsrfRejected) as caught:
        await make_client().get(_url(site.url), limits=quick)

    assert target.removeprefix("http:") in str(caught.value.details["hop"])
    assert [] == world.connections_to("127.0.0.2")


async def test_a_public_page_does_not_lead_to_a_service_that_the_allow_list_opens(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    """The resolver says that the first is public; the connection is turned to the loopback site."""
    inner = await world.site({"/": "<p>inner"}, name="inner.test")
    outer = await world.site({"/": redirect(inner.url)}, name="outer.test")
    world.names["outer.test"] = ["93.184.215.14"]
    port = outer.listener.port

    class Turned:
        def __init__(self, guard: object) -> None:
            self._guard = guard

        async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> object:
            world.names["outer.test"] = ["127.0.0.1"]
            try:
                return await self._guard.connect(host, port, timeout_s=timeout_s)  # type: ignore[attr-defined]
            finally:
                world.names["outer.test"] = ["93.184.215.14"]

    client = make_client(allow=[inner.authority, "127.0.0.0/8"], dialer=Turned)

    with pytest.raises(RedirectRejected) as caught:
        await client.get(_url(f"http://outer.test:{port}/"), limits=quick)

    assert inner.url == caught.value.details["target"]
    assert [] == inner.requests


async def test_one_allowed_service_may_lead_to_another(world: World, make_client: MakeClient, quick: Limits) -> None:
    second = await world.site({"/": "<p>second"}, name="second.test")
    first = await world.site({"/": redirect(second.url)}, name="first.test")

    assert b"<p>second" == (await make_client().get(_url(first.url), limits=quick)).body


@pytest.mark.parametrize("allow_downgrade", [False, True])
async def test_https_leads_to_http_only_where_that_is_allowed(
    world: World, make_client: MakeClient, quick: Limits, *, allow_downgrade: bool
) -> None:
    plain = await world.site({"/": "<p>plain"}, name="plain.test")
    secure = await world.site({"/": redirect(plain.url)}, name="secure.test", tls=True)
    client = make_client(allow_downgrade=allow_downgrade)

    if allow_downgrade:
        assert b"<p>plain" == (await client.get(_url(secure.url), limits=quick)).body
    else:
        with pytest.raises(RedirectRejected):
            await client.get(_url(secure.url), limits=quick)
        assert [] == plain.connections


async def test_a_hop_that_is_not_permitted_is_not_requested(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    other = await world.site({"/": "<p>other"}, name="other.test")
    site = await world.site({"/": redirect(other.url)}, name="site.test")

    async def permit(url: Url) -> None:
        raise PermissionDenied(f"{url.host} is not permitted")

    with pytest.raises(PermissionDenied):
        await make_client().get(_url(site.url), limits=quick, permit=permit)
    assert [] == other.connections


@pytest.mark.parametrize("body", ["endless", "stalled", "garbage", "bomb"])
async def test_the_body_of_a_redirect_does_not_matter(
    world: World, make_client: MakeClient, quick: Limits, body: str
) -> None:
    fields = fields_of({"location": "/b"})
    coded = (*fields, (b"content-encoding", b"gzip"))

    async def stalled() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    replies = {
        "endless": Reply(status=302, fields=fields, body=trouble.endless().body, framing="chunked"),
        "stalled": Reply(status=302, fields=fields, body=stalled(), framing="chunked"),
        "garbage": Reply(status=302, fields=coded, body=b"\x1f\x8bgarbage"),
        "bomb": Reply(status=302, fields=coded, body=gzip.compress(b"\0" * (30 << 20))),
    }
    site = await world.site({"/a": replies[body], "/b": "<p>there"})

    assert b"<p>there" == (await make_client().get(_url(site.at("/a")), limits=quick)).body


async def test_a_chain_on_one_origin_keeps_its_connection(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site(
        {"/a": redirect("/b"), "/b": page("", status=302, headers={"location": "/c"}), "/c": "<p>c"}
    )

    await make_client().get(_url(site.at("/a")), limits=quick)

    assert 1 == len(site.connections)


# Credentials.

_SECRETS = {
    "authorization": "Bearer s1",
    "x-api-key": "s2",
    "cookie": "c=s3",
    "proxy-authorization": "s4",
    "x-own": "s5",
}


def _secrets_in(requests: list[Asked]) -> set[str]:
    return {name for request in requests for name in _SECRETS if request.header(name)}


@pytest.mark.parametrize("change", ["host", "port", "scheme", "subdomain"])
@pytest.mark.parametrize("status", [302, 307])
async def test_no_header_of_the_caller_crosses_an_origin(
    world: World, make_client: MakeClient, quick: Limits, change: str, status: int
) -> None:
    names = {"host": "other.test", "port": "site.test", "scheme": "site.test", "subdomain": "sub.site.test"}
    other = await world.site({"*": "<p>other"}, name=names[change], tls=change == "scheme")
    site = await world.site({"/": redirect(other.url, status=status)}, name="site.test")

    await make_client().get(_url(site.url), limits=quick, headers=_SECRETS)

    assert set(_SECRETS) == _secrets_in(site.requests)
    assert set() == _secrets_in(other.requests)


async def test_headers_of_the_caller_stay_on_their_origin_and_do_not_come_back(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/a": redirect("/b"), "/c": "<p>back"}, name="site.test")
    other = await world.site({"/": redirect(site.at("/c"))}, name="other.test")
    site.paths["/b"] = redirect(other.url)

    await make_client().get(_url(site.at("/a")), limits=quick, headers=_SECRETS)

    by_path = {request.path: _secrets_in([request]) for request in site.requests}
    assert {"/a": set(_SECRETS), "/b": set(_SECRETS), "/c": set()} == by_path
    assert set() == _secrets_in(other.requests)


async def test_cookies_live_for_one_fetch_and_on_one_origin(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    def gate(request: Asked) -> Reply:
        return page("<p>in") if "key=1" in request.header("cookie") else redirect("/give")

    give = Reply(status=302, fields=((b"location", b"/gate"), (b"set-cookie", b"key=1; Path=/")))
    site = await world.site({"/gate": gate, "/give": give}, name="site.test")
    client = make_client()

    assert b"<p>in" == (await client.get(_url(site.at("/gate")), limits=quick)).body
    assert b"<p>in" == (await client.get(_url(site.at("/gate")), limits=quick, headers={"Cookie": "own=2"})).body
    first_of_second = [request.header("cookie") for request in site.requests][3]
    assert "own=2" == first_of_second
    assert "own=2; key=1" == site.requests[-1].header("cookie")


async def test_a_cookie_does_not_cross_an_origin(world: World, make_client: MakeClient, quick: Limits) -> None:
    other = await world.site({"/": "<p>other"}, name="sub.site.test")
    fields = ((b"location", other.url.encode()), (b"set-cookie", b"key=1; Domain=site.test"))
    site = await world.site({"/": Reply(status=302, fields=fields)}, name="site.test")

    await make_client().get(_url(site.url), limits=quick)

    assert "" == other.requests[0].header("cookie")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "x"}, {"Content-Length": "1"}, {"Transfer-Encoding": "chunked"}, {"Connection": "close"}, {"TE": "x"},
        {"Upgrade": "h2c"}, {"a b": "c"}, {"": "c"}, {"ä": "c"}, {"a\r\nb": "c"}, {"a": "b\r\nc: d"}, {"a": "b\0"},
        {"a": 1}, {1: "a"}, {"a": None},
    ],
)  # fmt: skip
async def test_a_header_that_is_not_the_callers_to_set_is_refused(
    world: World, make_client: MakeClient, quick: Limits, headers: dict[str, str]
) -> None:
    site = await world.site({"/": "<p>x"})

    with pytest.raises(InvalidArgument, match="headers"):
        await make_client().get(_url(site.url), limits=quick, headers=headers)
    assert [] == site.connections


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=3))
def test_any_headers_are_taken_or_refused_as_an_argument(headers: dict[str, str]) -> None:
    try:
        taken = check_headers(headers)
    except InvalidArgument:
        return
    assert not any("\n" in value or "\r" in value or "\0" in value for value in taken.values())


async def test_the_client_says_who_it_is_and_what_it_can_decode(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/": "<p>x"}, name="site.test")
    client = make_client()

    await client.get(_url(site.url), limits=quick, accept="text/markdown")
    await client.get(_url(site.url), limits=quick, headers={"User-Agent": "mine", "Accept": "text/x"})

    first, second = site.requests
    assert ("Outrider/test", "text/markdown") == (first.header("user-agent"), first.header("accept"))
    assert site.authority == first.header("host")
    assert "gzip, deflate, br, zstd" == first.header("accept-encoding")
    assert ("mine", "text/x") == (second.header("user-agent"), second.header("accept"))
    assert "Outrider/test" == client.user_agent


# Limits and faults.


@pytest.mark.parametrize(
    ("handler", "failure"),
    [
        (trouble.endless(), BodyTooLarge),
        (trouble.endless_headers(), HeadersTooLarge),
        (trouble.raw(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 2_000_000), HeadersTooLarge),
        (trouble.raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 14_000 + b"\r\n"), HeadersTooLarge),
        (trouble.raw(b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n" * 20_000), HeadersTooLarge),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nx"), BodyTooLarge),
        (trouble.short(), TruncatedBody),
        (trouble.bad_chunk(), TruncatedBody),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"), TruncatedBody),
        (trouble.raw(b"hello, no HTTP here\r\n\r\n"), ConnectionFailed),
        (trouble.raw(b""), ConnectionFailed),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello"), ConnectionFailed),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"), ConnectionFailed),
        (trouble.raw(b"HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\nhello"), ConnectionFailed),
        (trouble.raw(b"HTTP/1.1 999999 Odd\r\n\r\n"), ConnectionFailed),
        (trouble.reset(), ConnectionFailed),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08nonsense"), DecodingFailed),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + gzip.compress(b"x")[:-3]), TruncatedBody),
        (trouble.raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip, br, gzip\r\n\r\nx"), DecodingFailed),
    ],
)
async def test_a_server_that_breaks_the_rules_fails_with_its_own_code(
    world: World, make_client: MakeClient, quick: Limits, handler: Reply, failure: type[WebError]
) -> None:
    site = await world.site({"/": handler})

    with pytest.raises(failure):
        await make_client().get(_url(site.url), limits=quick)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
async def test_compressed_bytes_that_yield_nothing_end_at_the_limit(
    world: World, make_client: MakeClient, quick: Limits, coding: str
) -> None:
    # An empty stored block of deflate, and a skippable frame of zstd.
    nothing = {"gzip": b"\0\0\0\xff\xff", "zstd": b"\x50\x2a\x4d\x18\x00\xff\0\0" + b"\0" * 0xFF00}[coding]
    start = {"gzip": gzip.compress(b"")[:10], "zstd": b""}[coding]

    async def each() -> AsyncIterator[bytes]:
        yield start
        while True:
            yield nothing * max(1, 65_536 // len(nothing))

    site = await world.site(
        {"/": Reply(fields=fields_of({"content-encoding": coding}), body=each(), framing="chunked")}
    )

    with pytest.raises(BodyTooLarge):
        await make_client().get(_url(site.url), limits=replace(quick, max_body_bytes=500_000))


@pytest.mark.parametrize(
    ("handler", "failure"),
    [(trouble.silence(), ReadTimeout), (trouble.raw(b"HTTP/1.1 200 OK\r\nx: y\r\n", keep_open=True), ReadTimeout),
     (trouble.stall(), ReadTimeout)],
)  # fmt: skip
async def test_a_server_that_stops_is_given_up(
    world: World, make_client: MakeClient, quick: Limits, handler: Reply, failure: type[WebError]
) -> None:
    site = await world.site({"/": handler})

    with pytest.raises(failure):
        await make_client().get(_url(site.url), limits=replace(quick, first_byte_s=0.05, stall_s=0.05))


@pytest.mark.parametrize("part", ["headers", "body", "interim"])
async def test_a_drip_that_never_stalls_ends_with_the_total_time(
    world: World, make_client: MakeClient, quick: Limits, part: str
) -> None:
    starts = {
        "headers": b"HTTP/1.1 200 OK\r\n",
        "body": b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n",
        "interim": b"",
    }
    drops = {"headers": b"x: y\r\n", "body": b"x", "interim": b"HTTP/1.1 102 Processing\r\n\r\n"}

    async def drip(_: Asked, connection: Connection) -> None:
        await connection.send(starts[part])
        while True:
            await connection.send(drops[part])
            await asyncio.sleep(0.005)

    site = await world.site({"/": drip})

    with pytest.raises(TotalTimeout):
        await make_client().get(_url(site.url), limits=replace(quick, total_s=0.2))


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
async def test_a_body_may_be_as_long_as_the_limit_and_not_a_byte_longer(
    world: World, make_client: MakeClient, quick: Limits, extra: int, framing: str
) -> None:
    body = b"x" * (100_000 + extra)
    site = await world.site({"/": Reply(body=body, framing=framing)})  # type: ignore[arg-type]  # one of the three
    limits = replace(quick, max_body_bytes=100_000)
    client = make_client()

    cut = await client.get(_url(site.url), limits=replace(limits, on_excess="cut"))

    assert (100_000, bool(extra)) == (len(cut.body), cut.truncated)
    if extra:
        with pytest.raises(BodyTooLarge):
            await client.get(_url(site.url), limits=limits)
    else:
        assert body == (await client.get(_url(site.url), limits=limits)).body


async def test_a_bomb_is_stopped_by_its_decoded_size(world: World, make_client: MakeClient, quick: Limits) -> None:
    bomb = Reply(fields=fields_of({"content-encoding": "gzip"}), body=gzip.compress(b"\0" * (64 << 20)))
    site = await world.site({"/": bomb})

    with pytest.raises(BodyTooLarge) as caught:
        await make_client().get(_url(site.url), limits=quick)
    assert {"max_bytes": quick.max_body_bytes} == caught.value.details


@pytest.mark.parametrize("status", [204, 205, 304])
async def test_an_answer_that_has_no_body_is_empty(
    world: World, make_client: MakeClient, quick: Limits, status: int
) -> None:
    site = await world.site({"/": Reply(status=status, fields=fields_of({"content-encoding": "gzip"}))})

    response = await make_client().get(_url(site.url), limits=quick)

    assert (status, b"") == (response.status, response.body)


# Retries and pace.


async def test_a_failure_that_may_pass_is_tried_again(world: World, make_client: MakeClient, quick: Limits) -> None:
    replies = iter([page("", status=503), page("<p>now")])
    site = await world.site({"/": lambda _: next(replies)})

    response = await make_client().get(_url(site.url), limits=replace(quick, retries=1))

    assert b"<p>now" == response.body


async def test_what_is_no_http_is_not_asked_again(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": trouble.raw(b"nonsense\r\n\r\n")})

    with pytest.raises(ConnectionFailed):
        await make_client().get(_url(site.url), limits=replace(quick, retries=3))
    assert 1 == len(site.requests)


async def test_a_broken_connection_is_tried_again(world: World, make_client: MakeClient, quick: Limits) -> None:
    handlers = iter([trouble.reset(), trouble.raw(b"HTTP/1.1 200 OK\r\n\r\nhere")])

    async def handler(request: Asked, connection: Connection) -> None:
        await next(handlers)(request, connection)

    site = await world.site({"/": handler})

    assert b"here" == (await make_client().get(_url(site.url), limits=replace(quick, retries=1))).body


async def test_a_server_that_asks_for_a_long_rest_is_left_alone(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"*": page("", status=429, headers={"retry-after": "300"})})
    client = make_client()

    response = await client.get(_url(site.url), limits=replace(quick, retries=3))
    assert (429, 1) == (response.status, len(site.requests))
    with pytest.raises(Http429) as caught:
        await client.get(_url(site.at("/other")), limits=quick)

    assert 1 == len(site.requests)
    assert caught.value.retry_after_s is not None


# One exchange.


async def test_send_makes_one_exchange_and_follows_nothing(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/a": redirect("/b"), "/b": "<p>b"})
    request = Request(url=_url(site.at("/a")), method="POST", headers=Headers({"X-Key": "k"}), body=b"question")

    response = await make_client().send(request, limits=quick)

    assert 302 == response.status
    asked = site.requests[0]
    assert ("POST", b"question", "8", "k") == (
        asked.method, asked.body, asked.header("content-length"), asked.header("x-key"),
    )  # fmt: skip
    assert 1 == len(site.requests)


async def test_send_is_judged_and_timed_too(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": trouble.silence()})
    client = make_client()

    with pytest.raises(SsrfRejected):
        await client.send(Request(url=_url("http://10.0.0.1/")), limits=quick)
    with pytest.raises(TotalTimeout):
        await client.send(Request(url=_url(site.url)), limits=replace(quick, total_s=0.05))


async def test_head_has_no_body_whatever_it_declares(world: World, make_client: MakeClient, quick: Limits) -> None:
    site = await world.site({"/": page("<p>long")})

    response = await make_client().send(Request(url=_url(site.url), method="HEAD"), limits=quick)

    assert (b"", "7") == (response.body, response.headers["content-length"])


def test_headers_keep_every_value_and_find_names_in_any_case() -> None:
    headers = Headers([("Set-Cookie", "a"), ("SET-COOKIE", "b"), ("X", "y")])

    assert ["a", "b"] == headers.every("set-Cookie")
    assert ("a", "y", 2, ["set-cookie", "x"]) == (headers["SET-cookie"], headers.get("x"), len(headers), list(headers))
    assert "missing" not in headers


def test_nothing_that_may_be_a_secret_is_shown() -> None:
    url = _url("https://a.test/path?key=SECRET")
    shown = (
        repr(Headers({"Authorization": "SECRET"}))
        + repr(Request(url=url))
        + repr(Response(url=url, status=200, headers=Headers(), body=b"SECRET"))
    )

    assert "SECRET" not in shown


async def test_a_fragment_outlives_a_redirect_that_names_none(
    world: World, make_client: MakeClient, quick: Limits
) -> None:
    site = await world.site({"/a": redirect("/b"), "/b": "<p>b"})

    assert site.at("/b#part") == str((await make_client().get(_url(site.at("/a#part")), limits=quick)).url)


async def test_a_hop_between_public_places_is_approved(world: World, make_client: MakeClient) -> None:
    world.names |= {"one.test": ["93.184.215.14"], "two.test": ["93.184.215.15"]}
    one, two = _url("http://one.test/"), _url("http://two.test/")

    await make_client(allow=[]).approve(one, two, None)
    await make_client(allow=["10.0.0.0/8"]).approve(one, two, None)
    await make_client(allow=["10.0.0.0/8"]).approve(one, one, None)
