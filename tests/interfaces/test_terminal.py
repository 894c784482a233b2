"""What is written for people and for machines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.errors import Http429
from outrider.interfaces import terminal


class Teletype(io.StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        return True


def test_text_for_a_terminal_cannot_steer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Teletype()
    monkeypatch.setattr("sys.stdout", screen)

    terminal.write("a\x1b]0;title\x07b\x9bc\u202ed\r\ne\rf\tg\n")

    assert "a\ufffd]0;title\ufffdb\ufffdc\ufffdd\ne\ufffdf\tg\n" == screen.getvalue()


def test_text_for_a_pipe_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stdout", pipe)

    terminal.write("a\x1b[1mb\r\n")

    assert "a\x1b[1mb\r\n" == pipe.getvalue()


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_survives_as_json_and_holds_no_control_character(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        screen = Teletype()
        patch.setattr("sys.stdout", screen)
        terminal.write_json({"text": text})

    written = screen.getvalue()
    bidi = str.maketrans(dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "\ufffd"))
    assert text.translate(bidi) == json.loads(written)["text"]
    assert not any((char < " " and char != "\n") or "\x7f" <= char <= "\x9f" for char in written)


def test_a_failure_is_said_with_its_hint_and_its_wait(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.complain(Http429("slow down", hint="Ask later.", retry_after_s=30), about="https://example.com/")

    lines = capsys.readouterr().err.splitlines()
    assert "error: https://example.com/: slow down [http_429]" == lines[0]
    assert "hint: Wait 30 s. Ask later." == lines[1]


def test_a_closed_standard_error_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)

    terminal.note("nobody reads this")
