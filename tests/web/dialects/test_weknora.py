"""The dialect weknora, to the letter."""

from __future__ import annotations

import pytest

from web.dialects.sea import Golden, Sea, call
from world.messages import page

SUCCESS = {
    "status", "url", "page_id", "title", "content", "offset", "returned_chars", "content_length", "truncated",
    "next_offset", "full_output_path", "storage_error",
}  # fmt: skip


async def test_its_tools(sea: Sea) -> None:
    web = await sea.web("weknora")
    tools = {tool.name: tool.parameters["properties"] for tool in web.tools()}
    assert ["web_search", "web_fetch", "read_file"] == list(tools)
    assert {"query", "count", "country", "freshness", "content"} == set(tools["web_search"])
    assert {"items"} == set(tools["web_fetch"])
    item = tools["web_fetch"]["items"]["items"]["properties"]
    assert {"url", "offset", "limit"} == set(item)
    assert (8000, 8000) == (item["limit"]["default"], item["limit"]["maximum"])
    assert {"path", "offset", "limit", "line_offset"} == set(tools["read_file"])


@pytest.mark.parametrize(("name", "query"), [("results", "tide tables"), ("nothing_found", "mountains")])
async def test_search_texts(sea: Sea, golden: Golden, name: str, query: str) -> None:
    result = await call(await sea.web("weknora"), "web_search", query=query)
    assert not result.is_error
    golden(f"weknora/{name}", result.text)


async def test_ids_stand_for_urls_in_the_text_and_the_data_has_both(sea: Sea) -> None:
    web = await sea.web("weknora")
    result = await call(web, "web_search", query="tides")
    assert "http" not in result.text
    assert [
        ("w1", "https://tides.test/north", "tides.test", "2026-03-04"),
        ("w2", "https://other.test/a?b=1", "other.test", None),
    ] == [(hit["page_id"], hit["url"], hit["domain"], hit.get("date")) for hit in result.data["results"]]


@pytest.mark.parametrize("count", [0, -1, 21, "5", 1.5])
async def test_a_count_out_of_range_is_refused(sea: Sea, count: object) -> None:
    result = await call(await sea.web("weknora"), "web_search", query="tides", count=count)
    assert result.error is not None
    assert "invalid_argument" == result.error.code


async def test_a_count_above_the_ceiling_is_lowered_with_a_warning(sea: Sea) -> None:
    web = await sea.web("weknora", max_results_ceiling=1)
    result = await call(web, "web_search", query="tides", count=20)
    assert 1 == len(result.data["results"])
    assert result.data["warnings"]
    assert "Note: " in result.text


async def test_a_filter_that_the_configured_engine_lacks_is_an_error(sea: Sea) -> None:
    web = await sea.web("weknora", provider="wikipedia")
    result = await call(web, "web_search", query="tides", country="NO")
    assert result.error is not None
    assert "filter_unsupported" == result.error.code


async def test_content_reads_the_first_results(sea: Sea, golden: Golden) -> None:
    sea.site.paths["/search"] = sea.results("article", "gone", "long", "notes.txt")
    sea.site.paths["/robots.txt"] = page("", status=404)
    web = await sea.web("weknora")
    result = await call(web, "web_search", query="tides", content=True)
    assert not result.is_error
    first, second, third, fourth = result.data["results"]
    assert "Spring tides follow the moon" in first["content"]
    assert first["full_output_path"].startswith("web://")
    assert "content" not in second
    assert 4_000 < len(third["content"]) <= 5_000
    assert "content" not in fourth
    golden("weknora/content", sea.plain(result.text))
    read = await call(web, "read_file", path=first["full_output_path"])
    assert "Spring tides follow the moon" in read.text


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("page", [("article", {})]),
        ("cut", [("long", {"limit": 300})]),
        ("further", [("long", {"offset": 300, "limit": 300})]),
        ("untitled", [("untitled", {})]),
        ("json", [("data.json", {})]),
        ("gone", [("gone", {})]),
        ("unsupported", [("image", {})]),
        ("too_large", [("huge", {})]),
        ("partly_failed", [("article", {}), ("gone", {}), ("article", {}), ("notes.txt", {})]),
        ("all_failed", [("gone", {}), ("broken", {})]),
    ],
)
async def test_page_texts(sea: Sea, golden: Golden, name: str, items: list[tuple[str, dict[str, int]]]) -> None:
    web = await sea.web("weknora", retries=0)
    wanted = [{"url": sea.at(path)} | more for path, more in items]
    result = await call(web, "web_fetch", items=wanted)
    assert result.is_error == (name in ("gone", "unsupported", "too_large"))
    golden(f"weknora/{name}", sea.plain(result.text))


