"""
Every recorded sample over a real TLS socket: results, dates, failures, waits and warnings as its index expects.

    python benchmarks/sample_gate.py SAMPLES [PROVIDER …] [-v]

SAMPLES is the folder that holds one folder with an `index.json` for each provider. The exit status is 0 when every
sample passes, 1 when one fails, 2 when there are none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from outrider.call import Call
from outrider.egress.client import Client
from outrider.errors import WebError
from outrider.search.choice import Catalogue
from outrider.search.failures import outcome_of
from outrider.search.provider import Answer
from outrider.search.searcher import Searcher
from outrider.search.settings import ProviderSettings
from outrider.types import Hit, Query
from search_vendor import Asked, Reply, Vendor, vendor

BASE_URL = "https://search.example.net"
Case = dict[str, Any]
Sample = tuple[str, Path, list[Case]]


def fold(text: str) -> str:
    return " ".join(text.split())


# Setting up a case.


def provider_of(case: Case, provider: str) -> str:
    return "duckduckgo_instant" if case["id"].startswith("instant_") else provider


def settings_of(case: Case) -> ProviderSettings:
    request = case["request"]
    asked = request.get("json") or request.get("params") or {}
    keyless = case["id"] == "success_keyless"
    extra = {key: asked[key] for key in ("scope", "search_engine", "engine", "site") if key in asked}
    return ProviderSettings(
        api_key="" if keyless else "TEST_KEY",
        engine_id="TEST_CX",
        base_url=BASE_URL,
        extra=extra,
    )


def query_of(case: Case) -> Query:
    request = case["request"]
    asked = request.get("json") or request.get("params") or request.get("form") or {}
    names = ("query", "q", "search_query", "Query", "srsearch", "objective", "input")
    text = next((asked[name] for name in names if isinstance(asked.get(name), str)), "a question")
    return Query(text=text, max_results=10)


def script_of(case: Case, folder: Path) -> Any:
    response = case["response"]
    reply = Reply(status=response["status"], headers=response["headers"], body=(folder / case["file"]).read_bytes())
    expected = urlsplit(case["request"]["url"].replace("{base_url}", BASE_URL)).hostname

    def script(asked: Asked) -> Reply:
        if asked.host == expected:
            return reply
        # The lite page is asked only after a fault of the html page.
        lite = case["id"].startswith("lite_") and asked.host == "html.duckduckgo.com"
        return Reply(status=503 if lite else 421, headers={"content-type": "text/plain"}, body=b"")

    return script


# Comparing, as the samples' README says.


def check_hit(hit: Hit, want: dict[str, Any]) -> Iterator[str]:
    yield from check_text("title", hit.title, want)
    yield from check_text("snippet", hit.snippet, want)
    if hit.url not in {want["url"], *want.get("url_any", ())}:
        yield f"url {hit.url!r}, not {want['url']!r}"
    yield from check_published(hit, want)
    if "content" in want and fold(hit.content) != fold(want["content"]):
        yield f"content {hit.content[:80]!r}"
    if len(hit.content) < want.get("content_min_chars", 0):
        yield f"content of {len(hit.content)} characters"
    for name in ("score", "site_name", "updated"):
        if name in want and getattr(hit, name) != want[name]:
            yield f"{name} {getattr(hit, name)!r}, not {want[name]!r}"
    if "relative" in want and hit.age != want["relative"]:
        yield f"age {hit.age!r}, not {want['relative']!r}"


def check_text(name: str, got: str, want: dict[str, Any]) -> Iterator[str]:
    text = fold(got)
    match = want.get(f"{name}_match")
    if match == "prefix":
        right = text.startswith(fold(want[f"{name}_prefix"]))
    elif match == "contains":
        right = all(fold(part) in text for part in want[f"{name}_contains"])
    else:
        right = text in {fold(one) for one in [want.get(name, ""), *want.get(f"{name}_any", ())]}
    if not right:
        yield f"{name} {text[:120]!r}, not {want.get(name, '')[:120]!r}"


def check_published(hit: Hit, want: dict[str, Any]) -> Iterator[str]:
    wanted = [want.get("published"), *want.get("published_any", ())]
    if want.get("published_optional"):
        wanted.append(None)
    if not any(_same_day(hit.published, one) for one in wanted):
        yield f"published {hit.published!r}, not {wanted!r}"


def _same_day(got: str | None, want: str | None) -> bool:
    if got is None or want is None:
        return got is want
    length = min(10, len(want)) if len(want) != 7 else 7
    return got[:length] == want[:length]


def check_answer(answer: Answer, want: dict[str, Any]) -> Iterator[str]:
    if len(answer.hits) != len(want["results"]):
        yield f"{len(answer.hits)} results, not {len(want['results'])}: {[hit.url for hit in answer.hits]}"
    for at, (hit, wanted) in enumerate(zip(answer.hits, want["results"], strict=False), start=1):
        yield from (f"result {at}: {fault}" for fault in check_hit(hit, wanted))
    yield from check_beside(answer, want)


def check_beside(answer: Answer, want: dict[str, Any]) -> Iterator[str]:
    warned = " | ".join(answer.warnings)
    yield from (f"warnings lack {text!r}: {warned}" for text in want.get("warnings_contain", ()) if text not in warned)
    if "answer" in want and fold(answer.answer) != fold(want["answer"]):
        yield f"answer {answer.answer!r}"
    if want.get("answer_contains", "") not in answer.answer:
        yield f"answer {answer.answer!r}"
    for name, mine in (
        ("searched", "searched"),
        ("exhausted", "exhausted"),
        ("next_page_form", "next_page"),
        ("query_used", "query_used"),
        ("incomplete", "incomplete"),
        ("cooldown_seconds", "cooldown_s"),
        ("stop_reason", "stop_reason"),
    ):
        if name in want and getattr(answer, mine) != want[name]:
            yield f"{name} {getattr(answer, mine)!r}, not {want[name]!r}"
    if "web_search_requests" in want and answer.usage.get("web_search_requests") != want["web_search_requests"]:
        yield f"usage {answer.usage!r}"
    for at, (hit, wanted) in enumerate(zip(answer.news, want.get("news", ()), strict=False), start=1):
        yield from (f"news {at}: {fault}" for fault in check_hit(hit, wanted))
    if len(answer.news) < len(want.get("news", ())):
        yield f"{len(answer.news)} news"
    topics = [{"text": topic.text, "url": topic.url} for topic in answer.topics]
    if "related_topics" in want and topics != want["related_topics"]:
        yield f"related topics {topics!r}"
    if any(one.get("unresolved_redirect") for one in want["results"]) and "redirect" not in warned:
        yield "nothing says that the links are redirectors"


def check_error(error: WebError, want: dict[str, Any]) -> Iterator[str]:
    right = {want["class"], *want.get("class_any", ())}
    if outcome_of(error) not in right:
        yield f"{outcome_of(error)} ({error}), not {want['class']}"
    if error.retry_after_s != want.get("retry_after"):
        yield f"retry after {error.retry_after_s!r}, not {want.get('retry_after')!r}"
    if outcome_of(error) == want["class"] and error.retryable != want.get("retryable", error.retryable):
        yield f"retryable {error.retryable!r}"
    if "retry_at_epoch" in want and error.details.get("retry_at") != want["retry_at_epoch"]:
        yield f"retry at {error.details.get('retry_at')!r}, not {want['retry_at_epoch']!r}"
    if want.get("reason", error.reason) != error.reason:
        yield f"reason {error.reason!r}"
    for name in ("engines", "param", "code"):
        if name in want and error.details.get(name) != want[name]:
            yield f"{name} {error.details.get(name)!r}, not {want[name]!r}"
    if "TEST_KEY" in json.dumps(error.as_dict()):
        yield "the key is in the error"


# Running.


async def judge(case: Case, provider: str, client: Client, catalogue: Catalogue) -> list[str]:
    """What is wrong with one case; nothing when it passes."""
    name, settings, query = provider_of(case, provider), settings_of(case), query_of(case)
    want = case["expect"]
    try:
        answer = await catalogue.make(name, settings).search(query, client, Call())
    except WebError as error:
        faults = list(check_error(error, want["error"])) if "error" in want else [f"{error.code}: {error}"]
    else:
        faults = list(check_answer(answer, want)) if "error" not in want else [f"an answer: {answer!r:.200}"]
    return faults + await same_through_the_searcher(case, name, client, settings, query)


async def same_through_the_searcher(
    case: Case, name: str, client: Client, settings: ProviderSettings, query: Query
) -> list[str]:
    """The whole way gives the same results and the same failure."""
    want = case["expect"]
    try:
        found = await Searcher(client, settings={name: settings}).search(query, Call(), provider=name)
    except WebError as error:
        right = "error" in want and outcome_of(error) in {want["error"]["class"], *want["error"].get("class_any", ())}
        return [] if right else [f"searcher: {error.code}: {error}"]
    if "error" in want:
        return ["searcher: an answer"]
    urls = [hit.url for hit in found.hits]
    right = len(urls) == len(want["results"][: query.max_results])
    return [] if right else [f"searcher: {urls}"]


def hosts_of(samples: list[Sample]) -> set[str]:
    urls = [case["request"]["url"].replace("{base_url}", BASE_URL) for _, _, cases in samples for case in cases]
    return {urlsplit(url).hostname or "" for url in urls} | {"html.duckduckgo.com", "api.duckduckgo.com"}


async def run(samples: list[Sample], *, verbose: bool) -> int:
    failed = 0

    def silent(_: Asked) -> Reply:
        return Reply(status=500)

    async with vendor(silent, hosts=hosts_of(samples)) as (server, client):
        for sample in samples:
            failed += await run_provider(sample, server, client, verbose=verbose)
    total = sum(len(cases) for _, _, cases in samples)
    print(f"{'all':22} {total - failed:4} of {total:4}")
    return failed


async def run_provider(sample: Sample, server: Vendor, client: Client, *, verbose: bool) -> int:
    bad = 0
    provider, folder, cases = sample
    catalogue = Catalogue()
    for case in cases:
        server.script = script_of(case, folder)
        faults = await judge(case, provider, client, catalogue)
        bad += bool(faults)
        for fault in faults:
            print(f"  {provider}/{case['id']}: {fault}")
        if verbose and not faults:
            print(f"  {provider}/{case['id']}: right")
    print(f"{provider:22} {len(cases) - bad:4} of {len(cases):4}")
    return bad


def load(root: Path, only: list[str]) -> list[Sample]:
    found = []
    for index in sorted(root.glob("*/index.json")):
        listed = json.loads(index.read_text("utf-8"))
        if not only or listed["provider"] in only:
            found.append((listed["provider"], index.parent, listed["cases"]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=Path)
    parser.add_argument("providers", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    chosen = parser.parse_args()
    samples = load(chosen.samples, chosen.providers)
    if not samples:
        print(f"NO SAMPLES: {chosen.samples} holds no */index.json; nothing was checked", file=sys.stderr)
        return 2
    return 1 if asyncio.run(run(samples, verbose=chosen.verbose)) else 0


if __name__ == "__main__":
    sys.exit(main())
