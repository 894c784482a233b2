"""The dialect claude-code, to the letter."""

from __future__ import annotations

import json

import pytest

from outrider.call import Call, Progress
from outrider.config import Config
from outrider.errors import WebError
from outrider.url import Url
from outrider.web.dialects.claude_code import upgraded
from web.dialects.sea import NOW, Golden, Sea, call
from world.messages import answer_json

KEYS = {"bytes", "code", "codeText", "result", "durationMs", "url"}


async def test_its_tools_and_the_constant_warning(sea: Sea) -> None:
    web = await sea.web("claude-code")
    search, fetch = web.tools()
    assert ["WebSearch", "WebFetch"] == [search.name, fetch.name]
    assert {"query", "allowed_domains", "blocked_domains"} == set(search.parameters["properties"])
    assert ["url", "prompt"] == fetch.parameters["required"]
    assert fetch.description.startswith("WILL FAIL for authenticated or private URLs")
    for service in ("Google Docs", "Confluence", "Jira", "GitHub"):
        assert service in fetch.description


async def test_search_is_not_offered_where_nobody_serves_it(sea: Sea) -> None:
    everybody = (await sea.web("claude-code")).parts.searcher.catalogue.names()
    web = await sea.web("claude-code", disabled=list(everybody), provider="")
    assert ["WebFetch"] == [tool.name for tool in web.tools()]
    assert (await call(web, "WebSearch", query="tides")).is_error


@pytest.mark.parametrize(("name", "query"), [("results", "tide tables"), ("nothing_found", "mountains")])
async def test_search_texts(sea: Sea, golden: Golden, name: str, query: str) -> None:
    golden(f"claude_code/{name}", (await call(await sea.web("claude-code"), "WebSearch", query=query)).text)


async def test_both_domain_lists_at_once_are_refused(sea: Sea) -> None:
    web = await sea.web("claude-code")
    result = await call(web, "WebSearch", query="tides", allowed_domains=["a.test"], blocked_domains=["b.test"])
    assert result.error is not None
    assert "invalid_argument" == result.error.code
    only = await call(web, "WebSearch", query="tides", allowed_domains=["tides.test"], blocked_domains=[])
    assert ["https://tides.test/north"] == [hit["url"] for hit in only.data["results"]]


async def test_a_search_tells_what_it_does_in_the_clients_form(sea: Sea) -> None:
    told: list[Progress] = []
    web = await sea.web("claude-code")
    await web.call("WebSearch", {"query": "tides"}, Call(now=lambda: NOW, tool_use="toolu_1", emit=told.append))
    assert [
        {"toolUseID": "toolu_1", "data": {"type": "query_update", "query": "tides"}},
        {"toolUseID": "toolu_1", "data": {"type": "search_results_received", "resultCount": 2, "query": "tides"}},
    ] == [progress.data for progress in told if "toolUseID" in progress.data]


@pytest.mark.parametrize("path", ["article", "data.json"])
async def test_a_page_has_exactly_the_documented_fields(sea: Sea, golden: Golden, path: str) -> None:
    web = await sea.web("claude-code", mode="allow")
    result = await call(web, "WebFetch", url=sea.at(path), prompt="What is it about?")
    assert KEYS == set(result.data)
    assert (200, "OK", sea.at(path)) == (result.data["code"], result.data["codeText"], result.data["url"])
    assert result.data["bytes"] > 0
    assert isinstance(result.data["durationMs"], int)
    assert result.text == result.data["result"]
    golden(f"claude_code/{path.partition('.')[0]}", sea.plain(result.text))


async def test_a_reader_answers_the_prompt_with_passages_of_the_page(sea: Sea, golden: Golden) -> None:
    told = {"answer": "Twice in a day.", "quotes": ["The sea rises and falls twice in a day", "It never falls."]}
    reply = answer_json({"choices": [{"message": {"role": "assistant", "content": json.dumps(told)}}]})
    sea.site.paths["/v1/chat/completions"] = reply
    web = await sea.web("claude-code", mode="allow", family="openai", model="small", base_url=sea.at("v1"))
    result = await call(web, "WebFetch", url=sea.at("article"), prompt="How often does the sea rise?")
    assert KEYS == set(result.data)
    assert result.text == result.data["result"]
    golden("claude_code/answered", result.text)
    (asked,) = [request for request in sea.site.requests if request.path == "/v1/chat/completions"]
    assert "How often does the sea rise?" in asked.body.decode()


