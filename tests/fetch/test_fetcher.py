"""Address to page, through the public door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from outrider import Call, Progress, Web
from outrider.errors import (
    EmptyContent,
    Http404,
    RedirectRejected,
    SsrfRejected,
    TooManyRedirects,
    TotalTimeout,
    UnsupportedContent,
    WebError,
)
from outrider.web.assembly import Wiring
from world import trouble
from world.messages import page, redirect
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]


@pytest.fixture
async def open_web(world: World) -> AsyncIterator[OpenWeb]:
    """Opens a `Web` that may reach every site that the world has by then."""
    async with AsyncExitStack() as stack:

        async def opened(**settings: Any) -> Web:
            wiring = Wiring(resolver=world.resolver, tls=world.authority.client)
            return await stack.enter_async_context(
                Web(wiring=wiring, **{"allow_hosts": world.allow_hosts, "retries": 0, **settings})
            )

        yield opened


def _refresh(target: str) -> str:
    return f'<meta http-equiv=refresh content="0;url={target}">'


async def test_a_page_carries_its_facts(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/a": redirect("/b"), "/b": page("<title>T</title><h1>Head</h1><p>Text")})

    fetched = (await (await open_web()).fetch(site.at("/a"))).page

    assert fetched is not None
    assert (site.at("/a"), site.at("/b"), (site.at("/a"),)) == (fetched.url, fetched.final_url, fetched.redirects)
    assert (200, "http", "T") == (fetched.status, fetched.via, fetched.document.title)
    assert fetched.content_type.startswith("text/html")
    assert len("<title>T</title><h1>Head</h1><p>Text") == fetched.body_bytes
    assert fetched.fetched_at.endswith("+00:00")


async def test_declared_and_sent_redirects_share_one_limit(world: World, open_web: OpenWeb) -> None:
    paths = {f"/{number}": page(_refresh(f"/{number + 1}")) for number in range(0, 9, 2)}
    paths |= {f"/{number}": redirect(f"/{number + 1}") for number in range(1, 9, 2)}
    site = await world.site({**paths, "/7": "<p>the end"})
    web = await open_web()

    assert "the end" == (await web.fetch(site.at("/2"))).markdown.strip()
    with pytest.raises(TooManyRedirects):
        await web.fetch(site.at("/1"))


@pytest.mark.parametrize("target", ["http://127.0.0.2:{port}/", "//127.0.0.2:{port}/", "http://inner.test:{port}/"])
async def test_a_page_does_not_redirect_inward(world: World, open_web: OpenWeb, target: str) -> None:
    trap = await world.recorder()
    world.names["inner.test"] = ["127.0.0.2"]
    site = await world.site({"/": _refresh(target.format(port=trap.port))})

    with pytest.raises(SsrfRejected):
        await (await open_web()).fetch(site.url)
    assert [] == world.connections_to("127.0.0.2")


async def test_a_page_on_https_does_not_redirect_to_http(world: World, open_web: OpenWeb) -> None:
    plain = await world.site({"/": "<p>plain"}, name="plain.test")
    secure = await world.site({"/": _refresh(plain.url)}, name="secure.test", tls=True)

    with pytest.raises(RedirectRejected):
        await (await open_web()).fetch(secure.url)
    assert [] == plain.connections


@pytest.mark.parametrize("target", ["javascript:x", "file:///etc/hosts", "data:text/html,x"])
async def test_a_page_that_is_nothing_but_an_odd_redirect_is_no_page(
    world: World, open_web: OpenWeb, target: str
) -> None:
    site = await world.site({"/": _refresh(target)})

    with pytest.raises(WebError) as caught:
        await (await open_web()).fetch(site.url)
    assert caught.value.code in {"redirect_rejected", "empty_content"}


async def test_headers_of_the_caller_do_not_follow_a_declared_redirect_to_another_origin(
    world: World, open_web: OpenWeb
) -> None:
    other = await world.site({"/": "<p>other"}, name="other.test")
    site = await world.site({"/": _refresh(other.url)}, name="site.test")

    await (await open_web()).fetch(site.url, headers={"Authorization": "secret"})

    assert "secret" == site.requests[0].header("authorization")
    assert "" == other.requests[0].header("authorization")


async def test_headers_of_the_caller_do_not_come_back_by_way_of_another_origin(world: World, open_web: OpenWeb) -> None:
    """Another site must not be able to choose what is asked of the first with the caller's credentials."""
    site = await world.site({"/back": "<p>back"}, name="site.test")
    other = await world.site({"/": _refresh(site.at("/back"))}, name="other.test")
    site.paths["/"] = redirect(other.url)

    await (await open_web()).fetch(site.url, headers={"Authorization": "secret"})

    assert ["secret", ""] == [request.header("authorization") for request in site.requests]


