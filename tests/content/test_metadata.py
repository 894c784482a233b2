"""What pages declare: titles, people, dates, languages, addresses; and pages that are not there yet."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import json

import pytest

from outrider.content.converter import convert
from outrider.types import Document

TEXT = "<p>" + "Plain words that make a page of some length. " * 20 + "</p>"


def page(head: str, body: str = TEXT, lang: str = "") -> Document:
    html = f"<!doctype html><html {lang}><head>{head}</head><body>{body}</body></html>"
    return convert(html.encode(), url="https://example.com/a/b", content_type="text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        (
            "<title>Growing beans | Garden Weekly</title><meta property=og:site_name content='Garden Weekly'>",
            TEXT,
            "Growing beans",
        ),
        ("<title>Garden Weekly: Growing beans</title>", f"<h1>Growing beans</h1>{TEXT}", "Growing beans"),
        (
            "<title>Growing beans - Garden Weekly</title><meta property=og:title content='Growing beans'>",
            TEXT,
            "Growing beans",
        ),
        ("<title>Beans - how to grow them</title>", TEXT, "Beans - how to grow them"),
        ("<title>\n  Spaced &amp;\n out </title>", TEXT, "Spaced & out"),
        ("", f"<h1>Only a heading</h1>{TEXT}", "Only a heading"),
        ("<meta property=og:title content='Only shared'>", TEXT, "Only shared"),
        ("<title>Pass\u200bword</title>", TEXT, "Password"),
        ("", TEXT, ""),
    ],
)
def test_the_title_is_the_pages_own(head: str, body: str, title: str) -> None:
    assert title == page(head, body).title


def linked(**data: object) -> str:
    return f"<script type=application/ld+json>{json.dumps(data)}</script>"


@pytest.mark.parametrize(
    ("head", "body", "author"),
    [
        (linked(**{"@type": "Article", "author": {"@type": "Person", "name": "Ada L."}}), TEXT, "Ada L."),
        (
            linked(
                **{"@graph": [{"@type": "WebSite"}, {"@type": "NewsArticle", "author": [{"name": "A"}, {"name": "B"}]}]}
            ),
            TEXT,
            "A, B",
        ),
        ("<meta name=author content='Grace H.'>", TEXT, "Grace H."),
        ("<meta property=article:author content='https://example.com/grace'>", TEXT, ""),
        ("<meta name=citation_author content='One'><meta name=citation_author content='Two'>", TEXT, "One, Two"),
        ("", f"<p>By <a rel=author href=/x>Linus T.</a></p>{TEXT}", "Linus T."),
        ("", f"{TEXT}<aside class=related><a rel=author href=/x>Someone</a></aside>", ""),
    ],
)
def test_the_author_is_who_the_page_names(head: str, body: str, author: str) -> None:
    assert author == page(head, body).author


@pytest.mark.parametrize(
    ("head", "body", "published", "source"),
    [
        (
            linked(**{"@type": "Article", "datePublished": "2024-03-05T10:00:00Z"}),
            TEXT,
            "2024-03-05T10:00:00Z",
            "json-ld",
        ),
        (
            "<meta property=article:published_time content='2024-03-05T10:00:00+01:00'>",
            TEXT,
            "2024-03-05T10:00:00+01:00",
            "meta article:published_time",
        ),
        ("<meta name=date content='5 March 2024'>", TEXT, "2024-03-05", "meta date"),
        (
            "<meta name=citation_publication_date content='2024/03/05'>",
            TEXT,
            "2024-03-05",
            "meta citation_publication_date",
        ),
        ("", f"<h1>T</h1><time datetime=2024-03-05>x</time>{TEXT}", "2024-03-05", "time element"),
        (
            "",
            f"<p>Published <time itemprop=datePublished datetime=2024-03-05>x</time></p>{TEXT}",
            "2024-03-05",
            "time element",
        ),
        ("<meta name=date content='soon'>", TEXT, "", ""),
        ("<meta name=date content='2024-13-45'>", TEXT, "", ""),
    ],
)
def test_dates_come_with_where_they_were_declared(head: str, body: str, published: str, source: str) -> None:
    document = page(head, body)

    assert (published, source) == (document.published, document.dates_from)


def test_the_date_of_a_related_card_is_not_the_pages() -> None:
    cards = (
        "<div class=related>"
        + "<article class=card><h3>Other</h3><time datetime=2019-01-01>2019</time></article>" * 3
        + "</div>"
    )

    assert (
        "2024-03-05"
        == page("", f"<header><time datetime=2024-03-05>5 March</time></header><h1>T</h1>{TEXT}{cards}").published
    )
    assert "" == page("", f"<h1>T</h1>{cards}{TEXT}").published


def test_a_change_is_told_from_publication() -> None:
    document = page(
        linked(**{"@type": "Article", "dateModified": "2024-04-01"})
        + "<meta property=article:published_time content=2024-03-05>"
    )

    assert ("2024-03-05", "2024-04-01") == (document.published, document.modified)


@pytest.mark.parametrize(
    ("lang", "head", "language"),
    [
        ("lang=de", "", "de"),
        ("lang=pt_BR", "", "pt-BR"),
        ("", "<meta http-equiv=content-language content='fr, en'>", "fr"),
        ("", "<meta property=og:locale content=en_GB>", "en-GB"),
        ("lang='<b>'", "", ""),
    ],
)
def test_the_language_is_a_tag_or_nothing(lang: str, head: str, language: str) -> None:
    assert language == page(head, lang=lang).language


def test_addresses_are_absolute_and_of_the_web() -> None:
    document = page(
        "<link rel=canonical href='/c'><link rel=alternate type=text/markdown href='b.md'><meta property=og:site_name content=Site>"
    )

    assert ("https://example.com/c", "https://example.com/a/b.md", "Site") == (
        document.canonical_url,
        document.alternate_markdown,
        document.site_name,
    )
    assert "" == page("<link rel=canonical href='javascript:alert(1)'>").canonical_url


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ("<meta http-equiv=refresh content='0;url=/new'>", "https://example.com/new"),
        ("<META HTTP-EQUIV='Refresh' CONTENT='5; URL=\"https://other.org/x\"'>", "https://other.org/x"),
        ("<meta http-equiv=refresh content='0 new'>", "https://example.com/a/new"),
        ("<meta http-equiv=refresh content='0.5;new'>", "https://example.com/a/new"),
        ("<meta http-equiv=refresh content='30;url=/new'>", ""),
        ("<meta http-equiv=refresh content='0'>", ""),
        ("<meta http-equiv=refresh content='0;url=javascript:x'>", ""),
        ("<meta http-equiv=refresh content='0;url=https://example.com/a/b#x'>", ""),
        ("<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript>", ""),
    ],
)
def test_a_refresh_that_a_browser_would_follow_at_once_is_told(head: str, target: str) -> None:
    assert target == page(head).refresh_url


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ("<script>location.replace('https://example.com/n')</script><p>Redirecting…</p>", "https://example.com/n"),
        ('<script>window.location.href = "/n";</script>', "https://example.com/n"),
        (
            "<link rel=canonical href=https://example.com/n><h1>Redirecting…</h1><a href=/n>Click here</a>",
            "https://example.com/n",
        ),
        (f"<script>location.href='/n'</script>{TEXT}", ""),
        ("<script>function go(){location.href='/n'}</script><p>Hello</p>", ""),
        ("<link rel=canonical href=https://example.com/n><p>Short page of its own.</p>", ""),
    ],
)
def test_a_stub_that_only_leads_elsewhere_is_told(html: str, target: str) -> None:
    assert target == convert(html.encode(), url="https://example.com/a/b", content_type="text/html").refresh_url


@pytest.mark.parametrize(
    "body",
    [
        "<div id=root></div><script src=a.js></script>",
        "<div id=app><div class=spinner></div></div><script>start()</script>",
        "<app-root></app-root><script src=a.js></script>",
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=__next></div><script src=a.js></script>",
        "<p>Please enable JavaScript to continue.</p><script src=a.js></script>",
        "<div>Loading...</div><script src=a.js></script>",
    ],
)
def test_an_empty_shell_is_empty_and_needs_a_script(body: str) -> None:
    document = page("<title>App</title>", body)

    assert ("", True, "App") == (document.markdown, document.needs_javascript, document.title)


@pytest.mark.parametrize(
    "body", [TEXT + "<script src=a.js></script>", "<p>Short.</p>", "<p>Short.</p><script src=a.js></script>"]
)
def test_a_page_with_text_needs_no_script(body: str) -> None:
    document = page("", body)

    assert document.markdown
    assert not document.needs_javascript


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "[" * 50_000,
        '{"@type": 5, "author": 7}',
        '{"@graph": [1, null, {"@type": ["Article"], "author": [[["x"]]]}]}',
        "null",
        '"x"',
    ],
)
def test_linked_data_of_any_shape_does_no_harm(data: str) -> None:
    assert "Plain words" in page(f"<script type=application/ld+json>{data}</script>").markdown
