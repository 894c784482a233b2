"""Options that every command takes, and the configuration they make."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from outrider.config import Config
from outrider.errors import InvalidArgument
from outrider.interfaces.completing import dialect_names


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The options that every command takes."""

    as_json: bool = False
    quiet: bool = False
    settings: tuple[str, ...] = ()
    """Each `NAME=VALUE`."""
    dialect: str = ""
    """Whose tools are to answer, in their own words; empty when none was named."""

    def config(self) -> Config:
        """
        The configuration with the settings of the command line on top.

        Raises:
            InvalidArgument: A setting is unknown or wrong.
        """
        return Config.load(dict(_setting(text) for text in self.settings))


def common(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--json`, `--quiet`, `--set` and `--debug`; the function gets them as `how`."""

    @functools.wraps(function)
    def packed(
        *arguments: Any, as_json: bool, quiet: bool, settings: Sequence[str], dialect: str = "", **others: Any
    ) -> int:
        how = How(as_json=as_json, quiet=quiet, settings=tuple(settings), dialect=dialect)
        return function(*arguments, how=how, **others)

    decorated: Callable[..., int] = packed
    for option in reversed(_COMMON):
        decorated = option(decorated)
    return decorated


def acting(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--agent`, which becomes a setting, to what `common` made."""
    return _with_choices(function, _AGENT)


def speaking(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--dialect` and `--agent`, which become settings, to what `common` made."""
    return _with_choices(function, _DIALECT, _AGENT)


def in_a_dialect(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--dialect`, which becomes a setting, to what `common` made."""
    return _with_choices(function, _DIALECT)


def _with_choices(function: Callable[..., int], *options: Callable[[Any], Any]) -> Callable[..., int]:
    @functools.wraps(function)
    def packed(
        *arguments: Any, settings: Sequence[str], dialect: str | None = None, agent: str | None = None, **others: Any
    ) -> int:
        chosen = {"web.dialect": dialect, "web.agent": agent}
        added = [f"{name}={value}" for name, value in chosen.items() if value is not None]
        return function(*arguments, settings=(*settings, *added), dialect=dialect or "", **others)

    decorated: Callable[..., int] = packed
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def refuse_before(ctx: click.Context, how: How) -> None:
    """
    Refuse options between a group and one of its commands, where nobody would heed them.

    Raises:
        InvalidArgument: There are some.
    """
    if ctx.invoked_subcommand and how != How():
        message = f"options of `{ctx.command_path} {ctx.invoked_subcommand}` go behind these words"
        raise InvalidArgument(message, details={"field": "options"})


debug_option = click.option("--debug", is_flag=True, expose_value=False, help="Log everything; show tracebacks.")
"""Read by the command line itself, also when a command cannot be read."""

_COMMON = (
    click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output, errors included."),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting for this call; repeatable."),
    debug_option,
)


_DIALECT = click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=dialect_names,
    help="Answer as these tools do, such as claude-code; `outrider tools` shows them.",
)
_AGENT = click.option("--agent", metavar="NAME", help="The agent of the manifest whose tools and rules hold.")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        message = f"--set takes NAME=VALUE; {text[:60]!r} is not"
        raise InvalidArgument(message, details={"field": "set"}, hint="`outrider doctor --all-settings` lists them.")
    return name.strip(), value
