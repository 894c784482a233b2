"""HTML to Markdown: every kind of block and inline element, and literal text that stays literal."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from outrider.content.converter import convert

URL = "https://example.com/docs/page"


def whole(html: str, url: str = URL) -> str:
    return convert(html.encode(), url=url, content_type="text/html; charset=utf-8", whole=True).markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><h3>B <em>c</em></h3>", "# A\n\n### B *c*"),
        ("<h2>C# <a class=headerlink href='#c'>¶</a></h2>", "## C#"),
        ("<h2 id=own><a href='#own'>Own</a></h2>", "## Own"),
        ("<h2><b>Bold</b> title</h2>", "## Bold title"),
        ("<p>one<br>two</p>", "one  \ntwo"),
        ("one<br><br>two", "one\n\ntwo"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<p>10<sup>6</sup> H<sub>2</sub>O</p>", "10<sup>6</sup> H<sub>2</sub>O"),
        ("<p>He said <q>no</q>.</p>", "He said “no”."),
        ("<p><del>old</del> <ins>new</ins></p>", "~~old~~ new"),
        ("<blockquote><p>a</p><p>b</p></blockquote><blockquote>c</blockquote>", "> a\n>\n> b\n\n> c"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字(かんじ)"),
        ("<details><summary>More <b>of</b> it</summary><p>Body</p></details>", "**More of it**\n\nBody"),
        (
            "<figure><img src=x.png alt=A><figcaption>Caption</figcaption></figure>",
            "![A](https://example.com/docs/x.png)\n\nCaption",
        ),
        ("<p>a<script>b</script><style>c</style><iframe>d</iframe><svg><text>e</text></svg>f</p>", "af"),
        ("<form><label>Name</label><input value=x><select><option>y</select><button>Send</button></form>", "Name"),
        ("<h3><button aria-expanded=false>Is a heading</button></h3><p>x</p>", "### Is a heading\n\nx"),
        ("<my-card><p>a</p></my-card>", "a"),
        ("<body>text &nbsp; &amp; &lt;tag&gt; &copy;", "text \u00a0 & &lt;tag> ©"),
    ],
)
def test_elements_become_their_markdown(html: str, expected: str) -> None:
    assert expected == whole(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ("<ul><li>a</li><li>b</li><ul><li>c</li><li>d</li></ul></ul>", "- a\n- b\n  - c\n  - d"),
        ("<ol start=7><li>a<li>b<ol><li>c</ol></ol>", "7. a\n8. b\n   1. c"),
        ("<ol><li>a<li value=5>b<li>c</ol>", "1. a\n5. b\n6. c"),
        ("<ul><li><p>a</p><p>b</p><li><p>c</p></ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>a<pre>x\n y</pre></ul>", "- a\n\n  ```\n  x\n   y\n  ```"),
        ("<ul><li><input type=checkbox checked> done<li><input type=checkbox>open</ul>", "- [x] done\n- [ ] open"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<p>x</p><ul><li><ul><li>a</ul></ul>", "x\n\n- - a"),
        ("<li>stray</li>", "- stray"),
        ("<ul><li><i class=icon></i></li><li>a</li></ul>", "- a"),
        (
            "<dl><dt>Term<dd>One<dd>Two<dt><code>f(x)</code><dd><p>A</p><pre>c</pre></dl>",
            "Term\n: One\n: Two\n\n`f(x)`\n: A\n\n```\nc\n```",
        ),
    ],
)
def test_lists_keep_their_nesting_and_numbers(html: str, expected: str) -> None:
    assert expected == whole(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("foo<b>bar</b>baz", "foo**bar**baz"),
        ("foo <b> bar </b> baz", "foo **bar** baz"),
        ("foo<b>bar:</b>baz", "foo**bar**:baz"),
        ("这是<b>“重点”</b>内容", "这是“**重点**”内容"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b><i>a</i></b> and <i><b>b</b></i>", "**_a_** and ***b***"),
        ("<b><b>a</b></b><b></b><i> </i>b", "**a** b"),
        ("<b>a<br>b</b>", "**a  \nb**"),
        ("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"),
        ("<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``"),
        ("<code>a</code><code>b</code>", "`ab`"),
        ("<p><code>Eager</code> and <code>lazy</code> have the same API.</p>", "`Eager` and `lazy` have the same API."),
        ("<code><a href='/f'>f()</a></code>", "[`f()`](https://example.com/f)"),
        ("!<a href='/x'>y</a>", "\\![y](https://example.com/x)"),
    ],
)
def test_emphasis_and_code_survive_where_they_stand(html: str, expected: str) -> None:
    assert expected == whole(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='../next'>n</a> <a href='/ref'>r</a> <a href='https://other.org/a'>o</a>",
         "[n](https://example.com/next) [r](https://example.com/ref) [o](https://other.org/a)"),
        ("<a href='?q=1'>q</a> <a href='#top'>t</a> <a href='//cdn.org/x'>c</a>",
         "[q](https://example.com/docs/page?q=1) [t](https://example.com/docs/page#top) [c](https://cdn.org/x)"),
        ("<a href=' java\nscript:alert(1)'>a</a> <a href='data:text/html,x'>b</a> <a href='VBScript:x'>c</a> <a href='#'>d</a>", "a b c d"),
        ("<a href='/a b(c'>x</a> <a href='/a(b)'>y</a> <a href='<u>'>z</a>",
         "[x](https://example.com/a%20b%28c) [y](https://example.com/a(b)) [z](https://example.com/docs/%3Cu%3E)"),
        ("<a href='/x'>[1] note]</a>", "[\\[1\\] note\\]](https://example.com/x)"),
        ("<a href='/x'><div><h3>Title</h3><p>Text</p></div></a>", "### [Title](https://example.com/x)\n\nText"),
        ("<a href='/x'><div>Only</div></a>", "[Only](https://example.com/x)"),
        ("<a href='/x'><img src=/i.png alt=I></a>", "[![I](https://example.com/i.png)](https://example.com/x)"),
        ("<a href='/x' aria-label='Home'><i class=icon></i></a>", "[Home](https://example.com/x)"),
        ("<a href='mailto:a@b.c'>mail</a>", "[mail](mailto:a@b.c)"),
    ],
)  # fmt: skip
def test_links_are_absolute_and_lead_somewhere(html: str, expected: str) -> None:
    assert expected == whole(html)


def test_a_scrambled_mail_address_is_readable() -> None:
    scrambled = bytes([0x20, *(byte ^ 0x20 for byte in b"a@b.org")]).hex()
    html = f"<p>Write to <a href='/cdn-cgi/l/email-protection#{scrambled}' class=__cf_email__ data-cfemail={scrambled}>[email&#160;protected]</a>!</p>"

    assert "Write to a@b.org!" == whole(html)
    assert "x" in whole(html.replace(scrambled, "zz") + "x")


def test_a_base_element_counts_before_the_pages_own_address() -> None:
    html = "<base href='/other/'><a href=abc.pdf>f</a> <img src=i.png alt=i>"

    assert "[f](https://example.com/other/abc.pdf) ![i](https://example.com/other/i.png)" == whole(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<img data-src='/l.png' alt=L>", "![L](https://example.com/l.png)"),
        (
            "<img src='data:image/gif;base64,R0' data-srcset='/s.png 100w, /b.png 900w' alt=B>",
            "![B](https://example.com/b.png)",
        ),
        ("<img src='/full.jpg' data-src='/thumb.jpg' alt=F>", "![F](https://example.com/full.jpg)"),
        (
            "<img src='/img/blank.gif' alt=N class=lazy><noscript><img src='/real.jpg' alt=N></noscript>",
            "![N](https://example.com/real.jpg)",
        ),
        ("<div></div><noscript><img src='/only.jpg' alt=O></noscript>", "![O](https://example.com/only.jpg)"),
        ("<picture><source srcset='/w.webp 2x'><img alt=P></picture>", "![P](https://example.com/w.webp)"),
        ("<img src='/p.gif' width=1 height=1>a<img src='https://www.facebook.com/tr?id=1'>", "a"),
        (
            "<img src='/a.png' alt=same> and <img src='/b.png' alt=same>",
            "![same](https://example.com/a.png) and ![same](https://example.com/b.png)",
        ),
        ("<img src='/t.png' title='By title'>", '![](https://example.com/t.png "By title")'),
        ("<img src='javascript:x' alt=J>b", "b"),
    ],
)
def test_an_image_is_the_one_that_a_reader_would_see(html: str, expected: str) -> None:
    assert expected == whole(html)


@pytest.mark.parametrize(
    ("images", "expected"), [("markdown", "a ![alt](https://e.org/i.png) b"), ("text", "a alt b"), ("drop", "a b")]
)
def test_images_are_written_as_asked(images: str, expected: str) -> None:
    assert images in ("markdown", "text", "drop")
    document = convert(
        b"<p>a <img src=https://e.org/i.png alt=alt> b", url=URL, content_type="text/html", whole=True, images=images,  # type: ignore[arg-type]  # checked above
    )  # fmt: skip

    assert expected == document.markdown


def test_a_declarative_shadow_root_is_read_where_it_shows() -> None:
    html = "<x-card><template shadowrootmode=open><h2>Frame</h2><slot></slot><p>End</p></template><p>Inside</p></x-card><p>After</p>"

    assert "## Frame\n\nInside\n\nEnd\n\nAfter" == whole(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div class='admonition warning'><p class=admonition-title>Warning</p><p>Hot.</p></div>", "Warning: Hot."),
        (
            "<div class='theme-admonition theme-admonition-tip'><div class=admonitionHeading_1>Try this</div><p>Do.</p></div>",
            "**Tip: Try this:** Do.",
        ),
        (
            "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title>Note</p><p>See.</p></div>",
            "Note: See.",
        ),
        ("<aside class='callout' data-callout=danger><ul><li>x</ul></aside>", "Caution:\n\n- x"),
    ],
)
def test_callouts_say_what_they_are(html: str, expected: str) -> None:
    assert expected == whole(html)


def test_outline_and_anchors_point_at_their_lines() -> None:
    html = "<p>Intro</p><section id=s><h2 id=one>One</h2><p>x</p></section><a name=two></a><h3>Two</h3><p>y <span id=inner>z</span></p>"
    document = convert(html.encode(), url=URL, content_type="text/html", whole=True)

    lines = {heading.text: document.markdown[heading.offset :].split("\n")[0] for heading in document.outline}
    assert {"One": "## One", "Two": "### Two"} == lines
    assert ["one", "two"] == [heading.anchor for heading in document.outline]
    starts = {name: document.markdown[offset:][:5] for name, offset in document.anchors.items()}
    assert {"s": "## On", "one": "## On", "two": "### T", "inner": "y z"} == starts


def test_plain_text_has_no_markup() -> None:
    html = "<h1>T</h1><p>a <b>b</b> <a href=/x>c</a></p><ul><li>d</ul><table><tr><th>e<th>f<tr><td>g<td>h</table><pre>x\n y</pre>"
    document = convert(html.encode(), url=URL, content_type="text/html", whole=True)

    assert "T\na b c\nd\ne f\ng h\nx\n y" == document.text


# Literal text.

PIECES = st.sampled_from(
    [
        "a",
        "Ab1",
        "*",
        "_",
        "`",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "&",
        "#",
        "-",
        "+",
        "1.",
        "=",
        "~",
        "|",
        "\\",
        "!",
        ":",
        " ",
        "\n",
        '"',
        "é",
        "&amp;",
        "漢",
    ]
)
TEXT = st.lists(PIECES, max_size=14).map("".join)


def visible(markdown: str) -> str:
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    return unspaced(
        re.sub(r"<[^>]*>", "", html)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )


def unspaced(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("element", ["p", "li", "h2", "td", "blockquote", "dd", "div", "summary"])
@given(text=TEXT)
def test_any_literal_text_reads_the_same_after_rendering(element: str, text: str) -> None:
    around = {"td": ("<table><tr><th>x<tr><td>", "</table>"), "dd": ("", ""), "summary": ("<p>x", "")}.get(
        element, ("", "")
    )

    shown = visible(whole(f"{around[0]}<{element}>{escape(text)}</{element}>{around[1]}"))

    expected = unspaced({"td": "x", "summary": "x"}.get(element, "") + text)
    assert expected == (shown.removeprefix("-") if element == "li" and not expected.startswith("-") else shown)


@pytest.mark.parametrize(
    "text",
    ["# not a heading", "1. not a list", "- not a list", "> not a quote", "***", "[a]: /b", "![a](https://e.org/p?d=1)", "```", "~~~", "a\\", "=====", "Monte<video>",
     "&copy; &#169;", "__init__.py and snake_case", "2 * 3 * 4", "| a | b |", "<!-- c -->", "+ x", "[x](y)", "~5 or ~6 ~~"],
)  # fmt: skip
def test_text_that_looks_like_markup_stays_text(text: str) -> None:
    assert unspaced(text) == visible(whole(f"<p>{escape(text)}</p>"))
    assert unspaced(f"x{text}") == visible(whole(f"<p>x<br>{escape(text)}</p>"))


def test_ordinary_prose_is_not_escaped() -> None:
    text = "Costs $5 (or 5 < 6 & so on) - see [1], snake_case, a * b, C++, 3.14, R&D; it's 50% ~ok~ #1!"

    assert text.replace("~ok~", "~ok\\~") == whole(f"<p>{escape(text, quote=False)}</p>")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><em>a <strong>b <em>c</em> d</strong> e</em>", "*a **b *c* d** e*"),
        ("<p><em>a <a href='/u'><em>b</em></a></em>", "*a [*b*](https://example.com/u)*"),
        ("<p><b><a href='/u'><b>b</b></a></b>", "**[b](https://example.com/u)**"),
        ("<p><b><b>a</b></b>", "**a**"),
        ("<del><p>a</p><p>b</p></del>", "<del>\n\na\n\nb\n\n</del>"),
        ("<p>x</p><table><tr><td>a</td></tr></table>", "x\n\n<table><tr><td>a</td></tr></table>"),
        ("<dl><dt>a<dd><ul><li>b</li></ul></dl>", "a\n\n- b"),
    ],
)
def test_nested_and_struck_out_things_are_written_where_markdown_has_signs_for_them(html: str, expected: str) -> None:
    assert expected == whole(html)


def test_emphasis_that_is_never_closed_does_not_pile_up() -> None:
    written = whole("<p>" + "<i><b>" * 500 + "x")

    assert len(written) < 20
