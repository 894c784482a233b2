from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from outrider.search.fusion import fuse
from search.doubles import hits


def test_one_ranking_keeps_its_order_without_repeats() -> None:
    ranking = hits("https://a.test/", "https://b.test/", "https://a.test/#x", "https://c.test/")

    assert ["https://a.test/", "https://b.test/", "https://c.test/"] == [hit.url for hit in fuse([ranking])]


def test_a_page_that_both_rank_second_beats_two_firsts() -> None:
    merged = fuse([hits("https://a.test/", "https://both.test/"), hits("https://b.test/", "https://both.test/")])

    assert ["https://both.test/", "https://a.test/", "https://b.test/"] == [hit.url for hit in merged]


def test_the_hit_that_says_more_is_kept() -> None:
    [bare] = hits("https://a.test/")
    full = replace(bare, published="2026-01-01")

    assert (full,) == fuse([[replace(bare, snippet="")], [full]])


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=4))
def test_every_page_comes_exactly_once(rankings: list[list[int]]) -> None:
    merged = fuse([hits(*(f"https://a.test/{page}" for page in ranking)) for ranking in rankings])

    pages = [hit.url for hit in merged]
    assert len(set(pages)) == len(pages)
    assert {f"https://a.test/{page}" for ranking in rankings for page in ranking} == set(pages)
