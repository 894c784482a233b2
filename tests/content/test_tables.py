"""Tables: grids, spans, nested content, and tables that only arrange."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert


def whole(html: str) -> str:
    return convert(
        html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True
    ).markdown


def rows(*lines: str) -> str:
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
            rows("| A | B |", "| --- | --- |", "| 1 | 2 |"),
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", rows("| a | b |", "| --- | --- |", "| c | d |")),
        (
            "<table><caption>Title</caption><tr><th>A<th>B<tr><td>1</table>",
            "Title\n\n" + rows("| A | B |", "| --- | --- |", "| 1 |"),
        ),
        (
            "<table><tr><th>A<th>B<tr><td rowspan=2>x<td>1<tr><td>2<tr><td colspan=2>wide</table>",
            rows("| A | B |", "| --- | --- |", "| x | 1 |", "| x | 2 |", "| wide |  |"),
        ),
        (
            "<table><tr><th colspan=2>Both<th>C<tr><td>1<td>2<td>3</table>",
            rows("| Both |  | C |", "| --- | --- | --- |", "| 1 | 2 | 3 |"),
        ),
        (
            "<table><tr><th align=right>N<th style='text-align:center'>M<tr><td>1<td>2</table>",
            rows("| N | M |", "| --: | :-: |", "| 1 | 2 |"),
        ),
        (
            "<table><tr><th>A<th>B<tr><td><p>one</p><p>two</p><td><ul><li>x<li>y</ul></table>",
            rows("| A | B |", "| --- | --- |", "| one<br>two | - x<br>- y |"),
        ),
        (
            "<table><tr><th>A<th>B<tr><td>a|b <code>c|d</code><td><pre>x = 1\ny</pre></table>",
            rows("| A | B |", "| --- | --- |", "| a\\|b `c\\|d` | `x = 1`<br>`y` |"),
        ),
        (
            "<table><tr><th>A<th>B<tr><td><b>s</b> <a href=/l>l</a><td><img src=/i.png alt=i></table>",
            rows(
                "| A | B |", "| --- | --- |", "| **s** [l](https://example.com/l) | ![i](https://example.com/i.png) |"
            ),
        ),
        (
            "<ul><li>x<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>",
            "- x\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |",
        ),
        ("<table><tr><td></td><td></td></tr></table>after", "after"),
    ],
)
def test_a_table_of_data_becomes_a_table(html: str, expected: str) -> None:
    assert expected == whole(html)


@pytest.mark.parametrize(
    "html",
    [
        "<table role=presentation><tr><td><h2>T</h2><p>a</p><td><p>b</p></table>",
        "<table><tr><td><table><tr><td><h2>T</h2></td></tr></table><p>a</p></td></tr><tr><td><p>b</p></td></tr></table>",
        "<table><tr><td><h2>T</h2><p>a</p></td><td><p>b</p></td></tr></table>",
    ],
)
def test_a_table_that_only_arranges_is_no_table(html: str) -> None:
    assert "## T\n\na\n\nb" == whole(html)


def test_the_cells_of_a_reference_page_are_kept_whatever_their_classes() -> None:
    html = (
        "<table class=decl><tr><th>Name<th>Meaning<tr><td><div class='links nav related'><a href=/a>alpha</a> <a href=/b>beta</a></div>"
        "<td><div class=sidebar>both of them</div></table>"
    )

    assert "| [alpha](https://example.com/a) [beta](https://example.com/b) | both of them |" in whole(html)


def test_an_info_box_with_a_small_table_inside_stays_one_table() -> None:
    inner = "<table><tr><td>x<td>y</table>"
    html = f"<table>{''.join(f'<tr><th>k{n}<td>v{n}' for n in range(4))}<tr><th>more<td>{inner}</table>"

    assert "| more | x y |" in whole(html)


def test_spans_cannot_make_a_large_text_of_a_small_page() -> None:
    html = "<table><tr><th>a<th>b" + "<tr><td rowspan=65534 colspan=1000>x<td>y" * 300 + "<tr></tr>" * 3000 + "</table>"

    assert len(whole(html)) < 40 * len(html)
