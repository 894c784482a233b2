"""What head and address tell about a page."""

from __future__ import annotations

from outrider.content import dom
from outrider.content.pagehead import declared


def test_linked_data_gives_types_names_and_prose() -> None:
    body = "A paragraph that stands in the page as well, and that is long enough to be prose. " * 3
    html = (
        '<script type="application/ld+json">{"@type": ["Product"], "name": "Blue  Cup",'
        f' "offers": {{"@type": "Offer"}}, "description": "{body}", "url": "https://x.test/a"}}</script>'
    )

    told = declared(dom.parse(html), "https://x.test/a")

    assert told.types == {"Product", "Offer"}
    assert "blue cup" in told.statements
    assert "stands in the page as well" in told.prose
    assert "https" not in told.prose


def test_broken_linked_data_still_gives_types() -> None:
    told = declared(dom.parse('<script type="application/ld+json">{"@type": "Article", oops</script>'), "")

    assert told.types == {"Article"}
    assert told.statements == frozenset()


def test_deep_linked_data_is_no_failure() -> None:
    deep = "[" * 20_000 + "]" * 20_000

    assert declared(dom.parse(f'<script type="application/ld+json">{deep}</script>'), "").prose == ""


def test_titles_are_folded() -> None:
    html = "<title> A\n Page </title><meta property=og:title content='A  Page'><meta property=og:type content=Article>"

    told = declared(dom.parse(html), "https://x.test/Blog/a-b-c-d?q=1")

    assert (told.title, told.other_title, told.kind, told.path) == ("a page", "a page", "article", "Blog/a-b-c-d")
    assert {"h:page", "u:blog", "o:article"} <= told.words
