"""Hostile pages: nothing recurses, nothing grows without bound, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from outrider.content.converter import convert
from outrider.errors import WebError

DEEP = 100_000


@pytest.mark.parametrize(
    "build",
    [
        lambda: "<div>" * DEEP + "END",
        lambda: "<ul><li>" * 20_000 + "END",
        lambda: "<blockquote>" * 20_000 + "END",
        lambda: "<table><tr><td>" * 20_000 + "END",
        lambda: "<b><i><a href=q><p>" * 2_000 + "END",
        lambda: "<span class=math>" * 30_000 + "END",
        lambda: "<math>" + "<mrow>" * 30_000 + "END",
        lambda: "<div aria-hidden=true>" * 300 + "word " * 1_000 + "END",
        lambda: "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">END",
        lambda: "<a href=/x>y" * 50_000 + "END",
        lambda: "<p>" + "<b>a</b>*_`[" * 20_000 + "END",
        lambda: "<p>" + " " * 1_000_000 + "END",
        lambda: "<p>" + "word " * 400_000 + "END",
        lambda: "<" * 200_000 + " END",
        lambda: "<style>" + "{" * 500_000 + "</style>END",
        lambda: "<style>" + "@media x{.a{display:none}" * 30_000 + "</style><p class=b>END",
        lambda: "<table>" + "<tr><td rowspan=60000>x" * 10_000 + "</table>END",
        lambda: "<table><tr>" + "<td>x" * 50_000 + "<td>END</table>",
        lambda: "<div class=tab style='display:none'>x</div>" * 10_000 + "END",
        lambda: "<dl><dt>a<dd>" * 10_000 + "END",
        lambda: "<noscript><img src=/a.png></noscript>" * 20_000 + "END",
        lambda: "<p>x</p>" * 210_000 + "END",
        lambda: "<template shadowrootmode=open>" * 2_000 + "END",
    ],
    ids=range(23),
)  # fmt: skip
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.slow
def test_a_hostile_page_is_read_to_its_end(build: Callable[[], str], whole: bool) -> None:  # noqa: FBT001  # a parameter of the test
    html = build()
    document = convert(html.encode(), url="https://example.com/", content_type="text/html", whole=whole)

    assert "END" in document.markdown or html.startswith("<template")
    assert len(document.markdown) < 20 * len(html) + 1_000


def test_a_page_with_too_much_markup_for_a_tree_keeps_its_text_and_says_so() -> None:
    html = (
        "<title>Big</title><h1>Top</h1>"
        + "<p>a <a href='/l'>b</a></p>" * 110_000
        + "<div hidden>no</div><table><tr><td>c<td>d</table><pre>x\n y</pre><script>z</script>"
    )
    document = convert(html.encode(), url="https://example.com/", content_type="text/html")

    assert document.markdown.startswith("# Top\n\na [b](https://example.com/l)\n\na ")
    assert document.markdown.endswith("| c | d |\n| --- | --- |\n\n```\nx\n y\n```")
    assert ("Big", 2) == (document.title, document.hidden_chars)
    assert document.warnings


def test_a_tag_of_megabytes_is_a_tag_and_a_text_of_megabytes_one_text() -> None:
    attributes = " ".join(f"a{n}=1" for n in range(200_000))
    html = f"<p {attributes}>{'word ' * 300_000}END"
    document = convert(html.encode(), url="", content_type="text/html", whole=True)

    assert document.markdown == f"{'word ' * 300_000}END"


@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"\xff", b"<", b"<!", b"<html", b"&#", b"<a href", b"\xef\xbb\xbf", b"<!-->", b"</p>", b"<title>"],
)
@pytest.mark.parametrize(
    "content_type", ["text/html", "text/plain", "application/json", "application/xml", "application/rss+xml", None, "x"]
)
def test_scraps_are_read_or_refused_in_one_way(body: bytes, content_type: str | None) -> None:
    try:
        convert(body, url="https://example.com/", content_type=content_type)
    except WebError as error:
        assert error.code in {"unsupported_content", "decoding_failed"}  # noqa: PT017  # only some of the scraps are refused


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://example.com",
        "https://[::1",
        "not a url",
        "https://example.com/" + "a" * 100_000,
        "data:text/html,x",
    ],
)
def test_any_address_of_the_page_does(url: str) -> None:
    html = b"<base href='//[bad'><p><a href='b'>a</a> <img src='c' alt=i> <a href='http://[bad/'>d</a>"

    assert "a" in convert(html, url=url, content_type="text/html").markdown


def test_a_large_page_keeps_its_tables_and_images_when_it_is_read_plainly() -> None:
    row = "<tr><td>1 | 2<td><p>two</p></tr>"
    html = f"<table><tr><th>A<th>B</tr>{row * 3}</table><img src=/i.png alt=pic><p>x" + "<b>y</b> " * 400_000
    document = convert(html.encode(), url="https://example.com/", content_type="text/html")

    rows = "| 1 \\| 2 |  two |\n" * 3
    assert document.warnings
    assert document.markdown.startswith(f"| A | B |\n| --- | --- |\n{rows}\n![pic](https://example.com/i.png)\n\nx")


def test_a_deep_page_of_divs_is_read_without_a_tree() -> None:
    document = convert(b"<div>x" * 300_000, url="https://example.com/", content_type="text/html")

    assert 300_000 == document.markdown.count("x")
    assert document.warnings
