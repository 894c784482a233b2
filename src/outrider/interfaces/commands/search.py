"""`outrider search`: a question to the search engines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outrider.interfaces import terminal
from outrider.interfaces.completing import provider_ids
from outrider.interfaces.options import How, common, speaking

if TYPE_CHECKING:
    from outrider.web.operations.search import NumberedHit, SearchResult

_HELP = """Search the web and list what was found.

The search engines that need no key answer out of the box; `outrider providers` shows which others there are.
What is printed is the engines' own evidence: read a page before you rely on it.
"""
_EPILOG = """\b
Examples:
  outrider search python asyncio timeouts
  outrider search "tide gauges" -n 10 --freshness year
  outrider search httpx --allowed-domain github.com --json
  outrider search "exact words" --provider wikipedia
  outrider search "tide gauges" --content            read the first three results too
  outrider search tides --dialect claude-code        what a model reads of that tool
"""


@click.command("search", help=_HELP, epilog=_EPILOG)
@click.argument("words", nargs=-1, required=True, metavar="QUERY…")
@click.option("-n", "--max-results", type=int, help="How many results, 1 to 20.  [default: search.max_results, 5]")
@click.option(
    "--allowed-domain", "allowed", multiple=True, metavar="HOST", help="Only from here; repeatable, host/path too."
)
@click.option("--blocked-domain", "blocked", multiple=True, metavar="HOST", help="Never from here; repeatable.")
@click.option("--country", metavar="CC", help="Two-letter country code, or ALL.")
@click.option("--freshness", metavar="SPAN", help="day, week, month, year, or YYYY-MM-DDtoYYYY-MM-DD.")
@click.option("--language", metavar="TAG", help="A language tag such as en or pt-BR.")
@click.option("--safe", metavar="LEVEL", help="off, moderate or strict.")
@click.option("--provider", metavar="ID", shell_complete=provider_ids, help="Ask this search engine and no other.")
@click.option("--content", is_flag=True, help="Read the first 3 results too, within 15 seconds for all of them.")
@click.option(
    "--fan-out", type=int, metavar="N", help="Ask so many search engines at once, and merge.  [default: search.fan_out]"
)
@speaking
@common
def search(*, words: Sequence[str], fan_out: int | None, how: How, **options: Any) -> int:
    """Ask, then show."""
    if fan_out is not None:
        how = replace(how, settings=(f"search.fan_out={fan_out}", *how.settings))
    if how.dialect:
        return _speak(" ".join(words), how, options)
    result = asyncio.run(_search(" ".join(words), how, options))
    if how.as_json:
        _write_json(result)
        return 0
    if not how.quiet:
        _remark(result)
    _show(result)
    return 0


def _speak(query: str, how: How, options: dict[str, Any]) -> int:
    from outrider.interfaces.speaking import speak

    domains = {"allowed_domains": options.pop("allowed"), "blocked_domains": options.pop("blocked")}
    return speak("search", {"query": query, **domains, **options}, how)


async def _search(query: str, how: How, options: dict[str, Any]) -> SearchResult:
    with terminal.progress(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.web.web import Web

        async with Web(how.config()) as web:
            allowed, blocked = options.pop("allowed"), options.pop("blocked")
            return await web.search(
                query,
                allowed_domains=allowed or None,
                blocked_domains=blocked or None,
                call=call_for(live),
                **options,
            )


def _write_json(result: SearchResult) -> None:
    from outrider.web.dialects.outrider import search_data

    terminal.write_json(search_data(result))


def _remark(result: SearchResult) -> None:
    """Who answered and who did not, on standard error."""
    for warning in result.warnings:
        terminal.note(("note: ", "yellow"), warning)
    for attempt in result.answer.attempts:
        if attempt.outcome not in ("ok", "empty", "not_searched"):
            terminal.note(("note: ", "yellow"), f"{attempt.provider} did not answer: {attempt.message}")
    for hit in result.hits:
        if hit.evidence is not None and hit.evidence.error is not None:
            terminal.note(("note: ", "yellow"), f"{hit.url} was not read: {hit.evidence.error.message}")
    if not result.hits:
        terminal.note("Nothing was found. Try other words.")


def _show(result: SearchResult) -> None:
    screen = terminal.Screen()
    if result.answer.answer:
        screen.say((result.answer.answer, "bold"))
        screen.say()
    for rank, hit in enumerate(result.hits, start=1):
        _show_hit(screen, rank, hit)
    for source in result.answer.attribution:
        screen.say((f"Source: {source}", "dim"))
    if screen.is_live and result.hits:
        served = f"{len(result.hits)} results from {result.answer.provider}, {result.today}. "
        screen.say((served + "Evidence of a search engine: read a page with `outrider fetch URL`.", "dim"))


def _show_hit(screen: terminal.Screen, rank: int, hit: NumberedHit) -> None:
    number = f"{rank}. "
    when = (hit.hit.published or "").removesuffix("T00:00:00") or hit.hit.age
    screen.say((number, "dim"), (hit.hit.title or hit.domain, "bold"), (f"  {when}" if when else "", "dim"))
    screen.say((hit.url, "cyan"), indent=len(number))
    if hit.content:
        screen.say(hit.content, indent=len(number))
    elif hit.hit.snippet:
        screen.say(_one_line(hit.hit.snippet), indent=len(number))
    screen.say()


def _one_line(text: str) -> str:
    return " ".join(text.split())


COMMAND = search
