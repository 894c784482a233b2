"""`outrider providers`: the search engines, their needs, and a trial."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from outrider.interfaces import terminal
from outrider.interfaces.completing import provider_ids
from outrider.interfaces.options import How, common, refuse_before

if TYPE_CHECKING:
    from outrider.web.operations.search import SearchResult
    from outrider.web.providers import ProviderStanding

_HELP = """List, show and test the search engines.

Without a further word: the list, those that a search asks first.
"""
_EPILOG = """\b
Examples:
  outrider providers
  outrider providers show brave
  outrider providers test wikipedia
\b
A key is set by its usual variable (BRAVE_API_KEY=…), or in your own outrider.toml:
  [search.providers.brave]
  api_key = "…"
"""
_TRIAL = "open source"
"""What a trial searches for: harmless, and found everywhere."""


@click.group("providers", help=_HELP, epilog=_EPILOG, invoke_without_command=True)
@common
@click.pass_context
def providers(ctx: click.Context, *, how: How) -> int:
    """The list, when nothing else is asked for."""
    refuse_before(ctx, how)
    return 0 if ctx.invoked_subcommand else _list(how)


@providers.command("list", help="List every search engine: those that are asked, in order, then the others.")
@common
def list_(*, how: How) -> int:
    """The list."""
    return _list(how)


@providers.command("show", help="Show what one search engine needs and can do.")
@click.argument("name", metavar="ID", shell_complete=provider_ids)
@common
def show(*, name: str, how: How) -> int:
    """One of them."""
    entry, standing = asyncio.run(_look_up(name, how))
    if how.as_json:
        terminal.write_json(entry | {"standing": standing.entry()})
    else:
        _show(entry, standing)
    return 0


@providers.command("test", help="Ask one search engine one question, and say how it went.")
@click.argument("name", metavar="ID", shell_complete=provider_ids)
@click.option("--query", default=_TRIAL, show_default=True, help="What to ask.")
@common
def test(*, name: str, query: str, how: How) -> int:
    """A trial of one of them."""
    result, elapsed_s = asyncio.run(_try(name, query, how))
    if how.as_json:
        terminal.write_json({"provider": name, "results": len(result.hits), "elapsed_s": elapsed_s})
    else:
        _show_trial(name, result, elapsed_s)
    return 0


COMMAND = providers


# The list.


def _list(how: How) -> int:
    found = asyncio.run(_standings(how))
    if how.as_json:
        terminal.write_json({"providers": [standing.entry() for standing in found]})
    else:
        show_standings(terminal.Screen(), found)
    return 0


async def _standings(how: How) -> list[ProviderStanding]:
    from outrider.web.providers import standings
    from outrider.web.web import Web

    async with Web(how.config()) as web:
        return standings(web)


def show_standings(screen: terminal.Screen, found: Sequence[ProviderStanding]) -> None:
    """Those that are asked, in order, then the others with the reason."""
    width = max((len(standing.id) for standing in found), default=0) + 2
    asked = [standing for standing in found if standing.place is not None]
    screen.say(("Asked, in this order" if asked else "Nobody would be asked", "bold"))
    for standing in asked:
        lead = f"{standing.place:>2}  {standing.id}"
        screen.row((lead, "green"), (_abilities(standing), "dim"), width=width + 4, indent=2)
    others = [standing for standing in found if standing.place is None]
    if not others:
        return
    screen.say()
    screen.say(("Not asked", "bold"))
    for standing in others:
        screen.row((standing.id, "yellow"), (f"{standing.why}; {_abilities(standing)}", "dim"), width=width, indent=6)


def _abilities(standing: ProviderStanding) -> str:
    filters = f"filters: {', '.join(standing.filters)}" if standing.filters else "no filters"
    return filters if standing.health == "ok" else f"{filters}; {standing.health}"


# One of them.


async def _look_up(name: str, how: How) -> tuple[dict[str, Any], ProviderStanding]:
    from outrider.web.providers import catalogue_entry, standings
    from outrider.web.web import Web

    async with Web(how.config()) as web:
        entry = catalogue_entry(web, name)
        return entry, next(standing for standing in standings(web) if standing.id == name)


def _show(entry: dict[str, Any], standing: ProviderStanding) -> None:
    screen = terminal.Screen()
    screen.say((entry["name"], "bold"), (f"  {entry['id']}", "dim"))
    screen.say(entry["description"])
    screen.say((entry["docs_url"], "cyan"))
    screen.say()
    if standing.place is not None:
        screen.say("Asked:    ", (f"yes, in place {standing.place}", "green"))
    else:
        screen.say("Asked:    ", (f"no, {standing.why}", "yellow"))
    screen.say("Health:   ", standing.health)
    screen.say("Found:    ", ", ".join(standing.found) or "no key or setting of it")
    screen.say("Filters:  ", ", ".join(entry["filters"]) or "none")
    screen.say("Results:  ", f"at most {entry['max_results']}")
    for field in entry["config_fields"]:
        variables = " or ".join(entry["environment"].get(field["key"], ()))
        where = f"search.providers.{entry['id']}.{field['key']}" + (f", or {variables}" if variables else "")
        screen.say("Setting:  ", where, (" (required)" if field["required"] else "", "yellow"))
    for note in filter(None, (entry["terms"]["attribution"], entry["terms"]["note"])):
        screen.say("Terms:    ", note)
    if entry["terms"]["personal_use"]:
        screen.say("Terms:    ", "for personal use only")


# A trial.


async def _try(name: str, query: str, how: How) -> tuple[SearchResult, float]:
    with terminal.progress(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.web.web import Web

        async with Web(how.config()) as web:
            started = time.monotonic()
            result = await web.search(query, provider=name, max_results=3, call=call_for(live))
            return result, round(time.monotonic() - started, 3)


def _show_trial(name: str, result: SearchResult, elapsed_s: float) -> None:
    screen = terminal.Screen()
    if result.hits:
        screen.say((f"{name} works", "green"), f": {len(result.hits)} results in {elapsed_s:.2f} s")
    else:
        screen.say((f"{name} answers", "yellow"), f", but found nothing for {result.query!r} ({elapsed_s:.2f} s)")
    for hit in result.hits:
        screen.say(hit.hit.title or hit.domain, (f"  {hit.url}", "cyan"), indent=2)
