"""`outrider fetch`: pages as Markdown."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from outrider.errors import FACES, InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import How, common, speaking

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.operations.fetch import Fetched, FetchItem, FetchResult
    from outrider.web.web import Web

_HELP = """Read one or more web pages (at most eight) as Markdown.

A long page comes in windows of characters; the note at the end says how to go on.
Where the output is piped it is the page's Markdown and nothing else.
Pages on private networks are refused unless egress.allow_hosts names them.
"""
_EPILOG = """\b
Examples:
  outrider fetch https://example.com/
  outrider fetch https://example.com/ --all > page.md
  outrider fetch https://docs.python.org/3/library/asyncio-task.html --section Timeouts
  outrider fetch https://www.rfc-editor.org/rfc/rfc9110.txt --find "Retry-After"
  outrider fetch https://example.com/ --prompt "Who may use this domain?"
  outrider fetch http://wiki.local/ --set egress.allow_hosts=wiki.local
  outrider fetch https://example.com/ --dialect mcp-fetch     what a model reads of that tool
"""
_NOT_WITH_ALL = ("offset", "section", "find", "prompt")


@click.command("fetch", help=_HELP, epilog=_EPILOG)
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--offset", type=int, default=0, show_default=True, help="Character to start from.")
@click.option("--limit", type=int, help="Most characters, 1 to 32000.  [default: 8000]")
@click.option("--all", "everything", is_flag=True, help="Read on to the end of the page; one URL only.")
@click.option("--section", metavar="TEXT", help="Only the section under this heading, or at this #fragment.")
@click.option("--find", metavar="TEXT", help="Only the passages around this text, or /regular expression/.")
@click.option(
    "--prompt", metavar="QUESTION", help="Have the reader model answer this from the page; see reader.family."
)
@click.option("--whole", is_flag=True, help="The whole page with navigation and footers, not its main content.")
@click.option(
    "-H", "--header", "headers", multiple=True, metavar="NAME: VALUE", help="Sent to the URL's own origin; repeatable."
)
@click.option("--plain", is_flag=True, help="Show Markdown as it is, also on a terminal.")
@speaking
@common
def fetch(
    *, urls: Sequence[str], everything: bool, headers: Sequence[str], plain: bool, how: How, **window: Any
) -> int:
    """Read, then show."""
    if everything and (len(urls) > 1 or any(window[name] for name in _NOT_WITH_ALL)):
        message = "--all reads one whole page, so it excludes further URLs, --offset, --section, --find and --prompt"
        raise InvalidArgument(message, details={"field": "all"})
    if how.dialect:
        return _speak(urls, window, how, own={"all": everything, "header": headers})
    reading = _Reading(urls, window, _headers(headers), everything=everything)
    result = asyncio.run(_fetch(reading, how))
    if how.as_json:
        _write_json(result)
    else:
        _show(result, plain=plain, quiet=how.quiet)
    return _status(result, explain=how.as_json)


def _speak(urls: Sequence[str], window: Mapping[str, Any], how: How, *, own: Mapping[str, object]) -> int:
    from outrider.interfaces.speaking import speak

    for name, given in own.items():
        if given:
            message = f"--{name} is no part of a dialect's tool"
            raise InvalidArgument(message, details={"field": name})
    given = {**window, "offset": window["offset"] or None}
    return speak("fetch", {"urls": tuple(urls), **given}, how)


class _Reading:
    """What is read: the items, and whether to the end."""

    def __init__(
        self, urls: Sequence[str], window: Mapping[str, Any], headers: Mapping[str, str], *, everything: bool
    ) -> None:
        self._urls = urls
        self._window = window
        self._headers = headers
        self._everything = everything

    async def run(self, web: Web, call: Call) -> FetchResult:
        result = await web.fetch_many(self._items(), headers=self._headers, call=call)
        return await self._to_the_end(web, call, result) if self._everything else result

    def _items(self, **changes: Any) -> list[FetchItem]:
        from outrider.web.operations.fetch import FetchItem

        return [FetchItem(url=url, **{**self._window, **changes}) for url in self._urls]

    async def _to_the_end(self, web: Web, call: Call, first: FetchResult) -> FetchResult:
        from dataclasses import replace

        item = first.items[0]
        pieces = [item.markdown]
        following = item.next_offset
        while following is not None:
            more = (await web.fetch_many(self._items(offset=following), headers=self._headers, call=call)).items[0]
            if more.error is not None:
                return replace(first, items=(more,))
            pieces.append(more.markdown)
            following = more.next_offset
        if item.window is None:
            return first
        window = replace(item.window, text="".join(pieces), next_offset=None, cut_inside="")
        return replace(first, items=(replace(item, window=window),))


async def _fetch(reading: _Reading, how: How) -> FetchResult:
    with terminal.progress(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.web.web import Web

        async with Web(how.config()) as web:
            return await reading.run(web, call_for(live))


def _write_json(result: FetchResult) -> None:
    from outrider.web.dialects.outrider import fetch_data

    only = result.items[0].error if len(result.items) == 1 else None
    terminal.write_json(fetch_data(result) | ({"error": only.as_dict()} if only is not None else {}))


def _headers(fields: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for field in fields:
        name, colon, value = field.partition(":")
        if not colon or not name.strip():
            message = "--header takes NAME: VALUE"
            raise InvalidArgument(message, details={"field": "header"})
        headers[name.strip()] = value.strip()
    return headers


def _status(result: FetchResult, *, explain: bool) -> int:
    """Of the first item that failed."""
    failed = [item.error for item in result.items if item.error is not None]
    if explain and len(result.items) == 1:
        for error in failed:
            terminal.complain(error)
    return FACES[failed[0].code].exit_status if failed else 0


def _show(result: FetchResult, *, plain: bool, quiet: bool) -> None:
    several = len(result.items) > 1
    screen = terminal.Screen()
    for item in result.items:
        if item.duplicate_of is not None:
            continue
        if item.error is not None:
            terminal.flush()
            terminal.complain(item.error, about=item.url if several else "")
            continue
        if several and not screen.is_live:
            terminal.write(f"==> {item.url} <==\n")
        _show_page(screen, item, plain=plain)
        if not quiet:
            terminal.flush()
            _say_how_to_go_on(item, several=several)


def _show_page(screen: terminal.Screen, item: Fetched, *, plain: bool) -> None:
    if screen.is_live:
        _show_head(screen, item)
    assert item.page is not None
    text = _markdown(item)
    is_markdown = item.answer is not None or item.page.document.kind in ("html", "markdown")
    if screen.is_live and not plain and is_markdown:
        screen.markdown(text)
        return
    terminal.write(text if text.endswith("\n") else text + "\n")


def _markdown(item: Fetched) -> str:
    """The text, and under a reader model's answer what it rests on."""
    if item.answer is None:
        return item.markdown
    quotes = ["> " + " ".join(quote.text.split()) for quote in item.answer.quotes]
    return "\n\n".join([item.markdown, *quotes])


