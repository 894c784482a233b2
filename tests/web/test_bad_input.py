"""Wrong arguments: each gets an error that names the field and the rule, and nothing is ever raised by a tool call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outrider import SyncWeb, Web
from outrider.errors import InvalidArgument, InvalidUrl, WebError
from world.messages import page
from world.tripwire import Tripwire
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
_URLS = st.sampled_from(
    [
        "http://10.0.0.1/",
        "w1",
        "w99",
        "",
        "not a url",
        "http://[",
        "ftp://a.test/",
        "http://a.test:99999/",
        "http://localhost/",
    ]
)
_ITEM = st.fixed_dictionaries({"url": _URLS | _JSON}, optional={"offset": _JSON})
_FETCH = st.fixed_dictionaries(
    {},
    optional={
        "url": _URLS | _JSON, "offset": _JSON, "limit": _JSON, "section": _JSON, "find": _JSON, "whole": _JSON,
        "items": _JSON | st.lists(_ITEM, max_size=10),
    },
)  # fmt: skip
_SEARCH = st.fixed_dictionaries(
    {},
    optional={
        "query": st.sampled_from(["", "   ", "x" * 2_001]) | _JSON.filter(lambda value: not isinstance(value, str)),
        "max_results": _JSON, "count": _JSON, "allowed_domains": _JSON, "blocked_domains": _JSON, "country": _JSON,
        "freshness": _JSON,
    },
)  # fmt: skip


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["web_fetch", "web_search", "read_page", "no_such_tool", ""]), _JSON | _FETCH | _SEARCH)
def test_a_tool_call_with_any_arguments_answers_and_is_never_an_internal_failure(
    sync_web: SyncWeb, tool: str, arguments: Any
) -> None:
    if tool == "web_search" and isinstance(arguments, dict) and str(arguments.get("query") or "").strip():
        # A good query would ask the real engines, which a test does not have.
        arguments = arguments | {"query": ""}

    result = sync_web.call(tool, arguments)

    assert result.text
    # A session has no page w1 and no public site: nothing here can succeed.
    codes = {result.error.code} if result.error else {item["error_code"] for item in result.data["items"]}
    assert not codes & {"internal", "storage_error"}
    json.dumps(result.data)


@pytest.fixture(scope="module")
def sync_web() -> Any:
    with SyncWeb(retries=0) as web:
        yield web


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "url"),
        ({"url": None}, "url"),
        ({"url": 5}, "url"),
        ({"url": ["http://a.test/"]}, "url"),
        ({"url": "http://a.test/" + "x" * 9_000}, "url"),
        ({"url": "http://a.test/", "offset": -1}, "offset"),
        ({"url": "http://a.test/", "offset": "5"}, "offset"),
        ({"url": "http://a.test/", "offset": 1.5}, "offset"),
        ({"url": "http://a.test/", "offset": True}, "offset"),
        ({"url": "http://a.test/", "limit": 0}, "limit"),
        ({"url": "http://a.test/", "limit": 32_001}, "limit"),
        ({"url": "http://a.test/", "limit": float("nan")}, "limit"),
        ({"url": "http://a.test/", "limit": float("inf")}, "limit"),
        ({"url": "http://a.test/", "section": 1}, "section"),
        ({"url": "http://a.test/", "find": {}}, "find"),
        ({"url": "http://a.test/", "whole": "yes"}, "whole"),
        ({"url": "http://a.test/", "max_chars": 5}, "max_chars"),
        ({"items": []}, "items"),
        ({"items": "http://a.test/"}, "items"),
        ({"items": [{"url": "http://a.test/"}] * 9}, "items"),
        ({"items": [{"url": "http://a.test/"}], "url": "http://b.test/"}, "items"),
        ({"items": ["http://a.test/"]}, "items[0]."),
        ({"items": [{}]}, "items[0].url"),
        ({"items": [{"url": "http://a.test/", "limit": 0}]}, "items[0].limit"),
        ({"items": [{"url": "http://a.test/", "find": "x"}]}, "items[0].find"),
    ],
)
async def test_a_wrong_argument_of_web_fetch_is_named_and_nothing_is_requested(
    open_web: OpenWeb, tripwire: Tripwire, arguments: dict[str, Any], field: str
) -> None:
    result = await (await open_web()).call("web_fetch", arguments)

    error = _error_of(result.data, result.error)
    assert ("invalid_argument", field) == (error["code"], error.get("details", {}).get("field", field))
    assert field.strip(".") in error["message"]
    assert [] == tripwire.contacts


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x" * 2_001}, "query"),
        ({"query": "x", "max_results": 0}, "max_results"),
        ({"query": "x", "max_results": 21}, "max_results"),
        ({"query": "x", "count": "many"}, "count"),
        ({"query": "x", "count": 3, "max_results": 3}, "max_results"),
        ({"query": "x", "country": "Germany"}, "country"),
        ({"query": "x", "country": "d1"}, "country"),
        ({"query": "x", "freshness": "recent"}, "freshness"),
        ({"query": "x", "freshness": "2026-02-30to2026-03-01"}, "freshness"),
        ({"query": "x", "allowed_domains": "a.test"}, "allowed_domains"),
        ({"query": "x", "allowed_domains": [5]}, "allowed_domains"),
        ({"query": "x", "blocked_domains": ["http://a b/"]}, "blocked_domains"),
        ({"query": "x", "provider": "brave"}, "provider"),
    ],
)
async def test_a_wrong_argument_of_web_search_is_named_and_nothing_is_asked(
    open_web: OpenWeb, tripwire: Tripwire, arguments: dict[str, Any], field: str
) -> None:
    result = await (await open_web()).call("web_search", arguments)

    assert result.error is not None
    assert "invalid_argument" == result.error.code
    assert field in result.error.message
    assert [] == tripwire.contacts


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example",
        "a.test/x",
        "ftp://a.test/",
        "http://",
        "http://a b/",
        "http://u@a.test/",
        "http://0x7f.1/",
        "file:///x",
    ],
)
async def test_what_is_no_url_is_refused_as_one(open_web: OpenWeb, tripwire: Tripwire, url: str) -> None:
    web = await open_web()

    result = await web.call("web_fetch", {"url": url})

    assert "invalid_url" == _error_of(result.data, result.error)["code"]
    with pytest.raises(InvalidUrl):
        await web.fetch(url)
    assert [] == tripwire.contacts


async def test_a_page_id_that_the_session_does_not_have_is_said_so(open_web: OpenWeb) -> None:
    with pytest.raises(WebError) as caught:
        await (await open_web()).fetch("w7")
    assert "unknown_page_id" == caught.value.code


@pytest.mark.parametrize("headers", [{"Host": "x"}, {"a b": "c"}, {"a": "b\r\nc: d"}, {"a": 1}])
async def test_a_wrong_header_is_an_argument_too(world: World, open_web: OpenWeb, headers: dict[str, str]) -> None:
    site = await world.site({"/": "<p>x"})

    with pytest.raises(InvalidArgument):
        await (await open_web()).fetch(site.url, headers=headers)
    assert [] == site.connections


async def test_an_offset_behind_the_end_is_named(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("short", content_type="text/plain")})

    result = await (await open_web()).call("web_fetch", {"url": site.url, "offset": 99})

    error = _error_of(result.data, result.error)
    assert ("invalid_argument", True) == (error["code"], "offset" in error["message"])


async def test_a_find_that_is_no_regular_expression_is_named(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": page("some text", content_type="text/plain")})

    result = await (await open_web()).call("web_fetch", {"url": site.url, "find": "/(/"})

    error = _error_of(result.data, result.error)
    assert ("invalid_argument", True) == (error["code"], "find" in error["message"])


async def test_one_wrong_item_does_not_fail_the_others(world: World, open_web: OpenWeb) -> None:
    site = await world.site({"/": "<p>good"})
    items = [{"url": "nonsense"}, {"url": site.url}, {"url": "http://10.0.0.1/"}, {"url": "w9"}]

    result = await (await open_web()).call("web_fetch", {"items": items})

    assert result.error is None
    assert ["invalid_url", None, "ssrf_rejected", "unknown_page_id"] == [
        item.get("error_code") for item in result.data["items"]
    ]


async def test_a_web_that_is_not_open_says_so() -> None:
    with pytest.raises(InvalidArgument):
        await Web().fetch("http://a.test/")


async def test_a_web_that_is_turned_off_offers_and_does_nothing(open_web: OpenWeb, tripwire: Tripwire) -> None:
    web = await open_web(enabled=False)

    result = await web.call("web_fetch", {"url": "http://a.test/"})

    assert result.error is not None
    assert ("web_disabled", []) == (result.error.code, list(web.tools()))
    assert [] == tripwire.contacts


def _error_of(data: dict[str, Any], error: WebError | None) -> dict[str, Any]:
    if error is not None:
        return error.as_dict()
    (item,) = data["items"]
    found: dict[str, Any] = item["error"]
    return found


async def test_a_name_as_long_as_the_call_is_not_given_back_whole(open_web: OpenWeb) -> None:
    web = await open_web()

    assert len((await web.call("web_fetch", {"url": "https://a.test/", "x" * 1_000_000: 1})).text) < 500
    assert len((await web.call("x" * 1_000_000, {})).text) < 500
