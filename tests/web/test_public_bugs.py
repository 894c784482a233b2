"""What public reports on other tools complained about, each as a page that this one has to get right."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Awaitable, Callable

import brotli
import pytest

from outrider import Web
from outrider.errors import (
    EmptyContent,
    Http403,
    RobotsDenied,
    RobotsUnavailable,
    SsrfRejected,
    TruncatedBody,
    WebError,
)
from outrider.web.operations.fetch import Fetched
from world import trouble
from world.messages import Reply, Request, fields_of, page, redirect
from world.tripwire import Tripwire
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]

_ARTICLE = "".join(
    f"<p>Paragraph {number} says something that nobody needs, at some length.</p>" for number in range(400)
)


async def _read(world: World, open_web: OpenWeb, reply: Reply | str, **options: object) -> Fetched:
    site = await world.site({"/": reply})
    web = await open_web()
    return await web.fetch(site.url, **options)  # type: ignore[arg-type]  # passed through


# Encoding.


# enc-header-gbk-plain
async def test_the_charset_of_a_plain_text_header_is_used(world: World, open_web: OpenWeb) -> None:
    outcome = await _read(world, open_web, page("中文网页测试".encode("gbk"), content_type="text/plain; charset=gbk"))

    assert "中文网页测试" == outcome.markdown.strip()
    assert outcome.page is not None
    assert outcome.page.document.charset.lower() in {"gbk", "gb18030"}


# enc-header-sjis-html
async def test_a_shift_jis_page_is_readable_japanese(world: World, open_web: OpenWeb) -> None:
    html = "<html><head><title>日本語の題名</title></head><body><p>これは本文です。</p></body></html>"

    outcome = await _read(world, open_web, page(html.encode("shift_jis"), content_type="text/html; charset=Shift_JIS"))

    assert outcome.page is not None
    assert "日本語の題名" == outcome.page.document.title
    assert "これは本文です。" in outcome.markdown


# enc-meta-only-euckr
async def test_a_charset_that_only_the_page_declares_is_used(world: World, open_web: OpenWeb) -> None:
    html = '<html><head><meta charset="euc-kr"><title>제목</title></head><body><p>한국어 본문</p></body></html>'

    outcome = await _read(world, open_web, page(html.encode("euc_kr"), content_type="text/html"))

    assert outcome.page is not None
    assert ("제목", True) == (outcome.page.document.title, "한국어 본문" in outcome.markdown)


# enc-utf8-korean-mostly-ascii
async def test_a_few_korean_words_among_ascii_stay_intact(world: World, open_web: OpenWeb) -> None:
    html = (
        '<html><head><meta charset="utf-8"></head><body><pre>import os; print(os)</pre><p>시퀀스 분류</p></body></html>'
    )

    outcome = await _read(world, open_web, page(html, content_type="text/html"))

    assert "시퀀스 분류" in outcome.markdown
    assert "import os; print(os)" in outcome.markdown


# enc-guess-overrides-header
async def test_a_header_that_fits_the_bytes_wins_over_any_guess(world: World, open_web: OpenWeb) -> None:
    outcome = await _read(world, open_web, page("<p>微信文章正文</p>", content_type="text/html; charset=utf-8"))

    assert "微信文章正文" in outcome.markdown


# enc-gb2312-superset
async def test_gb2312_is_read_as_its_superset(world: World, open_web: OpenWeb) -> None:
    body = "<p>朱镕基 囧</p>".encode("gb18030")

    outcome = await _read(world, open_web, page(body, content_type="text/html; charset=gb2312"))

    assert "朱镕基 囧" in outcome.markdown


# Compression.


def _coded(html: str, coding: str) -> Reply:
    pack = {"gzip": gzip.compress, "br": brotli.compress, "deflate": zlib.compress}[coding]
    return Reply(
        fields=fields_of({"content-type": "text/html; charset=utf-8", "content-encoding": coding}),
        body=pack(html.encode()),
    )


# gz-br-deflate-garbage
@pytest.mark.parametrize("coding", ["gzip", "br", "deflate"])
async def test_a_coded_page_reads_like_the_plain_one(world: World, open_web: OpenWeb, coding: str) -> None:
    html = f"<h1>Title</h1>{_ARTICLE}"
    site = await world.site({"/plain": html, "/coded": _coded(html, coding)})
    web = await open_web()

    assert (await web.fetch(site.at("/plain"))).markdown == (await web.fetch(site.at("/coded"))).markdown


# br-unsolicited
async def test_a_coding_is_undone_unasked_and_an_unknown_one_is_none(world: World, open_web: OpenWeb) -> None:
    odd = page("<p>identity body", headers={"content-encoding": "utf-8"})
    site = await world.site({"/br": _coded("<p>brotli body", "br"), "/odd": odd})
    web = await open_web()

    coded = await web.fetch(site.at("/br"), headers={"Accept-Encoding": "identity"})

    assert "brotli body" == coded.markdown.strip()
    assert "identity" == site.requests[0].header("accept-encoding")
    assert "identity body" == (await web.fetch(site.at("/odd"))).markdown.strip()


# Redirects.


# redir-relative-location
async def test_a_relative_location_stays_on_its_host(world: World, open_web: OpenWeb) -> None:
    site = await world.site({
        "/docs/Name": redirect("./Name/", status=301), "/docs/Name/": "<p>the name",
        "/x": redirect("/docs/x/", status=301), "/docs/x/": "<p>the x",
    })  # fmt: skip
    web = await open_web()

    first, second = await web.fetch(site.at("/docs/Name")), await web.fetch(site.at("/x"))

    assert first.page is not None
    assert second.page is not None
    assert (site.at("/docs/Name/"), "the name") == (first.page.final_url, first.markdown.strip())
    assert (site.at("/docs/x/"), "the x") == (second.page.final_url, second.markdown.strip())


# redir-307
@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_that_keeps_the_method_is_followed(world: World, open_web: OpenWeb, status: int) -> None:
    site = await world.site({"/": redirect("/next", status=status), "/next": "<p>next"})

    assert "next" == (await (await open_web()).fetch(site.url)).markdown.strip()


# redir-cross-host-report
async def test_a_redirect_to_another_host_is_followed_and_told(world: World, open_web: OpenWeb) -> None:
    other = await world.site({"/": "<p>other host"}, name="other.test")
    site = await world.site({"/": redirect(other.url, status=301)}, name="site.test")

    outcome = await (await open_web()).fetch(site.url)

    assert outcome.page is not None
    assert ("other host", other.url, (site.url,)) == (
        outcome.markdown.strip(), outcome.page.final_url, outcome.page.redirects,
    )  # fmt: skip


# redir-url-as-content
async def test_a_redirect_to_text_gives_the_text(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": redirect("/file"), "/file": page("just text", content_type="text/plain")})

    assert "just text" == (await (await open_web()).fetch(site.url)).markdown.strip()


# redir-cookie-gate
async def test_a_cookie_gate_opens_within_one_fetch(world: World, open_web: OpenWeb) -> None:
    def gate(request: Request) -> Reply:
        return page("<p>inside") if "seen=1" in request.header("cookie") else redirect("/b")

    give = redirect("/a", headers={"set-cookie": "seen=1; Path=/"})
    site = await world.site({"/a": gate, "/b": give})
    web = await open_web()

    assert "inside" == (await web.fetch(site.at("/a"))).markdown.strip()
    assert "inside" == (await web.fetch(site.at("/a"))).markdown.strip()
    assert ["", "", "seen=1"] * 2 == [request.header("cookie") for request in site.requests]


# redir-meta-refresh
async def test_a_page_that_is_nothing_but_a_refresh_is_followed(world: World, open_web: OpenWeb) -> None:
    site = await world.site({
        "/": '<META HTTP-EQUIV=REFRESH CONTENT="0; URL=/next/">', "/next/": "<p>the next page",
    })  # fmt: skip

    outcome = await (await open_web()).fetch(site.url)

    assert outcome.page is not None
    assert ("the next page", site.at("/next/")) == (outcome.markdown.strip(), outcome.page.final_url)


# redir-utf8-location
async def test_raw_utf8_in_a_location_is_percent_encoded(world: World, open_web: OpenWeb) -> None:
    location = (b"location", "/страница".encode())
    site = await world.site({"/": Reply(status=302, fields=(location,)), "*": "<p>cyrillic"})

    await (await open_web()).fetch(site.url)

    assert "/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0" == site.requests[1].target


# Headers.


# http-ua-required
@pytest.mark.parametrize("robots", ["ignore", "respect"])
async def test_the_configured_identity_is_sent_on_every_path(world: World, open_web: OpenWeb, robots: str) -> None:
    def strict(request: Request) -> Reply:
        return page("<p>welcome") if request.header("user-agent") == "Mine/2" else page("no", status=403)

    site = await world.site({"/": redirect("/a"), "*": strict})
    site.paths["/"] = lambda request: (
        redirect("/a") if request.header("user-agent") == "Mine/2" else page("", status=403)
    )

    web = await open_web(user_agent="Mine/2", robots=robots)

    assert "welcome" == (await web.fetch(site.url)).markdown.strip()
    assert {"Mine/2"} == {request.header("user-agent") for request in site.requests}


# http-accept-required
@pytest.mark.parametrize("kind", ["application/json", "application/xml", "text/plain", "image/svg+xml"])
async def test_any_kind_is_accepted(world: World, open_web: OpenWeb, kind: str) -> None:
    def strict(request: Request) -> Reply:
        accepted = request.header("accept")
        fits = kind in accepted or "*/*" in accepted
        return page('{"fine": true}', content_type="application/json") if fits else page("no", status=406)

    assert "fine" in (await _read_handler(world, open_web, strict)).markdown


async def _read_handler(world: World, open_web: OpenWeb, handler: Callable[[Request], Reply]) -> Fetched:
    site = await world.site({"/": handler})
    return await (await open_web()).fetch(site.url)


# http-accept-markdown
async def test_markdown_is_asked_for_and_used_as_it_is(world: World, open_web: OpenWeb) -> None:
    markdown = "# Title\n\n- *exactly* as written\n"

    def either(request: Request) -> Reply:
        vary = {"vary": "accept"}
        if "text/markdown" in request.header("accept"):
            return page(markdown, content_type="text/markdown; charset=utf-8", headers=vary)
        return page("<h1>Title</h1>", headers=vary)

    outcome = await _read_handler(world, open_web, either)

    assert outcome.page is not None
    assert ("markdown", markdown.strip()) == (outcome.page.document.kind, outcome.markdown.strip())


# http-link-alternate-md
async def test_a_markdown_twin_that_a_page_declares_is_offered(world: World, open_web: OpenWeb) -> None:
    site = await world.site(
        {"/": '<head><link rel=alternate type="text/markdown" href="/page.md"></head><p>Some content of the page.'}
    )
    web = await open_web()

    result = await web.call("web_fetch", {"url": site.url})

    assert site.at("/page.md") == result.data["items"][0]["alternate_markdown"]
    assert site.at("/page.md") in result.text


# Raw text.


# json-intact
async def test_json_keeps_every_character_and_says_where_it_was_cut(world: World, open_web: OpenWeb) -> None:
    text = json.dumps({"items": [f"a<b> & c  d   {number}" for number in range(14_000)]})
    assert len(text) > 300_000
    site = await world.site({"/": page(text, content_type="application/json")})
    web = await open_web()

    outcome = await web.fetch(site.url, limit=32_000)
    parts = [outcome.markdown]
    assert outcome.next_offset is not None
    while outcome.next_offset is not None:
        outcome = await web.fetch(site.url, offset=outcome.next_offset, limit=32_000)
        parts.append(outcome.markdown)

    assert json.loads(text) == json.loads("".join(parts))
    assert 1 == len(site.requests)


# json-cut-still-marked
async def test_json_that_is_cut_is_marked_outside_of_it(world: World, open_web: OpenWeb) -> None:
    text = json.dumps(list(range(20_000)))
    site = await world.site({"/": page(text, content_type="application/json")})

    result = await (await open_web()).call("web_fetch", {"url": site.url, "limit": 1_000})

    item = result.data["items"][0]
    assert item["truncated"]
    assert text.startswith(item["content"])
    assert f"offset={item['next_offset']}" in result.text


# js-file-exact
async def test_a_script_is_returned_exactly(world: World, open_web: OpenWeb) -> None:
    script = 'var a="<b>&amp;  x";for(var i=0;i<9;i++){/* \\u00e9 é */}\n' * 40
    site = await world.site({"/a.js": page(script, content_type="application/javascript; charset=utf-8")})

    outcome = await (await open_web()).fetch(site.at("/a.js"), limit=32_000)

    assert hashlib.sha256(script.encode()).digest() == hashlib.sha256(outcome.markdown.encode()).digest()


# Paging.


# size-exact-cap
@pytest.mark.parametrize("extra", [0, 1])
async def test_a_body_of_exactly_the_cap_is_whole(world: World, open_web: OpenWeb, extra: int) -> None:
    site = await world.site({"/": page("x" * (2_048 + extra), content_type="text/plain")})
    web = await open_web(max_body_bytes=2_048)

    if extra:
        with pytest.raises(WebError) as caught:
            await web.fetch(site.url)
        assert "body_too_large" == caught.value.code
    else:
        outcome = await web.fetch(site.url)
        assert outcome.page is not None
        assert ((), 2_048) == (outcome.page.warnings, len(outcome.markdown))


# size-partial-reset
async def test_a_body_shorter_than_declared_is_no_page(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": trouble.short(b"<p>half of it")})
    web = await open_web()

    for _ in range(2):
        with pytest.raises(TruncatedBody):
            await web.fetch(site.url)


# page-suffix-in-budget
async def test_no_note_is_added_to_the_window(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": _ARTICLE})
    web = await open_web()

    outcome = await web.fetch(site.url, limit=500)
    item = (await web.call("web_fetch", {"url": site.url, "limit": 500})).data["items"][0]

    assert outcome.page is not None
    assert len(outcome.markdown) <= 500
    assert outcome.page.document.markdown.startswith(outcome.markdown)
    assert len(item["content"]) == item["returned_chars"] <= 500


# page-total-length
async def test_the_total_length_is_the_pages_and_not_the_windows(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": _ARTICLE})

    item = (await (await open_web()).call("web_fetch", {"url": site.url, "limit": 300})).data["items"][0]

    assert item["content_length"] > 10_000
    assert item["returned_chars"] <= 300


# page-end-no-more
async def test_the_last_full_window_has_nothing_behind_it(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("x" * 3_000, content_type="text/plain")})
    web = await open_web()

    first = await web.fetch(site.url, limit=1_500)
    last = await web.fetch(site.url, offset=1_500, limit=1_500)

    assert (1_500, None) == (first.next_offset, last.next_offset)
    assert 1_500 == len(last.markdown)


# page-tail-reachable
async def test_the_end_of_a_long_page_is_reached_without_asking_again(world: World, open_web: OpenWeb) -> None:
    text = "Filler words go here. " * 900 + "\n\nZEBRA-TAIL stands near the end."
    site = await world.site({"/": page(text, content_type="text/plain")})
    web = await open_web()

    outcome = await web.fetch(site.url)
    windows = [outcome.markdown]
    while outcome.next_offset is not None:
        outcome = await web.fetch(site.url, offset=outcome.next_offset)
        windows.append(outcome.markdown)

    assert "ZEBRA-TAIL" in windows[-1]
    assert text == "".join(windows)
    assert 1 == len(site.requests)


# page-followup-bounded
async def test_every_call_of_a_long_reading_keeps_its_budget(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("Words and more words. " * 41_000, content_type="text/plain")})
    web = await open_web()

    for offset in (0, 8_000, 450_000):
        result = await web.call("web_fetch", {"url": site.url, "offset": offset})
        assert 0 < len(result.data["items"][0]["content"]) <= 8_000
        assert len(result.text) < 10_000


# Server-side request forgery.


# ssrf-name-to-private
async def test_a_public_name_for_a_private_address_is_refused_before_any_byte(world: World, open_web: OpenWeb) -> None:
    trap = await world.recorder("127.0.0.1")
    world.names["public.test"] = ["127.0.0.1"]

    with pytest.raises(SsrfRejected):
        await (await open_web()).fetch(f"http://public.test:{trap.port}/")

    assert [] == world.connections_to("127.0.0.1")


# ssrf-redirect-metadata
async def test_a_redirect_to_the_metadata_address_names_the_hop(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": redirect("http://169.254.169.254/latest/meta-data/")})

    with pytest.raises(SsrfRejected) as caught:
        await (await open_web()).fetch(site.url)

    assert "169.254.169.254" in str(caught.value.details)
    assert [] == world.connections_to("169.254.169.254")


# ssrf-odd-literals
@pytest.mark.parametrize(
    "host",
    ["[0:0:0:0:0:0:0:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "198.18.0.1", "localhost."],
)
async def test_an_odd_spelling_of_a_private_address_is_refused(
    open_web: OpenWeb, tripwire: Tripwire, host: str
) -> None:
    with pytest.raises(SsrfRejected):
        await (await open_web()).fetch(f"http://{host}/")

    assert [] == tripwire.contacts


# ssrf-fake-ip-optin
async def test_stand_in_addresses_open_only_on_request_and_nothing_else_with_them(
    world: World, open_web: OpenWeb
) -> None:
    world.names |= {"fake.test": ["198.18.0.9"], "ten.test": ["10.0.0.9"], "link.test": ["169.254.0.9"]}
    off, on = await open_web(), await open_web(fake_ip_ranges=["198.18.0.0/15"])

    with pytest.raises(SsrfRejected) as caught:
        await off.fetch("http://fake.test/")
    assert "fake_ip_ranges" in caught.value.hint

    with pytest.raises(WebError) as reached:
        await on.fetch("http://fake.test/")
    assert "connection_failed" == reached.value.code
    for host in ("ten.test", "link.test", "198.18.0.9"):
        with pytest.raises(SsrfRejected):
            await on.fetch(f"http://{host}/")


# Robots.


async def _respectful(world: World, open_web: OpenWeb, robots: object, **settings: object) -> tuple[Web, str]:
    site = await world.site({"/robots.txt": robots, "/page": "<p>the page"})  # type: ignore[dict-item]  # a handler
    return await open_web(robots="respect", **settings), site.at("/page")


# robots-5xx
async def test_rules_that_cannot_be_read_are_no_permission(world: World, open_web: OpenWeb) -> None:
    web, url = await _respectful(world, open_web, page("<p>Busy, allow: /", status=503))

    with pytest.raises(RobotsUnavailable):
        await web.fetch(url)


# robots-404
async def test_a_site_without_rules_may_be_read(world: World, open_web: OpenWeb) -> None:
    web, url = await _respectful(world, open_web, page("gone", status=404))

    assert "the page" == (await web.fetch(url)).markdown.strip()


# robots-ua-403
async def test_the_rules_are_asked_for_under_the_products_own_name(world: World, open_web: OpenWeb) -> None:
    def rules(request: Request) -> Reply:
        if request.header("user-agent").startswith("Outrider/"):
            return page("User-agent: *\nAllow: /\n", content_type="text/plain")
        return page("no libraries", status=403)

    web, url = await _respectful(world, open_web, rules)

    assert "the page" == (await web.fetch(url)).markdown.strip()


# robots-port-and-group
async def test_the_group_for_the_products_name_is_read_at_the_same_port(world: World, open_web: OpenWeb) -> None:
    rules = "User-agent: *\nAllow: /\n\nUser-agent: outrider\nDisallow: /page\n"
    web, url = await _respectful(world, open_web, page(rules, content_type="text/plain"))

    with pytest.raises(RobotsDenied):
        await web.fetch(url)


# Proxy.


# http-proxy-env
async def test_a_trusted_proxy_of_the_environment_is_used_and_no_proxy_respected(
    world: World, open_web: OpenWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await world.proxy()
    site = await world.site({"/": "<p>through"}, name="site.test")
    secure = await world.site({"/": "<p>through tls"}, name="secure.test", tls=True)
    direct = await world.site({"/": "<p>direct"}, name="direct.test")
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    monkeypatch.setenv("NO_PROXY", "direct.test")
    web = await open_web(trust_env_proxy=True, allow_hosts=[*world.allow_hosts, proxy.url.removeprefix("http://")])

    assert "through" == (await web.fetch(site.url)).markdown.strip()
    assert "through tls" == (await web.fetch(secure.url)).markdown.strip()
    assert "direct" == (await web.fetch(direct.url)).markdown.strip()
    with pytest.raises(SsrfRejected):
        await web.fetch("http://10.0.0.1/")

    assert [f"127.0.0.1:{site.listener.port}", f"127.0.0.1:{secure.listener.port}"] == proxy.targets


# Blocking.


# http-403-challenge
async def test_a_bot_challenge_is_named_and_not_asked_twice(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("<p>Just a moment...", status=403, headers={"cf-mitigated": "challenge"})})

    with pytest.raises(Http403) as caught:
        await (await open_web(retries=2)).fetch(site.url)

    assert ("bot_challenge", False) == (caught.value.reason, caught.value.retryable)
    assert "source" in caught.value.hint
    assert 1 == len(site.requests)


# Fragments.


# frag-section
async def test_a_fragment_leads_to_its_section_and_an_unknown_one_is_noted(world: World, open_web: OpenWeb) -> None:
    html = (
        f"<h1>All</h1>{_ARTICLE[:4_000]}<h2 id=two>Second part</h2><p>About two.</p><h3>Under two</h3><p>Deeper.</p>"
        f"<h2 id=three>Third part</h2><p>About three.</p>"
    )
    site = await world.site({"/": html})
    web = await open_web()

    section = await web.fetch(site.url + "#two")
    unknown = await web.fetch(site.url + "#nowhere")
    rest = await web.call("web_fetch", {"url": site.url + "#two"})

    assert section.markdown.lstrip().startswith("## Second part")
    assert "Deeper." in section.markdown
    assert "About three." not in section.markdown
    assert any("nowhere" in note for note in unknown.notes)
    assert unknown.markdown.lstrip().startswith("# All")
    assert "offset=" in rest.text


async def test_an_empty_page_is_an_error_and_no_success(world: World, open_web: OpenWeb) -> None:
    with pytest.raises(EmptyContent):
        await _read(world, open_web, "<div></div>")
