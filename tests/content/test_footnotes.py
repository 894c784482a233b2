"""Footnotes: marks in the text, one definition for each note."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert


def whole(html: str) -> str:
    return convert(
        html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True
    ).markdown


@pytest.mark.parametrize(
    ("reference", "notes"),
    [
        ("<sup><a href='#fn1' id=fnref1>1</a></sup>", "<ol><li id=fn1><p>The note. <a href='#fnref1'>↩</a></p></li></ol>"),
        ("<a class=footnote-ref href='#fn:1' role=doc-noteref>1</a>", "<div class=footnotes><ol><li id='fn:1'>The note.&nbsp;<a class=footnote-backref href='#fnref:1'>↩︎</a></li></ol></div>"),
        ("<sup id=r><a href='#_ftn1'>[1]</a></sup>", "<p><a name=_ftn1 href='#_ftnref1'>[1]</a> The note.</p>"),
        ("<a epub:type=noteref role=doc-noteref href='#note-a'>1</a>", "<aside id=note-a><p>The note.</p></aside>"),
    ],
)  # fmt: skip
def test_a_mark_stays_at_its_word_and_punctuation_after_it(reference: str, notes: str) -> None:
    written = whole(f"<p>As was said{reference}.</p><hr>{notes}")

    assert "As was said[^1].\n\n---\n\n[^1]: The note." == written.replace("\u00a0", "").rstrip()


def test_each_note_has_its_own_definition() -> None:
    marks = "".join(f"<p>Word{n}<sup><a href='#fn{n}'>{n}</a></sup></p>" for n in (1, 2))
    notes = "".join(f"<li id=fn{n}><p>Note {n}</p><p>more</p></li>" for n in (1, 2))

    assert whole(f"{marks}<ol>{notes}</ol>").endswith("[^1]: Note 1\n\n    more\n[^2]: Note 2\n\n    more")


def test_numbers_that_a_list_shows_itself_stay_numbers() -> None:
    html = (
        "<p>Fact<sup class=reference><a href='#cite_note-1'>[1]</a></sup>.</p><ol class=references><li id='cite_note-1'>"
        "<span class=mw-cite-backlink><b><a href='#cite_ref-1'>^</a></b></span> <cite>Source</cite></li></ol>"
    )

    assert "Fact[1].\n\n1. *Source*" == whole(html)


def test_a_table_of_contents_is_no_list_of_footnotes() -> None:
    html = "<ul><li><a href='#fn1'>1</a></li></ul><h2 id=fn1>Note</h2><p>x</p>"

    assert "[^" not in whole(html)


def test_a_mark_whose_note_is_not_shown_stays_a_number() -> None:
    html = "<p>Word<sup><a href='#fn1'>1</a></sup></p><div hidden><p id=fn1>Gone</p></div>"

    assert "[^1]" not in whole(html)
    assert "1" in whole(html)
