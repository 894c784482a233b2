"""`outrider demo`."""

from __future__ import annotations

import pytest

from interfaces.commandline import CommandLine, on_a_terminal
from outrider.errors import SsrfRejected
from outrider.interfaces.demo.site import Harbour
from outrider.interfaces.demo.tour import Tour, configuration
from outrider.web.web import Web


def test_every_step_goes_as_shown(cli: CommandLine) -> None:
    ended = cli("demo")

    assert (0, "") == (ended.status, ended.err)
    assert "NOT as expected" not in ended.out
    assert "What to try next" in ended.out
    assert "\x1b" not in ended.out


def test_a_terminal_sees_the_same_tour() -> None:
    status, shown = on_a_terminal(["demo"])

    assert 0 == status
    assert "What to try next" in shown


def test_the_steps_for_machines(cli: CommandLine) -> None:
    document = cli("demo", "--json").json

    assert document["ok"]
    assert 8 == len(document["steps"])
    assert ["ssrf_rejected"] * 3 == [step["error"]["code"] for step in document["steps"] if "error" in step]


def test_settings_of_the_user_do_not_reach_the_demonstration(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_WEB_ENABLED", "false")
    monkeypatch.setenv("OUTRIDER_EGRESS_PROXY_URL", "http://proxy.test:3128")

    assert 0 == cli("demo").status


async def test_a_step_that_goes_otherwise_is_seen() -> None:
    async with Harbour() as harbour, Web(configuration(harbour)) as web:
        steps = Tour(web, harbour).steps
        await harbour.aclose()
        step = await steps[0]()

    assert not step.as_expected


async def test_the_service_next_door_is_refused_even_when_asked_for_directly() -> None:
    async with Harbour() as harbour, Web(configuration(harbour)) as web:
        with pytest.raises(SsrfRejected):
            await web.fetch(harbour.internal)

        assert 0 == harbour.touched
