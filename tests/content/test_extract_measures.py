"""Columns of small whole numbers are what the numbers give one by one."""

from __future__ import annotations

from math import log2

from hypothesis import given
from hypothesis import strategies as st

from outrider.content.measures import has_price, log_bin, log_column, ratio_column, share_bin, share_column, text_words


@given(st.lists(st.integers(0, 200_000), max_size=9))
def test_a_column_of_counts_has_four_steps_for_each_doubling(numbers: list[int]) -> None:
    expected = [min(63, int(4 * log2(1 + number))) for number in numbers]

    assert list(log_column(numbers)) == expected
    assert [log_bin(number) for number in numbers] == expected


@given(st.lists(st.floats(0, 40), max_size=9))
def test_a_column_of_shares_is_what_each_share_gives(shares: list[float]) -> None:
    assert list(share_column(shares)) == [share_bin(share) for share in shares]
    assert list(share_column(shares, 15)) == [share_bin(share, 15) for share in shares]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 99)), max_size=9))
def test_a_column_of_ratios_is_what_each_share_gives(pairs: list[tuple[int, int]]) -> None:
    parts, wholes = [part for part, _ in pairs], [whole for _, whole in pairs]

    assert list(ratio_column(parts, wholes)) == [share_bin(part / whole) for part, whole in pairs]


def test_an_amount_of_money_stands_before_or_after_its_sign() -> None:
    assert has_price("only $ 5")
    assert has_price("12,50 €")
    assert has_price("9.99 EUR each")
    assert not has_price("version 2.0")
    assert not has_price("5 apples")


def test_words_are_found_in_every_script_alike() -> None:
    assert text_words("The 3rd WORD, a b2b one") == ["the", "rd", "word", "one"]
    assert text_words("The 3rd MÖTÖR, a b2b one") == ["the", "rd", "mötör", "one"]