@pytest.mark.parametrize(
    ("path", "code", "text"), [("gone", 404, "Not Found"), ("broken", 500, "Internal Server Error")]
)
async def test_an_error_status_is_an_error_with_code_and_text(
    sea: Sea, golden: Golden, path: str, code: int, text: str
) -> None:
    web = await sea.web("claude-code", mode="allow", retries=0)
    result = await call(web, "WebFetch", url=sea.at(path), prompt="x")
    assert result.is_error
    assert (code, text) == (result.data["code"], result.data["codeText"])
    golden(f"claude_code/{path}", sea.plain(result.text))


async def test_a_redirect_on_the_same_host_is_followed_and_named(sea: Sea) -> None:
    web = await sea.web("claude-code", mode="allow")
    result = await call(web, "WebFetch", url=sea.at("moved"), prompt="x")
    assert sea.at("article") == result.data["url"]


async def test_a_redirect_to_another_host_is_told_and_not_followed(sea: Sea, golden: Golden) -> None:
    web = await sea.web("claude-code", mode="allow")
    result = await call(web, "WebFetch", url=sea.at("away"), prompt="What is it about?")
    assert not result.is_error
    assert KEYS == set(result.data)
    assert (302, "Found", sea.at("away")) == (result.data["code"], result.data["codeText"], result.data["url"])
    assert [] == sea.other.requests
    golden("claude_code/away", sea.plain(result.text))


async def test_a_page_that_redirects_by_itself_to_another_host_is_not_followed_either(sea: Sea) -> None:
    sea.site.paths["/refresh"] = f'<meta http-equiv="refresh" content="0;url={sea.other.url}">'
    web = await sea.web("claude-code", mode="allow")
    result = await call(web, "WebFetch", url=sea.at("refresh"), prompt="x")
    assert not result.is_error
    assert 200 == result.data["code"]
    assert sea.other.url in result.text
    assert [] == sea.other.requests


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://example.org/a?b#c", "https://example.org/a?b#c"),
        ("http://example.org:8080/", "https://example.org:8080/"),
        ("https://example.org/", "https://example.org/"),
        ("http://searx.test/", "http://searx.test/"),
        ("http://10.1.2.3/", "http://10.1.2.3/"),
        ("http://10.2.2.3/", "https://10.2.2.3/"),
        ("http://one.test:8080/", "http://one.test:8080/"),
        ("http://one.test:8081/", "https://one.test:8081/"),
    ],
)
def test_http_is_upgraded_except_where_the_operator_let_a_service_through(given: str, asked: str) -> None:
    config = Config.load({"allow_hosts": ["searx.test", "10.1.0.0/16"], "allow_hosts_extra": ["one.test:8080"]})
    assert asked == str(upgraded(Url.parse(given), config))


async def test_a_page_over_tls_is_read(sea: Sea) -> None:
    secure = await sea.world.site({"/": "<p>Some text over TLS</p>"}, name="secure.test", tls=True)
    web = await sea.web("claude-code", mode="allow", ca_file=str(sea.world.ca_file), retries=0)
    assert "Some text over TLS" == (await call(web, "WebFetch", url=secure.url, prompt="x")).text


@pytest.mark.parametrize(
    "arguments",
    [{"url": "w1"}, {"url": "no url"}, {"prompt": 1}, {"extra": 1}, {"url": "ftp://example.org/"}],
)
async def test_arguments_are_strict(sea: Sea, arguments: dict[str, object]) -> None:
    web = await sea.web("claude-code", mode="allow")
    result = await call(web, "WebFetch", **({"url": sea.at("article"), "prompt": "x"} | arguments))
    assert result.error is not None
    assert result.error.code in ("invalid_argument", "invalid_url")


async def test_its_mode_is_ask_with_domain_rules_and_search_is_never_asked_about(sea: Sea, golden: Golden) -> None:
    web = await sea.web("claude-code", mode="")
    assert not (await call(web, "WebSearch", query="tides")).is_error
    result = await call(web, "WebFetch", url=sea.at("article"), prompt="x")
    assert isinstance(result.error, WebError)
    assert "approval_required" == result.error.code
    assert "domain:site.test" == result.error.details["rule"]
    golden("claude_code/nobody_to_ask", sea.plain(result.text))


async def test_preapproved_hosts_pass(sea: Sea) -> None:
    docs = await sea.world.site({"/": "<p>The language reference</p>"}, name="docs.python.org")
    web = await sea.web("claude-code", mode="")
    result = await call(web, "WebFetch", url=docs.url, prompt="x")
    assert "The language reference" == result.text
