"""Anthropic's search over sockets: live, and on other vendors' platforms."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec_key
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from outrider.call import Call, Progress
from outrider.errors import (
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderMisconfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    SsrfRejected,
)
from search.typical import OTHER, PAGE, TYPICAL
from world.listener import Connection
from world.messages import Reply, Request, answer_json, fields_of, redirect
from world.vendor import recorded
from world.world import World

SSE = {"content-type": "text/event-stream"}
STREAM = TYPICAL["anthropic"].raw
VERTEX, FOUNDRY = "europe-west1-aiplatform.googleapis.com", "res.services.ai.azure.com"
TOKENS = "oauth2.googleapis.com"


def anthropic(api_key: str = "a-key", **extra: str) -> dict[str, Any]:
    return {"search.providers": {"anthropic": {"api_key": api_key, **extra}}}


def vertex(api_key: str = "ya29.token", **extra: str) -> dict[str, Any]:
    known = {"platform": "vertex", "region": "europe-west1", "project": "proj", "model": "claude-sonnet-4@20250514"}
    return anthropic(api_key, **{**known, **extra})


def foundry(api_key: str = "f-key", **extra: str) -> dict[str, Any]:
    return anthropic(api_key, platform="foundry", resource="res", **extra)


def account(key: RSAPrivateKey) -> str:
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    known = {"type": "service_account", "project_id": "own-proj", "private_key_id": "k1", "private_key": pem}
    return json.dumps({**known, "client_email": "robot@own-proj.test", "token_uri": "https://thief.test/token"})


@pytest.fixture(scope="module")
def rsa_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=65_537, key_size=2_048)


async def test_what_is_searched_for_is_told_while_the_answer_still_arrives(world: World) -> None:
    told: list[Progress] = []
    heard = {"query_update": asyncio.Event(), "search_results_received": asyncio.Event()}

    async def slowly() -> AsyncIterator[bytes]:
        # Each part goes out only when what stood in the one before it was told.
        query_known = STREAM.index(b'"content_block_stop"')
        results_known = STREAM.index(b"text_delta")
        yield STREAM[:query_known]
        await asyncio.wait_for(heard["query_update"].wait(), 5)
        yield STREAM[query_known:results_known]
        await asyncio.wait_for(heard["search_results_received"].wait(), 5)
        yield STREAM[results_known:]

    def watch(step: Progress) -> None:
        told.append(step)
        if step.data.get("type") in heard:
            heard[step.data["type"]].set()

    await world.vendor("api.anthropic.com", [Reply(fields=fields_of(SSE), body=slowly(), framing="chunked")])
    async with world.web(**anthropic()) as web:
        found = await web.search("tides", provider="anthropic", call=Call(emit=watch))

    assert [PAGE, OTHER] == [hit.url for hit in found.hits]
    assert [
        {"type": "query_update", "query": "tides", "tool_use_id": "u1"},
        {"type": "search_results_received", "resultCount": 2, "query": "tides", "tool_use_id": "u1"},
    ] == [step.data for step in told if "type" in step.data]
    assert 1 == found.answer.usage["web_search_requests"]


async def test_vertex_is_asked_through_the_sdk_and_the_guard(world: World) -> None:
    told: list[Progress] = []
    vendor = await world.vendor(VERTEX, [recorded(200, SSE, STREAM)])

    async with world.web(**vertex()) as web:
        found = await web.search("tides", provider="anthropic", call=Call(emit=told.append))

    assert [PAGE, OTHER] == [hit.url for hit in found.hits]
    assert 2 == sum("type" in step.data for step in told)
    (sent,) = vendor.requests
    assert "Bearer ya29.token" == sent.header("authorization")
    assert sent.header("user-agent").startswith("Outrider/")
    publisher = "/v1/projects/proj/locations/europe-west1/publishers/anthropic/models/"
    assert publisher + "claude-sonnet-4@20250514:streamRawPredict" == sent.path.replace("%40", "@")
    body = json.loads(sent.body)
    assert "model" not in body
    assert "web_search_20250305" == body["tools"][0]["type"]


async def test_foundry_is_asked_through_the_sdk_and_the_guard(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_FOUNDRY_BASE_URL", "https://thief.test/")
    vendor = await world.vendor(FOUNDRY, [recorded(200, SSE, STREAM)])

    async with world.web(**foundry()) as web:
        found = await web.search("tides", provider="anthropic", blocked_domains=["c.test"])

    assert [PAGE, OTHER] == [hit.url for hit in found.hits]
    (sent,) = vendor.requests
    assert "/anthropic/v1/messages" == sent.path
    assert "f-key" in (sent.header("x-api-key"), sent.header("api-key"))
    assert ["c.test"] == json.loads(sent.body)["tools"][0]["blocked_domains"]


async def test_a_failure_on_another_platform_is_told_as_on_the_vendors_own(world: World) -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}
    await world.vendor(VERTEX, [answer_json(error, status=429, headers={"retry-after": "17"})])

    async with world.web(**vertex()) as web:
        with pytest.raises(ProviderRateLimited) as raised:
            await web.search("tides", provider="anthropic")

    assert 17.0 == raised.value.retry_after_s


async def test_a_redirect_takes_no_key_along_on_another_platform(world: World) -> None:
    thief = await world.vendor("thief.test", [])
    await world.vendor(FOUNDRY, [redirect("https://thief.test/", status=307)])

    async with world.web(**foundry()) as web:
        with pytest.raises(ProviderBadResponse):
            await web.search("tides", provider="anthropic")

    assert [] == thief.requests


async def test_the_guard_holds_for_the_sdk(world: World) -> None:
    world.names[FOUNDRY] = ["10.0.0.7"]

    async with world.web(allow_hosts=[], **foundry()) as web:
        with pytest.raises(SsrfRejected):
            await web.search("tides", provider="anthropic")

    assert [] == world.connections_to("10.0.0.7")


async def test_a_stream_that_breaks_off_on_another_platform_is_unavailable(world: World) -> None:
    broken = Reply(fields=fields_of(SSE), body=STREAM, framing="length", cut_after=200)
    await world.vendor(FOUNDRY, [broken])

    async with world.web(**foundry()) as web:
        with pytest.raises(ProviderUnavailable) as raised:
            await web.search("tides", provider="anthropic")

    assert "truncated_body" == raised.value.details["network"]


@pytest.mark.parametrize("headers_first", [True, False])
async def test_an_answer_that_takes_too_long_on_another_platform_is_given_up(
    world: World, *, headers_first: bool
) -> None:
    async def never(_: Request, connection: Connection) -> None:
        if headers_first:
            await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\n")
        await asyncio.Event().wait()

    vendor = await world.vendor(FOUNDRY, [])
    vendor.paths["*"] = never

    async with world.web(**foundry()) as web:
        with pytest.raises(ProviderUnavailable) as raised:
            await web.search("tides", provider="anthropic", call=Call().within(1.0))

    assert "timeout" == raised.value.details["attempts"][0]["outcome"]
    assert not asyncio.current_task().cancelling()  # type: ignore[union-attr]  # there is one


async def test_without_the_extra_the_platform_is_declined(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    vendor = await world.vendor(FOUNDRY, [])

    async with world.web(**foundry()) as web:
        with pytest.raises(ProviderMisconfigured) as raised:
            await web.search("tides", provider="anthropic")

    assert "not_installed" == raised.value.reason
    assert "outrider[anthropic]" in raised.value.hint
    assert [] == vendor.requests


@pytest.mark.parametrize("settings", [vertex("sk-ant-mine"), foundry("sk-ant-mine"), vertex(project="../x")])
async def test_a_key_or_setting_of_another_kind_is_not_sent(world: World, settings: dict[str, Any]) -> None:
    vendors = [await world.vendor(VERTEX, []), await world.vendor(FOUNDRY, [])]

    async with world.web(**settings) as web:
        with pytest.raises(ProviderMisconfigured):
            await web.search("tides", provider="anthropic")

    assert [] == [request for vendor in vendors for request in vendor.requests]


async def test_a_service_account_is_traded_for_a_token(world: World, rsa_key: RSAPrivateKey) -> None:
    thief = await world.vendor("thief.test", [])
    tokens = await world.vendor(TOKENS, [answer_json({"access_token": "ya29.fresh", "expires_in": 3599})])
    vendor = await world.vendor(VERTEX, [recorded(200, SSE, STREAM)])

    async with world.web(**vertex(account(rsa_key), project="")) as web:
        await web.search("tides", provider="anthropic")

    form = parse_qs(tokens.requests[0].body.decode())
    signed, _, signature = form["assertion"][0].rpartition(".")
    rsa_key.public_key().verify(_decoded(signature), signed.encode(), PKCS1v15(), SHA256())
    claims = json.loads(_decoded(signed.partition(".")[2]))
    assert "robot@own-proj.test" == claims["iss"]
    assert f"https://{TOKENS}/token" == claims["aud"]
    assert "Bearer ya29.fresh" == vendor.requests[0].header("authorization")
    assert "/projects/own-proj/" in vendor.requests[0].path
    assert [] == thief.requests


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


async def test_a_users_credentials_are_traded_for_a_token(world: World) -> None:
    user = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
    tokens = await world.vendor(TOKENS, [answer_json({"access_token": "ya29.fresh"})])
    vendor = await world.vendor(VERTEX, [recorded(200, SSE, STREAM)])

    async with world.web(**vertex(json.dumps(user))) as web:
        await web.search("tides", provider="anthropic")

    form = parse_qs(tokens.requests[0].body.decode())
    assert {"refresh_token": ["r"], "grant_type": ["refresh_token"]}.items() <= form.items()
    assert "Bearer ya29.fresh" == vendor.requests[0].header("authorization")


async def test_refused_credentials_are_a_matter_of_the_key_and_are_not_repeated(world: World) -> None:
    user = {"type": "authorized_user", "client_id": "c", "client_secret": "s3cret", "refresh_token": "r"}
    error = {"error": "invalid_grant", "error_description": "s3cret is wrong"}
    await world.vendor(TOKENS, [answer_json(error, status=400)])

    async with world.web(**vertex(json.dumps(user))) as web:
        with pytest.raises(ProviderAuthFailed) as raised:
            await web.search("tides", provider="anthropic")

    assert "s3cret" not in json.dumps(raised.value.as_dict())


def _elliptic() -> str:
    key = generate_ec_key(SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.mark.parametrize(
    "key",
    [
        "{",
        "{}",
        json.dumps({"type": "external_account", "token_url": "http://169.254.169.254/"}),
        json.dumps({"type": "service_account", "client_email": "a@b.test"}),
        json.dumps({"type": "service_account", "client_email": "a@b.test", "private_key": "PRIVATE nonsense"}),
        json.dumps({"type": "service_account", "client_email": "a@b.test", "private_key": _elliptic()}),
    ],
)
async def test_credentials_that_are_none_are_the_operators_to_mend(world: World, key: str) -> None:
    tokens = await world.vendor(TOKENS, [])

    async with world.web(**vertex(key)) as web:
        with pytest.raises(ProviderMisconfigured) as raised:
            await web.search("tides", provider="anthropic")

    assert "PRIVATE" not in raised.value.message
    assert [] == tokens.requests
