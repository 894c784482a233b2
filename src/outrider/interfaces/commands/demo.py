"""`outrider demo`: a guided tour on a small web of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from outrider.interfaces import terminal
from outrider.interfaces.options import debug_option

if TYPE_CHECKING:
    from outrider.interfaces.demo.tour import Step
    from outrider.web.operations.fetch import Fetched

_HELP = """A guided tour: search, read, read on, and what is refused.

It needs no network and no set-up, and it touches no setting of yours.
A small web site and a recorded search engine are served on this machine's loopback address, which is allowed for
this command only; everything that you see is asked of them over real connections.
The exit status is 0 when every step went as it should.
"""
_NEXT = (
    ("outrider doctor", "what works here, and who would be asked"),
    ('outrider search "your question"', "no key needed"),
    ("outrider fetch https://example.com/", "any public page as Markdown"),
    ("python -m pydoc outrider.SyncWeb", "the same in Python"),
)
_EXCERPT_CHARS = 420


@click.command("demo", help=_HELP)
@click.option("--json", "as_json", is_flag=True, help="The steps as one JSON document on standard output.")
@debug_option
def demo(*, as_json: bool) -> int:
    """Run the tour."""
    return asyncio.run(_run(as_json=as_json))


COMMAND = demo


async def _run(*, as_json: bool) -> int:
    from outrider.interfaces.demo.site import Harbour
    from outrider.interfaces.demo.tour import Tour, configuration
    from outrider.web.web import Web

    screen = terminal.Screen()
    done: list[Step] = []
    async with Harbour() as harbour, Web(configuration(harbour)) as web:
        tour = Tour(web, harbour)
        if not as_json:
            _open(screen, harbour.base, len(tour.steps))
        for number, run in enumerate(tour.steps, start=1):
            done.append(await run())
            if not as_json:
                _show(screen, number, done[-1])
                terminal.flush()
    if as_json:
        terminal.write_json(_as_json(done))
    else:
        _close(screen, done)
    return 0 if all(step.as_expected for step in done) else 1


def _open(screen: terminal.Screen, base: str, count: int) -> None:
    screen.say()
    screen.say(("Outrider", "bold cyan"), " gives an AI agent the web through one guarded door.")
    screen.say(f"{count} steps on a small web that this command serves itself, at {base}.")
    screen.say(("Every other private address stays refused, as always.", "dim"))
    screen.say()


def _show(screen: terminal.Screen, number: int, step: Step) -> None:
    screen.rule(f"{number}  {step.title}")
    screen.say((">>> ", "dim"), (step.asked, "green"), indent=2)
    screen.say()
    _show_result(screen, step)
    width = max((len(name) for name, _ in step.facts), default=0) + 2
    for name, value in step.facts:
        screen.row((name, "dim"), value, width=width, indent=2)
    if step.facts:
        screen.say()
    screen.say(*_verdict(step), (step.why, "italic"), indent=2)
    screen.say()


def _show_result(screen: terminal.Screen, step: Step) -> None:
    from outrider.errors import WebError
    from outrider.web.operations.fetch import Fetched, FetchResult

    match step.result:
        case WebError():
            screen.say(("refused  ", "bold red"), step.result.message, (f"  [{step.result.code}]", "dim"), indent=2)
        case Fetched():
            screen.markdown(_excerpt(step.result.markdown), indent=4)
        case FetchResult():
            for item in step.result.items:
                _show_item(screen, item)
            return
        case _:
            for hit in step.result.hits:
                screen.say((f"{hit.page_id}  ", "bold cyan"), (hit.hit.title, "bold"), indent=2)
                screen.say((hit.url, "cyan"), indent=6)
                screen.say(hit.hit.snippet, indent=6)
    screen.say()


def _show_item(screen: terminal.Screen, item: Fetched) -> None:
    assert item.page is not None
    kind = item.page.document.kind
    screen.say(
        (f"{item.page_id}  ", "bold cyan"), item.url, (f"  {kind}, {item.page.body_bytes:,} bytes", "dim"), indent=2
    )
    text = _excerpt(item.markdown, _EXCERPT_CHARS // 2)
    if kind == "html":
        screen.markdown(text, indent=6)
    else:
        screen.say(text, indent=6)
    screen.say()


def _verdict(step: Step) -> tuple[terminal.Styled, ...]:
    return (("As expected. ", "green"),) if step.as_expected else (("NOT as expected. ", "bold red"),)


def _excerpt(text: str, limit_chars: int = _EXCERPT_CHARS) -> str:
    """The beginning, ended between words; a tour is not the place for a whole window."""
    if len(text) <= limit_chars:
        return text.strip()
    return text[:limit_chars].rsplit(None, 1)[0] + " …"


def _close(screen: terminal.Screen, done: list[Step]) -> None:
    wrong = [step.title for step in done if not step.as_expected]
    if wrong:
        screen.say(("Not as expected: ", "bold red"), ", ".join(wrong))
        return
    screen.rule("What to try next", "green")
    width = max(len(command) for command, _ in _NEXT) + 3
    for command, about in _NEXT:
        screen.row((command, "green"), (about, "dim"), width=width, indent=2)
    screen.say(("In a checkout, ./run stands for outrider.", "dim"), indent=2)
    screen.say()


def _as_json(done: list[Step]) -> dict[str, object]:
    return {
        "ok": all(step.as_expected for step in done),
        "steps": [
            {
                "title": step.title,
                "asked": step.asked,
                "facts": dict(step.facts),
                "why": step.why,
                "as_expected": step.as_expected,
                **_outcome(step),
            }
            for step in done
        ],
    }


def _outcome(step: Step) -> dict[str, object]:
    from outrider.errors import WebError
    from outrider.web.operations.fetch import Fetched, FetchResult

    if isinstance(step.result, WebError):
        return {"error": step.result.as_dict()}
    if isinstance(step.result, FetchResult):
        return {"items": [{"url": item.url, "status": item.status} for item in step.result.items]}
    if isinstance(step.result, Fetched):
        return {"content": step.result.markdown, "next_offset": step.result.next_offset}
    return {"results": [{"page_id": hit.page_id, "title": hit.hit.title, "url": hit.url} for hit in step.result.hits]}
