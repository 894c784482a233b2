"""How filters are spelled for each vendor."""

from __future__ import annotations

from typing import Any

import pytest

from outrider.search.providers.anthropic import Anthropic
from outrider.search.settings import ProviderSettings
from outrider.types import Freshness, Query
from search.test_conformance import asked

WEEK = Query(text="q", freshness=Freshness(span="week"))
RANGE = Query(text="q", freshness=Freshness(start="2025-01-02", end="2025-03-04"))
LISTS = Query(text="q", allowed_domains=("a.test/x", "b.test"), blocked_domains=("c.test", "d.test/y"))
GOOGLE_RANGE = {"start_time": "2025-01-02T00:00:00Z", "end_time": "2025-03-04T23:59:59Z"}
ONE_SITE = Query(text="q", allowed_domains=("a.test",))
BLOCKED = Query(text="q", blocked_domains=("c.test", "d.test/y"))
GERMANY = Query(text="q", country="DE")
EVERYWHERE = Query(text="q", country="ALL")
PORTUGUESE = Query(text="q", language="pt-BR")
STRICT = Query(text="q", safe="strict")

SENT: list[tuple[str, Query, dict[str, Any]]] = [
    ("duckduckgo", WEEK, {"df": "w"}),
    ("duckduckgo", RANGE, {"df": "2025-01-02..2025-03-04"}),
    ("duckduckgo", GERMANY, {"kl": "de-de"}),
    ("duckduckgo", EVERYWHERE, {"kl": "wt-wt"}),
    ("duckduckgo", STRICT, {"kp": "1"}),
    ("duckduckgo", LISTS, {"q": "q (site:a.test/x OR site:b.test) -site:c.test -site:d.test/y"}),
    ("google", WEEK, {"dateRestrict": "w1"}),
    ("google", RANGE, {"sort": "date:r:20250102:20250304"}),
    ("google", GERMANY, {"gl": "de", "cr": "countryDE"}),
    ("google", PORTUGUESE, {"hl": "pt-BR", "lr": "lang_pt"}),
    ("google", STRICT, {"safe": "active"}),
    ("google", ONE_SITE, {"q": "q", "siteSearch": "a.test", "siteSearchFilter": "i"}),
    ("bing", WEEK, {"freshness": "Week"}),
    ("bing", RANGE, {"freshness": "2025-01-02..2025-03-04"}),
    ("bing", GERMANY, {"mkt": "de-DE"}),
    ("webiq", GERMANY, {"region": "DE"}),
    ("webiq", STRICT, {"safeSearch": "strict"}),
    ("tavily", WEEK, {"time_range": "week"}),
    ("tavily", RANGE, {"start_date": "2025-01-02", "end_date": "2025-03-04"}),
    ("tavily", GERMANY, {"country": "germany"}),
    ("tavily", LISTS, {"include_domains": ["a.test", "b.test"], "exclude_domains": ["c.test"]}),
    ("baidu", WEEK, {"search_recency_filter": "week"}),
    ("baidu", RANGE, {"search_filter": {"range": {"page_time": {"gte": "2025-01-02", "lte": "2025-03-04"}}}}),
    ("baidu", LISTS, {"search_filter": {"match": {"site": ["a.test", "b.test"]}}, "block_websites": ["c.test"]}),
    ("baidu", STRICT, {"safe_search": True}),
    ("searxng", WEEK, {"time_range": "week"}),
    ("searxng", GERMANY, {"language": "de-DE"}),
    ("searxng", Query(text="q"), {"language": "all"}),
    ("searxng", STRICT, {"safesearch": "2"}),
    ("searxng", Query(text="!!g rust !!x"), {"q": "g rust x"}),
    ("keenable", WEEK, {"published_after": "2026-11-23"}),
    ("keenable", Query(text="q", allowed_domains=("a.test/x",)), {"site": "a.test"}),
    ("keenable", BLOCKED, {"exclude_domains": ["c.test"]}),
    ("zhipu", WEEK, {"search_recency_filter": "oneWeek"}),
    ("zhipu", Query(text="q", allowed_domains=("a.test",)), {"search_domain_filter": "a.test"}),
    ("exa", WEEK, {"startPublishedDate": "2026-11-23T00:00:00.000Z"}),
    ("exa", RANGE, {"endPublishedDate": "2025-03-04T23:59:59.999Z"}),
    ("exa", LISTS, {"includeDomains": ["a.test/x", "b.test"], "excludeDomains": ["c.test"]}),
    ("exa", GERMANY, {"userLocation": "DE"}),
    ("exa", STRICT, {"moderation": True}),
    ("bocha", WEEK, {"freshness": "oneWeek"}),
    ("bocha", RANGE, {"freshness": "2025-01-02..2025-03-04"}),
    ("bocha", Query(text="q"), {"freshness": "noLimit", "summary": False}),
    ("bocha", LISTS, {"include": "a.test|b.test", "exclude": "c.test"}),
    ("brave", WEEK, {"freshness": "pw"}),
    ("brave", RANGE, {"freshness": "2025-01-02to2025-03-04"}),
    ("brave", GERMANY, {"country": "DE"}),
    ("brave", EVERYWHERE, {"country": "ALL"}),
    ("brave", PORTUGUESE, {"search_lang": "pt-br"}),
    ("brave", Query(text="q", language="ja"), {"search_lang": "jp"}),
    ("brave", Query(text="q", language="zh"), {"search_lang": "zh-hans"}),
    ("brave", STRICT, {"safesearch": "strict"}),
    ("serper", WEEK, {"tbs": "qdr:w"}),
    ("serper", RANGE, {"tbs": "cdr:1,cd_min:01/02/2025,cd_max:03/04/2025"}),
    ("serper", GERMANY, {"gl": "de"}),
    ("serpapi", STRICT, {"safe": "active"}),
    ("jina", GERMANY, {"gl": "de"}),
    ("perplexity", WEEK, {"search_recency_filter": "week"}),
    ("perplexity", RANGE, {"search_after_date_filter": "01/02/2025", "search_before_date_filter": "03/04/2025"}),
    ("perplexity", LISTS, {"search_domain_filter": ["a.test", "b.test"]}),
    ("perplexity", BLOCKED, {"search_domain_filter": ["-c.test"]}),
    ("perplexity", PORTUGUESE, {"search_language_filter": ["pt"]}),
    ("kagi", RANGE, {"filters": {"after": "2025-01-02", "before": "2025-03-04"}}),
    ("kagi", LISTS, {"lens": {"sites_included": ["a.test", "b.test"], "sites_excluded": ["c.test"]}}),
    ("mojeek", Query(text="q", freshness=Freshness(span="day")), {"since": "day"}),
    ("mojeek", WEEK, {"since": "20261123"}),
    ("mojeek", RANGE, {"since": "20250102", "before": "20250304"}),
    ("you", WEEK, {"freshness": "week"}),
    ("you", RANGE, {"freshness": "2025-01-02to2025-03-04"}),
    ("linkup", WEEK, {"fromDate": "2026-11-23"}),
    ("linkup", LISTS, {"includeDomains": ["a.test", "b.test"], "excludeDomains": ["c.test"]}),
    (
        "parallel",
        WEEK,
        {"advanced_settings": {"max_results": 5, "source_policy": {"after_date": "2026-11-23"}}},
    ),
    ("firecrawl", WEEK, {"tbs": "qdr:w"}),
    ("firecrawl", LISTS, {"includeDomains": ["a.test", "b.test"]}),
    ("firecrawl", BLOCKED, {"excludeDomains": ["c.test"]}),
    ("openai", GERMANY, {"tools": [{"type": "web_search", "user_location": {"type": "approximate", "country": "DE"}}]}),
    (
        "gemini",
        RANGE,
        {"tools": [{"google_search": {"time_range_filter": GOOGLE_RANGE}}]},
    ),
    ("doubao", WEEK, {"TimeRange": "2026-11-23..2026-11-30"}),
    ("github", RANGE, {"q": "q created:2025-01-02..2025-03-04"}),
    ("arxiv", RANGE, {"search_query": "(all:q) AND submittedDate:[202501020000 TO 202503042359]"}),
    ("arxiv", Query(text='deep "neural nets"'), {"search_query": 'all:deep AND all:"neural nets"'}),
    ("arxiv", Query(text="au:mariner AND ti:tides"), {"search_query": "au:mariner AND ti:tides"}),
    ("crossref", RANGE, {"filter": "from-pub-date:2025-01-02,until-pub-date:2025-03-04"}),
    ("stackexchange", RANGE, {"fromdate": "1735776000", "todate": "1741132800"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "query", "expected"), SENT)
def test_a_filter_is_sent_as_the_vendor_spells_it(name: str, query: Query, expected: dict[str, Any]) -> None:
    request = asked(name, query)
    sent = dict(request.json or request.form or request.params)

    assert expected == {key: sent.get(key) for key in expected}


def test_only_one_domain_list_is_sent_to_anthropic() -> None:
    both = dict(asked("anthropic", LISTS).json or {})["tools"][0]
    blocked = dict(asked("anthropic", BLOCKED).json or {})["tools"][0]

    assert "blocked_domains" not in both
    assert ["a.test/x", "b.test"] == both["allowed_domains"]
    assert ["c.test", "d.test/y"] == blocked["blocked_domains"]
    assert 8 == both["max_uses"]


@pytest.mark.parametrize(
    ("platform", "version"), [("anthropic", "web_search_20260209"), ("foundry", "web_search_20250305")]
)
def test_the_newer_tool_is_sent_where_it_is_served(platform: str, version: str) -> None:
    extra = {"tool": "web_search_20260209", "platform": platform, "resource": "r1"}
    message, warnings = Anthropic(ProviderSettings(api_key="k", extra=extra)).message(Query(text="q"), [])

    assert version == message["tools"][0]["type"]
    assert ("foundry" == platform) == bool(warnings)


def test_wikipedias_language_is_its_host() -> None:
    assert "https://pt.wikipedia.org/w/api.php" == asked("wikipedia", PORTUGUESE).url
    assert "https://en.wikipedia.org/w/api.php" == asked("wikipedia", Query(text="q")).url


def test_jina_takes_one_site_in_a_header() -> None:
    assert "https://a.test" == asked("jina", Query(text="q", allowed_domains=("a.test/x",))).headers["x-site"]


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://searx.test", "http://searx.test/search"),
        ("http://searx.test:8080/", "http://searx.test:8080/search"),
        ("http://searx.test/search", "http://searx.test/search"),
        ("https://host.test/searx/", "https://host.test/searx/search"),
    ],
)
def test_searxngs_search_stands_below_its_base_url(base: str, url: str) -> None:
    assert url == asked("searxng", Query(text="q"), ProviderSettings(base_url=base)).url


