"""What is kept of a page comes with what belongs to it, and once."""

from __future__ import annotations

from outrider.content import completion, dom, pagetype, segments
from outrider.content.hints import Labels
from outrider.content.segments import Segments

SHOP = bytes(250 if name == "product" else 0 for name in pagetype.TYPES)
MANUAL = bytes(250 if name == "documentation" else 0 for name in pagetype.TYPES)
TWICE = "<p>They mended it twice and asked nothing</p><p>Yes</p>" * 2


def pieces_of(html: str) -> Segments:
    return segments.segment(dom.parse(html), Labels({}, {}))


def test_copies_of_a_card_are_kept_once() -> None:
    pieces = pieces_of(TWICE)

    assert completion.without_copies([True] * 4, pieces, SHOP) == [True, True, False, True]


def test_the_first_copy_that_is_kept_stays() -> None:
    pieces = pieces_of(TWICE)

    assert completion.without_copies([False, True, True, True], pieces, SHOP) == [False, True, True, True]


def test_a_manual_may_repeat_itself() -> None:
    pieces = pieces_of(TWICE)

    assert completion.without_copies([True] * 4, pieces, MANUAL) == [True] * 4
    assert completion.without_copies([True] * 4, pieces, bytes(7)) == [True] * 4


def test_code_behind_kept_text_is_kept() -> None:
    pieces = pieces_of("<pre>menu</pre><p>Write this:</p><pre>one</pre><pre>two</pre><div><pre>end</pre></div>")

    assert completion.complete([False, True, False, False, False], pieces) == [False, True, True, True, False]


def test_a_quotation_behind_kept_text_is_kept() -> None:
    pieces = pieces_of("<p>She said:</p><blockquote><p>Fair</p><p>winds.</p></blockquote><p>Log in</p>")

    assert completion.complete([True, False, False, False], pieces) == [True, True, True, False]


SPECS = "<table><tr><th>Wheel</th><td>45 cm</td></tr><tr><th>Weight</th><td>5.4 kg</td></tr></table>"


def test_a_value_keeps_its_name() -> None:
    pieces = pieces_of(SPECS + f"<table><tr><td>{'word ' * 300}</td></tr><tr><td>Weight</td><td>5 kg</td></tr></table>")

    assert completion.complete([False] * 6 + [True], pieces) == [False] * 5 + [True, True]


def test_a_small_table_is_kept_whole_or_not_at_all() -> None:
    pieces = pieces_of(f"{SPECS}<p>{'word ' * 9}</p>")

    assert completion.complete([True, True, False, False, False], pieces) == [True, True, True, True, False]
    assert completion.complete([False] * 5, pieces) == [False] * 5


def test_a_page_that_is_nearly_all_content_is_kept_to_its_end() -> None:
    pieces = pieces_of("<p>word</p><hr>" * 400 + "END")

    assert all(completion.complete([True] * 400 + [False], pieces))
