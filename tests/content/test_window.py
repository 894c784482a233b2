"""Windows over a text: joined they are the text, and each ends where a reader would stop."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from outrider.content.window import Windows, fair_shares, window
from outrider.errors import InvalidArgument

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
ACCENTED = "e\u0301\u0323"
FLAG = "\U0001f1e9\U0001f1ea"
PIECES = [
    "x", " ", ". ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", FAMILY, ACCENTED, FLAG, "\u0600", "中文字", "。", "각",
    "\u1112\u1161\u11ab", "क्षि", "```\n", "```py\n", "~~~~\n", "> ```\n", "> ", "| a | b |\n", "|---|---|\n",
    "---", "\t", "\ufe0f", "\u200d",
]  # fmt: skip

texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=60).map("".join)
limits = st.one_of(st.integers(1, 12), st.integers(13, 200))


def read_all(text: str, limit: int) -> list[str]:
    windows = Windows(text)
    parts = []
    offset: int | None = 0
    while offset is not None:
        part = windows.cut(offset=offset, limit=limit)
        assert offset == part.offset
        assert len(text) == part.content_length
        parts.append(part.text)
        offset = part.next_offset
    return parts


@given(texts, limits)
@example("x" * 5_000, 7)
@example("\u0301" * 50, 3)
@example("\r\n" * 20, 1)
@example("", 1)
def test_windows_joined_give_back_the_text(text: str, limit: int) -> None:
    parts = read_all(text, limit)

    assert text == "".join(parts)
    assert all(1 <= len(part) <= limit for part in parts) or text == ""


@given(texts, limits)
def test_a_window_never_ends_inside_a_grapheme_that_fits_the_limit(text: str, limit: int) -> None:
    ends = {0} | {cluster.end() for cluster in regex.finditer(r"\X", text)}
    longest = max((len(cluster) for cluster in regex.findall(r"\X", text)), default=0)

    end = 0
    for part in read_all(text, limit):
        end += len(part)
        assert end in ends or longest > limit


@given(texts, limits)
def test_a_window_is_three_quarters_full_unless_a_grapheme_is_in_the_way(text: str, limit: int) -> None:
    longest = max((len(cluster) for cluster in regex.findall(r"\X", text)), default=0)

    for part in read_all(text, limit)[:-1]:
        assert len(part) > limit * 3 // 4 - longest


@given(texts, st.data())
def test_any_offset_of_the_text_can_be_read_from(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, max(0, len(text) - 1)))
    limit = data.draw(limits)

    part = window(text, offset=offset, limit=limit)

    assert text[offset : offset + len(part.text)] == part.text
    assert part.next_offset in (None, offset + len(part.text))
    assert len(part.text) <= limit


def test_a_window_ends_at_a_blank_line_near_the_limit() -> None:
    text = "One.\n" * 18 + "\n" + "Two. And three.\n" * 10

    assert window(text, offset=0, limit=110).text == "One.\n" * 18 + "\n"


def test_a_window_ends_at_a_line_when_no_blank_line_is_near() -> None:
    text = "\n".join(f"Line {number} of the list" for number in range(20))

    assert window(text, offset=0, limit=100).text.endswith("list\n")


def test_a_window_of_one_long_line_ends_after_a_sentence() -> None:
    text = "This is the first of many sentences. " * 20

    assert window(text, offset=0, limit=90).text == "This is the first of many sentences. " * 2


def test_a_window_of_one_long_sentence_ends_after_a_word() -> None:
    assert window("word " * 100, offset=0, limit=23).text == "word word word word "


def test_a_window_of_ideographs_ends_after_a_sentence() -> None:
    assert window("今日は晴れです。" * 20, offset=0, limit=30).text == "今日は晴れです。" * 3


def test_a_window_ends_before_a_code_block_that_would_be_cut() -> None:
    text = "Text.\n" * 15 + "```python\n" + "call()\n" * 40 + "```\n"

    part = window(text, offset=0, limit=110)

    assert part.text == "Text.\n" * 15
    assert part.cut_inside == ""


def test_a_window_ends_after_a_code_block_that_just_fits() -> None:
    code = "```\n" + "call()\n" * 12 + "```\n"

    assert window(code + "text " * 100, offset=0, limit=100).text == code


@pytest.mark.parametrize("fence", ["```", "~~~", "  ````", "> ```", "- ```"])
def test_a_cut_inside_a_code_block_says_so(fence: str) -> None:
    quote = "> " if fence.startswith(">") else ""
    code = f"{fence}python\n" + f"{quote}call()\n" * 40 + f"{quote}{fence.lstrip('> -')}\n"

    parts = [window(code + "\nAfter.\n" * 40, offset=offset, limit=100) for offset in (0, 500)]

    assert ["code", ""] == [part.cut_inside for part in parts]
    assert parts[0].text.endswith("call()\n")


def test_a_code_block_left_open_reaches_to_the_end() -> None:
    assert window("```\n" + "call()\n" * 40, offset=100, limit=50).cut_inside == "code"


def test_a_code_block_left_open_in_a_quotation_ends_with_it() -> None:
    text = "> ```\n> call()\n\n" + "Text.\n" * 40

    assert window(text, offset=0, limit=60).cut_inside == ""


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    text = "````\n```\ncall()\n```\n" + "call()\n" * 20 + "````\n"

    assert window(text, offset=0, limit=100).cut_inside == "code"


def test_inline_code_with_three_backticks_opens_no_block() -> None:
    assert window("```inline``` code\n" + "Text.\n" * 40, offset=0, limit=60).cut_inside == ""


def test_a_cut_inside_a_table_says_so() -> None:
    table = "| a | b |\n|---|:-:|\n" + "| 1 | 2 |\n" * 40

    parts = [window(table + "\n" + "Text.\n" * 40, offset=offset, limit=100) for offset in (0, 450)]

    assert ["table", ""] == [part.cut_inside for part in parts]
    assert parts[0].text.endswith("| 1 | 2 |\n")


def test_a_table_drawn_in_code_is_code() -> None:
    text = "```\n| a |\n|---|\n" + "| 1 |\n" * 40 + "```\n"

    assert window(text, offset=0, limit=100).cut_inside == "code"


def test_a_grapheme_longer_than_the_limit_is_split_so_that_reading_advances() -> None:
    assert ["e\u0301\u0323\u0301", "\u0323"] == read_all("e\u0301\u0323\u0301\u0323", 4)


@pytest.mark.parametrize(
    ("text", "offset", "limit"), [("abc", 3, 10), ("abc", 4, 10), ("", 1, 10), ("abc", -1, 10), ("abc", 0, 0)]
)
def test_an_offset_or_limit_outside_the_text_is_refused(text: str, offset: int, limit: int) -> None:
    with pytest.raises(InvalidArgument):
        window(text, offset=offset, limit=limit)


def test_an_empty_text_is_one_empty_window() -> None:
    part = window("", offset=0, limit=10)

    assert ("", None, 0) == (part.text, part.next_offset, part.content_length)


@given(st.lists(st.integers(0, 1_000), max_size=12), st.integers(0, 5_000))
def test_shares_use_the_whole_budget_and_nobody_gets_more_than_needed(needs: list[int], budget: int) -> None:
    shares = fair_shares(needs, budget)

    assert min(sum(needs), budget) == sum(shares)
    assert all(0 <= share <= need for share, need in zip(shares, needs, strict=True))


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=12), st.integers(0, 5_000))
def test_whoever_gets_less_than_needed_gets_as_much_as_anybody(needs: list[int], budget: int) -> None:
    shares = fair_shares(needs, budget)

    for share, need in zip(shares, needs, strict=True):
        assert share == need or share >= max(shares) - 1


def test_what_one_does_not_need_goes_to_the_others() -> None:
    assert [100, 450, 450] == fair_shares([100, 10_000, 10_000], 1_000)
