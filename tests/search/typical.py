"""A small typical reply of each provider, and what it says; bodies in JSON unless they are text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Typical:
    """One reply and the hits in it."""

    body: Any
    hits: list[tuple[str, str, str, str | None]]
    """Title, URL, snippet, published."""
    empty: Any
    """The reply when nothing was found."""

    @property
    def raw(self) -> bytes:
        """The body as it comes over the wire."""
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()

    @property
    def raw_empty(self) -> bytes:
        """The empty reply as it comes over the wire."""
        return self.empty.encode() if isinstance(self.empty, str) else json.dumps(self.empty).encode()


PAGE = "https://docs.example.org/tides"
OTHER = "https://harbour.example.net/almanac?year=2026&lang=en"

DUCKDUCKGO = """<!DOCTYPE html><html><body><div id="links" class="results">
<div class="result results_links web-result">
  <h2 class="result__title"><a class="result__a"
    href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fdocs.example.org%2Ftides&amp;rut=1">Tide <b>tables</b></a></h2>
  <div class="result__extras__url"><a class="result__url" href="x">docs.example.org</a>
    <span> 2026-02-03T00:00:00.0000000 </span></div>
  <a class="result__snippet" href="x">When the <b>sea</b> rises &lt;and falls&gt;.</a>
</div>
<div class="result results_links result--ad"><a class="result__a" href="https://shop.example.com/">Buy a boat</a></div>
<div class="result results_links">
  <a class="result__a" href="https://harbour.example.net/almanac?year=2026&amp;lang=en">Almanac</a>
  <div class="result__snippet">The harbour&amp;#x27;s year.</div>
</div>
<div class="nav-link"><form><input type="hidden" name="q" value="tides"><input type="hidden" name="s" value="10">
<input type="hidden" name="vqd" value="4-1"></form></div>
</div></body></html>"""
ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<title>a query</title><o:totalResults>1</o:totalResults>
<entry><id>http://arxiv.org/abs/2501.00002v1</id><title>Tides of
  narrow seas: h &lt; 2 m</title><summary> We measure
tides. </summary><published>2025-01-02T03:04:05Z</published><updated>2025-02-02T00:00:00Z</updated>
<link rel="alternate" href="https://arxiv.org/abs/2501.00002v1"/><author><name>A. Mariner</name></author></entry>
</feed>"""
ARXIV_EMPTY = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<o:totalResults>0</o:totalResults></feed>"""
STREAM = "".join(
    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
    for event in (
        {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "ping"},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "server_tool_use", "id": "u1", "name": "web_search", "input": {}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"query": "ti'},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": 'des", "x'}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '": 1}'}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {
                "type": "web_search_tool_result",
                "tool_use_id": "u1",
                "content": [
                    {"type": "web_search_result", "url": PAGE, "title": "Tide tables", "page_age": "May 1, 2026"},
                    {"type": "web_search_result", "url": OTHER, "title": "Almanac", "page_age": None},
                ],
            },
        },
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "The sea "}},
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {
                "type": "citations_delta",
                "citation": {"type": "web_search_result_location", "url": PAGE, "cited_text": "When the sea rises."},
            },
        },
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "rises."}},
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 7, "server_tool_use": {"web_search_requests": 1}},
        },
        {"type": "message_stop"},
    )
)

_TITLES = ("Tide tables", "Almanac")
_SNIPPETS = ("When the sea rises.", "The harbour's year.")


def _hits(first: str | None = None, second: str | None = None, *, snippets: tuple[str, str] = _SNIPPETS) -> Any:
    return [(_TITLES[0], PAGE, snippets[0], first), (_TITLES[1], OTHER, snippets[1], second)]


def _rows(url: str, title: str, snippet: str, **first: Any) -> list[dict[str, Any]]:
    """Two results with the provider's own keys; the first has further ones."""
    return [
        {url: PAGE, title: "Tide <b>tables</b>", snippet: "When the <em>sea</em> rises.", **first},
        {url: OTHER, title: "Almanac", snippet: "The harbour&#39;s year."},
    ]