def _show_head(screen: terminal.Screen, item: Fetched) -> None:
    page = item.page
    assert page is not None
    document = page.document
    screen.rule(document.title or page.final_url)
    facts = [page.final_url, document.author, document.published and f"published {document.published}"]
    facts += [f"{page.body_bytes:,} bytes in {page.elapsed_s:.1f} s"]
    screen.say((" · ".join(fact for fact in facts if fact), "dim"))
    screen.say()


def _say_how_to_go_on(item: Fetched, *, several: bool) -> None:
    """Notes about the page, on standard error, so that the Markdown stays alone on standard output."""
    assert item.page is not None
    about = f"{item.url}: " if several else ""
    for warning in (*item.notes, *item.page.warnings, *item.page.document.warnings):
        terminal.note(("note: ", "yellow"), about + warning)
    if item.answer is not None:
        _say_what_it_rests_on(item, about)
    elif item.found is not None:
        shown = len(item.found.passages)
        terminal.note(("note: ", "yellow"), f"{about}{item.found.total} matches in {shown} passages")
    elif item.window is not None and item.window.next_offset is not None:
        end = item.window.offset + item.window.returned_chars
        terminal.note(
            ("note: ", "yellow"),
            f"{about}characters {item.window.offset:,}–{end:,} of {item.window.content_length:,}; "
            f"go on with --offset {item.window.next_offset}, or read it --all",
        )


def _say_what_it_rests_on(item: Fetched, about: str) -> None:
    answer = item.answer
    assert answer is not None
    if not answer.quotes:
        terminal.note(("note: ", "yellow"), f"{about}the model gave no quote that stands in the page: read it yourself")
    if answer.unverified:
        terminal.note(("note: ", "yellow"), f"{about}{answer.unverified} quotes do not stand in the page; left out")
    if answer.unread_parts:
        parts = answer.parts + answer.unread_parts
        terminal.note(("note: ", "yellow"), f"{about}{answer.unread_parts} of the page's {parts} parts were not read")


COMMAND = fetch
