"""`outrider pages`: the stored pages, for whoever manages them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outrider.errors import InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import How, common, refuse_before

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.results import KeptPage, Match, StoredPage, Usage
    from outrider.web.web import Web

T = TypeVar("T")

_HELP = """List, search, export and remove the pages that fetches stored.

Without a further word: the list, newest first.
They are the pages of this command line; agents and MCP clients have sessions of their own.
"""
_EPILOG = """\b
Examples:
  outrider pages
  outrider pages search tide gauges
  outrider pages show https://example.com/
  outrider pages export notes/
  outrider pages remove web://example.com/…
"""
_MOST_LISTED = 1_000
_LIMIT = click.option(
    "--limit", type=click.IntRange(1, _MOST_LISTED), default=50, show_default=True, help="Most pages to list."
)
_BEFORE = click.option("--before", type=int, metavar="CURSOR", help="Go on behind the page with this cursor.")


@click.group("pages", help=_HELP, epilog=_EPILOG, invoke_without_command=True)
@common
@click.pass_context
def pages(ctx: click.Context, *, how: How) -> int:
    """The list, when nothing else is asked for."""
    refuse_before(ctx, how)
    return 0 if ctx.invoked_subcommand else _list(how, limit=50, before=None)


@pages.command("list", help="List the stored pages, newest first.")
@_LIMIT
@_BEFORE
@common
def list_(*, limit: int, before: int | None, how: How) -> int:
    """The list."""
    return _list(how, limit=limit, before=before)


@pages.command(
    "show",
    help="Show one stored page whole; PAGE is a web://… path or the URL that was fetched.",
    short_help="Show one stored page whole.",
)
@click.argument("page", metavar="PAGE")
@common
def show(*, page: str, how: How) -> int:
    """One of them."""
    kept = _run(how, lambda web, call: _load(web, page, call))
    if how.as_json:
        from outrider.web.dialects.outrider import page_data

        terminal.write_json({"path": kept.stored.path, **page_data(kept.page), "content": kept.content})
    else:
        terminal.write(kept.content if kept.content.endswith("\n") else kept.content + "\n")
    return 0


@pages.command(
    "search",
    help="Search the stored pages for words, best first; nothing is requested.",
    short_help="Search the stored pages for words.",
)
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Most pages to list.")
@common
def search(*, words: Sequence[str], limit: int, how: How) -> int:
    """What holds the words."""
    found = _run(how, lambda web, _: web.pages.search(" ".join(words), limit=limit))
    if how.as_json:
        terminal.write_json({"query": " ".join(words), "pages": [_match_entry(match) for match in found]})
    else:
        _show_matches(terminal.Screen(), found)
    return 0


@pages.command("remove", help="Remove stored pages; they are unreadable at once.")
@click.argument("names", nargs=-1, metavar="PAGE…")
@click.option("--all", "everything", is_flag=True, help="Remove every page that this command line stored.")
@common
def remove(*, names: Sequence[str], everything: bool, how: How) -> int:
    """Remove them."""
    if bool(names) == everything:
        message = "name the pages to remove, or --all"
        raise InvalidArgument(message, details={"field": "page"})
    count = _run(how, lambda web, call: _remove(web, names, call))
    if how.as_json:
        terminal.write_json({"removed": count})
    elif not how.quiet:
        terminal.note(f"{count:,} pages removed" if count != 1 else "1 page removed")
    return 0


@pages.command(
    "export",
    help="Write stored pages as Markdown files, a folder for each host; all of them when none is named.",
    short_help="Write stored pages as Markdown files.",
)
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.argument("names", nargs=-1, metavar="[PAGE…]")
@common
def export(*, folder: Path, names: Sequence[str], how: How) -> int:
    """Write them."""
    written = _run(how, lambda web, call: _export(web, folder, names, call))
    if how.as_json:
        terminal.write_json({"files": [str(path) for path in written]})
        return 0
    for path in written:
        terminal.write(f"{path}\n")
    if not written and not how.quiet:
        terminal.note("There are no stored pages.")
    return 0


COMMAND = pages


def _run(how: How, work: Callable[[Web, Call], Awaitable[T]]) -> T:
    async def run() -> T:
        with terminal.progress(quiet=how.quiet) as live:
            from outrider.interfaces.asking import call_for
            from outrider.web.web import Web

            async with Web(how.config()) as web:
                return await work(web, call_for(live))

    return asyncio.run(run())


# The list.


def _list(how: How, *, limit: int, before: int | None) -> int:
    found, usage = _run(how, lambda web, _: _listed(web, limit=limit, before=before))
    following = found[-1].cursor if len(found) == limit else None
    if how.as_json:
        entries = [_entry(page) for page in found]
        terminal.write_json({"pages": entries, "before": following, "kept": asdict(usage)})
        return 0
    screen = terminal.Screen()
    for page in found:
        _show_page(screen, page)
    if how.quiet:
        return 0
    terminal.flush()
    if not found:
        terminal.note("There are no stored pages." if before is None else "There are no older pages.")
    if following is not None:
        terminal.note(("note: ", "yellow"), f"go on with `outrider pages list --before {following}`")
    return 0


async def _listed(web: Web, *, limit: int, before: int | None) -> tuple[list[StoredPage], Usage]:
    return await web.pages.listed(limit=limit, before=before), await web.pages.usage()


def _show_page(screen: terminal.Screen, page: StoredPage) -> None:
    """On a terminal as a match is shown; where it is piped one line: path, time, characters, URL, title."""
    if screen.is_live:
        screen.say((_title(page) or page.final_url, "bold"), (f"  {page.chars:,} characters, {_when(page)}", "dim"))
        screen.say((page.final_url, "cyan"), indent=3)
        screen.say((page.path, "dim"), indent=3)
        return
    screen.say((page.path, "cyan"), f"  {_when(page)}  {page.chars:,}  {page.final_url}  ", (_title(page), "bold"))


def _when(page: StoredPage) -> str:
    return datetime.fromtimestamp(page.stored_at, UTC).strftime("%Y-%m-%dT%H:%MZ")


def _title(page: StoredPage) -> str:
    return " ".join(page.title.split())


def _entry(page: StoredPage) -> dict[str, Any]:
    return {
        "path": page.path,
        "url": page.url,
        "final_url": page.final_url,
        "title": page.title,
        "chars": page.chars,
        "bytes": page.bytes,
        "stored_at": datetime.fromtimestamp(page.stored_at, UTC).isoformat(),
        "cursor": page.cursor,
    }


# What is found.


def _match_entry(match: Match) -> dict[str, Any]:
    return _entry(match.stored) | {"snippet": match.snippet, "score": match.score}


def _show_matches(screen: terminal.Screen, found: Sequence[Match]) -> None:
    for match in found:
        screen.say((_title(match.stored) or match.stored.final_url, "bold"))
        screen.say((match.stored.final_url, "cyan"), indent=3)
        screen.say((match.stored.path, "dim"), indent=3)
        screen.say(" ".join(match.snippet.split()), indent=3)
        screen.say()
    if not found:
        terminal.note("No stored page holds these words.")


# One or all of them.


async def _load(web: Web, name: str, call: Call) -> KeptPage:
    from outrider.interfaces.stored import path_of

    return await web.pages.show(await path_of(web, name, call))


async def _remove(web: Web, names: Sequence[str], call: Call) -> int:
    from outrider.interfaces.stored import path_of

    if not names:
        return await web.pages.forget_session()
    # All are looked up before one goes, so that a misspelt name leaves everything as it is.
    paths = list(dict.fromkeys([await path_of(web, name, call) for name in names]))
    for path in paths:
        await web.pages.show(path)
    for path in paths:
        await web.pages.remove(path)
    return len(paths)


async def _export(web: Web, folder: Path, names: Sequence[str], call: Call) -> list[Path]:
    from outrider.interfaces.exporting import export as export_page
    from outrider.interfaces.stored import path_of

    paths = [await path_of(web, name, call) for name in names] if names else await _all_paths(web)
    return [export_page(await web.pages.show(path), folder) for path in paths]


async def _all_paths(web: Web) -> list[str]:
    paths: list[str] = []
    before: int | None = None
    while found := await web.pages.listed(limit=_MOST_LISTED, before=before):
        paths += [page.path for page in found]
        before = found[-1].cursor
    return paths
