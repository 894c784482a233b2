"""What every registered provider keeps to, from the moment its file exists."""

from __future__ import annotations

import ast
import json
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outrider.call import Call
from outrider.egress.message import Headers, Request
from outrider.errors import (
    ConnectionFailed,
    ProviderBadResponse,
    ProviderError,
    ProviderGone,
    ProviderMisconfigured,
    ProviderUnavailable,
    ReadTimeout,
    SsrfRejected,
)
from outrider.search import settings as settings_module
from outrider.search.catalogue import FILTERS, SPANS
from outrider.search.choice import Catalogue
from outrider.search.provider import Answer, HttpProvider
from outrider.search.settings import ProviderSettings
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Query
from outrider.url import Url
from search.doubles import Replies, reply, response

CATALOGUE = Catalogue()
EVERYBODY = CATALOGUE.names()
NAMES = [name for name in EVERYBODY if issubclass(CATALOGUE.kind(name), HttpProvider)]
"""Those that are one HTTP request, which is all but what searches locally."""
SECRET = "sk-very-secret-0123456789"
TODAY = date(2026, 11, 30)
SETTINGS = ProviderSettings(
    api_key=SECRET, engine_id="cx-1", base_url="https://search.example.net", extra={"project": "p1", "resource": "r1"}
)
everybody = pytest.mark.parametrize("name", EVERYBODY)
every = pytest.mark.parametrize("name", NAMES)


def made(name: str, settings: ProviderSettings = SETTINGS) -> HttpProvider:
    provider = CATALOGUE.make(name, settings)
    assert isinstance(provider, HttpProvider)
    return provider


def asked(name: str, query: Query, settings: ProviderSettings = SETTINGS) -> ApiRequest:
    return made(name, settings).request(query, TODAY)


# The catalogue entry.


@everybody
def test_the_entry_is_complete_and_named_as_its_file(name: str) -> None:
    info = CATALOGUE.info(name)

    assert name == info.id
    assert info.name
    assert info.description.endswith(".")
    assert info.docs_url.startswith("https://")
    assert info.filters <= set(FILTERS)
    assert info.spans <= SPANS
    assert 1 <= info.max_results
    assert info.bounds.connect_s <= info.bounds.total_s
    assert not info.successor or info.successor in EVERYBODY
    assert not info.then or info.then in EVERYBODY


@everybody
def test_the_entry_is_json_with_exactly_the_documented_keys(name: str) -> None:
    entry = json.loads(json.dumps(CATALOGUE.info(name).entry()))

    assert {
        "id", "name", "description", "docs_url", "requires_api_key", "supports_optional_api_key", "requires_engine_id",
        "requires_base_url", "supports_proxy", "filters", "max_results", "config_fields",
    } == set(entry)  # fmt: skip
    for field in entry["config_fields"]:
        assert {"key", "label", "type", "required", "default", "description", "options"} == set(field)
        assert not field["options"] or field["default"] in {option["value"] for option in field["options"]}


@everybody
def test_no_extra_field_is_secret(name: str) -> None:
    assert all("secret" != field.type for field in CATALOGUE.info(name).fields)


@everybody
def test_only_searxng_takes_a_base_url(name: str) -> None:
    assert ("searxng" == name) == CATALOGUE.info(name).requires_base_url


@everybody
def test_a_missing_required_setting_is_noticed(name: str) -> None:
    info = CATALOGUE.info(name)
    needs = info.requires_api_key or info.requires_engine_id or info.requires_base_url

    assert needs == bool(settings_module.missing_settings(info, ProviderSettings()))
    assert () == settings_module.missing_settings(info, SETTINGS)


def test_listing_the_providers_imports_none() -> None:
    source = "import sys; from outrider.search.choice import Catalogue; n = Catalogue().names()\n"
    source += "print(len(n), [m for m in sys.modules if m.startswith('outrider.search.providers.')])"
    import subprocess

    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True, timeout=60)

    assert f"{len(EVERYBODY)} []" == done.stdout.strip()


@every
def test_a_provider_opens_nothing_and_knows_no_other(name: str) -> None:
    module = sys.modules[type(made(name)).__module__]
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not any(one.startswith("outrider.search.providers") for one in imported)
    assert not any(one.startswith("outrider.egress") and one != "outrider.egress.message" for one in imported)


