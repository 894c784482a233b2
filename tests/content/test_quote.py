"""Is a citation true? Passages that stand exactly, nearly or not in a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.content.quote import MAX_QUOTE_CHARS, verify
from outrider.errors import InvalidArgument

PAGE = """\
# The harbour

The **harbour** was built in 1874, and — as the [council](https://example.com/a_(b) "Council") wrote —
“it won’t be finished … before winter”.

> Ships of more than `300 tons` may not enter
> without a pilot.

| Year | Ships |
| ---- | ----- |
| 1874 | 12    |

港口建于一八七四年，是沿海最重要的港口之一。船只必须由引航员引导。
"""


@pytest.mark.parametrize(
    "quote",
    [
        "The harbour was built in 1874",
        "The **harbour** was built in 1874",
        'and - as the council wrote - "it won\'t be finished ... before winter"',
        "it won't be finished … before winter",
        "Ships of more than 300 tons may not enter without a pilot.",
        "built   in\n1874",
        "港口建于一八七四年，是沿海最重要的港口之一。",
        "The harbour",
        "tons",
        "[council](https://other.example/) wrote",
    ],
)
def test_typography_white_space_and_markup_do_not_count(quote: str) -> None:
    verdict = verify(PAGE, quote)
    assert "exact" == verdict.verdict
    assert verdict.start is not None
    assert verdict.text == PAGE[verdict.start : verdict.end]


@pytest.mark.parametrize(
    ("quote", "differences"),
    [
        ("Ships of more than 500 tons may not enter without a pilot.", [("500", "300")]),
        ("Ships of more than 300 tons may enter without a pilot", [("", "not")]),
        ("ships of more than 300 tons may not ever enter without a pilot", [("ever", "")]),
        ("the harbour was built in 1875, and as the council wrote", [("1875", "1874")]),
    ],
)
def test_a_passage_that_differs_in_a_word_is_close_and_says_where(
    quote: str, differences: list[tuple[str, str]]
) -> None:
    verdict = verify(PAGE, quote)
    assert "close" == verdict.verdict
    shown = [(difference.quoted, difference.found) for difference in verdict.differences]
    assert set(differences) <= set(shown)
    assert verdict.start is not None
    assert verdict.text == PAGE[verdict.start : verdict.end]


def test_a_passage_in_a_script_without_spaces_can_be_close() -> None:
    verdict = verify(PAGE, "港口建于一九七四年，是沿海最重要的港口之一")
    assert "close" == verdict.verdict
    assert [("九", "八")] == [(one.quoted, one.found) for one in verdict.differences]


def test_an_underscore_may_be_markup_or_part_of_a_name() -> None:
    assert "exact" == verify("call snake_case() now", "snake_case()").verdict
    assert "exact" == verify("this is _very_ good", "very good").verdict


def test_case_counts() -> None:
    assert "close" == verify(PAGE, "THE HARBOUR WAS BUILT IN 1874").verdict


@pytest.mark.parametrize(
    "quote",
    [
        "The lighthouse keeper sold his boat to a merchant from Bergen.",
        "Ships carry coal and timber to every market of the northern sea",
        "灯塔看守人把船卖给了商人",
        "harbour pilot winter council ships tons built wrote enter",
        "snake case",
    ],
)
def test_what_the_page_does_not_say_is_absent(quote: str) -> None:
    assert "absent" == verify(PAGE, quote).verdict


def test_a_word_that_also_stands_before_does_not_stretch_the_passage() -> None:
    verdict = verify(
        "Welcome to the guide of the harbour, which was built in 1874.", "the harbour, which was built in 1875"
    )
    assert ("close", "the harbour, which was built in 1874") == (verdict.verdict, verdict.text)


def test_words_far_apart_are_no_passage() -> None:
    text = "Alpha beta gamma. " + "Nothing here. " * 200 + "Delta epsilon zeta."
    assert "absent" == verify(text, "Alpha beta gamma delta epsilon zeta").verdict


@pytest.mark.parametrize("quote", ["", "   ", "…", "x" * (MAX_QUOTE_CHARS + 1)])
def test_a_passage_without_words_or_too_long_is_refused(quote: str) -> None:
    with pytest.raises(InvalidArgument):
        verify(PAGE, quote)


@pytest.mark.parametrize("space", ["\x1c", "\x1f\r", "\x85", "\u2028", "\u00a0\x1d", "\x0b"])
def test_every_kind_of_white_space_is_white_space(space: str) -> None:
    assert "exact" == verify(f"hello{space}world there", f"hello{space}world").verdict
    assert "exact" == verify(f"hello{space}world there", "hello world").verdict


@given(st.text(min_size=1, max_size=300), st.data())
def test_whatever_was_cut_from_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    try:
        verdict = verify(text, quote)
    except InvalidArgument:
        return
    assert verdict.verdict in {"exact", "close"}


@given(st.text(max_size=400), st.text(min_size=1, max_size=60))
def test_a_verdict_always_names_a_true_place(text: str, quote: str) -> None:
    try:
        verdict = verify(text, quote)
    except InvalidArgument:
        return
    if verdict.start is not None:
        assert verdict.text == text[verdict.start : verdict.end]
    assert 0 <= verdict.score <= 1


@pytest.mark.parametrize(
    "text",
    [
        "a b " * 500_000,
        "[" * 1_000_000,
        "](" * 500_000,
        "*" * 1_000_000,
        " " * 1_000_000,
        "word\n" * 400_000,
        "港" * 800_000,
    ],
    ids=["words", "brackets", "targets", "stars", "spaces", "lines", "ideographs"],
)
@pytest.mark.parametrize("quote", ["a b a b x a b" * 100, "word of the day " * 40, "港口" * 300, "[a](b) *c* a"])
def test_hostile_texts_cost_linear_time(text: str, quote: str) -> None:
    # The runner's own limit is what fails here when time grows faster than the text.
    verify(text, quote)
