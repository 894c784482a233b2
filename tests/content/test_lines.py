"""Windows by lines: nothing lost, nothing over a limit, places told in lines and offsets alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.content.lines import MAX_BYTES, MAX_LINES, LineLimits, Lines, LineWindow
from outrider.errors import InvalidArgument

texts = st.lists(
    st.text(alphabet=st.sampled_from("ab \r\t世é\u0301👨\u200d👩🏽\u2028"), max_size=20) | st.just("x" * 60),
    max_size=30,
).map("\n".join) | st.text(max_size=200)
limits = st.builds(LineLimits, lines=st.integers(1, 10), bytes=st.integers(1, 60), chars=st.integers(1, 40))


def read_on(text: str, bounds: LineLimits) -> list[LineWindow]:
    lines = Lines(text)
    windows = [lines.cut(line=1, limits=bounds)]
    while (line := windows[-1].next_offset) is not None:
        windows.append(lines.cut(line=line, line_offset=windows[-1].next_line_offset, limits=bounds))
    return windows


@given(texts, limits)
def test_windows_joined_are_the_text(text: str, bounds: LineLimits) -> None:
    windows = read_on(text, bounds)
    assert text == "".join(window.text for window in windows)
    assert all(window.text for window in windows) or [""] == [window.text for window in windows]


@given(texts, limits)
def test_no_window_is_over_a_limit(text: str, bounds: LineLimits) -> None:
    for window in read_on(text, bounds):
        assert len(window.text) <= bounds.chars
        # A single character may be more bytes than a limit below four.
        assert len(window.text.encode("utf-8", "replace")) <= max(bounds.bytes, 4)
        assert window.text.count("\n") <= bounds.lines


@given(texts, st.integers(0, 400))
def test_the_line_of_an_offset_is_where_counting_puts_it(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    lines = Lines(text)
    assert text.count("\n", 0, offset) + 1 == lines.line_of(offset)
    if offset < len(text):
        assert lines.start_of(lines.line_of(offset)) == text.rfind("\n", 0, offset) + 1


def test_a_long_text_is_counted_across_stretches() -> None:
    text = "".join(f"line {number}\n" * (number % 3) + "\n" for number in range(20_000))
    lines = Lines(text)
    assert text.count("\n") == lines.total
    for line in (1, 2, 777, 19_999, lines.total):
        assert line == lines.line_of(lines.start_of(line))


def test_the_defaults_are_the_specifications() -> None:
    window = Lines("x\n" * 5_000).cut(line=1)
    assert (1, MAX_LINES, MAX_LINES + 1, 0, 5_000) == (
        window.line,
        window.last_line,
        window.next_offset,
        window.next_line_offset,
        window.total_lines,
    )
    window = Lines("世" * 100_000).cut(line=1, limits=LineLimits(chars=1_000_000))
    assert MAX_BYTES - 3 < len(window.text.encode()) <= MAX_BYTES
    assert (1, len(window.text)) == (window.next_offset, window.next_line_offset)


def test_a_long_line_is_continued_inside() -> None:
    lines = Lines("short\n" + "y" * 100 + "\nend")
    bounds = LineLimits(chars=40)
    first = lines.cut(line=1, limits=bounds)
    second = lines.cut(line=2, limits=bounds)
    third = lines.cut(line=2, line_offset=second.next_line_offset, limits=bounds)
    assert "short\n" == first.text
    assert (2, 40) == (second.next_offset, second.next_line_offset)
    assert (2, 80) == (third.next_offset, third.next_line_offset)


def test_reading_can_end_before_the_text_does() -> None:
    lines = Lines("a\nb\nc\nd\n")
    window = lines.cut(line=2, end=6)
    assert ("b\nc\n", None, 3) == (window.text, window.next_offset, window.last_line)


def test_the_last_line_needs_no_line_feed() -> None:
    assert [2, 2, 1, 1, 0] == [Lines(text).total for text in ("a\nb", "a\nb\n", "\n", "a", "")]


def test_an_empty_text_is_one_empty_window() -> None:
    window = Lines("").cut(line=1)
    assert ("", None, 0) == (window.text, window.next_offset, window.total_lines)


@pytest.mark.parametrize(
    ("line", "line_offset"), [(0, 0), (-1, 0), (4, 0), (99, 0), (1, -1), (1, 2), (2, 2), (3, 9), (3, 1)]
)
def test_a_place_that_is_not_there_is_refused_by_name(line: int, line_offset: int) -> None:
    with pytest.raises(InvalidArgument) as failure:
        Lines("a\nb\nc").cut(line=line, line_offset=line_offset)
    assert ("line_offset" if 1 <= line <= 3 else "offset") == failure.value.details["field"]


def test_a_text_of_nothing_but_line_feeds_needs_little_memory() -> None:
    lines = Lines("\n" * 1_000_000)
    assert 1_000_000 == lines.total
    assert 999_999 == lines.cut(line=999_999).line