TYPICAL: dict[str, Typical] = {
    "anthropic": Typical(
        body=STREAM,
        hits=_hits(snippets=("When the sea rises.", "")),
        empty={
            "type": "message",
            "content": [
                {"type": "server_tool_use", "id": "u1", "name": "web_search", "input": {"query": "x"}},
                {"type": "web_search_tool_result", "tool_use_id": "u1", "content": []},
            ],
        },
    ),
    "arxiv": Typical(
        body=ARXIV,
        hits=[
            (
                "Tides of narrow seas: h < 2 m",
                "https://arxiv.org/abs/2501.00002v1",
                "We measure tides.",
                "2025-01-02T03:04:05Z",
            )
        ],
        empty=ARXIV_EMPTY,
    ),
    "baidu": Typical(
        body={
            "request_id": "r",
            "references": [
                *_rows("url", "title", "content", type="web", date="2026-2-3", website="Docs"),
                {"url": "https://pictures.example.org/1", "title": "A picture", "type": "image"},
            ],
        },
        hits=_hits("2026-02-03"),
        empty={"request_id": "r", "references": []},
    ),
    "bing": Typical(
        body={
            "_type": "SearchResponse",
            "webPages": {"value": _rows("url", "name", "snippet", datePublished="2026-02-03T00:00:00.0000000")},
        },
        hits=_hits("2026-02-03T00:00:00"),
        empty={"_type": "SearchResponse"},
    ),
    "bocha": Typical(
        body={
            "code": "200",
            "data": {"webPages": {"value": _rows("url", "name", "snippet", dateLastCrawled="2026-02-03T01:00:00Z")}},
        },
        hits=_hits("2026-02-03T01:00:00+08:00"),
        empty={"code": 200, "data": None},
    ),
    "brave": Typical(
        body={
            "type": "search",
            "query": {"original": "tides"},
            "web": {"results": _rows("url", "title", "description", page_age="2026-02-03T04:05:06", age="2 weeks ago")},
        },
        hits=_hits("2026-02-03T04:05:06"),
        empty={"type": "search", "query": {"original": "tides"}},
    ),
    "crossref": Typical(
        body={
            "status": "ok",
            "message": {
                "items": [
                    {
                        "DOI": "10.5555/tides",
                        "URL": "https://doi.org/10.5555/tides",
                        "title": ["Tides of <i>narrow</i> seas"],
                        "abstract": "<jats:title>Abstract</jats:title><jats:p>We measure &amp; compare.</jats:p>",
                        "issued": {"date-parts": [[2025, 4]]},
                    }
                ]
            },
        },
        hits=[("Tides of narrow seas", "https://doi.org/10.5555/tides", "We measure & compare.", "2025-04")],
        empty={"status": "ok", "message": {"items": []}},
    ),
    "doubao": Typical(
        body={"Result": {"WebResults": _rows("Url", "Title", "Snippet", PublishTime="2026-02-03T10:00:00+08:00")}},
        hits=_hits("2026-02-03T10:00:00+08:00"),
        empty={"Result": None},
    ),
    "duckduckgo": Typical(
        body=DUCKDUCKGO,
        hits=_hits("2026-02-03T00:00:00", snippets=("When the sea rises <and falls>.", "The harbour's year.")),
        empty="<html><body><div class='result result--no-result'><p class='no-results'>None.</p></div></body></html>",
    ),
    "duckduckgo_instant": Typical(
        body={
            "Heading": "Tide tables",
            "AbstractText": "When the sea rises.",
            "AbstractURL": PAGE,
            "Results": [{"FirstURL": OTHER, "Text": "Almanac"}],
            "RelatedTopics": [{"Topics": [{"FirstURL": "https://duckduckgo.com/Moon", "Text": "Moon"}]}],
        },
        hits=_hits(snippets=("When the sea rises.", "Almanac")),
        empty={"AbstractText": "", "RelatedTopics": [], "Results": [], "Type": ""},
    ),
    "exa": Typical(
        body={
            "requestId": "r",
            "results": [
                {
                    "url": PAGE,
                    "title": "Tide tables",
                    "highlights": ["When the", "sea rises."],
                    "publishedDate": "2026-02-03",
                },
                {"url": OTHER, "title": None, "summary": "The harbour's year."},
            ],
        },
        hits=[
            ("Tide tables", PAGE, "When the … sea rises.", "2026-02-03"),
            ("harbour.example.net", OTHER, "The harbour's year.", None),
        ],
        empty={"results": []},
    ),
    "firecrawl": Typical(
        body={"success": True, "data": {"web": _rows("url", "title", "description", position=1)}},
        hits=_hits(),
        empty={"success": True, "data": {}},
    ),
    "gemini": Typical(
        body={
            "candidates": [
                {
                    "content": {"parts": [{"text": "Am Mèer: When the sea rises. The harbour's year."}]},
                    "groundingMetadata": {
                        "webSearchQueries": ["tides"],
                        "groundingChunks": [
                            {"web": {"uri": PAGE, "title": "Tide tables"}},
                            {"web": {"uri": OTHER, "title": "Almanac"}},
                        ],
                        "groundingSupports": [
                            {"segment": {"startIndex": 10, "endIndex": 29}, "groundingChunkIndices": [0]},
                            {"segment": {"text": "The harbour's year."}, "groundingChunkIndices": [1]},
                        ],
                    },
                }
            ]
        },
        hits=_hits(),
        empty={"candidates": [{"content": {"parts": []}, "groundingMetadata": {"webSearchQueries": ["tides"]}}]},
    ),
    "github": Typical(
        body={
            "total_count": 1,
            "items": [
                {
                    "full_name": "mariner/tides",
                    "html_url": "https://github.com/mariner/tides",
                    "description": "Reads std::vector<T> of tides",
                    "created_at": "2025-01-02T00:00:00Z",
                }
            ],
        },
        hits=[
            (
                "mariner/tides",
                "https://github.com/mariner/tides",
                "Reads std::vector<T> of tides",
                "2025-01-02T00:00:00Z",
            )
        ],
        empty={"total_count": 0, "items": []},
    ),
    "google": Typical(
        body={
            "kind": "customsearch#search",
            "items": _rows(
                "link", "title", "snippet", pagemap={"metatags": [{"article:published_time": "2026-02-03T00:00:00Z"}]}
            ),
        },
        hits=_hits("2026-02-03T00:00:00Z"),
        empty={"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}},
    ),
    "jina": Typical(
        body={"code": 200, "status": 20000, "data": _rows("url", "title", "description", date="Feb 3, 2026")},
        hits=_hits("2026-02-03"),
        empty={"code": 200, "data": []},
    ),
    "kagi": Typical(
        body={"meta": {}, "data": {"search": _rows("url", "title", "snippet", time="2026-02-03T00:00:00Z")}},
        hits=_hits("2026-02-03T00:00:00Z"),
        empty={"meta": {}, "data": {}},
    ),
    "keenable": Typical(
        body={"results": _rows("url", "title", "snippet", published_at="2026-02-03T00:00:00Z", description="")},
        hits=_hits("2026-02-03T00:00:00Z"),
        empty={"results": []},
    ),
    "linkup": Typical(
        body={"results": [*_rows("url", "name", "content"), {"type": "image", "url": "https://a.example/1.png"}]},
        hits=_hits(),
        empty={"results": []},
    ),
    "metaso": Typical(
        body={"credits": 3, "webpages": _rows("link", "title", "snippet", date="2026年02月03日", score="high")},
        hits=_hits("2026-02-03"),
        empty={"credits": 0},
    ),
    "mojeek": Typical(
        body={
            "response": {
                "status": "OK",
                "head": {},
                "results": _rows("url", "title", "desc", date="3rd February 2026"),
            }
        },
        hits=_hits("2026-02-03"),
        empty={"response": {"status": "OK", "head": {"results": 0}}},
    ),
    "ollama": Typical(
        body={"results": _rows("url", "title", "content")},
        hits=_hits(),
        empty={"results": None},
    ),
    "openai": Typical(
        body={
            "status": "completed",
            "output": [
                {
                    "type": "web_search_call",
                    "action": {"type": "search", "query": "tides", "sources": [{"type": "url", "url": OTHER}]},
                },
                {
                    "type": "message",
                    "content": [
                        {
                            "type": "output_text",
                            "text": "The sea rises.",
                            "annotations": [
                                {"type": "url_citation", "url": PAGE + "?utm_source=openai", "title": "Tide tables"}
                            ],
                        }
                    ],
                },
            ],
        },
        hits=[("Tide tables", PAGE, "", None), ("harbour.example.net", OTHER, "", None)],
        empty={"output": [{"type": "web_search_call", "action": {"type": "search", "query": "tides"}}]},
    ),
    "parallel": Typical(
        body={
            "results": [
                {
                    "url": PAGE,
                    "title": "Tide tables",
                    "publish_date": "2026-02-03",
                    "excerpts": ["When the", "sea rises."],
                },
                {"url": OTHER, "title": None, "excerpts": []},
            ],
            "warnings": [{"message": "one source was slow"}],
        },
        hits=[("Tide tables", PAGE, "When the sea rises.", "2026-02-03"), ("harbour.example.net", OTHER, "", None)],
        empty={"results": []},
    ),
    "perplexity": Typical(
        body={"results": _rows("url", "title", "snippet", date="2026-02-03", last_updated="2026-05-05")},
        hits=_hits("2026-02-03"),
        empty={"results": []},
    ),
    "searxng": Typical(
        body={
            "query": "tides",
            "results": [
                *_rows("url", "title", "content", publishedDate="2026-02-03T00:00:00", score=2.0),
                {"url": None, "title": "a key", "content": None},
            ],
            "unresponsive_engines": [["slow", "timeout"]],
        },
        hits=_hits("2026-02-03T00:00:00"),
        empty={"results": [], "unresponsive_engines": []},
    ),
    "serpapi": Typical(
        body={
            "search_metadata": {"status": "Success"},
            "organic_results": _rows("link", "title", "snippet", date="Feb 3, 2026", source={"name": "Docs"}),
        },
        hits=_hits("2026-02-03"),
        empty={
            "search_metadata": {"status": "Success"},
            "error": "Google hasn't returned any results for this query.",
        },
    ),
    "serper": Typical(
        body={"searchParameters": {"q": "tides"}, "organic": _rows("link", "title", "snippet", date="Feb 3, 2026")},
        hits=_hits("2026-02-03"),
        empty={"searchParameters": {"q": "tides"}},
    ),
    "stackexchange": Typical(
        body={
            "items": [
                {
                    "item_type": "answer",
                    "question_id": 7,
                    "answer_id": 8,
                    "title": "Why &quot;two&quot; tides?",
                    "excerpt": '<span class="highlight">Tides</span> come twice.',
                    "creation_date": 1770076800,
                }
            ]
        },
        hits=[('Why "two" tides?', "https://stackoverflow.com/a/8", "Tides come twice.", "2026-02-03T00:00:00Z")],
        empty={"items": []},
    ),
    "tavily": Typical(
        body={
            "answer": None,
            "results": _rows("url", "title", "content", published_date="Tue, 03 Feb 2026 08:00:00 GMT", score="0.9"),
            "response_time": "1.5",
        },
        hits=_hits("2026-02-03T08:00:00Z"),
        empty={"results": []},
    ),
    "webiq": Typical(
        body={"webResults": _rows("url", "title", "content", lastUpdatedAt="2026-05-05T00:00:00Z"), "traceId": "t"},
        hits=_hits(),
        empty={"webResults": None, "traceId": "t"},
    ),
    "wikipedia": Typical(
        body={
            "query": {
                "search": [
                    {
                        "title": 'Tide (100% "spring")?',
                        "snippet": '<span class="searchmatch">Tides</span> &amp; moons',
                        "timestamp": "2026-05-05T00:00:00Z",
                    }
                ]
            }
        },
        hits=[
            (
                'Tide (100% "spring")?',
                "https://en.wikipedia.org/wiki/Tide_(100%25_%22spring%22)%3F",
                "Tides & moons",
                None,
            )
        ],
        empty={"query": {"search": []}},
    ),
    "you": Typical(
        body={"results": {"web": _rows("url", "title", "description", page_age="2026-02-03T00:00:00")}},
        hits=_hits("2026-02-03T00:00:00"),
        empty={"results": {}, "metadata": {}},
    ),
    "zhipu": Typical(
        body={
            "search_result": [
                *_rows("link", "title", "content", publish_date="2026-02-03"),
                {"link": "", "title": "", "content": "no link"},
            ]
        },
        hits=_hits("2026-02-03"),
        empty={"error": {"code": "1703", "message": "nothing"}},
    ),
}
