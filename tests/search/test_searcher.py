from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from outrider.call import Call
from outrider.errors import (
    FilterUnsupported,
    InvalidArgument,
    NotInstalled,
    ProviderAuthFailed,
    ProviderBlocked,
    ProviderGone,
    ProviderMisconfigured,
    ProviderNotConfigured,
    ProviderRateLimited,
    ProviderUnavailable,
    SsrfRejected,
    WebError,
)
from outrider.search.catalogue import Terms
from outrider.search.choice import Catalogue
from outrider.search.health import Health
from outrider.search.provider import Answer
from outrider.search.searcher import Searcher
from outrider.search.settings import ProviderSettings
from outrider.search.wire import Exchange
from outrider.types import Freshness, Query
from search.doubles import Clock, Fake, Watcher, catalogue, fake, hits, nobody

Q = Query(text="rust", max_results=5)
FOUND = Answer(hits=hits("https://a.test/1", "https://b.test/2"))
NOTHING = Answer()


def searcher(*kinds: Any, order: tuple[str, ...] = (), **options: Any) -> Searcher:
    names = order or tuple(kind.info.id for kind in kinds)
    return Searcher(nobody(), catalogue=catalogue(*kinds), order=names, **options)


def outcomes(attempts: Any) -> list[tuple[str, str]]:
    return [(attempt.provider, attempt.outcome) for attempt in attempts]


async def test_the_next_provider_is_asked_after_a_failure_and_both_are_named() -> None:
    first, second = fake("first", ProviderBlocked("first: blocked")), fake("second", FOUND)

    found = await searcher(first, second).search(Q, Call())

    assert "second" == found.provider
    assert [("first", "blocked"), ("second", "ok")] == outcomes(found.attempts)
    assert [1, 2] == [hit.rank for hit in found.hits]
    assert {"second"} == {hit.provider for hit in found.hits}


async def test_nobody_is_asked_after_an_answer() -> None:
    second = fake("second", FOUND)

    await searcher(fake("first", FOUND), second).search(Q, Call())

    assert [] == second.asked


async def test_nothing_found_is_an_answer() -> None:
    second = fake("second", FOUND)

    found = await searcher(fake("first", NOTHING), second).search(Q, Call())

    assert () == found.hits
    assert "" == found.provider
    assert [("first", "empty")] == outcomes(found.attempts)
    assert [] == second.asked


@pytest.mark.parametrize(
    ("answer", "known", "outcome"),
    [
        (NOTHING, {"weak": True}, "empty"),
        (Answer(exhausted=True), {}, "empty"),
        (Answer(searched=False, answer="4"), {}, "not_searched"),
    ],
)
async def test_emptiness_that_says_nothing_does_not_end_the_chain(
    answer: Answer, known: dict[str, bool], outcome: str
) -> None:
    found = await searcher(fake("first", answer, **known), fake("second", FOUND)).search(Q, Call())

    assert "second" == found.provider
    assert [("first", outcome), ("second", "ok")] == outcomes(found.attempts)


async def test_a_model_that_did_not_search_is_told_apart_from_nothing_found() -> None:
    found = await searcher(fake("first", Answer(searched=False, answer="4"))).search(Q, Call(), provider="first")

    assert () == found.hits
    assert "4" == found.answer
    assert any("without searching" in warning for warning in found.warnings)


async def test_when_all_fail_the_error_lists_every_attempt() -> None:
    kinds = (
        fake("first", ProviderAuthFailed("first: no such key")),
        fake("second", ProviderRateLimited("second: slow down", retry_after_s=7.0)),
        fake("third", ProviderUnavailable("third: down", retry_after_s=90.0)),
    )

    with pytest.raises(ProviderRateLimited) as raised:
        await searcher(*kinds).search(Q, Call())

    attempts = raised.value.details["attempts"]
    assert [("first", "auth"), ("second", "rate_limited"), ("third", "upstream")] == [
        (attempt["provider"], attempt["outcome"]) for attempt in attempts
    ]
    assert 7.0 == raised.value.retry_after_s


