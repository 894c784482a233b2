"""Questions at the terminal."""

from __future__ import annotations

import pytest

from interfaces.commandline import CommandLine, Neighbourhood, on_a_terminal
from world.messages import page


@pytest.fixture(autouse=True)
def _a_person_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_PERMISSIONS_MODE", "ask")


def test_a_person_who_agrees_sees_the_page(nearby: Neighbourhood) -> None:
    status, shown = on_a_terminal(["fetch", nearby.site({"/": page("<p>Agreed</p>")}).url], answers=["once\n"])

    assert 0 == status
    assert "Agreed" in shown


def test_an_answer_that_means_nothing_is_asked_for_again_three_times_in_all(nearby: Neighbourhood) -> None:
    status, _ = on_a_terminal(
        ["fetch", nearby.site({"/": page("<p>Agreed</p>")}).url], answers=["what?\n", "\n", "yes\n"]
    )
    agreed, _ = on_a_terminal(["fetch", nearby.site({"/": page("<p>Agreed</p>")}).url], answers=["sure\n", "o\n"])

    assert (3, 0) == (status, agreed)


@pytest.mark.parametrize("typed", ["no\n", "\x04"], ids=["no", "end of input"])
def test_a_person_who_does_not_agree_keeps_the_page_unread(nearby: Neighbourhood, typed: str) -> None:
    site = nearby.site({"/": page("<p>Secret</p>")})

    status, shown = on_a_terminal(["fetch", site.url], answers=[typed])

    assert 3 == status
    assert "Secret" not in shown
    assert [] == site.requests


def test_an_interrupt_ends_a_question(nearby: Neighbourhood) -> None:
    status, shown = on_a_terminal(["fetch", nearby.site({"/": page("<p>Secret</p>")}).url], answers=["\x03"])

    assert 130 == status
    assert "Traceback" not in shown


def test_nobody_is_asked_where_nobody_sits(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli.program("fetch", nearby.site({"/": page("<p>Secret</p>")}).url)

    assert 3 == ended.status
    assert "[approval_required]" in ended.err
