"""Characters that nobody sees go from a text, however long it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outrider.content.unseen import without

MIXED = st.text(
    alphabet="ab 本é®ا😀\u200b\u200c\u200d\u200e\u00ad\u2060\ufe0f\u20e3\U000e0041\U000e0100\x7f", max_size=12
)
PLAIN = "plain words " * 40


@given(MIXED)
def test_what_goes_from_a_text_goes_from_it_within_a_long_one(text: str) -> None:
    # Letters at both ends: what goes depends on the characters beside it.
    short = f"x{text}x"
    kept, removed = without(short)

    assert without(PLAIN + short + PLAIN) == (PLAIN + kept + PLAIN, removed)


def test_a_joiner_goes_between_latin_letters_and_stays_between_others() -> None:
    assert without("wo\u200drd") == ("word", 1)
    assert without("نمی\u200cخواهم") == ("نمی\u200cخواهم", 0)


def test_a_hidden_sentence_of_tags_goes_whole() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")

    assert without(PLAIN + hidden + PLAIN) == (PLAIN + PLAIN, 4)