async def test_an_error_before_a_weak_emptiness_stays_an_error() -> None:
    kinds = (fake("first", ProviderBlocked("first: blocked")), fake("second", NOTHING, weak=True))

    with pytest.raises(ProviderBlocked):
        await searcher(*kinds).search(Q, Call())


# Chosen by name.


async def test_a_chosen_providers_failure_is_the_answer() -> None:
    second = fake("second", FOUND)

    with pytest.raises(ProviderAuthFailed):
        await searcher(fake("first", ProviderAuthFailed("first: no")), second).search(Q, Call(), provider="first")

    assert [] == second.asked


async def test_a_provider_fixed_by_the_configuration_counts_as_chosen() -> None:
    second = fake("second", FOUND)

    with pytest.raises(ProviderAuthFailed):
        await searcher(fake("first", ProviderAuthFailed("first: no")), second, fixed="first").search(Q, Call())

    assert [] == second.asked


async def test_with_fallback_always_the_others_follow_a_chosen_one() -> None:
    kinds = (fake("first", ProviderAuthFailed("first: no")), fake("second", FOUND))

    found = await searcher(*kinds).search(Q, Call(), provider="first", fallback="always")

    assert "second" == found.provider


async def test_a_chosen_providers_own_failure_wins_over_that_of_its_second_door() -> None:
    kinds = (
        fake("first", ProviderBlocked("first: blocked"), then="second"),
        fake("second", ProviderUnavailable("second: down")),
    )

    with pytest.raises(ProviderBlocked) as raised:
        await searcher(*kinds).search(Q, Call(), provider="first")

    assert 2 == len(raised.value.details["attempts"])


async def test_the_second_door_of_a_chosen_provider_is_tried() -> None:
    kinds = (fake("first", ProviderBlocked("first: blocked"), then="second"), fake("second", FOUND, weak=True))

    found = await searcher(*kinds).search(Q, Call(), provider="first")

    assert [("first", "blocked"), ("second", "ok")] == outcomes(found.attempts)


async def test_an_unknown_provider_is_a_wrong_argument_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidArgument) as raised:
        await searcher(fake("first", FOUND)).search(Q, Call(), provider="firts")

    assert "first" in raised.value.message


async def test_a_chosen_provider_without_its_key_names_the_setting() -> None:
    kind = fake("first", FOUND, requires_api_key=True, env={"api_key": ("FIRST_API_KEY",)})

    with pytest.raises(ProviderNotConfigured) as raised:
        await searcher(kind).search(Q, Call(), provider="first")

    assert "FIRST_API_KEY" in raised.value.message
    assert "search.providers.first.api_key" in raised.value.message
    assert [] == kind.asked


async def test_a_chosen_provider_is_asked_in_spite_of_its_rest() -> None:
    kind = fake("first", ProviderBlocked("first: blocked"), FOUND)
    door = searcher(kind)
    with pytest.raises(ProviderBlocked):
        await door.search(Q, Call())

    found = await door.search(Q, Call(), provider="first")

    assert 2 == len(found.hits)


async def test_a_refusal_of_the_guard_passes_through() -> None:
    with pytest.raises(SsrfRejected):
        await searcher(fake("first", SsrfRejected("no", reason="ipv4-literal"))).search(Q, Call(), provider="first")


# Filters.

FRESH = replace(Q, freshness=Freshness(span="week"))


async def test_a_missing_filter_of_a_chosen_provider_is_an_error_that_names_who_can() -> None:
    kinds = (fake("first", FOUND), fake("second", FOUND, filters=frozenset({"freshness"})))

    with pytest.raises(FilterUnsupported) as raised:
        await searcher(*kinds).search(FRESH, Call(), provider="first")

    assert ["second"] == raised.value.details["providers"]
    assert "second" in raised.value.hint
    assert [] == kinds[0].asked


async def test_another_provider_is_taken_when_one_lacks_a_filter() -> None:
    kinds = (fake("first", FOUND), fake("second", FOUND, filters=frozenset({"freshness"})))

    found = await searcher(*kinds).search(FRESH, Call())

    assert "second" == found.provider
    assert ("first", "filter_unsupported") in outcomes(found.attempts)
    assert [] == kinds[0].asked