@pytest.mark.parametrize(("key", "sent"), [("user:pw", "Basic dXNlcjpwdw=="), ("token", "Bearer token")])
def test_searxngs_key_is_basic_or_bearer(key: str, sent: str) -> None:
    settings = ProviderSettings(base_url="http://searx.test", api_key=key)

    assert sent == asked("searxng", Query(text="q"), settings).headers["authorization"]


@pytest.mark.parametrize("name", ["tavily", "you", "firecrawl", "keenable"])
def test_without_a_key_the_keyless_door_is_taken(name: str) -> None:
    keyed, keyless = asked(name, Query(text="q")), asked(name, Query(text="q"), ProviderSettings())

    assert (keyed.url, dict(keyed.headers)) != (keyless.url, dict(keyless.headers))
    assert "authorization" not in {header.lower() for header in keyless.headers}


def test_zhipus_sogou_takes_tens() -> None:
    settings = ProviderSettings(api_key="k", extra={"search_engine": "search_pro_sogou"})

    assert 20 == dict(asked("zhipu", Query(text="q", max_results=12), settings).json or {})["count"]


def test_an_extra_setting_that_is_no_option_is_the_default() -> None:
    settings = ProviderSettings(api_key="k", extra={"search_engine": "hm", "content_size": "high"})
    sent = dict(asked("zhipu", Query(text="q"), settings).json or {})

    assert ("search_std", "high") == (sent["search_engine"], sent["content_size"])


def test_baidu_counts_wide_characters_double() -> None:
    sent = dict(asked("baidu", Query(text="潮" * 50 + "x")).json or {})

    assert 36 == len(sent["messages"][0]["content"])
