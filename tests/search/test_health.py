from __future__ import annotations

import pytest

from outrider.search.health import MAX_HONOURED_S, Health
from search.doubles import Clock


def test_a_rest_ends_by_itself() -> None:
    clock = Clock()
    health = Health(clock=clock)
    health.failed("a", "blocked")

    rest = health.rest("a")
    clock.at += 600

    assert rest is not None
    assert ("blocked", 600.0) == (rest.cause, rest.remaining_s)
    assert health.rest("a") is None


def test_repeats_of_one_cause_double_the_rest_up_to_its_most() -> None:
    clock = Clock()
    health = Health(clock=clock)
    lengths = []
    for _ in range(5):
        health.failed("a", "blocked")
        rest = health.rest("a")
        assert rest is not None
        lengths.append(rest.remaining_s)

    assert [600, 1_200, 2_400, 3_600, 3_600] == lengths


def test_a_named_wait_counts_instead_but_only_up_to_an_hour() -> None:
    health = Health(clock=Clock())
    health.failed("a", "rate_limited", wait_s=7)
    health.failed("b", "rate_limited", wait_s=71_205)

    assert [7.0, MAX_HONOURED_S] == [rest.remaining_s for name in "ab" if (rest := health.rest(name))]


def test_a_success_forgets_and_may_ask_for_a_pause() -> None:
    health = Health(clock=Clock())
    health.failed("a", "upstream")
    health.succeeded("a")
    health.succeeded("b", pause_s=10)

    assert health.rest("a") is None
    assert health.rest("b") is not None


@pytest.mark.parametrize("cause", ["ok", "empty", "invalid_request", "filter_unsupported", "not_configured"])
def test_the_callers_own_faults_do_not_cost_the_provider_a_rest(cause: str) -> None:
    health = Health(clock=Clock())
    health.failed("a", cause)  # type: ignore[arg-type]  # one of the outcomes

    assert health.rest("a") is None
