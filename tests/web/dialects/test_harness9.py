"""The dialect harness9, to the letter."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from outrider.call import Call
from web.dialects.sea import Golden, Sea, call
from world.messages import page


async def test_it_has_its_two_tools(sea: Sea) -> None:
    web = await sea.web("harness9")
    search, fetch = web.tools()
    assert ["web_search", "web_fetch"] == [search.name, fetch.name]
    assert "English" in search.description
    assert {"query", "max_results"} == set(search.parameters["properties"])
    assert 5 == search.parameters["properties"]["max_results"]["default"]
    assert {"url", "max_chars"} == set(fetch.parameters["properties"])
    assert 8000 == fetch.parameters["properties"]["max_chars"]["default"]


@pytest.mark.parametrize(("name", "query"), [("results", "tide tables"), ("nothing_found", "mountains")])
async def test_search_texts(sea: Sea, golden: Golden, name: str, query: str) -> None:
    web = await sea.web("harness9")
    result = await call(web, "web_search", query=query)
    assert not result.is_error
    golden(f"harness9/{name}", result.text)


@pytest.mark.parametrize(("wanted", "given"), [(None, 5), (0, 5), (-3, 5), (1, 1), (10, 10), (11, 10), (10**9, 10)])
async def test_a_count_out_of_range_is_clamped(sea: Sea, wanted: int | None, given: int) -> None:
    web = await sea.web("harness9")
    arguments = {"query": "tides"} | ({} if wanted is None else {"max_results": wanted})
    result = await call(web, "web_search", **arguments)
    assert not result.is_error
    assert min(given, 2) == len(result.data["results"])


@pytest.mark.parametrize(
    ("name", "path", "arguments"),
    [
        ("page", "article", {}),
        ("untitled", "untitled", {}),
        ("cut", "long", {"max_chars": 400}),
        ("json", "data.json", {}),
        ("text", "notes.txt", {}),
        ("moved", "moved", {}),
    ],
)
async def test_page_texts(sea: Sea, golden: Golden, name: str, path: str, arguments: dict[str, int]) -> None:
    web = await sea.web("harness9")
    result = await call(web, "web_fetch", url=sea.at(path), **arguments)
    assert not result.is_error
    golden(f"harness9/{name}", sea.plain(result.text))


@pytest.mark.parametrize(
    ("name", "path", "code"),
    [
        ("gone", "gone", "http_404"),
        ("broken", "broken", "http_5xx"),
        ("unsupported", "image", "unsupported_content"),
        ("too_large", "huge", "body_too_large"),
    ],
)
async def test_failed_pages_are_errors(sea: Sea, golden: Golden, name: str, path: str, code: str) -> None:
    web = await sea.web("harness9", retries=0)
    result = await call(web, "web_fetch", url=sea.at(path))
    assert result.error is not None
    assert code == result.error.code
    golden(f"harness9/{name}", sea.plain(result.text))


async def test_refusals_and_wrong_arguments_are_errors(sea: Sea, golden: Golden) -> None:
    web = await sea.web("harness9", deny=["domain:elsewhere.test"])
    denied = await call(web, "web_fetch", url=sea.other.url)
    golden("harness9/denied", sea.plain(denied.text))
    for arguments in ({"url": ""}, {"url": "  "}, {}, {"url": "file:///etc/passwd"}, {"url": "http://127.0.0.1:1/"},
                      {"url": sea.at("article"), "max_char": 1}):  # fmt: skip
        result = await call(web, "web_fetch", **arguments)
        assert result.is_error
    assert (await call(web, "web_search", query=" ")).is_error


async def test_the_measure_counts_heading_source_and_content_in_code_points(sea: Sea) -> None:
    sea.site.paths["/cjk"] = "<title>潮</title><p>" + "海" * 500 + "</p>"
    web = await sea.web("harness9")
    url = sea.at("cjk")
    for limit in (100, 101, 200):
        text = (await call(web, "web_fetch", url=url, max_chars=limit)).text
        shown, _, mark = text.rpartition("\n\n")
        assert f"[内容已截断，已显示前 {limit} 字符]" == mark
        assert limit == len(shown)
        assert shown.startswith(f"# 潮\n\n> 来源：{url}\n\n海")
    assert "截断" not in (await call(web, "web_fetch", url=url, max_chars=0)).text


async def test_a_cut_never_goes_through_a_character(sea: Sea) -> None:
    family = "👩‍👩‍👧‍👦"
    sea.site.paths["/emoji"] = page(family * 100, content_type="text/plain; charset=utf-8")
    web = await sea.web("harness9")
    for limit in (20, 21, 22, 27, 28):
        text = (await call(web, "web_fetch", url=sea.at("emoji"), max_chars=limit)).text
        shown = text.partition("\n\n[")[0]
        assert family * (limit // len(family)) == shown


async def test_a_cut_falls_on_the_last_line_break_past_the_half(sea: Sea) -> None:
    sea.site.paths["/lines"] = page("a" * 30 + "\n" + "b" * 60 + "\n" + "c" * 60, content_type="text/plain")
    web = await sea.web("harness9")
    texts = {
        limit: (await call(web, "web_fetch", url=sea.at("lines"), max_chars=limit)).text for limit in (50, 70, 120)
    }
    assert "a" * 30 + "\n\n[内容已截断，已显示前 50 字符]" == texts[50]
    assert "a" * 30 + "\n" + "b" * 39 + "\n\n[内容已截断，已显示前 70 字符]" == texts[70]
    assert "a" * 30 + "\n" + "b" * 60 + "\n\n[内容已截断，已显示前 120 字符]" == texts[120]


async def test_the_prompt_lines_are_in_its_language(sea: Sea) -> None:
    web = await sea.web("harness9")
    lines = web.prompt_context(Call(now=lambda: datetime(2026, 11, 30, tzinfo=UTC)), workspace=Path("/srv/work"))
    assert "工作目录：/srv/work\n当前日期：2026-11-30" == lines
