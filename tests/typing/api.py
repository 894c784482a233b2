"""The public surface as a user writes it: type-checked, never run."""

from __future__ import annotations

from typing import assert_type

from outrider import Call, Config, Progress, Scope, SyncWeb, Web, WebError


async def read_and_go_on() -> str:
    """Read a page window by window."""
    async with Web(allow_hosts=["searxng"], total_s=30) as web:
        assert_type(web, Web)
        outcome = await web.fetch("https://example.com/", limit=4_000, headers={"Authorization": "Bearer x"})
        parts = [outcome.markdown]
        assert_type(outcome.next_offset, int | None)
        while outcome.next_offset is not None:
            outcome = await web.fetch("https://example.com/", offset=outcome.next_offset)
            parts.append(outcome.markdown)
        if outcome.page is not None:
            assert_type(outcome.page.final_url, str)
            assert_type(outcome.page.document.title, str)
            assert_type(outcome.page.redirects, tuple[str, ...])
        return "".join(parts)


async def search() -> list[str]:
    """Search, and see who answered."""
    async with Web(Config.load({"search.max_results": 3})) as web:
        found = await web.search("a question", allowed_domains=["example.com"], freshness="week")
        assert_type(found.today, str)
        assert_type(found.answer.provider, str)
        return [f"{hit.page_id} {hit.url} {hit.domain} {hit.hit.title}" for hit in found.hits]


async def call_a_tool(web: Web) -> str:
    """Run a tool as a model calls it."""

    def watch(step: Progress) -> None:
        assert_type(step.stage, str)

    call = Call(scope=Scope(tenant="t", owner="o", session="s"), emit=watch).within(20)
    result = await web.call("web_fetch", {"url": "https://example.com/"}, call)
    assert_type(result.text, str)
    if result.error is not None:
        assert_type(result.error, WebError)
        assert_type(result.error.code, str)
        assert_type(result.error.retry_after_s, float | None)
    return result.text


async def many(web: Web) -> None:
    """Read several pages; each ends with an outcome of its own."""
    result = await web.fetch_many(["https://a.example/", "https://b.example/"])
    for item in result.items:
        if item.error is None:
            assert_type(item.markdown, str)
        elif item.error.retryable:
            assert_type(item.error.hint, str)


def without_a_loop() -> str:
    """The same for programs without an event loop."""
    with SyncWeb() as web:
        try:
            return web.fetch("https://example.com/").markdown
        except WebError as error:
            return f"{error.code}: {error.message}"
