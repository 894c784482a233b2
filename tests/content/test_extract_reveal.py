"""Text for readers without scripts is read where there is no other."""

from __future__ import annotations

from outrider.content import clean, dom
from outrider.content.reveal import reveal

POST = "<p>" + "The first post says a good deal about the matter. " * 20 + "</p>"


def text(html: str) -> str:
    tree = dom.parse(html)
    clean.clean(tree)
    reveal(tree)
    return " ".join(tree.inner_text(tree.body).split())


def test_a_thread_within_noscript_is_read_when_the_page_is_a_shell() -> None:
    assert text(f"<body><div id=app></div><noscript>{POST}</noscript>").startswith("The first post")


def test_a_note_about_scripts_is_not() -> None:
    assert text("<body><p>Hello.</p><noscript>Please enable scripts.</noscript>") == "Hello."


def test_a_copy_within_noscript_is_not_read_twice() -> None:
    assert text(f"<body>{POST}{POST}<noscript>{POST}</noscript>").count("The first post") == 40


def test_scripts_within_noscript_are_no_text() -> None:
    assert text(f"<body><p>Hello.</p><noscript><style>{'a {} ' * 900}</style></noscript>") == "Hello."


def test_parts_of_a_page_that_come_late_in_a_stream_are_read() -> None:
    assert "late" in text('<body><p>Early.</p><div hidden id="S:1f"><p>And late.</p></div>')


def test_other_hidden_parts_stay_hidden() -> None:
    assert text('<body><p>Seen.</p><div hidden id="S:x"><p>Not.</p></div>') == "Seen."