# Requests.

FULL = Query(
    text="what is new in rust",
    max_results=20,
    allowed_domains=("example.com/docs",),
    blocked_domains=("spam.test", "forum.test/off"),
    country="DE",
    freshness=Freshness(span="week"),
    language="pt-BR",
    safe="strict",
)


def without_what_it_cannot(name: str, query: Query) -> Query:
    info = CATALOGUE.info(name)
    changes: dict[str, Any] = {"country": ""} if "country" not in info.filters else {}
    if "freshness" not in info.filters:
        changes["freshness"] = None
    if "domains" not in info.filters:
        changes |= {"allowed_domains": (), "blocked_domains": ()}
    changes |= {key: "" for key in ("language", "safe") if key not in info.filters}
    return replace(query, **changes)


@every
def test_a_request_is_an_https_call_of_the_constant_endpoint(name: str) -> None:
    plain = asked(name, Query(text="rust"))
    full = asked(name, without_what_it_cannot(name, FULL))

    for request in (plain, full):
        wire = request.as_request()
        assert "https" == wire.url.scheme
        assert request.method in {"GET", "POST"}
        assert "GET" != request.method or b"" == request.body
    assert urlsplit(plain.url).hostname
    if name != "wikipedia":  # Its host is the language.
        assert urlsplit(plain.url).hostname == urlsplit(full.url).hostname


@every
def test_nothing_unset_is_sent(name: str) -> None:
    request = asked(name, Query(text="rust"))

    def empties(value: Any) -> bool:
        if isinstance(value, dict):
            return any(empties(one) for one in value.values())
        return value in (None, [], "")

    if request.json is not None:
        assert not empties(dict(request.json))
    assert all(request.params.values())


@every
def test_the_key_is_sent_but_never_shown(name: str) -> None:
    info = CATALOGUE.info(name)
    request = asked(name, Query(text="rust"))
    wire = request.as_request()
    sent = f"{wire.url} {dict(wire.headers)} {wire.body!r}"

    if info.requires_api_key:
        assert SECRET in sent
    for shown in (repr(request), repr(wire), repr(SETTINGS), repr(wire.headers), str(SETTINGS)):
        assert SECRET not in shown


@every
def test_a_query_that_asks_for_more_than_the_vendor_gives_is_lowered_with_a_warning(name: str) -> None:
    info = CATALOGUE.info(name)
    request = asked(name, Query(text="rust", max_results=20))

    lowered = any("results could be asked for" in warning for warning in request.warnings)
    if info.max_results >= 20:
        assert not lowered


@every
def test_a_long_question_is_cut_with_a_warning_where_the_vendor_limits_it(name: str) -> None:
    info = CATALOGUE.info(name)
    request = asked(name, Query(text="rust " * 400))

    if info.max_query_chars < 2_000:
        assert any("was cut" in warning for warning in request.warnings)


@every
@pytest.mark.parametrize(
    "text",
    [
        "日本語の検索 🦀",
        'say "hi" & <b>',
        "a\ud800b",
        "!!g rust",
        "100% +/?#",
        "x" * 2_000,
        "潮" * 2_000,
        "a " * 999 + "b",
        "é " * 999,
    ],
)
def test_any_question_makes_a_request(name: str, text: str) -> None:
    asked(name, Query(text=text)).as_request()


@every
@pytest.mark.parametrize("span", sorted(SPANS))
def test_every_span_makes_a_request(name: str, span: Any) -> None:
    if "freshness" in CATALOGUE.info(name).filters:
        spanned = asked(name, Query(text="rust", freshness=Freshness(span=span)))
        assert repr(spanned.as_request().url) + repr(spanned.body) != repr(
            asked(name, Query(text="rust")).as_request().url
        ) + repr(asked(name, Query(text="rust")).body)


@every
def test_a_range_of_days_makes_a_request(name: str) -> None:
    info = CATALOGUE.info(name)
    if "freshness" in info.filters and info.date_ranges:
        request = asked(name, Query(text="rust", freshness=Freshness(start="2025-01-02", end="2025-03-04")))
        sent = f"{request.as_request().url} {request.body!r}"
        assert "2025" in sent or "1735" in sent


