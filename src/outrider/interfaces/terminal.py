"""Standard output and standard error, as the commands write to them."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from outrider.errors import WebError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    from outrider.call import Progress

Styled = str | tuple[str, str]
"""A text, or a text and its style."""

# Control characters, and the marks that turn the direction of writing: a page must not steer the terminal.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What JSON lets through as it is, and a terminal might obey.
_LATE_CONTROLS = re.compile("[\x7f-\x9f]")

_PIECE_CHARS = 16_384
_MAX_SET_CHARS = 100_000
"""Setting more in type takes seconds: 30,000 characters of code took 1.7 s."""
_MAX_COLUMNS = 100
"""Longer lines are hard to read."""


def prepare() -> None:
    """Make both streams swallow any text: what the terminal's encoding lacks shows as a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees the stream as it is written."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def harmless(text: str) -> str:
    """The text with everything that would steer a terminal replaced."""
    return _STEERING.sub("\ufffd", text.replace("\r\n", "\n"))


def write(text: str) -> None:
    """Write to standard output, as it is; for a person what would steer the terminal is replaced."""
    if sys.stdout is None:
        return
    shown = harmless(text) if is_terminal(sys.stdout) else text
    # With PYTHONUNBUFFERED the interpreter does not notice that a large write was cut short by a reader who left.
    for start in range(0, len(shown), _PIECE_CHARS):
        sys.stdout.write(shown[start : start + _PIECE_CHARS])


def write_json(document: dict[str, Any]) -> None:
    """Write one JSON document to standard output, in plain ASCII where the encoding knows no better."""
    text = _json(document, ascii_only=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = _json(document, ascii_only=True)
    write(text + "\n")


def _json(document: dict[str, Any], *, ascii_only: bool) -> str:
    text = json.dumps(document, ensure_ascii=ascii_only, indent=2, default=str)
    return _LATE_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain_json(value: object) -> str:
    """A value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)


def flush() -> None:
    """
    Hand on what was written.

    Raises:
        OSError: It cannot be.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_output() -> None:
    """Send the rest nowhere, so that the interpreter does not complain at its end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def note(*parts: Styled) -> None:
    """One line to standard error, beside the result."""
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):
        if is_terminal(sys.stderr):
            _print(console(sys.stderr), parts, indent=0)
        else:
            sys.stderr.write(harmless("".join(map(_plain, parts))) + "\n")
        sys.stderr.flush()


def report(error: WebError, *, as_json: bool) -> None:
    """Say what went wrong, and what to do about it."""
    if as_json:
        write_json({"error": error.as_dict()})
        flush()
    complain(error)


def complain(error: WebError, *, about: str = "") -> None:
    """A failure in one line, and its hint in another."""
    note(("error: ", "bold red"), f"{about}: " if about else "", error.message, (f" [{error.code}]", "dim"))
    wait = f"Wait {error.retry_after_s:g} s. " if error.retry_after_s else ""
    if wait or error.hint:
        note(("hint: ", "yellow"), wait + error.hint)


class Screen:
    """Standard output for people: styled and wrapped on a terminal, plain and unwrapped where it is piped."""

    def __init__(self) -> None:
        self._rich = console(sys.stdout) if is_terminal(sys.stdout) else None

    @property
    def is_live(self) -> bool:
        """Whether a person sees it as it is written."""
        return self._rich is not None

    def say(self, *parts: Styled, indent: int = 0) -> None:
        """A paragraph; nothing is an empty line."""
        if self._rich is not None:
            _print(self._rich, parts, indent=indent)
            return
        text = "".join(map(_plain, parts))
        margin = " " * indent
        write("".join(f"{margin}{line}".rstrip(" ") + "\n" for line in text.split("\n")))

    def row(self, lead: Styled, *parts: Styled, width: int, indent: int = 0) -> None:
        """A text with a lead before it; what is wrapped stays right of the lead."""
        if self._rich is None:
            self.say(_plain(lead).ljust(width), *parts, indent=indent)
            return
        from rich.padding import Padding
        from rich.table import Table

        grid = Table.grid()
        grid.add_column(width=width)
        grid.add_column()
        grid.add_row(_text((lead,)), _text(parts))
        self._rich.print(Padding(grid, (0, 0, 0, indent)))

    def markdown(self, text: str, *, indent: int = 0) -> None:
        """Markdown: set in type on a terminal, as it is elsewhere."""
        if self._rich is None or len(text) > _MAX_SET_CHARS:
            self.say(text, indent=indent)
            return
        from rich.markdown import Markdown
        from rich.padding import Padding

        self._rich.print(Padding(Markdown(harmless(text)), (0, 0, 0, indent)))

    def rule(self, title: str, style: str = "cyan") -> None:
        """A heading across the screen."""
        if self._rich is None:
            self.say(f"== {title} ==")
            return
        from rich.text import Text

        self._rich.rule(Text(harmless(title), style=f"bold {style}"), align="left", style=style)


class Live:
    """What shows a call's steps while it runs; calling it shows one."""

    def __init__(self, status: Status | None = None) -> None:
        self._status = status

    def __call__(self, step: Progress) -> None:
        """Show a step."""
        if self._status is None:
            return
        from rich.text import Text

        self._status.update(Text(harmless(in_words(step))[:200], style="dim"))

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing moves inside, so that a person can be asked."""
        if self._status is None:
            yield
            return
        self._status.stop()
        try:
            yield
        finally:
            self._status.start()


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Live]:
    """Where a call's steps go: a moving line on standard error when a person watches it, nowhere otherwise."""
    if quiet or not is_terminal(sys.stderr):
        yield Live()
        return
    from rich.text import Text

    screen = console(sys.stderr)
    spinner = "dots" if screen.encoding.startswith("utf") else "line"
    with screen.status(Text("starting", style="dim"), spinner=spinner) as status:
        yield Live(status)


def in_words(step: Progress) -> str:
    """A step as a person reads it."""
    leads = {"connect": "reading ", "redirect": "redirected to ", "convert": "converting "}
    size = f" ({step.done:,} bytes)" if step.done is not None else ""
    return leads.get(step.stage, "") + (step.message or step.stage) + size


def console(stream: TextIO) -> Console:
    """What styles and wraps for one stream."""
    from rich.console import Console

    made = Console(file=stream, highlight=False, emoji=False, markup=False)
    made.width = min(made.width, _MAX_COLUMNS)
    return made


def _print(screen: Console, parts: tuple[Styled, ...], *, indent: int) -> None:
    from rich.padding import Padding

    text = _text(parts)
    screen.print(Padding(text, (0, 0, 0, indent)) if indent else text)


def _text(parts: tuple[Styled, ...]) -> Text:
    from rich.text import Text

    text = Text()
    for part in parts:
        said, style = part if isinstance(part, tuple) else (part, "")
        text.append(harmless(said), style=style or None)
    return text


def _plain(part: Styled) -> str:
    return part[0] if isinstance(part, tuple) else part
