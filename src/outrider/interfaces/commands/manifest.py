"""`outrider manifest`: what agents may do, as a file says it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from outrider.errors import FACES, InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import How, common, in_a_dialect

if TYPE_CHECKING:
    from outrider.web.project import ProjectManifest

_HELP = """Show, check and extend the manifest: which tools each agent has, and what they may do.

A project's own file, .outrider/manifest.toml, is laid over the one that ships.
It changes only when `outrider manifest add` is asked to.
"""
_EPILOG = """\b
Examples:
  outrider manifest show
  outrider manifest check
  outrider manifest add agent reader --tool web_fetch --tool read_page
  outrider manifest add rule deny domain:*.internal.example
  outrider manifest add rule allow reports --write --agent reader
  outrider manifest add tool download
"""
_ADD_HELP = "Add an agent, a rule or a tool's entry to the project's file; what is there stays untouched."


@click.group("manifest", help=_HELP, epilog=_EPILOG)
def manifest() -> None:
    """One of its parts is asked for."""


@manifest.command("show", help="Show what holds: the file laid over what ships, as TOML.")
@in_a_dialect
@common
def show(*, how: How) -> int:
    """The whole of it."""
    project = _project(how)
    text = project.show()
    if how.as_json:
        terminal.write_json({"file": str(project.path), "exists": project.path.is_file(), **tomllib.loads(text)})
        return 0
    terminal.write(text)
    if not how.quiet:
        terminal.flush()
        there = "" if project.path.is_file() else ", which is not there: this is what ships"
        terminal.note(("note: ", "yellow"), f"the project's own file is {project.path}{there}")
    return 0


@manifest.command(
    "check",
    help="Say what is wrong with the project's file; the exit status is 2 when something is.",
    short_help="Say what is wrong with the project's file.",
)
@in_a_dialect
@common
def check(*, how: How) -> int:
    """Every complaint."""
    project = _project(how)
    complaints = project.check()
    if how.as_json:
        terminal.write_json({"file": str(project.path), "ok": not complaints, "complaints": complaints})
    else:
        _show_complaints(project, complaints, quiet=how.quiet)
    return FACES[InvalidArgument.code].exit_status if complaints else 0


@manifest.group("add", help=_ADD_HELP, short_help="Add an agent, a rule or a tool's entry to the file.")
def add() -> None:
    """One kind of thing is added."""


@add.command("agent", help="Add an agent with exactly these tools.")
@click.argument("name", metavar="NAME")
@click.option("--tool", "tools", multiple=True, required=True, metavar="TOOL", help="A tool that it has; repeatable.")
@in_a_dialect
@common
def add_agent(*, name: str, tools: Sequence[str], how: How) -> int:
    """An agent."""
    project = _project(how)
    _refuse_unknown_tools(project, tools)
    return _said(project, how, changed=project.add_agent(name, tools))


@add.command("tool", help="Add the default entries of tools, to be edited in the file.")
@click.argument("names", nargs=-1, required=True, metavar="TOOL…")
@in_a_dialect
@common
def add_tool(*, names: Sequence[str], how: How) -> int:
    """Tools."""
    project = _project(how)
    return _said(project, how, changed=project.add_tools(names))


@add.command("rule", help="Add a rule: ACTION is allow, ask or deny, PATTERN such as domain:example.org.")
@click.argument("action", type=click.Choice(["allow", "ask", "deny"]))
@click.argument("pattern", metavar="PATTERN")
@click.option("--write", is_flag=True, help="PATTERN is a file or folder of the workspace.")
@click.option("--tool", default="", metavar="TOOL", help="For this tool only.")
@click.option("--agent", "whose", default="", metavar="NAME", help="For this agent only.")
@in_a_dialect
@common
def add_rule(*, action: str, pattern: str, write: bool, tool: str, whose: str, how: How) -> int:
    """A rule."""
    if tool and whose:
        message = "--tool and --agent exclude each other"
        raise InvalidArgument(message, details={"field": "tool"})
    project = _project(how)
    _refuse_unknown_tools(project, [tool] if tool else [])
    permission = "write" if write else "network"
    return _said(project, how, changed=project.add_rule(action, pattern, permission=permission, tool=tool, agent=whose))


COMMAND = manifest


def _project(how: How) -> ProjectManifest:
    from outrider.web.project import ProjectManifest

    return ProjectManifest.of(how.config())


def _refuse_unknown_tools(project: ProjectManifest, names: Sequence[str]) -> None:
    """A file that names a tool which is none would stop every agent."""
    known = project.manifest().tools
    for name in names:
        if name not in known:
            message = f"there is no tool {name[:80]}; there are {', '.join(known)}"
            raise InvalidArgument(message, details={"field": "tool"})


def _show_complaints(project: ProjectManifest, complaints: Sequence[str], *, quiet: bool) -> None:
    for complaint in complaints:
        terminal.write(f"{complaint}\n")
    if quiet or complaints:
        return
    said = "is well" if project.path.is_file() else "is not there: what ships holds"
    terminal.note(f"{project.path} {said}")


def _said(project: ProjectManifest, how: How, *, changed: bool) -> int:
    if how.as_json:
        terminal.write_json({"file": str(project.path), "changed": changed})
    elif not how.quiet:
        terminal.note(f"{project.path} was {'changed' if changed else 'left as it is: it has that already'}")
    return 0
