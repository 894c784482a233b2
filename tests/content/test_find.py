"""Places in a text: sections by heading or fragment, passages around matches."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outrider.content.find import find, section
from outrider.errors import InvalidArgument
from outrider.types import Document, Heading

GUIDE = """\
Before everything.

# Guide

Welcome.

## 1. Getting  Started

Start here.

### Install

Run it.

<a></a>

### Configure the proxy

Set it.

## Café

Coffee.
"""


def heading(level: int, text: str, line: str, anchor: str = "") -> Heading:
    return Heading(level=level, text=text, offset=GUIDE.index(line), anchor=anchor)


DOCUMENT = Document(
    markdown=GUIDE,
    outline=(
        heading(1, "Guide", "# Guide", "guide"),
        heading(2, "1. Getting  Started", "## 1."),
        heading(3, "Install", "### Install", "install-it"),
        heading(3, "Configure the proxy", "### Configure"),
        heading(2, "Café", "## Café"),
    ),
    anchors={
        "install-it": GUIDE.index("### Install"),
        "run": GUIDE.index("Run it."),
        "before-proxy": GUIDE.index("\n\n### Configure"),
        "top-note": 0,
        "Käse": GUIDE.index("Coffee."),
    },
)


def read(wanted: str) -> str | None:
    place = section(DOCUMENT, wanted)
    return None if place is None else GUIDE[slice(*place)].strip()


def test_a_section_runs_to_the_next_heading_of_its_level() -> None:
    started = read("1. Getting Started")

    assert started is not None
    assert started.startswith("## 1.")
    assert started.endswith("Set it.")


def test_the_last_section_runs_to_the_end() -> None:
    assert read("Café") == "## Café\n\nCoffee."


@pytest.mark.parametrize(
    "wanted",
    [
        "install",
        "INSTALL",
        " Install ",
        "inst",
        "#install-it",
        "#Install-It",
        "#install%2Dit",
        "#install",
        "### Install",
    ],
)
def test_a_heading_is_named_by_its_text_its_beginning_or_its_fragment(wanted: str) -> None:
    assert read(wanted) == "### Install\n\nRun it.\n\n<a></a>"


@pytest.mark.parametrize("wanted", ["getting started", "Getting", "#1-getting--started", "1. getting\tstarted"])
def test_numbers_and_white_space_of_a_heading_need_not_be_given(wanted: str) -> None:
    assert (read(wanted) or "").startswith("## 1. Getting")


@pytest.mark.parametrize("wanted", ["cafe\u0301", "#caf%C3%A9", "CAFÉ"])
def test_composed_and_decomposed_letters_are_the_same(wanted: str) -> None:
    assert (read(wanted) or "").startswith("## Café")


def test_an_equal_heading_goes_before_one_that_begins_so() -> None:
    document = Document(
        markdown="# Proxy settings\n# Proxy\n",
        outline=(Heading(level=1, text="Proxy settings", offset=0), Heading(level=1, text="Proxy", offset=17)),
    )

    assert section(document, "proxy") == (17, 25)


def test_an_anchor_inside_a_section_is_read_to_the_sections_end() -> None:
    assert read("#run") == "Run it.\n\n<a></a>"


def test_an_anchor_just_before_a_heading_means_its_section() -> None:
    assert read("#before-proxy") == "### Configure the proxy\n\nSet it."


def test_an_anchor_before_the_first_heading_ends_at_it() -> None:
    assert read("#top-note") == "Before everything."


def test_an_anchor_may_be_percent_encoded() -> None:
    assert read("#K%C3%A4se") == "Coffee."


def test_directives_to_a_browser_are_not_part_of_a_fragment() -> None:
    assert read("#run:~:text=Run") == "Run it.\n\n<a></a>"


@pytest.mark.parametrize("wanted", ["", "#", "  ", "nothing like it", "#nothing", "#:~:text=Run"])
def test_a_name_that_nothing_has_gives_no_section(wanted: str) -> None:
    assert read(wanted) is None


def test_a_match_is_shown_with_its_surroundings_and_offsets() -> None:
    text = "Far away words. " * 50 + "The needle is here. " + "More words follow. " * 50

    (passage,) = find(text, "needle", around=30).passages

    assert text[passage.offset : passage.offset + len(passage.text)] == passage.text
    assert ["needle"] == [text[start:end] for start, end in passage.matches]
    assert passage.text == "words. Far away words. The needle is here. More words follow."


def test_matches_that_stand_close_share_a_passage() -> None:
    text = "one two one " + "filler " * 200 + "one"

    found = find(text, "one", around=20)

    assert [2, 1] == [len(passage.matches) for passage in found.passages]
    assert found.total == 3


def test_matches_beyond_the_limit_are_counted_but_not_shown() -> None:
    found = find("one " + ("filler " * 100 + "one ") * 9, "one", limit=2)

    assert (2, 10) == (len(found.passages), found.total)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("It SAYS so", "says SO"),
        ("a line\n  break", "line break"),
        ("it\u2019s \u201cfine\u201d", 'it\'s "fine"'),
        ('it\'s "fine"', "it’s “fine”"),
        ("2019\u20132020", "2019-2020"),
        ("cafe\u0301 au lait", "caf\u00e9 au"),
        ("caf\u00e9 au lait", "cafe\u0301 au"),
        ("this is **very important** news", "is very important news"),
        ("price (USD) [1]", "(USD) [1]"),
        ("see /etc/hosts there", "/etc/hosts"),
        ("\u00a0non\u00a0breaking", "non breaking"),
        ("Straße", "STRASSE"),
    ],
)
def test_what_does_not_count_in_a_literal_pattern(text: str, pattern: str) -> None:
    assert find(text, pattern).total == 1


def test_a_pattern_in_slashes_is_an_expression_that_minds_case() -> None:
    text = "Version 1.2\nversion 30.4\n"

    assert find(text, r"/^Version \d+\.\d+$/").total == 1
    assert find(text, r"/^version \d+\.\d+$/i").total == 2


def test_an_expression_finds_matches_all_through_a_long_text() -> None:
    text = ("x" * 5_000 + "\n\n" + "mark\n" + "y" * 3_000 + "\n") * 40

    found = find(text, "/^mark$/", limit=100)

    assert found.total == 40
    assert all(text[start:end] == "mark" for passage in found.passages for start, end in passage.matches)


def test_empty_matches_of_an_expression_are_no_matches() -> None:
    assert find("abc", "/x*/").total == 0


@pytest.mark.parametrize(
    "pattern", ["", "  ", "/(/", "/[z-a]/", "/" + "(" * 400 + ")" * 400 + "/", "/\\L<x>/", "x" * 1_001]
)
def test_a_pattern_that_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        find("text", pattern)


@pytest.mark.parametrize("pattern", ["/(a+)+$b/", "/(?:(a)|(a))*?b|c/", "/(a(?1))/"])
def test_a_hostile_expression_runs_out_of_time(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        find("a" * 50_000, pattern, timeout_s=0.05)


@pytest.mark.parametrize("pattern", ["/(a{999}){999}/", "/(a{9999})(?#b){9999}/", "/a{1,8000000}/"])
def test_an_expression_that_is_too_large_written_out_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        find("a", pattern)


@given(st.text(max_size=200), st.text(max_size=12), st.integers(0, 20))
def test_any_pattern_gives_passages_of_the_text_or_is_refused(text: str, pattern: str, around: int) -> None:
    try:
        found = find(text, pattern, around=around, timeout_s=0.5)
    except InvalidArgument:
        return
    for passage in found.passages:
        assert text[passage.offset : passage.offset + len(passage.text)] == passage.text
        assert passage.offset <= passage.matches[0][0]
        assert passage.matches[-1][1] <= passage.offset + len(passage.text)


@given(st.text(alphabet=r"()[]{}|*+?^$\.,-:<>=!P0123aAbwdRpLN&~#", max_size=14))
def test_any_expression_works_or_is_refused(source: str) -> None:
    try:
        find("some text\nin (two) lines", f"/{source}/", timeout_s=0.2)
    except InvalidArgument:
        return


@example("\uf900", "", "")
@example("0 _", "", "")
@given(st.text(min_size=1, max_size=40), st.text(max_size=60), st.text(max_size=60))
def test_a_text_is_found_in_itself(needle: str, before: str, after: str) -> None:
    if not needle.strip() or needle.startswith("/"):
        return
    assert find(f"{before} {needle} {after}", needle).total >= 1
