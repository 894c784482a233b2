"""The cache of answers keeps to the rules of HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from email.utils import formatdate
from typing import Any

import pytest

from outrider import Web
from outrider.egress.message import Headers, Response
from outrider.errors import Http404, TruncatedBody
from outrider.fetch.cache import Cache, freshness_s, is_storable
from outrider.store.backends.memory import MemoryShared
from outrider.url import Url
from outrider.web.assembly import Wiring
from world import trouble
from world.messages import Reply, Request, page
from world.world import World

URL = Url.parse("https://example.com/")
NOW = 1_000_000.0


def response(body: bytes = b"x", *, status: int = 200, **headers: Any) -> Response:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(url=URL, status=status, headers=Headers(fields), body=body)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"cache_control": "max-age=60"}, 60),
        ({"cache_control": "Max-Age=60, public"}, 60),
        ({"cache_control": 'max-age="60"'}, 60),
        ({"cache_control": "max-age=60, s-maxage=10"}, 10),
        ({"cache_control": "max-age=60", "age": "20"}, 40),
        ({"cache_control": "max-age=60", "age": "200"}, 0),
        ({"cache_control": "no-cache, max-age=60"}, 0),
        ({"cache_control": "max-age=soon"}, 0),
        ({"cache_control": "max-age=-1"}, 0),
        ({"cache_control": "max-age=99999999999999999999"}, 0),
        ({"cache_control": "max-age=99999999"}, 86_400),
        ({"expires": formatdate(NOW + 90, usegmt=True), "date": formatdate(NOW, usegmt=True)}, 90),
        ({"expires": formatdate(NOW + 90, usegmt=True)}, 90),
        ({"expires": "0"}, 0),
        ({"expires": formatdate(NOW + 90, usegmt=True), "cache_control": "max-age=5"}, 5),
        ({"last_modified": formatdate(NOW - 1_000_000, usegmt=True)}, 0),
    ],
)
def test_an_answer_is_fresh_as_long_as_it_says(headers: dict[str, Any], seconds: float) -> None:
    assert seconds == freshness_s(response(**headers), NOW)


@pytest.mark.parametrize(
    ("headers", "seconds"), [({}, 10), ({"cache_control": "max-age=600"}, 10), ({"cache_control": "max-age=5"}, 5)]
)
def test_what_does_not_exist_is_believed_for_a_short_time(headers: dict[str, Any], seconds: float) -> None:
    assert seconds == freshness_s(response(status=404, **headers), NOW)


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (response(), True),
        (response(status=404), True),
        (response(status=500), False),
        (response(status=403), False),
        (response(status=206), False),
        (response(cache_control="no-store"), False),
        (response(cache_control="private, max-age=60"), False),
        (response(vary="Accept-Encoding, Cookie"), True),
        (response(vary="*"), False),
        (response(b"x" * (2 * 1024 * 1024 + 1)), False),
        (Response(url=URL, status=200, headers=Headers(), body=b"x", truncated=True), False),
        (Response(url=URL, status=200, headers=Headers(), body=b"x", redirects=(URL,)), False),
    ],
)
def test_only_what_may_be_kept_is(answer: Response, *, kept: bool) -> None:
    assert kept == is_storable(answer)


async def test_an_answer_comes_back_as_it_was() -> None:
    cache = Cache(MemoryShared(), clock=lambda: NOW)
    whole = response(b"\0\xff", cache_control="max-age=60", etag='"1"', x_name="w\u00e9rt")
    await cache.keep(URL, "*/*", whole)
    kept = await cache.find(URL, "*/*")
    assert kept is not None
    assert (whole.body, whole.headers.fields) == (kept.response.body, kept.response.headers.fields)
    assert {"if-none-match": '"1"'} == kept.validators
    assert None is await cache.find(URL, "text/html")
    assert None is await Cache(MemoryShared(), identity="other").find(URL, "*/*")


# Over a real socket.


@pytest.fixture
async def read(world: World, tmp_path: Any) -> Any:
    async with AsyncExitStack() as stack:
        webs: list[Web] = []

        async def fetch(url: str, **options: Any) -> Any:
            if not webs:
                wiring = Wiring(resolver=world.resolver, tls=world.authority.client)
                settings: dict[str, Any] = {
                    "allow_hosts": world.allow_hosts,
                    "retries": 0,
                    "data_dir": str(tmp_path / "data"),
                }
                webs.append(await stack.enter_async_context(Web(wiring=wiring, **settings)))
            return await webs[0].fetch(url, **options)

        yield fetch


Read = Callable[..., Awaitable[Any]]


def versioned(**headers: str) -> Callable[[Request], Reply]:
    """A page with a tag, which answers 304 to those who have it."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}

    asked = {"if-none-match": "etag", "if-modified-since": "last-modified"}

    def handler(request: Request) -> Reply:
        if any(name in fields and request.header(field) == fields[name] for field, name in asked.items()):
            return Reply(status=304, fields=tuple((key.encode(), value.encode()) for key, value in fields.items()))
        return page("<p>Hello</p>", headers=fields)

    return handler


