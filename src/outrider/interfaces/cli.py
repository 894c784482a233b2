"""The `outrider` command line: finds the command, and turns what became of it into an exit status."""

from __future__ import annotations

import difflib
import importlib
import logging
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from outrider.errors import FACES, Cancelled, Internal, InvalidArgument, WebError
from outrider.interfaces import terminal

NAME = "outrider"
BROKEN_PIPE = 141
"""128 + SIGPIPE: what a shell reports of a program whose reader left."""

COMMANDS = {
    "search": "Search the web. No key and no server needed.",
    "fetch": "Read web pages as Markdown.",
    "read": "Read a stored page again, without the network.",
    "download": "Download a file into this folder.",
    "pages": "List, search, export and remove stored pages.",
    "convert": "Turn a file into Markdown; needs no network.",
    "doctor": "Show what works here, and what to do about the rest.",
    "demo": "A guided tour on a small web of its own; needs no network.",
    "providers": "List, show and test the search engines.",
    "manifest": "Show, check and extend what agents may do.",
    "tools": "Show the tools as a model gets them.",
    "call": "Call one tool as a model calls it.",
    "mcp": "Serve the tools to an MCP client.",
    "research": "Answer a question from the web, every citation looked up.",
    "completion": "Print the completion script for a shell.",
}
"""Every command and its one line; the command itself is imported when it is used."""

_EPILOG = """\b
Examples:
  outrider demo                                     see it work, offline
  outrider search "python asyncio timeouts"
  outrider fetch https://example.com/
  outrider fetch https://example.com/ > page.md     Markdown, nothing else
  outrider search rust --json | jq -r '.results[].url'
\b
Settings, each layer over the one before:
  defaults, your own outrider.toml, ./outrider.toml,
  OUTRIDER_* variables, --set NAME=VALUE
  `outrider doctor` names the files and shows where each value came from.
\b
Exit status:
  0  done                      5  the server answered with an error
  1  a fault of Outrider's     6  the content cannot be read
  2  wrong arguments           7  no search engine answered
  3  refused by the guard      8  files and stored pages
  4  the network failed      130  interrupted
"""


class _ReaderLeft(Exception):
    """Nobody reads standard output any more."""


class _Commands(click.Group):
    """A group that imports a command only when it is used, so that help stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"outrider.interfaces.commands.{cmd_name}").COMMAND
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # Left to click it would become an empty line, wherever standard error goes.
            raise Cancelled("interrupted") from error
        except BrokenPipeError as error:
            # Left to click it would become a status of its own.
            raise _ReaderLeft from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            meant = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(COMMANDS)}"
            ctx.fail(f"{args[0][:40]!r} is not a command{meant}")
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  (click calls it so)
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            click.echo(f"{NAME} {version(NAME)}")
        except PackageNotFoundError:
            click.echo(f"{NAME} (not installed)")
        ctx.exit()


@click.group(
    cls=_Commands,
    help="Guarded web access: search, read and page through the web behind one door.",
    epilog=_EPILOG,
    invoke_without_command=True,
    subcommand_metavar="COMMAND …",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Without a command: the help."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process."""
    sys.exit(run(sys.argv[1:] if words is None else words))


def run(words: Sequence[str]) -> int:
    """Run one command and give its exit status; whatever goes wrong is said in a sentence, never as a traceback."""
    terminal.prepare()
    debug = _has_flag(words, "--debug")
    _log_to_nobody_unless(debug)
    try:
        return _attempt(words)
    except (_ReaderLeft, BrokenPipeError):
        terminal.abandon_output()
        return BROKEN_PIPE
    except (WebError, click.ClickException, OSError, KeyboardInterrupt, click.Abort) as error:
        return _report(error, words, debug=debug)
    except Exception as error:  # noqa: BLE001  (the edge: a person is shown a sentence)
        return _report(error, words, debug=debug)


def _log_to_nobody_unless(debug: bool) -> None:  # noqa: FBT001
    """The command line says itself what went wrong; the log's traceback is for those who ask."""
    if debug:
        logging.basicConfig(level=logging.DEBUG)
    else:
        logging.basicConfig(handlers=[logging.NullHandler()])


def _attempt(words: Sequence[str]) -> int:
    _check_encoding(words)
    outcome = group.main(list(words), prog_name=NAME, standalone_mode=False)
    terminal.flush()
    return outcome if isinstance(outcome, int) else 0


def _report(error: BaseException, words: Sequence[str], *, debug: bool) -> int:
    failure = _as_failure(error)
    if debug:
        traceback.print_exception(error)
    elif isinstance(failure, Cancelled) and terminal.is_terminal(sys.stderr):
        terminal.note()  # The terminal has just shown ^C.
    try:
        terminal.report(failure, as_json=_has_flag(words, "--json"))
    except OSError:
        terminal.abandon_output()
    return FACES[failure.code].exit_status


def _as_failure(error: BaseException) -> WebError:
    if isinstance(error, WebError):
        return error
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx is not None else NAME
        return InvalidArgument(_one_line(error.format_message()), hint=f"`{path} --help` shows what there is.")
    if isinstance(error, click.ClickException):
        return InvalidArgument(_one_line(error.format_message()))
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return Cancelled("interrupted")
    if isinstance(error, OSError):
        return Internal(f"the output could not be written: {error.strerror or error}")
    return Internal("something went wrong inside Outrider", hint="The same command with --debug shows where.")


def _one_line(message: str) -> str:
    """As our own messages are: one sentence without a final stop, and never a whole argument of any length."""
    text = " ".join(message.split()).rstrip(".")
    return text if len(text) <= 300 else text[:300] + "…"


def _check_encoding(words: Sequence[str]) -> None:
    for index, word in enumerate(words, start=1):
        if any("\ud800" <= char <= "\udfff" for char in word):
            raise InvalidArgument(f"argument {index} of the command is not valid text in the terminal's encoding")


def _has_flag(words: Sequence[str], flag: str) -> bool:
    """Also when the command line as a whole cannot be read."""
    before = words[: words.index("--")] if "--" in words else words
    return flag in before
