"""What statuses, headers and bodies mean, provider by provider, where the general rule is not enough."""

from __future__ import annotations

from typing import Any

import pytest

from outrider.call import Call
from outrider.egress.message import Request, Response
from outrider.errors import (
    DnsFailed,
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderBlocked,
    ProviderError,
    ProviderGone,
    ProviderMisconfigured,
    ProviderUnavailable,
)
from outrider.search.failures import outcome_of
from outrider.search.provider import HttpProvider
from outrider.search.settings import ProviderSettings
from outrider.types import Query
from search.doubles import Replies, reply, response, says
from search.test_conformance import made

GOOGLE_DAY = {
    "error": {"code": 429, "message": "Quota exceeded for limit 'Queries per day'", "status": "RESOURCE_EXHAUSTED"}
}
GOOGLE_MINUTE = {"error": {"code": 429, "message": "Quota exceeded for limit 'Queries per minute'"}}
ANTHROPIC_ERROR = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
ATOM_ERROR = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id>
<title>Error</title><summary>incorrect id format</summary></entry></feed>"""

CASES: list[tuple[str, int, Any, dict[str, str], str]] = [
    # Provider, status, body, headers, outcome.
    ("duckduckgo", 403, b"", {}, "blocked"),
    ("duckduckgo", 429, b"", {}, "rate_limited"),
    ("duckduckgo", 418, b"", {}, "upstream"),
    ("duckduckgo", 503, b"", {}, "upstream"),
    ("duckduckgo", 202, b"<html></html>", {}, "blocked"),
    ("duckduckgo", 200, b"<html><div class='anomaly-modal__mask'></div></html>", {}, "blocked"),
    ("duckduckgo", 200, b"<html><p>new markup</p></html>", {}, "bad_response"),
    ("google", 400, {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, {}, "auth"),
    ("google", 400, {"error": {"message": "Request contains an invalid argument."}}, {}, "invalid_request"),
    ("google", 403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}]}}, {}, "quota"),
    ("google", 403, {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}, {}, "rate_limited"),
    ("google", 403, {"error": {"status": "PERMISSION_DENIED"}}, {}, "forbidden"),
    ("google", 429, GOOGLE_DAY, {}, "quota"),
    ("google", 429, GOOGLE_MINUTE, {}, "rate_limited"),
    ("gemini", 503, {"error": {"status": "UNAVAILABLE"}}, {}, "upstream"),
    ("gemini", 200, {"promptFeedback": {"blockReason": "SAFETY"}}, {}, "invalid_request"),
    ("bing", 404, b"", {}, "gone"),
    ("bing", 410, b"", {}, "gone"),
    ("bing", 403, {"error": {"code": "403", "message": "Out of call volume quota."}}, {}, "quota"),
    ("webiq", 410, {"errorCode": "Gone"}, {}, "invalid_request"),
    ("tavily", 432, {"detail": {"error": "plan limit"}}, {}, "quota"),
    ("tavily", 433, {"detail": {"error": "pay-as-you-go limit"}}, {}, "quota"),
    ("ollama", 429, {"error": "you've reached your weekly usage limit"}, {}, "quota"),
    ("baidu", 200, {"code": 17, "message": "Open api daily request limit reached"}, {}, "rate_limited"),
    ("baidu", 200, {"code": "invalid_api_key", "message": "x"}, {}, "auth"),
    ("baidu", 200, {"code": "500", "message": "?"}, {}, "upstream"),
    ("zhipu", 200, {"error": {"code": 1302, "message": "x"}}, {}, "rate_limited"),
    ("zhipu", 400, {"error": {"code": "1301", "message": "x"}}, {}, "invalid_request"),
    ("zhipu", 500, {"error": {"code": "1702", "message": "x"}}, {}, "upstream"),
    ("metaso", 200, {"errCode": 2005, "errMsg": "余额不足"}, {}, "quota"),
    ("metaso", 403, {"errMsg": "余额不足"}, {}, "quota"),
    ("metaso", 200, {"errCode": 401, "errMsg": "?"}, {}, "auth"),
    ("metaso", 200, {"message": "hm"}, {}, "bad_response"),
    ("exa", 403, {"tag": "API_KEY_BUDGET_EXCEEDED", "error": "x"}, {}, "quota"),
    ("bocha", 200, {"code": "403", "message": "You do not have enough money"}, {}, "quota"),
    ("bocha", 200, {"code": "401", "message": "Invalid API KEY"}, {}, "auth"),
    ("bocha", 200, {"message": "?"}, {}, "bad_response"),
    ("brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, {}, "auth"),
    ("brave", 422, {"errors": [{"code": "SUBSCRIPTION_TOKEN_INVALID"}]}, {}, "auth"),
    (
        "brave",
        422,
        {"error": {"code": "VALIDATION", "meta": {"errors": [{"loc": ["header", "x-subscription-token"]}]}}},
        {},
        "auth",
    ),
    ("brave", 404, {"error": {"code": "SUBSCRIPTION_NOT_FOUND"}}, {}, "auth"),
    ("brave", 429, b"slow", {"x-ratelimit-limit": "1, 2000", "x-ratelimit-remaining": "1, 0"}, "quota"),
    ("brave", 429, b"slow", {"x-ratelimit-limit": "50, 0", "x-ratelimit-remaining": "1, 0"}, "rate_limited"),
    (
        "anthropic",
        400,
        {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
        {},
        "quota",
    ),
    ("anthropic", 529, {"error": {"type": "overloaded_error"}}, {}, "upstream"),
    ("anthropic", 429, {"error": {"type": "rate_limit_error", "message": "Error"}}, {}, "rate_limited"),
    ("anthropic", 200, ANTHROPIC_ERROR, {}, "upstream"),
    ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, {}, "quota"),
    ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, {}, "auth"),
    ("serpapi", 200, {"search_metadata": {"status": "Error"}, "error": "x"}, {}, "upstream"),
    ("serpapi", 200, {"search_metadata": {"status": "Processing"}}, {}, "upstream"),
    ("serpapi", 200, {"error": "Invalid API key."}, {}, "auth"),
    ("jina", 451, {"code": 451, "name": "SecurityCompromiseError"}, {}, "forbidden"),
    ("jina", 200, {"code": 402, "data": None}, {}, "quota"),
    ("perplexity", 401, b"<html><h1>401 Authorization Required</h1></html>", {}, "auth"),
    ("kagi", 200, {"meta": {}, "data": [], "error": [{"code": 2, "message": "Unauthorized"}]}, {}, "auth"),
    ("kagi", 403, {"error": [{"message": "address"}]}, {}, "blocked"),
    ("mojeek", 200, {"response": {"status": "Daily limit exceeded"}}, {}, "rate_limited"),
    ("you", 403, {"detail": "Missing scopes"}, {}, "forbidden"),
    ("linkup", 429, {"error": {"code": "EXCEED_BUDGET_LIMIT"}}, {}, "quota"),
    ("linkup", 403, {"error": {"code": "IP_NOT_WHITELISTED"}}, {}, "forbidden"),
    ("firecrawl", 408, {"success": False, "error": "Request timed out"}, {}, "upstream"),
    ("firecrawl", 200, {"success": False, "error": "Insufficient credits"}, {}, "quota"),
    ("webiq", 200, {"errorCode": "Unauthorized", "userMessage": "Invalid API key."}, {}, "auth"),
    ("kagi", 200, {"meta": {}, "data": {"search": []}, "error": [{"code": 2, "message": "no"}]}, {}, "auth"),
    (
        "gemini",
        400,
        [{"error": {"code": 400, "message": "no", "details": [{"reason": "API_KEY_INVALID"}]}}],
        {},
        "auth",
    ),
    ("openai", 429, {"error": {"code": "rate_limit_exceeded"}}, {}, "rate_limited"),
    ("openai", 200, {"status": "failed", "error": {"code": "server_error"}, "output": []}, {}, "upstream"),
    ("wikipedia", 200, {"error": {"code": "ratelimited", "info": "x"}}, {}, "rate_limited"),
    ("wikipedia", 200, {"error": {"code": "maxlag", "info": "x"}}, {"retry-after": "5"}, "upstream"),
    ("wikipedia", 200, {"error": {"code": "srsearch-text-disabled", "info": "x"}}, {}, "invalid_request"),
    ("stackexchange", 400, {"error_id": 400, "error_name": "bad_parameter"}, {}, "invalid_request"),
    ("stackexchange", 400, {"error_id": 503, "error_name": "temporarily_unavailable"}, {}, "upstream"),
    ("github", 401, {"message": "Bad credentials"}, {}, "auth"),
    ("github", 403, {"message": "You have exceeded a secondary rate limit."}, {"retry-after": "60"}, "rate_limited"),
    ("github", 403, {"message": "Resource not accessible"}, {"x-ratelimit-remaining": "9"}, "forbidden"),
    ("arxiv", 200, ATOM_ERROR, {}, "invalid_request"),
    ("arxiv", 503, b"", {}, "upstream"),
    ("doubao", 200, {"ResponseMetadata": {"Error": {"Code": "InvalidAuthorization", "Message": "x"}}}, {}, "auth"),
    ("doubao", 200, {"Result": None, "ResponseMetadata": {"Error": {"Code": "FlowLimitExceeded"}}}, {}, "rate_limited"),
    ("searxng", 200, {"results": [], "unresponsive_engines": [["a", "Suspended: CAPTCHA"]]}, {}, "blocked"),
    ("searxng", 200, {"results": [], "unresponsive_engines": [["a", "timeout"]]}, {}, "upstream"),
    ("searxng", 404, b"", {}, "config"),
    ("searxng", 302, b"", {"location": "https://elsewhere.test/"}, "bad_response"),
    ("searxng", 200, b"please wait", {"content-type": "text/html"}, "blocked"),
]


@pytest.mark.parametrize(("name", "status", "body", "headers", "outcome"), CASES)
def test_a_failure_is_told_apart(name: str, status: int, body: Any, headers: dict[str, str], outcome: str) -> None:
    with pytest.raises(ProviderError) as raised:
        made(name).read(reply(body, status=status, headers=headers))

    assert outcome == outcome_of(raised.value)


WAITS: list[tuple[str, int, Any, dict[str, str], float | None]] = [
    ("webiq", 429, {"retryAfter": 7}, {}, 7.0),
    ("webiq", 429, {"retryAfter": "soon"}, {}, None),
    ("tavily", 429, {"error": {"code": "keyless_limit", "retry_after_seconds": 90}}, {}, 90.0),
    ("tavily", 403, {"error": {"code": "keyless_limit", "retry_after_seconds": 5}}, {}, 5.0),
    ("jina", 429, {"retryAfter": 30}, {}, 30.0),
    ("jina", 429, {"retryAfter": 30}, {"retry-after": "12"}, 12.0),
    ("gemini", 429, {"error": {"details": [{"retryDelay": "41s"}]}}, {}, 41.0),
    ("gemini", 429, {"error": {"details": [{"retryDelay": "1.5s"}]}}, {}, 1.5),
    ("firecrawl", 429, {"error": "Please retry after 23s, resets at"}, {}, 23.0),
    (
        "stackexchange",
        400,
        {"error_id": 502, "error_message": "more requests available in 71205 seconds"},
        {},
        71_205.0,
    ),
    (
        "brave",
        429,
        {"error": {"code": "RATE_LIMITED"}},
        {"x-ratelimit-remaining": "0, 5", "x-ratelimit-reset": "1, 99"},
        1.0,
    ),
    ("brave", 429, {"error": {"code": "RATE_LIMITED"}}, {"x-ratelimit-remaining": "x", "x-ratelimit-reset": "y"}, None),
    ("brave", 429, {"error": {"code": "RATE_LIMITED"}}, {"x-ratelimit-reset": "3, 99"}, 3.0),
    ("exa", 503, b"", {"retry-after": "3"}, 3.0),
    ("kagi", 429, b"<html>", {"retry-after": "-1"}, None),
]


@pytest.mark.parametrize(("name", "status", "body", "headers", "wait_s"), WAITS)
def test_the_wait_is_found_in_header_or_body(
    name: str, status: int, body: Any, headers: dict[str, str], wait_s: float | None
) -> None:
    with pytest.raises(ProviderError) as raised:
        made(name).read(reply(body, status=status, headers=headers))

    assert wait_s == raised.value.retry_after_s


def test_an_absolute_wait_is_passed_on_as_it_is() -> None:
    with pytest.raises(ProviderError) as raised:
        made("github").read(
            reply(
                {"message": "x"}, status=403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1796018460"}
            )
        )

    assert raised.value.retry_after_s is None
    assert 1_796_018_460 == raised.value.details["retry_at"]


NOTHING: list[tuple[str, int, Any]] = [
    ("linkup", 400, {"error": {"code": "SEARCH_QUERY_NO_RESULT", "message": "x"}}),
    (
        "jina",
        422,
        {"data": None, "code": 422, "name": "AssertionFailureError", "message": "No search results available"},
    ),
    (
        "serpapi",
        200,
        {"search_metadata": {"status": "Success"}, "error": "Google hasn't returned any results for this query."},
    ),
    ("serpapi", 200, {"error": "Google hasn't returned any results for this query."}),
    ("zhipu", 400, {"error": {"code": "1703", "message": "x"}}),
    ("zhipu", 200, {"error": {"code": 1703, "message": "x"}}),
    ("bocha", 200, {"code": 200, "data": {"webPages": None}}),
    ("doubao", 200, {"Result": {"WebResults": None}}),
    ("duckduckgo", 202, b"<html><div class='no-results'>No results.</div></html>"),
    ("duckduckgo_instant", 202, b""),
    ("kagi", 200, {"meta": {}, "data": []}),
    ("you", 200, {"results": {"web": None}, "metadata": {}}),
]


@pytest.mark.parametrize(("name", "status", "body"), NOTHING)
def test_what_looks_like_a_failure_may_be_nothing_found(name: str, status: int, body: Any) -> None:
    assert () == made(name).read(reply(body, status=status)).hits


def test_words_of_a_challenge_among_results_are_only_words() -> None:
    page = """<div id="links"><div class="result"><a class="result__a" href="https://a.test/">What is anomaly.js?</a>
    <a class="result__snippet">The id="challenge-form" and anomaly-modal explained.</a></div></div>"""

    assert 1 == len(made("duckduckgo").read(reply(page.encode())).hits)


def test_a_model_that_did_not_search_says_so() -> None:
    texts: dict[str, Any] = {
        "anthropic": {"type": "message", "content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn"},
        "openai": {"output": [{"type": "message", "content": [{"type": "output_text", "text": "4"}]}]},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "4"}]}}]},
    }
    for name, body in texts.items():
        answer = made(name).read(reply(body))
        assert (False, "4") == (answer.searched, answer.answer)


def test_a_refused_key_is_not_quoted_in_part_either() -> None:
    body = {"error": {"message": "Incorrect API key provided: sk-ver***6789.", "code": "invalid_api_key"}}

    with pytest.raises(ProviderError) as raised:
        made("openai").read(reply(body, status=401))

    assert "6789" not in raised.value.message


# DuckDuckGo's two pages.

FOUND = b"""<table><tr><td><a class='result-link' href="https://a.test/">A</a></td></tr>
<tr><td class='result-snippet'>words</td></tr>
<tr><td><span class='timestamp'>2026-02-03T00:00:00.0000000</span></td></tr>
<tr class='result-sponsored'><td><a class='result-link' href="https://ad.test/">Ad</a></td></tr>
<tr class='result-sponsored'><td class='result-snippet'>buy</td></tr></table>"""
HTML, LITE = "html.duckduckgo.com", "lite.duckduckgo.com"


async def pages(html: Any, lite: Any) -> tuple[Any, Replies]:
    exchange = Replies({HTML: html, LITE: lite})
    return await made("duckduckgo").search(Query(text="x"), exchange, Call()), exchange


@pytest.mark.parametrize("html", [says(b"", status=503), says(b"<p>new markup</p>")])
async def test_the_lite_page_follows_a_fault_or_unknown_markup(html: Any) -> None:
    answer, exchange = await pages(html, says(FOUND))

    assert [("A", "https://a.test/", "words", "2026-02-03T00:00:00")] == [
        (hit.title, hit.url, hit.snippet, hit.published) for hit in answer.hits
    ]
    assert 2 == len(exchange.sent)
    assert any("lite" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    "html", [says(b"", status=403), says(b"", status=202), says(b"", status=429), says(b"", status=302)]
)
async def test_the_lite_page_does_not_follow_a_block(html: Any) -> None:
    exchange = Replies({HTML: html})

    with pytest.raises(ProviderError):
        await made("duckduckgo").search(Query(text="x"), exchange, Call())

    assert 1 == len(exchange.sent)


async def test_a_block_of_the_lite_page_is_what_is_reported() -> None:
    with pytest.raises(ProviderBlocked):
        await pages(says(b"", status=500), says(b"", status=202))


async def test_the_first_failure_is_reported_when_both_pages_fail() -> None:
    with pytest.raises(ProviderBadResponse):
        await pages(says(b"<p>new markup</p>"), says(b"", status=503))


# Others.


async def test_a_retired_service_is_gone_when_its_host_is() -> None:
    exchange = Replies({"api.bing.microsoft.com": DnsFailed("no such name")})

    with pytest.raises(ProviderGone) as raised:
        await made("bing").search(Query(text="x"), exchange, Call())

    assert "webiq" in raised.value.message


async def test_arxiv_is_asked_once_more_when_its_feed_is_empty_by_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    from search.typical import TYPICAL

    empty = TYPICAL["arxiv"].raw_empty.replace(b">0<", b">12<")
    answers = iter([empty, TYPICAL["arxiv"].raw])

    def script(request: Request) -> Response:
        return response(request, 200, next(answers))

    provider = made("arxiv")
    # The pause that the vendor asks for is a class attribute so that nobody has to sit through it.
    monkeypatch.setattr(type(provider), "pause_s", 0.0)
    answer = await provider.search(Query(text="x"), Replies({"export.arxiv.org": script}), Call())

    assert 1 == len(answer.hits)
    assert not answer.incomplete


@pytest.mark.parametrize(
    "base", ["", "searx.test", "ftp://searx.test", "http://u:p@searx.test", "http://searx.test/?q=1"]
)
def test_a_base_url_that_is_none_is_the_operators_to_mend(base: str) -> None:
    provider: HttpProvider = made("searxng", ProviderSettings(base_url=base))

    with pytest.raises(ProviderMisconfigured):
        provider.request(Query(text="x"), __import__("datetime").date(2026, 1, 1))


@pytest.mark.parametrize(
    ("model", "platform", "offered"),
    [
        ("claude-sonnet-4-6", "anthropic", True),
        ("claude-3-5-haiku", "anthropic", True),
        ("claude-sonnet-4@20250514", "vertex", True),
        ("claude-3-5-haiku", "vertex", False),
        ("claude-sonnet-4-6", "foundry", True),
        ("claude-sonnet-4-6", "bedrock", False),
        ("../../x", "anthropic", False),
    ],
)
async def test_anthropic_is_offered_where_its_tool_serves(model: str, platform: str, offered: bool) -> None:  # noqa: FBT001
    settings = ProviderSettings(
        api_key="k",
        extra={"model": model, "platform": platform, "project": "p1", "resource": "r1", "region": "europe-west1"},
    )
    provider = made("anthropic", settings)
    refuses = says({"type": "error", "error": {"type": "authentication_error", "message": "no"}}, status=401)
    hosts = ("api.anthropic.com", "europe-west1-aiplatform.googleapis.com", "r1.services.ai.azure.com")
    exchange = Replies(dict.fromkeys(hosts, refuses))

    if offered:
        with pytest.raises(ProviderAuthFailed):
            await provider.search(Query(text="x"), exchange, Call())
        assert hosts[["anthropic", "vertex", "foundry"].index(platform)] == exchange.sent[0].url.host
    else:
        with pytest.raises(ProviderMisconfigured):
            await provider.search(Query(text="x"), exchange, Call())
        assert [] == exchange.sent


async def test_anthropic_goes_on_where_the_server_paused() -> None:
    results = [{"type": "web_search_result", "url": "https://a.test/", "title": "A"}]
    use = {"type": "server_tool_use", "id": "u", "name": "web_search", "input": {"query": "q"}}
    paused = {"type": "message", "content": [use], "stop_reason": "pause_turn", "usage": {"output_tokens": 2}}
    ended = {
        "type": "message",
        "content": [{"type": "web_search_tool_result", "tool_use_id": "u", "content": results}],
        "stop_reason": "end_turn",
        "usage": {"output_tokens": 3},
    }
    bodies = iter([paused, ended])

    def script(request: Request) -> Response:
        return says(next(bodies))(request)

    exchange = Replies({"api.anthropic.com": script})
    answer = await made("anthropic").search(Query(text="x"), exchange, Call())

    assert ["https://a.test/"] == [hit.url for hit in answer.hits]
    assert [use] == exchange.json()["messages"][1]["content"]
    assert 5 == answer.usage["output_tokens"]


def test_a_page_that_failed_for_firecrawl_keeps_its_body_with_a_note() -> None:
    page = {"url": "https://a.test/", "title": "A", "markdown": "# A", "metadata": {"statusCode": 404}}
    body = {"success": True, "data": {"web": [page]}}

    for status in (200, 404):
        answer = made("firecrawl").read(reply(body, status=status))
        assert "# A" == answer.hits[0].content
        assert any("404" in warning for warning in answer.warnings)


def test_a_server_error_without_words_is_still_named() -> None:
    with pytest.raises(ProviderUnavailable) as raised:
        made("exa").read(reply(b"", status=500))

    assert raised.value.message.startswith("Exa: ")
