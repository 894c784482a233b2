from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp import MCPError

from interfaces.mcp.serving import Door, listening
from outrider import Web
from outrider.errors import InvalidArgument, WebError
from outrider.interfaces.mcp.http import Listening
from outrider.interfaces.mcp.oauth import SignedTokens
from outrider.interfaces.mcp.tokens import Tokens, read_tokens
from world.site import Site

ALICE, BOB = "alice-0123456789abcdef", "bob-0123456789abcdef"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


async def _knock(door: Door, headers: Mapping[str, str]) -> httpx2.Response:
    accepted = {"accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False) as client:
        return await client.post(door.url, json=INITIALIZE, headers={**accepted, **headers})


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "attacker.test"},
        {"host": "attacker.test:8765"},
        {"host": "127.0.0.1.attacker.test"},
        {"origin": "http://attacker.test"},
        {"origin": "https://127.0.0.1"},
        {"origin": "null"},
    ],
)
async def test_a_web_page_that_rebinds_its_name_to_this_machine_is_turned_away(
    door: Door, headers: Mapping[str, str]
) -> None:
    assert (await _knock(door, headers)).status_code in (403, 421)
    assert 200 == (await _knock(door, {})).status_code


async def test_hosts_and_origins_can_be_added(web: Web) -> None:
    settings = Listening(port=0, allowed_hosts=("mcp.example.org",), allowed_origins=("https://app.example.org",))
    async with listening(web, settings) as door:
        named = await _knock(door, {"host": "mcp.example.org", "origin": "https://app.example.org"})
        other = await _knock(door, {"host": "mcp.example.com"})

    assert (200, True) == (named.status_code, other.status_code in (403, 421))


@pytest.fixture
async def guarded(web: Web, tmp_path: Path) -> AsyncIterator[Door]:
    """A server with two callers."""
    path = tmp_path / "tokens"
    path.write_text(f"# who may call\nalice: {ALICE}\n\nbob: {BOB}\n")
    async with listening(web, Listening(port=0, token_file=str(path))) as door:
        yield door


@pytest.mark.parametrize("header", ["", "Bearer wrong", f"Basic {ALICE}", "Bearer", f"Bearer {ALICE}x"])
async def test_without_the_right_token_nothing_is_answered(guarded: Door, header: str) -> None:
    reply = await _knock(guarded, {"authorization": header} if header else {})

    assert 401 == reply.status_code
    assert "Bearer" in reply.headers["www-authenticate"]


async def test_with_its_token_a_client_calls(guarded: Door, site: Site) -> None:
    async with guarded.client(token=ALICE) as client:
        assert not (await client.call_tool("web_fetch", {"url": site.at("/short")})).is_error


async def test_a_session_belongs_to_the_token_that_opened_it(guarded: Door) -> None:
    opened = await _knock(guarded, {"authorization": f"Bearer {ALICE}"})
    session = opened.headers["mcp-session-id"]
    async with httpx2.AsyncClient(trust_env=False) as client:
        taken = await client.delete(guarded.url, headers={"authorization": f"Bearer {BOB}", "mcp-session-id": session})
        ended = await client.delete(
            guarded.url, headers={"authorization": f"Bearer {ALICE}", "mcp-session-id": session}
        )

    assert (404, 200) == (taken.status_code, ended.status_code)


async def test_where_the_protocol_has_no_sessions_pages_belong_to_the_token(guarded: Door, site: Site) -> None:
    async with guarded.client(token=ALICE, mode="auto") as alice, guarded.client(token=BOB, mode="auto") as bob:
        await alice.call_tool("web_fetch", {"url": site.at("/short")})
        (mine,) = (await alice.list_resources()).resources

        assert [] == (await bob.list_resources()).resources
        with pytest.raises(MCPError):
            await bob.read_resource(mine.uri)
        assert (await bob.call_tool("web_fetch", {"url": "w1"})).is_error


@pytest.mark.parametrize("text", ["", "# nothing\n", "alice\n", ": 0123456789abcdef\n", "alice: short\n"])
def test_a_token_file_that_says_nothing_useful_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(text)

    with pytest.raises(InvalidArgument) as caught:
        read_tokens(path)
    assert "short" not in caught.value.message


async def test_tokens_are_told_apart() -> None:
    tokens = Tokens({"alice": ALICE, "bob": BOB})
    known = await tokens.verify_token(BOB)

    assert known is not None
    assert "bob" == known.client_id
    assert None is await tokens.verify_token("")
    assert None is await tokens.verify_token("\ud800")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_are_let_in_with_tokens_only(host: str) -> None:
    with pytest.raises(InvalidArgument):
        Listening(host=host).check()
    Listening(host=host, token=ALICE).check()


