"""A typical reply of every provider, whole, empty and damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outrider.call import Call, Progress
from outrider.errors import ProviderError
from outrider.types import Query
from search.doubles import Replies, reply, says
from search.test_conformance import NAMES, hosts, made, read_any, values
from search.typical import OTHER, PAGE, TYPICAL

every = pytest.mark.parametrize("name", NAMES)


def test_every_provider_has_a_typical_reply() -> None:
    assert NAMES == sorted(TYPICAL)


@every
def test_a_typical_reply_gives_its_hits(name: str) -> None:
    answer = made(name).read(reply(TYPICAL[name].raw))

    assert TYPICAL[name].hits == [(hit.title, hit.url, hit.snippet, hit.published) for hit in answer.hits]
    assert answer.searched


@every
def test_nothing_found_is_empty_and_no_failure(name: str) -> None:
    answer = made(name).read(reply(TYPICAL[name].raw_empty))

    assert () == answer.hits
    assert answer.searched


@every
async def test_the_typical_reply_comes_through_the_whole_provider(name: str) -> None:
    exchange = Replies({hosts(name): says(TYPICAL[name].raw)})

    answer = await made(name).search(Query(text="tides"), exchange, Call())

    assert len(TYPICAL[name].hits) == len(answer.hits)


@every
@pytest.mark.parametrize("graft", ["x", 5, True, ["x"], {"0": "x"}])
def test_results_under_a_form_that_is_unknown_are_never_an_empty_answer(name: str, graft: Any) -> None:
    body = TYPICAL[name].body
    if isinstance(body, str):
        return
    for key, value in body.items():
        if "https://" in json.dumps(value):
            try:
                answer = made(name).read(reply({**body, key: graft}))
            except ProviderError:
                continue
            # Where the form allows other things beside results, what is left of them is told as it is.
            assert (name, graft) in TOLERATED or answer.hits or not answer.searched, key


# Objects in which the list may be missing: nothing found looks the same.
TOLERATED = [(name, {"0": "x"}) for name in ("bing", "bocha", "brave", "doubao", "firecrawl", "kagi", "mojeek", "you")]


def damage(value: Any, path: list[int], graft: Any) -> Any:
    """The value with something else at a place; the path is taken modulo what there is."""
    if not path or not isinstance(value, dict | list) or not value:
        return graft
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        at = step % len(value)
        return [*value[:at], damage(value[at], rest, graft), *value[at + 1 :]]
    key = sorted(value)[step % len(value)]
    return {**value, key: damage(value[key], rest, graft)}


@every
@settings(max_examples=20)
@given(path=st.lists(st.integers(0, 50), max_size=7), graft=values)
def test_a_reply_with_something_else_anywhere_never_raises_but_a_typed_failure(
    name: str, path: list[int], graft: Any
) -> None:
    typical = TYPICAL[name]
    if not isinstance(typical.body, str):
        read_any(name, reply(json.dumps(damage(typical.body, path, graft)).encode()))


@every
@settings(max_examples=20)
@given(cut=st.integers(0, 4_000), junk=st.binary(max_size=8), status=st.sampled_from([200, 202, 400, 429, 500]))
def test_a_truncated_reply_never_raises_but_a_typed_failure(name: str, cut: int, junk: bytes, status: int) -> None:
    read_any(name, reply(TYPICAL[name].raw[:cut] + junk, status=status))


@every
@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "gbk", "utf-8-sig"])
def test_a_reply_in_another_charset_never_raises_but_a_typed_failure(name: str, charset: str) -> None:
    raw = TYPICAL[name].raw.decode().encode(charset, "replace")

    read_any(name, reply(raw, headers={"content-type": f"application/json; charset={charset}"}))


@every
def test_a_huge_reply_is_read_within_bounds(name: str) -> None:
    typical = TYPICAL[name]
    if isinstance(typical.body, str):
        return

    def swell(value: Any) -> Any:
        if isinstance(value, list):
            return [swell(one) for one in value] * 40
        if isinstance(value, dict):
            return {key: swell(one) for key, one in value.items()}
        return value * 500 if isinstance(value, str) and " " in value else value

    read_any(name, reply(json.dumps(swell(typical.body)).encode()))


# What the providers tell beside their hits.


def test_duckduckgo_gives_the_form_of_the_next_page() -> None:
    answer = made("duckduckgo").read(reply(TYPICAL["duckduckgo"].raw))

    assert {"q": "tides", "s": "10", "vqd": "4-1"} == answer.next_page


async def test_anthropic_tells_query_and_results_as_they_become_known() -> None:
    told: list[Progress] = []
    raw = TYPICAL["anthropic"].raw

    class Drip(Replies):
        """Gives the body byte by byte."""

        def stream(self, request: Any, *, limits: Any) -> Any:
            from contextlib import asynccontextmanager
            from types import SimpleNamespace

            from outrider.egress.message import Headers

            async def pieces() -> Any:
                for at in range(len(raw)):
                    yield raw[at : at + 1]

            @asynccontextmanager
            async def opened() -> Any:
                yield SimpleNamespace(status=200, headers=Headers({"content-type": "text/event-stream"}), pieces=pieces)

            return opened()

    answer = await made("anthropic").search(Query(text="tides"), Drip({}), Call(emit=told.append))

    assert [PAGE, OTHER] == [hit.url for hit in answer.hits]
    assert [
        {"type": "query_update", "query": "tides", "tool_use_id": "u1"},
        {"type": "search_results_received", "resultCount": 2, "query": "tides", "tool_use_id": "u1"},
    ] == [step.data for step in told]
    assert "The sea rises." == answer.answer
    assert {"input_tokens": 9, "output_tokens": 7, "web_search_requests": 1} == answer.usage
    assert "2026-05-01" == answer.hits[0].updated
