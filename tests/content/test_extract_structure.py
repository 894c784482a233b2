"""The headings of what is kept are kept too."""

from __future__ import annotations

import pytest

from outrider.content import dom, structure
from outrider.content.features import Lexicon, describe

EMPTY = Lexicon(own={}, above={}, short={}, middle={}, long={})
PROSE = "<p>prose</p>"


def headings(html: str, *, title: str = "") -> list[str]:
    """The headings that come with the pieces that say `prose`."""
    page = dom.parse(f"<title>{title}</title>{html}")
    sheet = describe(page, url="", lexicon=EMPTY, types=None)
    kept = [text == "prose" for text in sheet.pieces.texts]
    return [sheet.pieces.texts[at] for at in structure.headings_of(sheet, kept)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<h1>name</h1>{PROSE}", ["name"]),
        (f"<h1>name</h1><span>by me</span>{PROSE}", ["name"]),
        (f"<main>{PROSE}<h1>name</h1><i>x</i>{PROSE}</main>", ["name"]),
        (f"<h1>name</h1>{PROSE}<h2>part</h2>{PROSE}", ["name", "part"]),
        (f"<h2>part</h2><h3>smaller</h3>{PROSE}", ["part", "smaller"]),
        (f"{PROSE}<h2>part</h2><p>other</p>{PROSE}", []),
        (f"{PROSE}<h2>last</h2>", []),
        (f"<h1>name</h1>{'<p>other</p>' * 30}{PROSE}", []),
        (f"<h2>{'long ' * 40}</h2>{PROSE}", []),
    ],
)
def test_what_heads_kept_text_is_found(html: str, expected: list[str]) -> None:
    assert headings(html) == expected


@pytest.mark.parametrize(
    "heading",
    [
        "<h1 class=logo>Fernleaf</h1>",
        "<div class=site-branding><h1>Fernleaf</h1></div>",
        "<h1><a href=/>Fernleaf</a></h1>",
    ],
)
def test_the_name_of_the_site_is_no_heading_of_the_page(heading: str) -> None:
    assert headings(f"{heading}<p>menu</p>{PROSE}", title="The mill at the lower weir - Fernleaf") == []


def test_a_linked_heading_that_is_the_title_is_kept() -> None:
    assert headings(f"<h1><a href=/a>The mill</a></h1>{PROSE}", title="The mill | Site") == ["The mill"]