async def test_each_item_has_the_documented_fields(sea: Sea) -> None:
    web = await sea.web("weknora", retries=0)
    items = [
        {"url": sea.at("long")},
        {"url": sea.at("gone")},
        {"url": "w1", "offset": 8_000},
        {"url": "http://10.0.0.1/"},
    ]
    result = await call(web, "web_fetch", items=items)
    first, second, third, fourth = result.data["items"]
    assert set(first) == SUCCESS
    assert ("success", sea.at("long"), "w1", 0, True) == tuple(
        first[key] for key in ("status", "url", "page_id", "offset", "truncated")
    )
    assert first["returned_chars"] == len(first["content"]) == first["next_offset"] <= 8_000
    assert first["full_output_path"].startswith("web://")
    assert ("failed", "http_404", False) == tuple(second[key] for key in ("status", "error_code", "retryable"))
    assert ("failed", "unknown_page_id") == (third["status"], third["error_code"])
    assert ("failed", "ssrf_rejected") == (fourth["status"], fourth["error_code"])
    more = (await call(web, "web_fetch", items=[{"url": "w1", "offset": first["next_offset"]}])).data["items"][0]
    assert sea.at("long") == more["url"]
    assert more["offset"] == first["next_offset"]


@pytest.mark.parametrize(
    "items",
    [[], [{"url": "https://example.org/"}] * 9, [{"url": "https://example.org/", "limit": 8_001}], [{}], "w1",
     [{"url": "https://example.org/", "limit": 0}], [{"url": "https://example.org/", "prompt": "x"}],
     [{"url": "https://example.org/", "offset": -1}]],
)  # fmt: skip
async def test_items_out_of_their_rules_are_refused(sea: Sea, items: object) -> None:
    result = await call(await sea.web("weknora"), "web_fetch", items=items)
    assert result.error is not None
    assert "invalid_argument" == result.error.code


async def test_a_refusal_is_told_item_by_item(sea: Sea, golden: Golden) -> None:
    web = await sea.web("weknora", deny=["domain:elsewhere.test"])
    result = await call(web, "web_fetch", items=[{"url": sea.other.url}, {"url": sea.at("untitled")}])
    assert ["failed", "success"] == [item["status"] for item in result.data["items"]]
    golden("weknora/denied", sea.plain(result.text))


async def test_stored_pages_are_read_by_lines_to_their_end(sea: Sea, golden: Golden) -> None:
    web = await sea.web("weknora")
    item = (await call(web, "web_fetch", items=[{"url": sea.at("long")}])).data["items"][0]
    whole, offset, line_offset = "", 1, 0
    for _ in range(50):
        arguments = {"path": item["full_output_path"], "offset": offset, "line_offset": line_offset, "limit": 40}
        result = await call(web, "read_file", **arguments)
        if offset == 1:
            golden("weknora/read_file", sea.plain(result.text))
        whole += result.data["content"]
        if result.data["next_offset"] is None:
            break
        offset, line_offset = result.data["next_offset"], result.data["next_line_offset"]
    assert item["content_length"] == len(whole)
    assert whole.startswith(item["content"])


@pytest.mark.parametrize(
    "arguments",
    [{"path": "w1"}, {"path": "/etc/passwd"}, {"path": "web://nothing"}, {"path": "web://x", "limit": 2_001}],
)
async def test_a_path_that_is_no_page_is_an_error(sea: Sea, arguments: dict[str, object]) -> None:
    result = await call(await sea.web("weknora"), "read_file", **arguments)
    assert result.error is not None
    assert result.error.code in ("invalid_argument", "page_not_found")
