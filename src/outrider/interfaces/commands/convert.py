"""`outrider convert`: a file as Markdown, without a network."""

from __future__ import annotations

import mimetypes
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outrider.errors import EmptyContent, InvalidArgument, StorageError
from outrider.interfaces import terminal
from outrider.interfaces.inputs import read_bytes
from outrider.interfaces.options import How, common

if TYPE_CHECKING:
    from outrider.types import Document

_HELP = """Turn a file into Markdown, as a fetch does with a page; nothing is requested.

FILE is a saved page, feed or any text; - reads standard input.
What it is, is told from --content-type, else from the file's name, else from what is in it.
"""
_EPILOG = """\b
Examples:
  outrider convert saved.html
  outrider convert saved.html --url https://example.com/docs/    links become absolute
  curl -s https://example.com/feed | outrider convert - --content-type application/rss+xml
  outrider convert saved.html --json | jq '.outline'
"""
_KINDS = ("html", "markdown", "feed")
"""What reads as Markdown; everything else stays as it is."""


@click.command("convert", help=_HELP, epilog=_EPILOG)
@click.argument("file", metavar="FILE")
@click.option("--url", default="", metavar="URL", help="Where it came from, for relative links.")
@click.option("--content-type", metavar="TYPE", help="What it is, such as text/html; charset=utf-8.")
@click.option("--whole", is_flag=True, help="The whole page with navigation and footers, not its main content.")
@click.option("--plain", is_flag=True, help="Show Markdown as it is, also on a terminal.")
@common
def convert(*, file: str, url: str, content_type: str | None, whole: bool, plain: bool, how: How) -> int:
    """Read, convert, show."""
    from outrider.web.convert import convert_body

    config = how.config()
    body = _read(file, config.fetch.max_body_bytes)
    document = convert_body(body, config, url=_address(url), content_type=content_type or _type_of(file), whole=whole)
    if not document.markdown.strip():
        message = f"{_name(file)} holds nothing that can be read"
        raise EmptyContent(message, hint="--whole shows its menus." if document.method == "shell" else "")
    if how.as_json:
        terminal.write_json(asdict(document))
    else:
        _show(document, plain=plain, quiet=how.quiet)
    return 0


COMMAND = convert


def _read(file: str, most: int) -> bytes:
    """One byte more than may be converted shows that there is too much."""
    if file == "-":
        return read_bytes(most + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(most + 1)
    except FileNotFoundError as error:
        message = f"there is no file {_name(file)}"
        raise InvalidArgument(message, details={"field": "file"}) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        message = f"{_name(file)} cannot be read: {why or type(error).__name__}"
        raise StorageError(message) from error


def _name(file: str) -> str:
    return "standard input" if file == "-" else file[:200]


def _address(url: str) -> str:
    if not url:
        return ""
    from outrider.url import Url

    return str(Url.parse(url))


def _type_of(file: str) -> str | None:
    return None if file == "-" else mimetypes.guess_type(file)[0]


def _show(document: Document, *, plain: bool, quiet: bool) -> None:
    screen, text = terminal.Screen(), document.markdown
    if screen.is_live and document.title:
        screen.rule(document.title)
    if screen.is_live and not plain and document.kind in _KINDS:
        screen.markdown(text)
    else:
        terminal.write(text if text.endswith("\n") else text + "\n")
    if not quiet:
        terminal.flush()
        for warning in document.warnings:
            terminal.note(("note: ", "yellow"), warning)
