"""The dialect mcp-fetch, to the letter."""

from __future__ import annotations

import re

import pytest

from web.dialects.sea import Golden, Sea, call
from world.messages import page

GO_ON = re.compile(r"\n\n<error>[^<]*start_index (\d+)[^<]*</error>\Z")


async def test_its_one_tool(sea: Sea) -> None:
    (tool,) = (await sea.web("mcp-fetch")).tools()
    assert "fetch" == tool.name
    properties = tool.parameters["properties"]
    assert ["url"] == tool.parameters["required"]
    assert (5000, 1, 999_999) == tuple(properties["max_length"][key] for key in ("default", "minimum", "maximum"))
    assert (0, 0) == tuple(properties["start_index"][key] for key in ("default", "minimum"))
    assert properties["raw"]["default"] is False
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": True, "destructiveHint": False}
    assert hints == tool.annotations


@pytest.mark.parametrize(
    ("name", "path", "arguments"),
    [
        ("page", "article", {}),
        ("cut", "long", {"max_length": 300}),
        ("further", "long", {"max_length": 300, "start_index": 300}),
        ("past_the_end", "article", {"start_index": 100_000}),
        ("raw", "article", {"raw": True, "max_length": 120}),
        ("json", "data.json", {}),
        ("text", "notes.txt", {}),
        ("moved", "moved", {}),
        ("gone", "gone", {}),
        ("broken", "broken", {}),
        ("unsupported", "image", {}),
        ("robots", "long", {}),
    ],
)
async def test_page_texts(sea: Sea, golden: Golden, name: str, path: str, arguments: dict[str, object]) -> None:
    if name != "robots":
        sea.site.paths["/robots.txt"] = page("", status=404)
    web = await sea.web("mcp-fetch", retries=0)
    result = await call(web, "fetch", url=sea.at(path), **arguments)
    assert result.is_error == (name in ("gone", "broken", "unsupported", "robots"))
    golden(f"mcp_fetch/{name}", sea.plain(result.text))


async def test_a_denied_page_is_an_error(sea: Sea, golden: Golden) -> None:
    web = await sea.web("mcp-fetch", deny=["domain:elsewhere.test"])
    golden("mcp_fetch/denied", sea.plain((await call(web, "fetch", url=sea.other.url)).text))


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("limit", [7, 64, 999_999])
async def test_going_on_gives_back_the_whole_page_from_one_transfer(sea: Sea, *, raw: bool, limit: int) -> None:
    sea.site.paths["/short"] = "<title>Mixed</title><p>" + "潮汐 and 👩‍👩‍👧‍👦 and é. " * 10 + "</p>"
    web = await sea.web("mcp-fetch", robots="ignore")
    url = sea.at("short")
    windows, start = [], 0
    for _ in range(200):
        text = (await call(web, "fetch", url=url, max_length=limit, start_index=start, raw=raw)).text
        head = f"Contents of {url}:\n"
        assert text.startswith(head)
        match = GO_ON.search(text)
        windows.append(text[len(head) : match.start() if match else len(text)])
        if match is None:
            break
        start = int(match[1])
        assert start == sum(map(len, windows))
    whole = (await call(web, "fetch", url=url, max_length=999_999, raw=raw)).text
    assert whole == f"Contents of {url}:\n" + "".join(windows)
    assert raw == ("<title>" in whole)
    assert 2 >= len(sea.site.requests)


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_length": 0}, {"max_length": 1_000_000}, {"max_length": "5"}, {"start_index": -1}, {"raw": "yes"},
        {"raw": 1}, {"max_length": True}, {"length": 5}, {"url": "w1"}, {"url": "example.org"}, {"url": ""}, {"url": 5},
    ],
)  # fmt: skip
async def test_types_and_ranges_are_strict(sea: Sea, arguments: dict[str, object]) -> None:
    web = await sea.web("mcp-fetch")
    result = await call(web, "fetch", **({"url": sea.at("article")} | arguments))
    assert result.error is not None
    assert result.error.code in ("invalid_argument", "invalid_url")


async def test_robots_are_respected_unless_the_operator_says_otherwise(sea: Sea) -> None:
    for settings, code in (
        ({}, "robots_denied"),
        ({"robots": "respect"}, "robots_denied"),
        ({"robots": "ignore"}, None),
    ):
        web = await sea.web("mcp-fetch", **settings)
        result = await call(web, "fetch", url=sea.at("long"))
        assert code == (result.error.code if result.error else None)