@pytest.mark.parametrize(
    "settings",
    [
        {"issuer": "https://id.example.org"},
        {"issuer": "https://id.example.org", "resource": "https://mcp.example.org/mcp"},
        {"issuer": "https://id.example.org", "resource": "https://mcp.example.org/mcp", "keys": "k", "token": ALICE},
        {"resource": "https://mcp.example.org/mcp"},
    ],
)
def test_options_that_do_not_go_together_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Listening(**settings).check()


# Access tokens of an authorization server.

ISSUER = "https://id.example.org"
RESOURCE = "https://mcp.example.org/mcp"
KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def _key_set(*keys: Any) -> str:
    shown = [jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"kid": name} for name, key in keys]
    return json.dumps({"keys": shown})


def _token(key: Any = KEY, kid: str = "one", algorithm: str = "RS256", **changes: Any) -> str:
    claims = {"iss": ISSUER, "aud": RESOURCE, "exp": int(time.time()) + 60, "sub": "carol", "client_id": "editor"}
    claims |= changes
    return jwt.encode(
        {name: value for name, value in claims.items() if value is not None}, key, algorithm, headers={"kid": kid}
    )


def _verifier(load: Any = None, **options: Any) -> SignedTokens:
    async def keys() -> str:
        return _key_set(("one", KEY))

    return SignedTokens(issuer=ISSUER, resource=RESOURCE, load_keys=load or keys, **options)


async def test_a_token_for_this_server_from_its_issuer_counts() -> None:
    access = await _verifier().verify_token(_token(scope="read write"))

    assert access is not None
    assert ("editor", "carol", RESOURCE) == (access.client_id, access.subject, access.resource)
    assert ["read", "write"] == access.scopes


@pytest.mark.parametrize(
    "token",
    [
        _token(iss="https://other.example.org"),
        _token(aud="https://mcp.example.com/mcp"),
        _token(exp=int(time.time()) - 60),
        _token(exp=None),
        _token(aud=None),
        _token(kid="two"),
        _token(key=rsa.generate_private_key(public_exponent=65_537, key_size=2_048)),
        jwt.encode({"iss": ISSUER, "aud": RESOURCE, "exp": 4_000_000_000}, "", "none", headers={"kid": "one"}),
        jwt.encode({"iss": ISSUER, "aud": RESOURCE, "exp": 4_000_000_000}, "k" * 40, "HS256", headers={"kid": "one"}),
        "",
        "a.b.c",
        "x" * 10_000,
    ],
)
async def test_any_other_token_does_not(token: str) -> None:
    assert None is await _verifier().verify_token(token)


async def test_keys_are_loaded_again_when_they_change_but_not_for_every_stranger() -> None:
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    now, loads = 0.0, 0
    published = _key_set(("one", KEY))

    async def load() -> str:
        nonlocal loads
        loads += 1
        return published

    verifier = _verifier(load, clock=lambda: now)
    assert None is not await verifier.verify_token(_token())
    for _ in range(20):
        await verifier.verify_token(_token(kid="unknown"))
    assert 1 == loads

    published, now = _key_set(("two", other)), 11.0
    assert None is not await verifier.verify_token(_token(key=other, kid="two"))
    assert 2 == loads


async def test_keys_that_cannot_be_loaded_let_nobody_in() -> None:
    async def load() -> str:
        raise WebError

    assert None is await _verifier(load).verify_token(_token())


async def test_a_client_is_told_where_to_get_a_token(web: Web, site: Site, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(_key_set(("one", KEY)))
    async with _protected(web, str(keys)) as door:
        refused = await _knock(door, {})
        async with httpx2.AsyncClient(trust_env=False) as client:
            where = door.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
            metadata = (await client.get(where)).json()
        async with door.client(token=_token()) as client_with_token:
            result = await client_with_token.call_tool("web_fetch", {"url": site.at("/short")})

    assert 401 == refused.status_code
    assert "resource_metadata=" in refused.headers["www-authenticate"]
    assert (RESOURCE, [ISSUER]) == (metadata["resource"], metadata["authorization_servers"])
    assert not result.is_error


async def test_the_issuers_keys_are_fetched_through_the_guard(web: Web, site: Site) -> None:
    site.paths["/keys"] = _key_set(("one", KEY))
    async with _protected(web, "http://127.0.0.2:9/keys") as door:
        assert 401 == (await _knock(door, {"authorization": f"Bearer {_token()}"})).status_code


@asynccontextmanager
async def _protected(web: Web, keys: str) -> AsyncIterator[Door]:
    settings = Listening(port=0, issuer=ISSUER, resource=RESOURCE, keys=keys)
    async with listening(web, settings) as door:
        yield door