async def test_a_fresh_page_is_given_again_without_asking(world: World, read: Read) -> None:
    site = await world.site({"/": page("<p>Hello</p>", headers={"cache-control": "max-age=60"})})
    assert ["http", "cache"] == [(await read(site.url)).page.via for _ in range(2)]
    assert 1 == len(site.requests)


@pytest.mark.parametrize("headers", [{"etag": '"v1"'}, {"last_modified": "Mon, 30 Nov 2026 00:00:00 GMT"}])
async def test_a_page_that_did_not_change_counts_as_cached(world: World, read: Read, headers: dict[str, str]) -> None:
    site = await world.site({"/": versioned(**headers)})
    outcomes = [await read(site.url) for _ in range(3)]
    assert ["http", "cache", "cache"] == [outcome.page.via for outcome in outcomes]
    assert ["Hello"] * 3 == [outcome.markdown.strip() for outcome in outcomes]
    assert 3 == len(site.requests)


async def test_a_changed_page_is_read_anew(world: World, read: Read) -> None:
    count = 0

    def handler(_: Request) -> Reply:
        nonlocal count
        count += 1
        return page(f"<p>Version {count}</p>", headers={"etag": f'"{count}"'})

    site = await world.site({"/": handler})
    assert ["Version 1", "Version 2"] == [(await read(site.url)).markdown.strip() for _ in range(2)]


@pytest.mark.parametrize(
    "headers",
    [
        {"cache-control": "no-store"},
        {"cache-control": "private, max-age=60"},
        {"vary": "*", "cache-control": "max-age=60"},
    ],
)
async def test_what_may_not_be_kept_is_asked_again(world: World, read: Read, headers: dict[str, str]) -> None:
    site = await world.site({"/": page("<p>Hello</p>", headers=headers)})
    assert ["http", "http"] == [(await read(site.url)).page.via for _ in range(2)]


async def test_a_call_with_headers_neither_uses_nor_fills_the_cache(world: World, read: Read) -> None:
    def handler(request: Request) -> Reply:
        return page(
            request.header("authorization") or "nobody",
            content_type="text/plain",
            headers={"cache-control": "max-age=60"},
        )

    site = await world.site({"/": handler})
    secret = {"authorization": "Bearer x"}
    assert ["Bearer x", "nobody", "Bearer x"] == [
        (await read(site.url, headers=secret)).markdown,
        (await read(site.url)).markdown,
        (await read(site.url, headers=secret)).markdown,
    ]


# size-partial-reset
async def test_a_body_that_broke_off_is_an_error_and_never_cached(world: World, read: Read) -> None:
    broken = True

    def handler(_: Request) -> Reply:
        headers = {"cache-control": "max-age=60", "etag": '"1"'}
        return trouble.short(b"<p>Hel", declared=100) if broken else page("<p>Hello</p>", headers=headers)

    site = await world.site({"/": handler})
    with pytest.raises(TruncatedBody):
        await read(site.url)
    broken = False
    assert "Hello" == (await read(site.url)).markdown.strip()
    assert "" == site.requests[-1].header("if-none-match")


async def test_a_missing_page_is_believed_missing_for_a_moment(world: World, read: Read) -> None:
    site = await world.site({})
    for _ in range(2):
        with pytest.raises(Http404):
            await read(site.at("/none"))
    assert 1 == len(site.requests)


async def test_a_304_that_came_by_a_redirect_is_asked_again(world: World, read: Read) -> None:
    moved = False

    def handler(_: Request) -> Reply:
        if moved:
            return Reply(status=302, fields=((b"location", b"/new"),))
        return page("<p>Old</p>", headers={"etag": '"1"'})

    def new(request: Request) -> Reply:
        return Reply(status=304) if request.header("if-none-match") else page("<p>New</p>")

    site = await world.site({"/": handler, "/new": new})
    await read(site.url)
    moved = True
    assert "New" == (await read(site.url)).markdown.strip()
