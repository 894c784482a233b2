"""`outrider doctor`: what works here, and what to do about the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outrider.errors import FACES
from outrider.interfaces import terminal
from outrider.interfaces.options import How, common

if TYPE_CHECKING:
    from outrider.web.diagnosis import Check, SettingView
    from outrider.web.providers import ProviderStanding

_HELP = """Show what works here, and what to do about the rest.

One page is read to see whether names, network and certificates work; everything else is only looked up.
Keys and passwords are never shown.
The exit status is 0 when the web can be reached, else that of the failure.
"""
_EPILOG = """\b
Examples:
  outrider doctor
  outrider doctor --probe https://intranet.example/ --set egress.ca_file=company.pem
  outrider doctor --no-network --json
"""
_MARKS = {
    "ok": ("ok    ", "green"),
    "note": ("note  ", "yellow"),
    "failed": ("FAILS ", "bold red"),
    "skipped": ("-     ", "dim"),
}


_GROUPS = {
    "not_configured": "would be, with",
    "by_name": "only by --provider",
    "resting": "resting",
    "filter_unsupported": "lacks a filter",
    "not_in_order": "not in search.order",
    "disabled": "switched off",
    "not_installed": "not installed",
    "retired": "retired",
}
"""What keeps a provider from being asked, as a person reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    checks: list[Check]
    standings: list[ProviderStanding]
    settings: list[SettingView]
    files: list[tuple[Path, bool]]

    @property
    def exit_status(self) -> int:
        errors = [check.error for check in self.checks if check.error is not None]
        return FACES[errors[0].code].exit_status if errors else 0


@click.command("doctor", help=_HELP, epilog=_EPILOG)
@click.option("--probe", metavar="URL", help="The page that is read.  [default: https://example.com/]")
@click.option("--no-network", is_flag=True, help="Do not try the network.")
@click.option("--all-settings", is_flag=True, help="List the settings at their defaults too, with what they are for.")
@common
def doctor(*, probe: str | None, no_network: bool, all_settings: bool, how: How) -> int:
    """Look, then show."""
    findings = asyncio.run(_look(probe, how, network=not no_network))
    if how.as_json:
        _write_json(findings)
    else:
        _show(terminal.Screen(), findings, all_settings=all_settings)
    return findings.exit_status


COMMAND = doctor


async def _look(probe: str | None, how: How, *, network: bool) -> _Findings:
    with terminal.progress(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.web.diagnosis import PROBE, checks, files, setting_views
        from outrider.web.providers import standings
        from outrider.web.web import Web

        config = how.config()
        async with Web(config) as web:
            return _Findings(
                checks=await checks(web, call_for(live), probe=(probe or PROBE) if network else None),
                standings=standings(web),
                settings=setting_views(config),
                files=files(config),
            )


def _write_json(findings: _Findings) -> None:
    terminal.write_json(
        {
            "ok": findings.exit_status == 0,
            "checks": [check.entry() for check in findings.checks],
            "providers": [standing.entry() for standing in findings.standings],
            "settings": [view.entry() for view in findings.settings],
            "files": [{"path": str(path), "exists": exists} for path, exists in findings.files],
        }
    )


def _show(screen: terminal.Screen, findings: _Findings, *, all_settings: bool) -> None:
    screen.rule("This machine")
    for check in findings.checks:
        _show_check(screen, check)
    screen.say()
    screen.rule("Search engines")
    _show_order(screen, findings.standings)
    screen.say()
    screen.rule("Settings")
    _show_settings(screen, findings, all_settings=all_settings)
    screen.say()
    _conclude(screen, findings)


def _show_check(screen: terminal.Screen, check: Check) -> None:
    mark, style = _MARKS[check.state]
    screen.row((f"{mark}{check.name}", style), check.says, width=20, indent=2)
    if check.todo:
        screen.row("", ("-> " + check.todo, "yellow" if check.state == "failed" else "dim"), width=20, indent=2)


def _show_order(screen: terminal.Screen, standings: Sequence[ProviderStanding]) -> None:
    """Who is asked, in order; the others by what keeps them from it."""
    asked = [standing.id for standing in standings if standing.place is not None]
    screen.row(("asked", "bold green"), ", then ".join(asked) or "nobody", width=20, indent=2)
    for state, title in _GROUPS.items():
        group = [standing for standing in standings if standing.place is None and standing.state == state]
        if group:
            screen.row((title, "yellow"), ", ".join(map(_in_group, group)), width=20, indent=2)
    screen.say(
        ("`outrider providers` lists them one by one, `outrider providers show ID` has the details.", "dim"), indent=2
    )


def _in_group(standing: ProviderStanding) -> str:
    if standing.state in ("not_configured", "by_name") and standing.missing:
        return f"{standing.id} ({', '.join(standing.missing)})"
    return f"{standing.id} ({standing.why})" if standing.state in ("resting", "retired") else standing.id


def _show_settings(screen: terminal.Screen, findings: _Findings, *, all_settings: bool) -> None:
    for path, exists in findings.files:
        screen.say("file  ", str(path), ("" if exists else "  (not there)", "dim"), indent=2)
    shown = [view for view in findings.settings if all_settings or view.layer != "default"]
    for view in shown:
        screen.say((view.name, "bold"), f" = {_value(view.value)}", (f"  from {view.layer}", "dim"), indent=2)
        if all_settings:
            variable = f" [{view.variable}]" if view.variable else ""
            screen.say((view.about + variable, "dim"), indent=6)
    rest = len(findings.settings) - len(shown)
    if rest:
        screen.say((f"{rest} settings are at their defaults; --all-settings lists them.", "dim"), indent=2)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    if isinstance(value, dict):
        return ", ".join(f"{name} ({', '.join(keys)})" for name, keys in value.items()) or "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value != "" else "(empty)"


def _conclude(screen: terminal.Screen, findings: _Findings) -> None:
    failed = [check for check in findings.checks if check.state == "failed"]
    untried = any(check.name == "network" and check.state == "skipped" for check in findings.checks)
    if failed:
        screen.say(("The web cannot be reached from here: ", "bold red"), failed[0].says + ".")
        screen.say("`outrider demo` works all the same: it needs no network.")
    elif untried:
        screen.say(("The network was not tried.", "bold"))
    else:
        screen.say(("Everything that reading and searching need is there.", "bold green"))