async def test_a_filter_that_nobody_configured_can_apply_is_an_error() -> None:
    kinds = (fake("first", FOUND), fake("second", FOUND, filters=frozenset({"freshness"}), requires_api_key=True))

    with pytest.raises(FilterUnsupported) as raised:
        await searcher(*kinds).search(FRESH, Call())

    assert ["second"] == raised.value.details["providers"]


async def test_domain_lists_are_applied_again_to_what_comes_back() -> None:
    answer = Answer(
        hits=hits(
            "https://github.com/astral-sh/uv",
            "https://github.com/astral-shell/x",
            "https://gist.github.com/astral-sh/y",
            "https://evil-github.com/astral-sh",
            "https://github.com/astral-sh/ruff/issues/1",
        )
    )
    kind = fake("first", answer, filters=frozenset({"domains"}))
    query = replace(Q, allowed_domains=("github.com/astral-sh",), blocked_domains=("github.com/astral-sh/ruff",))

    found = await searcher(kind).search(query, Call())

    assert ["https://github.com/astral-sh/uv", "https://gist.github.com/astral-sh/y"] == [hit.url for hit in found.hits]


async def test_results_that_the_lists_emptied_do_not_end_the_chain() -> None:
    known = {"filters": frozenset({"domains"})}
    kinds = (fake("first", FOUND, **known), fake("second", Answer(hits=hits("https://c.test/3")), **known))

    found = await searcher(*kinds).search(replace(Q, allowed_domains=("c.test",)), Call())

    assert "second" == found.provider


# Results.


async def test_repeats_are_dropped_and_the_count_is_kept() -> None:
    answer = Answer(
        hits=hits("https://a.test/1", "https://a.test/1#part", *(f"https://a.test/{n}" for n in range(2, 20)))
    )

    found = await searcher(fake("first", answer)).search(replace(Q, max_results=3), Call())

    assert ["https://a.test/1", "https://a.test/2", "https://a.test/3"] == [hit.url for hit in found.hits]


async def test_warnings_and_a_direct_answer_come_along() -> None:
    answer = Answer(hits=FOUND.hits, warnings=("the query was cut",), answer="42")

    found = await searcher(fake("first", answer)).search(Q, Call())

    assert ("the query was cut",) == found.warnings
    assert "42" == found.answer


async def test_fan_out_merges_by_page_and_ranks_what_several_found_first() -> None:
    kinds = (
        fake("first", Answer(hits=hits("https://a.test/", "https://both.test/"))),
        fake("second", Answer(hits=hits("https://b.test/", "https://both.test/#x"))),
        fake("third", FOUND),
    )

    found = await searcher(*kinds, fan_out=2).search(Q, Call())

    assert "https://both.test/" == found.hits[0].url
    assert 3 == len(found.hits)
    assert "first, second" == found.provider
    assert [] == kinds[2].asked


async def test_fan_out_survives_the_failure_of_one() -> None:
    kinds = (fake("first", ProviderUnavailable("first: down")), fake("second", FOUND))

    found = await searcher(*kinds, fan_out=2).search(Q, Call())

    assert [("first", "upstream"), ("second", "ok")] == outcomes(found.attempts)


# Health.


async def test_a_blocked_provider_rests_and_then_comes_back() -> None:
    clock = Clock()
    first, second = fake("first", ProviderBlocked("first: blocked"), FOUND), fake("second", FOUND)
    door = searcher(first, second, health=Health(clock=clock))
    await door.search(Q, Call())

    resting = await door.search(Q, Call())
    clock.at += 3_600
    awake = await door.search(replace(Q, text="other"), Call())

    assert [("first", "resting"), ("second", "ok")] == outcomes(resting.attempts)
    assert "first" == awake.provider


async def test_a_wait_that_the_vendor_names_is_honoured() -> None:
    clock = Clock()
    first = fake("first", ProviderRateLimited("first: slow", retry_after_s=40.0), FOUND)
    door = searcher(first, health=Health(clock=clock))
    with pytest.raises(ProviderRateLimited):
        await door.search(Q, Call())

    clock.at += 39
    with pytest.raises(ProviderUnavailable) as raised:
        await door.search(Q, Call())
    clock.at += 2
    found = await door.search(Q, Call())

    assert 1.0 == raised.value.retry_after_s
    assert "first" == found.provider


