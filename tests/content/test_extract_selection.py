"""Which pieces are kept, and how the choice names what is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outrider.content import dom, selection
from outrider.content.choice import Choice
from outrider.content.features import Lexicon, Sheet, describe

NO_TYPES = bytes(7)
EMPTY = Lexicon(own={}, above={}, short={}, middle={}, long={})


def sheet_of(html: str) -> Sheet:
    return describe(dom.parse(html), url="", lexicon=EMPTY, types=None)


def read(tree: dom.Tree, choice: Choice) -> list[str]:
    """The texts that a choice leaves."""
    found = []
    for root in choice.roots:
        key = root.key
        while key < root.end:
            if key in choice.drop:
                key = tree.ends[key]
                continue
            if not tree.tags[key] and tree.text(key).strip():
                found.append(tree.text(key).strip())
            key += 1
    return found


def test_a_sure_piece_shuts_out_doubtful_ones() -> None:
    assert selection.select([0.95, 0.2, 0.9], [100, 100, 100], NO_TYPES) == [True, False, True]


def test_doubtful_pieces_are_kept_where_there_are_no_better_ones() -> None:
    assert selection.select([0.2, 0.2, 0.01], [50, 50, 50], NO_TYPES) == [True, True, False]


def test_something_is_always_kept() -> None:
    assert selection.select([0.0, 0.0], [5, 5], NO_TYPES) == [True, True]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 500)), min_size=1, max_size=30))
def test_any_chances_give_a_choice(pieces: list[tuple[float, int]]) -> None:
    kept = selection.select([chance for chance, _ in pieces], [words for _, words in pieces], NO_TYPES)

    assert len(kept) == len(pieces)
    assert any(kept)


def test_the_root_is_the_smallest_element_around_what_is_kept() -> None:
    sheet = sheet_of("<nav>menu</nav><main><p>one</p><aside>ad</aside><p>two</p></main>")

    choice = selection.as_choice(sheet, [False, True, False, True])

    assert [root.tag for root in choice.roots] == ["main"]
    assert read(sheet.pieces.tree, choice) == ["one", "two"]


def test_text_beside_kept_blocks_is_left_out_by_itself() -> None:
    sheet = sheet_of("<div>share this<p>one</p>more<p>two</p></div>")

    choice = selection.as_choice(sheet, [False, True, False, True])

    assert read(sheet.pieces.tree, choice) == ["one", "two"]


def test_a_piece_that_ends_in_an_inline_element_is_kept_whole() -> None:
    sheet = sheet_of("one <b>two <div>three</div></b>")

    assert read(sheet.pieces.tree, selection.as_choice(sheet, [True, False])) == ["one", "two"]


def test_a_piece_that_outlasts_the_inline_element_it_begins_in_is_kept_whole() -> None:
    sheet = sheet_of("<div><b><div>one</div>two </b>three</div>")

    assert sheet.pieces.texts == ["one", "two three"]
    assert read(sheet.pieces.tree, selection.as_choice(sheet, [True, True])) == ["one", "two", "three"]


def test_headings_kept_for_structure_are_named() -> None:
    sheet = sheet_of("<h1>name</h1><nav>menu</nav><p>one</p>")

    choice = selection.as_choice(sheet, [False, False, True], [0])

    assert read(sheet.pieces.tree, choice) == ["name", "one"]
    assert [sheet.pieces.tree.text(key) for key in choice.headings] == ["name"]


def test_comments_below_an_article_speak_lower() -> None:
    pieces = sheet_of(f"<p>{'word ' * 50}</p><div class=comments><p>first</p></div>").pieces
    article, forum = bytes([250, 0, 0, 0, 0, 0, 0]), bytes([0, 0, 0, 250, 0, 0, 0])

    assert selection.hush([1.0, 1.0], pieces, article)[1] < 0 < selection.hush([1.0, 1.0], pieces, article)[0]
    assert selection.hush([1.0, 1.0], pieces, forum) == [1.0, 1.0]


def test_a_page_that_is_mostly_comments_keeps_them() -> None:
    pieces = sheet_of("<p>word</p><div class=comments><p>first of many</p></div>").pieces

    assert selection.hush([1.0, 1.0], pieces, bytes([250, 0, 0, 0, 0, 0, 0])) == [1.0, 1.0]


def test_pieces_of_one_kind_hear_each_other() -> None:
    kind, other = 1, 2

    settled = selection.settle([2.0, 2.0, -1.0, 0.5], [kind, kind, kind, other], [5, 5, 5, 5], NO_TYPES)

    assert settled[0] < 2.0
    assert settled[2] > -1.0
    assert settled[3] == 0.5


@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<p>", "x ", "y ", "<b>", "</b>", "<li>", "<td>"]), max_size=40),
    st.data(),
)
def test_exactly_the_kept_pieces_are_read(parts: list[str], data: st.DataObject) -> None:
    sheet = sheet_of("".join(parts))
    count = len(sheet.pieces)
    if not count:
        return
    kept = data.draw(st.lists(st.booleans(), min_size=count, max_size=count).filter(any))

    choice = selection.as_choice(sheet, kept)

    expected = "".join(text for text, keep in zip(sheet.pieces.texts, kept, strict=True) if keep)
    assert "".join("".join(read(sheet.pieces.tree, choice)).split()) == "".join(expected.split())
