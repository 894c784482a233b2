"""A page is cut into runs of text that no block interrupts."""

from __future__ import annotations

import pytest

from outrider.content import dom
from outrider.content.hints import Labels
from outrider.content.segments import count_words, segment


def texts(html: str) -> list[str]:
    return segment(dom.parse(html), Labels({}, {})).texts


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one <b>two</b> three</p>", ["one two three"]),
        ("<div>before<p>inside</p>after</div>", ["before", "inside", "after"]),
        ("<p>one<br>two</p>", ["one\ntwo"]),
        ("<div>one<div></div>two</div>", ["one", "two"]),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", ["a", "b"]),
        ("<a href=x><div>card</div></a>", ["card"]),
        ("<pre>a <div>b</div>\n c</pre>", ["a b\n c"]),
        ("<p>kept</p><script>x</script><style>y</style>", ["kept"]),
        ("<table><tr><td>1<td>2</table>", ["1", "2"]),
        ("", []),
    ],
)
def test_blocks_part_the_text(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_what_is_marked_as_never_reading_is_left_out() -> None:
    tree = dom.parse("<p>one</p><p>two</p>")
    tree.skip[next(iter(tree.find(("p",))))] = 1

    assert segment(tree, Labels({}, {})).texts == ["two"]


def test_links_and_bold_are_counted_in_characters() -> None:
    pieces = segment(dom.parse("<p>ab <a href=x>cde</a> <b>fg</b></p>"), Labels({}, {}))

    assert (pieces.links, pieces.bold) == ([3], [2])


def test_scripts_without_spaces_have_words_too() -> None:
    assert count_words("a few words") == 3
    assert count_words("東京都は日本の首都であり、世界でも有数の大都市である。") > 5
