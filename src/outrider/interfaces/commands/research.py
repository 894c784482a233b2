"""`outrider research`: a question answered from the web, every citation looked up on its page."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from outrider.errors import FACES, InvalidArgument, NotInstalled, ReaderFailed
from outrider.interfaces import terminal
from outrider.interfaces.options import How, acting, common

if TYPE_CHECKING:
    from outrider.interfaces.research.researcher import Report

_HELP = """Answer a question from the web.

A model divides the question and sends helpers that search and read side by side.
What they hand back is a passage that was looked up on its page, and the answer cites nothing else.
Any endpoint that speaks OpenAI's or Anthropic's language will do; keys come from OPENAI_API_KEY and ANTHROPIC_API_KEY.
"""
_EPILOG = """\b
Examples:
  outrider research "Which Python versions get security fixes?" --model anthropic:MODEL
  outrider research "…" --model openai:MODEL
  outrider research "…" --model openai:MODEL --base-url http://127.0.0.1:11434/v1
"""


@click.command("research", help=_HELP, epilog=_EPILOG)
@click.argument("question")
@click.option("--model", required=True, metavar="FAMILY:NAME", help="openai:NAME or anthropic:NAME.")
@click.option("--base-url", default="", metavar="URL", help="Where the model is, when not at its vendor's.")
@click.option("--seconds", type=click.FloatRange(1, 3_600), default=300, show_default=True, help="Most time in all.")
@click.option("--rounds", type=click.IntRange(1, 50), default=6, show_default=True, help="Rounds of the leading agent.")
@click.option("--helpers", type=click.IntRange(1, 50), default=8, show_default=True, help="Most helpers in all.")
@click.option("--tokens", type=click.IntRange(1_000), default=400_000, show_default=True, help="Most tokens in all.")
@acting
@common
def research(*, question: str, model: str, base_url: str, how: How, **limits: Any) -> int:
    """Research, then show."""
    if not question.strip():
        message = "the question is blank"
        raise InvalidArgument(message, details={"field": "question"})
    report = asyncio.run(_research(question, model, base_url, limits, how))
    if how.as_json:
        terminal.write_json(asdict(report))
    else:
        _show(report, quiet=how.quiet)
    return FACES[ReaderFailed.code].exit_status if report.unfinished and not report.sources else 0


async def _research(question: str, model: str, base_url: str, limits: dict[str, Any], how: How) -> Report:
    try:
        from outrider.interfaces.research.budget import Budget
        from outrider.interfaces.research.models import Endpoint, open_model
        from outrider.interfaces.research.researcher import Researcher
    except ModuleNotFoundError as error:
        message = f"research needs the package {error.name}, which is not installed"
        raise NotInstalled(message, hint='Install the extra: pip install "outrider[agent]"') from error
    from outrider.web.web import Web

    config = how.config()
    endpoint = Endpoint.read(model, base_url=base_url, environment=config.environment)
    with terminal.progress(quiet=how.quiet) as emit:
        async with Web(config) as web, open_model(endpoint, config) as opened:
            return await Researcher(web, opened, Budget(**limits), emit).answer(question)


def _show(report: Report, *, quiet: bool) -> None:
    screen = terminal.Screen()
    screen.markdown(report.answer)
    if report.sources:
        screen.say()
    for source in report.sources:
        screen.say(f"[{source.number}] {source.title or source.url} — {source.url}")
        screen.say(f"“{source.quote}”", indent=4)
    if report.unfinished:
        terminal.note(f"unfinished: {report.unfinished}")
    if not quiet:
        terminal.note(f"{report.requests} requests to the model, {report.tokens:,} tokens")


COMMAND = research
