from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.search.text import body_text, clip, fold, plain


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("Use <strong>std::vector</strong>&lt;int&gt; &amp; more", "Use std::vector<int> & more"),
        ("std::vector<T> & friends", "std::vector<T> & friends"),
        ('<span class="searchmatch">Tea</span>&nbsp;and<br/>milk', "Tea and milk"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("?a=1&copy=2", "?a=1&copy=2"),
        ("a\u00a0\u3000b\r\n\tc", "a b c"),
        ("AT&T", "AT&T"),
        ("<jats:p>We measure.</jats:p>", "We measure."),
        ('read <a href="https://x.example/">this</a>', "read this"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("&#x27;safe&#39;&hellip;", "'safe'…"),
        ("&#xD800;&#0;x", "\ufffd\ufffdx"),
        ("a\x00b\x1bc\ud800d", "abcd"),
        ("hidden\U000e0041\U000e0042 text", "hidden text"),
    ],
)
def test_markup_goes_and_text_stays(raw: str, read: str) -> None:
    assert read == plain(raw)


@given(st.text())
def test_plain_text_is_one_line_that_can_be_encoded(raw: str) -> None:
    read = plain(raw)

    read.encode("utf-8")
    assert fold(read) == read


def test_a_clip_ends_at_a_word_and_says_so() -> None:
    assert "short" == clip("short", 10)
    assert "some words…" == clip("some words and more", 14)
    assert 10 == len(clip("x" * 50, 10))


def test_longer_text_keeps_its_lines() -> None:
    assert "# A\n\nb" == body_text("  # A\n\nb\x00\n")


def test_a_million_brackets_take_linear_time() -> None:
    assert plain("<" * 300_000 + "<b " * 100_000).startswith("<")
