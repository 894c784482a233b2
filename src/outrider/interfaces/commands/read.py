"""`outrider read`: a stored page again, without the network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from outrider.errors import InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import How, acting, common

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.operations.read import ReadResult
    from outrider.web.web import Web

_HELP = """Read a page that a fetch stored; nothing is requested.

PAGE is a web://… path, or the URL that was fetched; `outrider pages` lists both.
At most 2,000 lines come at once; the note at the end says how to go on.
With --quote the exit status is 0 when the passage stands in the page, exactly or nearly, and 8 when it does not.
"""
_EPILOG = """\b
Examples:
  outrider read https://example.com/
  outrider read https://www.rfc-editor.org/rfc/rfc9110.txt --offset 400 --limit 50
  outrider read https://docs.python.org/3/library/asyncio-task.html --outline
  outrider read https://docs.python.org/3/library/asyncio-task.html --section Timeouts
  outrider read web://example.com/… --quote "This domain is for use in documentation"
"""
_ABSENT_STATUS = 8
"""As of any page that is not there."""


@click.command("read", help=_HELP, epilog=_EPILOG)
@click.argument("page", metavar="PAGE")
@click.option("--offset", type=int, help="Line to start from, counted from 1.")
@click.option("--limit", type=int, help="Most lines, 1 to 2000.  [default: 2000]")
@click.option("--line-offset", type=int, default=0, help="Characters of the first line to pass over.")
@click.option("--all", "everything", is_flag=True, help="Read on to the end of the page, or of the section.")
@click.option("--find", metavar="TEXT", help="Only the passages around this text, or /regular expression/.")
@click.option("--section", metavar="TEXT", help="Only the section under this heading, or at this #fragment.")
@click.option("--outline", is_flag=True, help="Only the headings, each after the number of its line.")
@click.option("--quote", metavar="TEXT", help="Say whether this passage stands in the page: exact, close or absent.")
@click.option("--plain", is_flag=True, help="Show Markdown as it is, also on a terminal.")
@acting
@common
def read(*, page: str, everything: bool, plain: bool, how: How, **wanted: Any) -> int:
    """Read, then show."""
    if everything and (wanted["limit"] or wanted["find"] or wanted["outline"] or wanted["quote"]):
        message = "--all reads to the end, so it excludes --limit, --find, --outline and --quote"
        raise InvalidArgument(message, details={"field": "all"})
    results = asyncio.run(_read(page, wanted, how, everything=everything))
    if how.as_json:
        _write_json(results)
    else:
        _show(results, plain=plain, quiet=how.quiet)
    verdict = results[-1].verdict
    return _ABSENT_STATUS if verdict is not None and verdict.verdict == "absent" else 0


COMMAND = read


async def _read(page: str, wanted: dict[str, Any], how: How, *, everything: bool) -> list[ReadResult]:
    """One window, or all of them."""
    with terminal.progress(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.interfaces.stored import read as read_stored
        from outrider.web.web import Web

        async with Web(how.config()) as web:
            call = call_for(live)
            first = await read_stored(web, page, call, **wanted)
            return await _to_the_end(web, call, first, wanted["section"]) if everything else [first]


async def _to_the_end(web: Web, call: Call, first: ReadResult, section: str | None) -> list[ReadResult]:
    results = [first]
    while (window := results[-1].window) is not None and window.next_offset is not None:
        results.append(
            await web.read(
                first.path or first.page_id,
                offset=window.next_offset,
                line_offset=window.next_line_offset,
                section=section,
                call=call,
            )
        )
    return results


def _write_json(results: list[ReadResult]) -> None:
    from outrider.web.page_texts import read_data

    data = read_data(results[-1])
    if len(results) > 1:
        first = results[0].window
        assert first is not None
        data |= {"content": "".join(result.text for result in results), "offset": first.line}
        data["line_offset"] = first.line_offset
    terminal.write_json(data)


def _show(results: list[ReadResult], *, plain: bool, quiet: bool) -> None:
    last = results[-1]
    screen = terminal.Screen()
    if last.outline is not None:
        _show_outline(screen, last, quiet=quiet)
    elif last.verdict is not None:
        _show_verdict(screen, last)
    else:
        _show_text(screen, results, plain=plain)
        if not quiet:
            terminal.flush()
            _say_how_to_go_on(last)


def _show_text(screen: terminal.Screen, results: list[ReadResult], *, plain: bool) -> None:
    page, text = results[0].page, "".join(result.text for result in results)
    if screen.is_live:
        screen.rule(page.document.title or page.final_url)
        fetched = f"fetched {page.fetched_at}" if page.fetched_at else ""
        screen.say((" · ".join(filter(None, (page.final_url, results[0].path, fetched))), "dim"))
        screen.say()
    if screen.is_live and not plain and page.document.kind in ("html", "markdown"):
        screen.markdown(text)
    else:
        terminal.write(text if text.endswith("\n") else text + "\n")


def _show_outline(screen: terminal.Screen, result: ReadResult, *, quiet: bool) -> None:
    assert result.outline is not None
    width = len(str(result.total_lines)) + 2
    for entry in result.outline:
        screen.row((str(entry.line), "dim"), f"{'  ' * (entry.heading.level - 1)}{entry.heading.text}", width=width)
    left = result.outline_total - len(result.outline)
    if not quiet and (left or not result.outline):
        said = f"{left} more headings are left out" if left else "the page has no headings"
        terminal.note(("note: ", "yellow"), said)


def _show_verdict(screen: terminal.Screen, result: ReadResult) -> None:
    verdict = result.verdict
    assert verdict is not None
    style = {"exact": "bold green", "close": "bold yellow", "absent": "bold red"}[verdict.verdict]
    first, last = result.verdict_lines or (0, 0)
    place = f", line {first}" if first == last else f", lines {first}–{last}"
    nearest = "; the nearest text" if verdict.verdict == "absent" and verdict.text else ""
    screen.say((verdict.verdict, style), nearest, place if result.verdict_lines else "")
    if verdict.verdict != "exact" and verdict.text:
        screen.say(verdict.text, indent=2)
    for difference in verdict.differences:
        screen.say(f"quoted {difference.quoted!r}, the page has {difference.found!r}", indent=2)


def _say_how_to_go_on(result: ReadResult) -> None:
    if result.found is not None:
        lines = [str(line) for places in result.found_lines for line in places]
        shown = ", ".join(lines[:20]) + (", …" if len(lines) > 20 else "")
        terminal.note(("note: ", "yellow"), f"{result.found.total} matches" + (f", on lines {shown}" if lines else ""))
        return
    window = result.window
    if window is not None and window.next_offset is not None:
        inside = f" --line-offset {window.next_line_offset}" if window.next_line_offset else ""
        terminal.note(
            ("note: ", "yellow"),
            f"lines {window.line:,}–{window.last_line:,} of {window.total_lines:,}; "
            f"go on with --offset {window.next_offset}{inside}, or read it --all",
        )
