"""Feeds as a list to read."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert

RSS = """<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY big "AAAA">]>
<rss version="2.0"><channel><title>News &amp; more</title><link>https://example.com/</link><description>All &lt;b&gt;of&lt;/b&gt; it</description>
<item><title><![CDATA[First *one*]]></title><link>https://example.com/1?a=1&amp;b=2</link><pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate>
<dc:creator>Ada</dc:creator><description><![CDATA[<p>Text <a href="/x">link</a></p><ul><li>a</li></ul><p hidden>no</p>]]></description></item>
<item><title>Second &big;</title><guid>https://example.com/2</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><entry><title>Entry</title><link rel="self" href="/self"/>
<link rel="alternate" href="/e"/><author><name>Jo</name></author><updated>2024-01-02T03:04:05Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Body</p></div></content></entry></feed>"""


def test_an_rss_feed_lists_its_items() -> None:
    document = convert(RSS.encode(), url="https://example.com/feed", content_type="application/rss+xml")

    assert ("feed", "News & more") == (document.kind, document.title)
    assert (
        "# News & more\n\nAll **of** it\n\n## [First \\*one\\*](https://example.com/1?a=1&b=2)\n\n2024-03-05 · Ada\n\n"
        "Text [link](https://example.com/x)\n\n- a\n\n## [Second &big;](https://example.com/2)" == document.markdown.replace("&amp;big", "&big")
    )  # fmt: skip
    assert ["# News & more", "## [First", "## [Second"] == [
        document.markdown[heading.offset :].split("\n")[0][: len(start)] for heading, start in zip(document.outline, ["# News & more", "## [First", "## [Second"], strict=True)
    ]  # fmt: skip


def test_an_atom_feed_lists_its_entries() -> None:
    document = convert(ATOM.encode(), url="https://example.com/feed", content_type="text/xml")

    assert "# Notes\n\n## [Entry](https://example.com/e)\n\n2024-01-02T03:04:05Z · Jo\n\nBody" == document.markdown


@pytest.mark.parametrize(
    "body",
    ["<rss>", "<rss><item><title>x", "<rss><![CDATA[", "<rss>" + "<item>" * 1000, "<rss><item><title><![CDATA[x</title></item>", "<feed><entry><link href='javascript:x'/><title>t</title></entry>"],
)  # fmt: skip
def test_a_broken_feed_is_read_as_far_as_it_goes(body: str) -> None:
    document = convert(body.encode(), url="https://example.com/", content_type="application/rss+xml")

    assert "feed" == document.kind
    assert "javascript" not in document.markdown


def test_the_text_of_a_feed_holds_no_markup() -> None:
    body = b"""<rss><channel><title>News *today*</title><item><title>One</title><link>https://example.com/1</link>
    <description>&lt;p&gt;Some &lt;b&gt;bold&lt;/b&gt; &lt;a href="/x"&gt;words&lt;/a&gt;.&lt;/p&gt;</description></item></channel></rss>"""
    document = convert(body, url="https://example.com/feed", content_type="application/rss+xml")

    assert document.text == "News *today*\n\nOne\n\nSome bold words."
    assert "**bold**" in document.markdown