# Replies.

statuses = st.sampled_from([200, 201, 202, 204, 301, 302, 307, 400, 401, 402, 403, 404, 408, 410, 413, 418, 422, 429])
more_statuses = st.one_of(statuses, st.sampled_from([432, 433, 451, 500, 502, 503, 504, 529, 599]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "200", "OK", "success", "web", "Error", "https://example.com/a", "2025-02-31", "-1", "9e999"]),
)
KEYS = [
    "results", "web", "data", "error", "message", "code", "status", "items", "webPages", "value", "references",
    "organic", "response", "query", "search", "webpages", "search_result", "url", "title", "link", "snippet",
    "content", "date", "published_date", "detail", "errors", "candidates", "groundingMetadata", "groundingChunks",
    "groundingSupports", "segment", "output", "type", "annotations", "usage", "Result", "WebResults",
    "ResponseMetadata", "Error", "news", "unresponsive_engines", "answers", "issued", "date-parts", "DOI",
    "creation_date", "question_id", "html_url", "name", "excerpts", "highlights", "metadata", "statusCode",
    "retryAfter", "details", "retryDelay", "loc", "meta", "URL", "RelatedTopics", "Topics", "AbstractURL",
    "success", "warning", "warnings", "organic_results", "search_metadata",
]  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=25,
)
bodies = st.one_of(
    values.map(lambda value: json.dumps(value).encode()),
    values.map(lambda value: json.dumps(value).encode("utf-16")),
    values.map(lambda value: json.dumps(value).encode()[:-3]),
    st.binary(max_size=200),
    st.sampled_from([
        b"",
        b"null",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"9" * 5_000,
        b'{"results": ' + b"9" * 5_000 + b"}",
        b"<!doctype html><html><body>Just a moment...</body></html>",
        b"<html><div class='result'><a class='result__a'>" + b"<div>" * 5_000,
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><feed>&a;</feed>',
        b'<feed xmlns="http://www.w3.org/2005/Atom">' + b"<entry>" * 10_000,
        "<feed>\u00e9</feed>".encode("latin-1"),
        '{"results": [{"title": "caf\u00e9"}]}'.encode("latin-1"),
        b'data: {\n\ndata: {"type": 3}\n\nevent: x\rdata: []\r\r',
        b'data: {"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":5}}\n\n',
    ]),
)  # fmt: skip
headers = st.dictionaries(
    st.sampled_from([
        "content-type", "retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-limit",
        "cf-mitigated",
    ]),
    st.one_of(
        st.text(st.characters(codec="latin-1"), max_size=30),
        st.sampled_from([
            "text/html; charset=rot13", "application/json; charset=gbk", "1, 2000", "0, 0", "-5", "nan", "inf",
        ]),
    ),
    max_size=4,
)  # fmt: skip


@every
@settings(max_examples=20)
@given(body=bodies, status=more_statuses, fields=headers)
def test_no_answer_raises_anything_but_a_typed_failure(
    name: str, body: bytes, status: int, fields: dict[str, str]
) -> None:
    read_any(name, reply(body, status=status, headers=fields))


def read_any(name: str, got: ApiReply) -> None:
    try:
        answer = made(name).read(got)
    except ProviderError as error:
        check_failure(name, error)
    else:
        check_answer(answer)


def check_failure(name: str, error: ProviderError) -> None:
    shown = json.dumps(error.as_dict(), ensure_ascii=False)
    shown.encode("utf-8")
    assert name == error.details["provider"]
    assert SECRET not in shown
    assert len(error.message) < 400
    assert error.retry_after_s is None or error.retry_after_s >= 0


def check_answer(answer: Answer) -> None:
    said = [answer.answer, answer.query_used, answer.stop_reason, *answer.warnings]
    "".join(said).encode("utf-8")
    for hit in (*answer.hits, *answer.news):
        Url.parse(hit.url)
        assert len(hit.snippet) <= 1_500
        f"{hit.title}{hit.snippet}{hit.content}{hit.published}{hit.age}{hit.updated}{hit.site_name}".encode()


