"""`outrider convert`."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, command, on_a_terminal

PAGE = "<title>Tides</title><h1>Tides</h1><p>Twice a <a href='day'>day</a>.</p>"


@pytest.fixture
def saved() -> str:
    Path("saved.html").write_text(PAGE, encoding="utf-8")
    return "saved.html"


def _type_in(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(body)))


def test_a_file_becomes_markdown(cli: CommandLine, saved: str) -> None:
    ended = cli("convert", saved)

    assert (0, "# Tides\n\nTwice a [day](day).\n", "") == (ended.status, ended.out, ended.err)


def test_links_are_resolved_against_where_it_came_from(cli: CommandLine, saved: str) -> None:
    ended = cli("convert", saved, "--url", "https://example.com/docs/")

    assert "https://example.com/docs/day" in ended.out


def test_standard_input_is_converted(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    _type_in(monkeypatch, PAGE.encode())
    from_html = cli("convert", "-")
    _type_in(monkeypatch, b"<b>not</b> a tag")
    as_text = cli("convert", "-", "--content-type", "text/plain")

    assert from_html.out.startswith("# Tides")
    assert "<b>not</b> a tag\n" == as_text.out


def test_json_has_the_document(cli: CommandLine, saved: str) -> None:
    document = cli("convert", saved, "--json").json

    assert ("Tides", "html", "Tides") == (document["title"], document["kind"], document["outline"][0]["text"])


def test_the_name_of_a_file_says_what_it_is(cli: CommandLine) -> None:
    Path("note.md").write_text("# A <b>heading</b>\n", encoding="utf-8")

    assert "# A <b>heading</b>\n" == cli("convert", "note.md").out


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(500), 6, "unsupported_content"),
        ("empty.html", b"<p></p>", 6, "empty_content"),
        ("large.txt", b"x" * 3_000, 6, "body_too_large"),
        ("missing.html", None, 2, "invalid_argument"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_in_one_line(
    cli: CommandLine, name: str, body: bytes | None, status: int, code: str
) -> None:
    if body is not None:
        Path(name).write_bytes(body)

    ended = cli("convert", name, "--set", "fetch.max_body_bytes=2000")

    assert (status, "") == (ended.status, ended.out)
    assert f"[{code}]" in ended.err


def test_a_folder_ends_with_8(cli: CommandLine) -> None:
    Path("folder").mkdir()

    assert 8 == cli("convert", "folder").status


def test_a_terminal_gets_it_set_in_type(saved: str) -> None:
    status, shown = on_a_terminal(["convert", saved])

    assert 0 == status
    assert "# Tides" not in shown


def test_nothing_of_the_network_is_loaded(saved: str) -> None:
    program = (
        "import sys\nfrom outrider.interfaces.cli import run\nrun(['convert', sys.argv[1]])\n"
        "heavy = {'httpcore2', 'aiodns', 'outrider.web.assembly', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )

    done = subprocess.run([command([])[0], "-c", program, saved], capture_output=True, check=True, timeout=60)

    assert b"[]" == done.stderr.strip()