async def test_an_error_page_is_an_error_with_its_text(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("<h1>Gone fishing</h1>", status=404)})

    with pytest.raises(Http404) as caught:
        await (await open_web()).fetch(site.url)
    assert "Gone fishing" in caught.value.details["text"]


async def test_what_cannot_be_read_as_text_points_to_download(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page(b"\x89PNG\r\n\x1a\n" + b"\0" * 50, content_type="image/png")})

    with pytest.raises(UnsupportedContent) as caught:
        await (await open_web()).fetch(site.url)
    assert "download" in caught.value.hint.lower()


@pytest.mark.parametrize("html", ["", "   ", "<div id=root></div><script src=/app.js></script>", "<title>Only</title>"])
async def test_a_page_without_text_is_no_success(world: World, open_web: OpenWeb, html: str) -> None:
    site = await world.site({"/": html})

    with pytest.raises((EmptyContent, WebError)) as caught:
        await (await open_web(render="never") if _has_render() else await open_web()).fetch(site.url)
    assert caught.value.code in {"empty_content", "render_unavailable"}


def _has_render() -> bool:
    from outrider.config import settings

    return any(name.endswith(".render") for name, *_ in settings())


async def test_a_call_ends_at_its_deadline(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": trouble.silence()})

    with pytest.raises(TotalTimeout):
        await (await open_web()).fetch(site.url, call=Call().within(0.05))


async def test_whoever_watches_a_call_sees_its_stages(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": _refresh("/b"), "/b": "<p>there"})
    seen: list[Progress] = []

    await (await open_web()).fetch(site.url, call=Call(emit=seen.append))

    assert any(step.stage == "redirect" and step.message == site.at("/b") for step in seen)


async def test_nothing_but_the_page_itself_is_requested(world: World, open_web: OpenWeb) -> None:
    trap = await world.recorder()
    inner = f"http://127.0.0.2:{trap.port}/"
    html = (
        f'<base href="{inner}"><link rel=stylesheet href="{inner}"><link rel=preload href="{inner}">'
        f'<script src="{inner}"></script><img src="{inner}" srcset="{inner} 2x"><iframe src="{inner}"></iframe>'
        f'<object data="{inner}"></object><video poster="{inner}" src="{inner}"></video>'
        f'<style>@import "{inner}"</style>'
        f'<link rel=alternate type="text/markdown" href="{inner}"><svg><image href="{inner}"/></svg><p>The text.'
    )
    headers = {"link": f"<{inner}>; rel=preload", "alt-svc": f'h2="127.0.0.2:{trap.port}"', "content-location": inner}
    site = await world.site({"/": page(html, headers=headers)})
    web = await open_web()

    for _ in range(2):
        assert "The text." in (await web.fetch(site.url)).markdown

    assert [] == world.connections_to("127.0.0.2")


@pytest.mark.parametrize("kind", ["application/xml", "text/xml", "application/rss+xml", "image/svg+xml", "text/html"])
async def test_xml_reaches_for_nothing(world: World, open_web: OpenWeb, kind: str) -> None:
    trap = await world.recorder()
    inner = f"http://127.0.0.2:{trap.port}/"
    xml = (
        f'<?xml version="1.0"?><?xml-stylesheet href="{inner}"?>'
        f'<!DOCTYPE r SYSTEM "{inner}" [<!ENTITY a SYSTEM "{inner}">'
        f'<!ENTITY b SYSTEM "file:///etc/hosts"><!ENTITY % p SYSTEM "{inner}">%p;]>'
        f'<r xmlns:xi="http://www.w3.org/2001/XInclude">text &a; &b;<xi:include href="{inner}"/></r>'
    )
    site = await world.site({"/": page(xml, content_type=kind)})

    try:
        text = (await (await open_web()).fetch(site.url)).markdown
    except WebError:
        text = ""

    assert "localhost" not in text
    assert [] == world.connections_to("127.0.0.2")


MENUS = "".join(
    f'<ul class="footer-links"><li><a href="/{group}">{group}</a></li>'
    + "".join(f'<li><a href="/{group}/{n}">{group} help {n}</a></li>' for n in range(9))
    + "</ul>"
    for group in ("Stores", "Careers", "Returns", "Privacy")
)


@pytest.mark.parametrize(
    ("script", "reason"), [("<script src=/a.js></script>", "needs_javascript"), ("", "menus_only")]
)
async def test_a_page_of_menus_is_no_success_and_the_whole_of_it_can_be_read(
    world: World, open_web: OpenWeb, script: str, reason: str
) -> None:
    site = await world.site({"/": f"<title>Boots</title><nav class=main-nav>{MENUS}</nav>{script}"})
    web = await open_web()

    with pytest.raises(EmptyContent) as caught:
        await web.fetch(site.url)
    assert caught.value.reason == reason
    assert "whole" in caught.value.hint
    assert "Returns help 3" in (await web.fetch(site.url, whole=True)).markdown