async def test_when_all_rest_after_passing_faults_they_are_asked_again() -> None:
    door = searcher(fake("first", ProviderUnavailable("first: down"), FOUND))
    with pytest.raises(ProviderUnavailable):
        await door.search(Q, Call())

    found = await door.search(Q, Call())

    assert "first" == found.provider


async def test_weak_emptiness_beside_a_resting_provider_is_a_failure_and_no_answer() -> None:
    kinds = (fake("first", ProviderBlocked("first: blocked")), fake("second", NOTHING, weak=True))
    door = searcher(*kinds)
    with pytest.raises(ProviderBlocked):
        await door.search(Q, Call())

    with pytest.raises(ProviderUnavailable) as raised:
        await door.search(Q, Call())

    assert 1 == len(kinds[0].asked)
    assert raised.value.retry_after_s is not None


async def test_beside_weak_ones_a_provider_that_rests_after_a_passing_fault_is_asked_again() -> None:
    kinds = (fake("first", ProviderUnavailable("first: down"), FOUND), fake("second", NOTHING, weak=True))
    door = searcher(*kinds)
    with pytest.raises(ProviderUnavailable):
        await door.search(Q, Call())

    found = await door.search(Q, Call())

    assert "first" == found.provider


# Who is asked.


async def test_without_a_key_a_provider_is_passed_over_in_silence() -> None:
    kinds = (fake("first", FOUND, requires_api_key=True), fake("second", FOUND))

    found = await searcher(*kinds).search(Q, Call())

    assert [("second", "ok")] == outcomes(found.attempts)


async def test_with_a_key_it_is_asked() -> None:
    kind = fake("first", FOUND, requires_api_key=True)

    found = await searcher(kind, settings={"first": ProviderSettings(api_key="k")}).search(Q, Call())

    assert "first" == found.provider


async def test_a_disabled_provider_is_never_asked() -> None:
    kinds = (fake("first", FOUND), fake("second", FOUND))
    door = searcher(*kinds, disabled=("first",))

    found = await door.search(Q, Call())
    with pytest.raises(ProviderNotConfigured):
        await door.search(Q, Call(), provider="first")

    assert "second" == found.provider
    assert [] == kinds[0].asked


async def test_nobody_configured_is_an_error_of_its_own() -> None:
    with pytest.raises(ProviderNotConfigured):
        await searcher(fake("first", FOUND, requires_api_key=True)).search(Q, Call())


def test_the_order_out_of_the_box_is_own_server_keys_then_keyless() -> None:
    door = Searcher(
        nobody(),
        settings={
            "searxng": ProviderSettings(base_url="http://searx.test"),
            "brave": ProviderSettings(api_key="k"),
        },
    )

    asked = [one.id for one in door.plan() if one.refusal is None]

    assert ["searxng", "brave", "duckduckgo", "keenable", "duckduckgo_instant", "wikipedia", "local"] == asked


async def test_a_retired_provider_without_a_key_is_gone_and_names_its_successor() -> None:
    kind = fake("first", FOUND, requires_api_key=True, state="retired", successor="second")

    with pytest.raises(ProviderGone) as raised:
        await searcher(kind).search(Q, Call(), provider="first")

    assert "second" in raised.value.hint


async def test_a_provider_that_lacks_a_package_is_passed_over_unless_it_is_named() -> None:
    class Lacking(Catalogue):
        def kind(self, name: str) -> Any:
            if name == "first":
                raise NotInstalled("first needs the package sextant, which is not installed")
            return super().kind(name)

    listed = Lacking(catalogue(fake("first"), fake("second", FOUND))._registry)  # noqa: SLF001  # a catalogue like it
    door = Searcher(nobody(), catalogue=listed, order=("first", "second"))

    found = await door.search(Q, Call())
    with pytest.raises(NotInstalled):
        await door.search(Q, Call(), provider="first")

    assert "second" == found.provider
    assert ["second"] == [info.id for info in listed.entries()]
    assert ["not_configured", None] == [one.refusal for one in door.plan()]


