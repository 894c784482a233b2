"""Searching through the real client and guard, over sockets."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from outrider.errors import (
    ProviderBadResponse,
    ProviderMisconfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    SsrfRejected,
    WebError,
)
from search.typical import TYPICAL
from world.messages import Reply
from world.vendor import recorded
from world.world import World

JSON = {"content-type": "application/json"}


def searxng(base_url: str) -> dict[str, object]:
    return {"search.providers": {"searxng": {"base_url": base_url}}}


@pytest.mark.parametrize(
    "base", ["http://10.1.2.3", "http://169.254.169.254", "http://[::1]:8080", "http://localhost:8080"]
)
async def test_a_base_url_on_a_private_address_is_refused(world: World, base: str) -> None:
    async with world.web(allow_hosts=[], **searxng(base)) as web:
        with pytest.raises(SsrfRejected):
            await web.search("tides", provider="searxng")


async def test_a_refused_server_of_ones_own_does_not_end_the_search(world: World) -> None:
    await world.vendor("api.keenable.ai", [recorded(200, JSON, TYPICAL["keenable"].raw)])

    async with world.web(order=["searxng", "keenable"], **searxng("http://10.1.2.3")) as web:
        found = await web.search("tides")

    assert [("searxng", "config"), ("keenable", "ok")] == [(one.provider, one.outcome) for one in found.answer.attempts]
    assert "10.1.2.3" not in found.answer.attempts[0].message


async def test_an_allowed_server_of_ones_own_is_asked_first(world: World) -> None:
    own = await world.site({"*": recorded(200, JSON, TYPICAL["searxng"].raw)}, name="searx.internal")

    async with world.web(**searxng(own.url)) as web:
        found = await web.search("tides", freshness="week", country="DE")

    assert "searxng" == found.answer.provider
    assert 2 == len(found.hits)
    assert any("slow" in warning for warning in found.warnings)
    assert "week" == own.requests[0].query["time_range"]
    assert "de-DE" == own.requests[0].query["language"]


async def test_a_bang_cannot_lead_to_another_site(world: World) -> None:
    elsewhere = await world.site({"*": "caught"}, name="elsewhere.internal")
    own = await world.site({"*": recorded(302, {"location": elsewhere.url}, b"")}, name="searx.internal")

    async with world.web(**searxng(own.url)) as web:
        with pytest.raises(ProviderBadResponse):
            await web.search("!!elsewhere tides", provider="searxng")

    assert "elsewhere tides" == own.requests[0].query["q"]
    assert [] == elsewhere.requests


async def test_a_compressed_answer_is_read(world: World) -> None:
    body = gzip.compress(TYPICAL["stackexchange"].raw)
    own = await world.site({"*": recorded(200, JSON, body)}, name="searx.internal")
    await world.vendor("api.stackexchange.com", [_with_encoding(body)])

    async with world.web() as web:
        found = await web.search("tides", provider="stackexchange")

    assert [] == own.requests
    assert 1 == len(found.hits)


def _with_encoding(body: bytes) -> Reply:
    plain = recorded(200, JSON, body)
    return replace(plain, fields=(*plain.fields, (b"content-encoding", b"gzip")))


async def test_an_answer_that_is_too_large_is_refused(world: World) -> None:
    huge = json.dumps({"results": [{"url": "https://a.example/", "title": "x" * 9_000_000}]}).encode()
    await world.vendor("api.keenable.ai", [recorded(200, JSON, huge)])

    async with world.web() as web:
        with pytest.raises(ProviderBadResponse):
            await web.search("tides", provider="keenable")


async def test_a_vendor_that_cannot_be_reached_is_unavailable(world: World) -> None:
    async with world.web() as web:
        with pytest.raises(ProviderUnavailable) as raised:
            await web.search("tides", provider="keenable")

    assert "dns_failed" == raised.value.details["network"]


async def test_the_vendors_wait_reaches_the_caller(world: World) -> None:
    await world.vendor("api.keenable.ai", [recorded(429, {**JSON, "retry-after": "1800"}, b'{"detail": "slow"}')])

    async with world.web() as web:
        with pytest.raises(ProviderRateLimited) as raised:
            await web.search("tides", provider="keenable")

    assert 1_800.0 == raised.value.retry_after_s


async def test_a_base_url_that_is_none_names_itself(world: World) -> None:
    async with world.web(**searxng("searx without scheme")) as web:
        with pytest.raises(ProviderMisconfigured):
            await web.search("tides", provider="searxng")


def tunnelled(proxy_url: str) -> dict[str, object]:
    return {"search.providers": {"brave": {"api_key": "a-key", "proxy_url": proxy_url}}}


async def test_a_provider_with_a_proxy_is_reached_through_one_tunnel(world: World) -> None:
    proxy = await world.proxy()
    vendor = await world.vendor("api.search.brave.com", lambda _: recorded(200, JSON, TYPICAL["brave"].raw))
    world.ports["127.0.0.1", 443] = vendor.listener.port  # The tunnel is asked for by address.
    allowed = [*world.allow_hosts, f"127.0.0.1:{proxy.listener.port}"]

    async with world.web(allow_hosts=allowed, **tunnelled(proxy.url)) as web:
        await web.search("tides", provider="brave")
        await web.search("ebb", provider="brave")

    assert ["a-key", "a-key"] == [request.header("x-subscription-token") for request in vendor.requests]
    assert 1 == len(proxy.targets)
    assert all("a-key" not in str(request) for request in proxy.requests)


async def test_a_providers_proxy_on_a_private_address_is_refused(world: World) -> None:
    proxy = await world.proxy()
    await world.vendor("api.search.brave.com", [])

    async with world.web(**tunnelled(proxy.url)) as web:
        with pytest.raises(WebError) as raised:
            await web.search("tides", provider="brave")

    assert raised.value.code in {"ssrf_rejected", "provider_misconfigured", "provider_unavailable"}
    assert [] == proxy.requests