@every
def test_an_error_page_in_html_is_judged_by_its_status(name: str) -> None:
    page = b"<html><head><title>502 Bad Gateway</title></head><body>edge</body></html>"

    with pytest.raises(ProviderUnavailable):
        made(name).read(reply(page, status=502))


@every
def test_a_redirect_is_a_bad_response(name: str) -> None:
    with pytest.raises(ProviderBadResponse):
        made(name).read(reply(b"", status=302, headers={"location": "https://elsewhere.test/"}))


@every
def test_a_page_in_place_of_results_is_never_an_empty_answer(name: str) -> None:
    with pytest.raises(ProviderError):
        made(name).read(reply(b"<!doctype html><html><body><p>Welcome</p></body></html>"))


@every
def test_an_empty_object_is_never_mistaken_for_results(name: str) -> None:
    try:
        answer = made(name).read(reply({"hello": "world"}))
    except ProviderError:
        return
    assert "metaso" == name  # Its contract: neither list nor error is nothing found.
    assert () == answer.hits


@every
def test_words_that_repeat_the_key_are_not_passed_on(name: str) -> None:
    body = {"error": {"message": f"Incorrect API key provided: {SECRET}"}, "message": f"bad {SECRET}"}

    with pytest.raises(ProviderError) as raised:
        made(name).read(reply(body, status=401))

    assert SECRET not in json.dumps(raised.value.as_dict())


@every
def test_a_bot_check_in_front_is_a_block(name: str) -> None:
    page = b"<html><body>Just a moment...</body></html>"

    with pytest.raises(ProviderError) as raised:
        made(name).read(reply(page, status=403, headers={"cf-mitigated": "challenge"}))

    assert ("provider_blocked", "bot_challenge") == (raised.value.code, raised.value.reason)


# The network.


def hosts(name: str) -> str:
    return urlsplit(asked(name, Query(text="rust")).url).hostname or ""


@every
async def test_a_network_failure_is_an_unavailable_provider(name: str) -> None:
    exchange = Replies({hosts(name): ConnectionFailed(f"refused with {SECRET}")})

    with pytest.raises(ProviderError) as raised:
        await made(name).search(Query(text="rust"), exchange, Call())

    assert isinstance(raised.value, ProviderUnavailable | ProviderGone)
    assert SECRET not in raised.value.message
    assert raised.value.__cause__ is None


@every
@pytest.mark.parametrize("key", ["ключ", "k\nx: y", "k\x00"])
async def test_a_key_that_no_header_can_carry_is_the_operators_to_mend(name: str, key: str) -> None:
    provider = made(name, replace(SETTINGS, api_key=key))
    carries = asked(name, Query(text="rust"), replace(SETTINGS, api_key=key))
    if key in " ".join(carries.headers.values()):
        with pytest.raises(ProviderMisconfigured) as raised:
            await provider.search(Query(text="rust"), Replies({}), Call())
        assert key not in json.dumps(raised.value.as_dict(), ensure_ascii=False)


@every
async def test_a_time_out_keeps_its_outcome(name: str) -> None:
    exchange = Replies({hosts(name): ReadTimeout("slow")})

    with pytest.raises(ProviderUnavailable) as raised:
        await made(name).search(Query(text="rust"), exchange, Call())

    assert "timeout" == raised.value.details["outcome"]


@every
async def test_a_refusal_of_the_guard_passes_unchanged(name: str) -> None:
    refusal = SsrfRejected("no", reason="dns-nonpublic")

    with pytest.raises(SsrfRejected) as raised:
        await made(name).search(Query(text="rust"), Replies({hosts(name): refusal}), Call())

    assert refusal is raised.value


@every
async def test_one_search_is_one_request_without_redirects_or_retries(name: str) -> None:
    seen: list[Request] = []

    class Door(Replies):
        async def send(self, request: Request, *, limits: Any) -> Any:
            assert 0 == limits.max_redirects
            assert 0 == limits.retries
            assert limits.total_s <= CATALOGUE.info(name).bounds.total_s
            seen.append(request)
            return response(request, 401, b"{}")

    with pytest.raises(ProviderError):
        await made(name).search(Query(text="rust"), Door({}), Call())

    assert 1 == len(seen)


def test_headers_are_read_whatever_their_case() -> None:
    assert "12" == Headers({"Retry-After": "12"})["retry-after"]
