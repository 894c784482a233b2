from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.errors import InvalidArgument
from outrider.search.query import make_query
from outrider.types import Freshness


def field_of(**arguments: Any) -> str:
    with pytest.raises(InvalidArgument) as raised:
        make_query(arguments.pop("text", "rust"), **arguments)
    assert raised.value.details["field"] in raised.value.message
    return str(raised.value.details["field"])


@pytest.mark.parametrize("text", ["", "  \n\t", None, 5, ["a"], "x" * 2_001])
def test_a_query_is_a_text_of_1_to_2000_characters(text: Any) -> None:
    assert "query" == field_of(text=text)


def test_a_query_of_2000_characters_is_accepted() -> None:
    assert 2_000 == len(make_query("x" * 2_000)[0].text)


def test_broken_pairs_in_a_query_do_not_travel() -> None:
    assert "a?b" == make_query("a\ud800b")[0].text


@pytest.mark.parametrize("count", [0, -1, 21, 1.5, "5", True])
def test_a_count_outside_1_to_20_is_refused(count: Any) -> None:
    assert "max_results" == field_of(max_results=count)


def test_a_count_above_the_ceiling_is_lowered_with_a_warning() -> None:
    query, warnings = make_query("rust", max_results=15, ceiling=10)

    assert 10 == query.max_results
    assert 1 == len(warnings)


def test_no_count_means_the_default_and_never_more_than_the_ceiling() -> None:
    assert 5 == make_query("rust")[0].max_results
    assert 3 == make_query("rust", default_results=8, ceiling=3)[0].max_results


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.com.", "example.com"),
        ("https://example.com/", "example.com"),
        ("*.example.com", "example.com"),
        ("github.com/astral-sh", "github.com/astral-sh"),
        ("github.com/astral-sh/", "github.com/astral-sh"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("example.com/ü", "example.com/%C3%BC"),
    ],
)
def test_domains_are_kept_in_one_form(given_: str, kept: str) -> None:
    assert (kept,) == make_query("rust", allowed_domains=[given_, given_])[0].allowed_domains


@pytest.mark.parametrize(
    "entry", ["", " ", "a b", "http://", "user@example.com", "example.com:80", "a.com/?q", 5, "a..b"]
)
def test_what_is_no_host_is_refused(entry: Any) -> None:
    assert "blocked_domains" == field_of(blocked_domains=[entry])


@pytest.mark.parametrize("lists", ["example.com", b"x", 5, {"a": 1}, ["a.com"] * 101])
def test_domains_are_a_list_of_at_most_100(lists: Any) -> None:
    assert "allowed_domains" == field_of(allowed_domains=lists)


@pytest.mark.parametrize(("given_", "kept"), [("de", "DE"), ("ALL", "ALL"), ("all", "ALL"), ("uk", "GB"), (None, "")])
def test_countries_are_two_letters_or_all(given_: Any, kept: str) -> None:
    assert kept == make_query("rust", country=given_)[0].country


@pytest.mark.parametrize("country", ["deu", "d", "d1", 5, "ДЕ"])
def test_other_countries_are_refused(country: Any) -> None:
    assert "country" == field_of(country=country)


@pytest.mark.parametrize(
    ("word", "span"), [("pd", "day"), ("pw", "week"), ("pm", "month"), ("py", "year"), ("day", "day"), ("YEAR", "year")]
)
def test_freshness_words(word: str, span: Any) -> None:
    assert Freshness(span=span) == make_query("rust", freshness=word)[0].freshness


def test_freshness_ranges() -> None:
    assert (
        Freshness(start="2025-01-01", end="2025-01-01")
        == make_query("x", freshness="2025-01-01to2025-01-01")[0].freshness
    )


@pytest.mark.parametrize(
    "freshness",
    ["p", "hour", "2025-01-01", "2025-01-01 to 2025-02-01", "2025-02-30to2025-03-01", "2025-02-01to2025-01-01", 5,
     "2025-01-01to", "to2025-01-01"],
)  # fmt: skip
def test_other_freshness_is_refused(freshness: Any) -> None:
    assert "freshness" == field_of(freshness=freshness)


def test_language_and_safe_search_are_checked() -> None:
    query = make_query("rust", language="pt-br", safe="Strict")[0]

    assert ("pt-BR", "strict") == (query.language, query.safe)
    assert "language" == field_of(language="english please")
    assert "safe" == field_of(safe="on")


anything: Any = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text()), st.binary()
)


@given(
    text=anything, count=anything, allowed=anything, blocked=anything, country=anything, fresh=anything,
    language=anything, safe=anything,
)  # fmt: skip
def test_any_arguments_make_a_query_or_name_the_wrong_one(  # noqa: PLR0917  # hypothesis passes by name
    text: Any, count: Any, allowed: Any, blocked: Any, country: Any, fresh: Any, language: Any, safe: Any
) -> None:
    fields: list[str] = []
    try:
        make_query(
            text,
            max_results=count,
            allowed_domains=allowed,
            blocked_domains=blocked,
            country=country,
            freshness=fresh,
            language=language,
            safe=safe,
        )
    except InvalidArgument as error:
        fields.append(error.details["field"])

    assert all(fields)