async def test_a_provider_with_a_proxy_goes_through_it_or_not_at_all() -> None:
    doors: list[Any] = []

    class Remembers(Fake):
        info = fake("first").info

        async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
            doors.append(exchange)
            return FOUND

    tunnel = nobody()
    settings = {"first": ProviderSettings(proxy_url="http://proxy.test:3128")}
    await searcher(Remembers, settings=settings, proxied={"http://proxy.test:3128": tunnel}.__getitem__).search(
        Q, Call()
    )
    with pytest.raises(ProviderMisconfigured):
        await searcher(Remembers, settings=settings).search(Q, Call())

    assert [tunnel] == doors


@pytest.mark.parametrize(
    ("known", "query", "lacking"),
    [
        ({}, replace(Q, language="en", safe="strict"), ("language", "safe")),
        ({}, replace(Q, country="ALL"), ()),
        (
            {"filters": frozenset({"country"}), "countries": frozenset({"DE"})},
            replace(Q, country="FR"),
            ("country FR",),
        ),
        ({"filters": frozenset({"country"}), "countries": frozenset({"DE"})}, replace(Q, country="DE"), ()),
        (
            {"filters": frozenset({"freshness"}), "spans": frozenset({"week"})},
            replace(Q, freshness=Freshness(span="day")),
            ("freshness day",),
        ),
        (
            {"filters": frozenset({"freshness"}), "date_ranges": False},
            replace(Q, freshness=Freshness(start="2025-01-01", end="2025-01-02")),
            ("freshness as a range of days",),
        ),
        (
            {"filters": frozenset({"domains"}), "max_domains": 1},
            replace(Q, allowed_domains=("a.test", "b.test")),
            ("more than 1 allowed domains",),
        ),
    ],
)
def test_what_a_provider_cannot_honour_is_said_exactly(known: Any, query: Query, lacking: tuple[str, ...]) -> None:
    assert lacking == fake("first", **known).info.unsupported(query)


# Time and progress.


class Stuck(Fake):
    """A provider whose search never ends."""

    info = fake("stuck").info
    cancelled: ClassVar[list[bool]] = []

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(True)
            raise
        raise AssertionError


async def test_a_provider_that_hangs_leaves_time_for_the_next() -> None:
    found = await searcher(Stuck, fake("second", FOUND)).search(Q, Call().within(0.2))

    assert [("stuck", "timeout"), ("second", "ok")] == outcomes(found.attempts)
    assert Stuck.cancelled


async def test_progress_tells_who_is_asked_and_how_it_went() -> None:
    watcher = Watcher()

    await searcher(fake("first", ProviderBlocked("first: no")), fake("second", FOUND)).search(Q, watcher.call())

    seen = [(step.data["provider"], step.data["state"]) for step in watcher.seen]
    assert [("first", "asking"), ("first", "blocked"), ("second", "asking"), ("second", "ok")] == seen
    assert {"search"} == {step.stage for step in watcher.seen}


# Kept answers.


async def test_the_same_question_is_answered_from_what_is_kept_unless_the_terms_forbid_it() -> None:
    kept, forbidden = fake("kept", FOUND), fake("forbidden", FOUND, terms=Terms(cache_s=0))
    for kind in (kept, forbidden):
        door = searcher(kind)
        await door.search(Q, Call())
        await door.search(Q, Call())

    assert 1 == len(kept.asked)
    assert 2 == len(forbidden.asked)


async def test_a_provider_named_in_the_call_is_asked_afresh() -> None:
    kind = fake("first", FOUND)
    door = searcher(kind)

    await door.search(Q, Call(), provider="first")
    await door.search(Q, Call(), provider="first")

    assert 2 == len(kind.asked)


async def test_trying_other_settings_leaves_the_tenants_own_alone() -> None:
    kind = fake("first", ProviderAuthFailed("first: no"), requires_api_key=True)
    door = searcher(kind, settings={"first": ProviderSettings(api_key="good")})

    with pytest.raises(WebError):
        await door.with_settings("first", ProviderSettings(api_key="bad")).search(Q, Call(), provider="first")

    assert door.health.rest("first") is None
