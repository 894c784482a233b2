"""The command line as a whole: help, arguments, exit statuses, streams and interruption."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, Neighbourhood, command, interrupt, on_a_terminal
from outrider.interfaces.cli import BROKEN_PIPE, COMMANDS
from world.messages import page
from world.site import Site
from world.trouble import silence, stall

METADATA = "http://169.254.169.254/latest/meta-data/"


# Help.


def test_help_names_every_command_the_exit_statuses_and_where_settings_are(cli: CommandLine) -> None:
    ended = cli("--help")

    assert 0 == ended.status
    assert all(name in ended.out for name in COMMANDS)
    assert {"2", "3", "4", "5", "6", "7", "8", "130"} <= set(
        re.findall(r"^ .*?(\d+)  ", ended.out, re.MULTILINE)
    ) | set(re.findall(r"  (\d+)  [a-z]", ended.out))
    assert "outrider.toml" in ended.out


def test_without_a_command_the_help_is_shown(cli: CommandLine) -> None:
    assert cli().out == cli("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cli: CommandLine, name: str) -> None:
    ended = cli(name, "--help")

    assert (0, "") == (ended.status, ended.err)
    assert ended.out.startswith(f"Usage: outrider {name}")


def test_the_version_is_told(cli: CommandLine) -> None:
    ended = cli("--version")

    assert 0 == ended.status
    assert ended.out.startswith("outrider ")


def test_help_loads_neither_the_engine_nor_the_terminal_library() -> None:
    program = (
        "import sys\nfrom outrider.interfaces.cli import run\nrun(['--help'])\n"
        "heavy = {'rich', 'httpcore2', 'turbohtml', 'aiodns', 'outrider.web.assembly'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )

    done = subprocess.run([command([])[0], "-c", program], capture_output=True, check=True, timeout=60)

    assert b"[]" == done.stderr.strip()


def test_a_misspelt_command_is_answered_with_the_one_that_was_meant(cli: CommandLine) -> None:
    ended = cli("serch", "x")

    assert (2, "") == (ended.status, ended.out)
    assert "search" in ended.err


# Arguments that are wrong.


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("fetch",), "invalid_argument"),
        (("fetch", "no url"), "invalid_url"),
        (("fetch", "ftp://example.com/"), "invalid_url"),
        (("fetch", "https://example.com/", "--limit", "0"), "invalid_argument"),
        (("fetch", "https://example.com/", "--limit", "many"), "invalid_argument"),
        (("fetch", "https://example.com/", "--offset", "-1"), "invalid_argument"),
        (("fetch", "https://example.com/", "--section", "a", "--find", "b"), "invalid_argument"),
        (("fetch", "https://example.com/", "--header", "nothing"), "invalid_argument"),
        (("fetch", "https://example.com/", "--header", "Host: other.test"), "invalid_argument"),
        (("fetch", "https://example.com/", "https://example.org/", "--all"), "invalid_argument"),
        (("fetch", "https://example.com/", "--all", "--prompt", "Why?"), "invalid_argument"),
        (("fetch", *[f"https://example.com/{n}" for n in range(9)]), "invalid_argument"),
        (("fetch", "w1"), "unknown_page_id"),
        (("fetch", "https://example.com/", "--set", "nonsense"), "invalid_argument"),
        (("fetch", "https://example.com/", "--set", "no.such=1"), "invalid_argument"),
        (("fetch", "https://example.com/", "--set", "fetch.total_s=soon"), "invalid_argument"),
        (("search", "  "), "invalid_argument"),
        (("search", "x" * 2_001), "invalid_argument"),
        (("search", "x", "-n", "21"), "invalid_argument"),
        (("search", "x", "--country", "Utopia"), "invalid_argument"),
        (("search", "x", "--freshness", "lately"), "invalid_argument"),
        (("search", "x", "--provider", "nobody"), "invalid_argument"),
        (("search", "x", "--allowed-domain", "not a host"), "invalid_argument"),
        (("providers", "show", "nobody"), "invalid_argument"),
        (("providers", "--quiet", "list"), "invalid_argument"),
        (("pages", "--set", "store.data_dir=elsewhere", "list"), "invalid_argument"),
        (("pages", "show", "w1"), "unknown_page_id"),
        (("pages", "search", "x", "--limit", "0"), "invalid_argument"),
        (("read", "no url"), "invalid_url"),
        (("read", "w1"), "unknown_page_id"),
        (("read", "https://example.com/", "--all", "--limit", "5"), "invalid_argument"),
        (("read", "https://example.com/", "--offset", "0"), "invalid_argument"),
        (("read", "https://example.com/", "--find", "a", "--quote", "b"), "invalid_argument"),
        (("download", "no url"), "invalid_url"),
        (("download", "w1"), "unknown_page_id"),
        (("download", "https://example.com/x", "--max-bytes", "0"), "invalid_argument"),
        (("download", "https://example.com/x", "--sha256", "short"), "invalid_argument"),
        (("convert", "missing.html"), "invalid_argument"),
        (("convert", "missing.html", "--url", "no url"), "invalid_argument"),
        (("doctor", "--probe", "gopher://example.com/"), "invalid_url"),
        (("completion", "tcsh"), "invalid_argument"),
        (("nothing",), "invalid_argument"),
    ],
)
def test_a_wrong_argument_is_said_in_one_line_and_ends_with_2(
    cli: CommandLine, words: tuple[str, ...], code: str
) -> None:
    ended = cli(*words)

    assert (2, "") == (ended.status, ended.out)
    assert f"[{code}]" in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.err) < 1_500


def test_a_wrong_argument_is_one_json_document_when_json_is_asked_for(cli: CommandLine) -> None:
    ended = cli("fetch", "--json", "--limit", "many", "https://example.com/")

    assert "invalid_argument" == ended.json["error"]["code"]


def test_an_argument_that_is_not_text_is_refused(cli: CommandLine) -> None:
    ended = cli.program("search", b"caf\xe9", environment={"PYTHONUTF8": "1"})

    assert (2, "") == (ended.status, ended.out)
    assert "argument 2" in ended.err


def test_a_huge_argument_is_refused_and_not_repeated(cli: CommandLine) -> None:
    ended = cli.program("fetch", "https://example.com/" + "a" * 100_000)

    assert 2 == ended.status
    assert len(ended.err) < 1_500


# Exit statuses.


def test_a_refusal_of_the_guard_ends_with_3(cli: CommandLine) -> None:
    ended = cli("fetch", METADATA)

    assert (3, "") == (ended.status, ended.out)
    assert "[ssrf_rejected]" in ended.err


def test_a_failure_of_the_network_ends_with_4(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_ALLOW_HOSTS", "127.0.0.1:1")

    ended = cli("fetch", "http://127.0.0.1:1/", "--set", "fetch.retries=0")

    assert (4, "") == (ended.status, ended.out)
    assert "[connection_failed]" in ended.err


def test_an_error_answer_of_the_server_ends_with_5(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("fetch", nearby.site({}).at("/missing"))

    assert (5, "") == (ended.status, ended.out)
    assert "[http_404]" in ended.err


def test_content_that_cannot_be_read_ends_with_6(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/x": page(b"\x89PNG\r\n\x1a\n" + bytes(500), content_type="image/png")})

    assert 6 == cli("fetch", site.at("/x")).status


def test_a_search_that_nobody_answers_ends_with_7(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine(page("<p>down</p>", status=500))

    ended = cli("search", "tides")

    assert (7, "") == (ended.status, ended.out)


def test_web_that_is_turned_off_ends_with_3(cli: CommandLine) -> None:
    ended = cli("fetch", "https://example.com/", "--set", "web.enabled=false")

    assert 3 == ended.status
    assert "[web_disabled]" in ended.err


# Interruption.


def test_an_interrupt_ends_with_130_and_writes_nothing_but_a_line(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": stall()})
    process = cli.start("fetch", site.url)
    nearby.wait_for_request(site)

    ended = interrupt(process)

    assert (130, "") == (ended.status, ended.out)
    assert 1 == len(ended.err.splitlines())
    assert "[cancelled]" in ended.err


def test_an_interrupted_json_call_still_writes_one_document(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": silence()})
    process = cli.start("fetch", "--json", site.url)
    nearby.wait_for_request(site)

    ended = interrupt(process)

    assert 130 == ended.status
    assert "cancelled" == ended.json["error"]["code"]


def test_an_interrupted_search_ends_with_130(cli: CommandLine, nearby: Neighbourhood) -> None:
    engine = nearby.engine(silence())
    process = cli.start("search", "tides")
    nearby.wait_for_request(engine)

    ended = interrupt(process)

    assert (130, "") == (ended.status, ended.out)
    assert "Traceback" not in ended.err


# Streams.


def test_a_reader_that_leaves_early_is_no_matter_for_a_message(cli: CommandLine, nearby: Neighbourhood) -> None:
    words = "A long line of words, and another. " * 800
    site = nearby.site({"/": page("".join(f"<p>{n} {words}</p>" for n in range(8)))})
    process = subprocess.Popen(
        command(["fetch", site.url, "--all", "--quiet"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()

    complaint = process.stderr.read()
    process.stderr.close()

    assert BROKEN_PIPE == process.wait(timeout=60)
    assert b"" == complaint


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_output_that_cannot_be_written_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command(["--help"]), stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)

    assert 1 == done.returncode
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_what_it_can_show(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page("<title>Größe</title><p>Größe — 大きさ 🌊</p>")})
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}

    plain = cli.program("fetch", site.url, environment=environment)
    as_json = cli.program("fetch", site.url, "--json", environment=environment)

    assert (0, "Gr??e ? ??? ?\n") == (plain.status, plain.out)
    assert "Größe — 大きさ 🌊" == as_json.json["items"][0]["content"].strip()
    assert as_json.out.isascii()


def test_nothing_is_coloured_where_it_is_piped(cli: CommandLine, long_page: Site) -> None:
    environment = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}

    for words in (("fetch", long_page.at("/long")), ("fetch", METADATA), ("providers",), ("doctor", "--no-network")):
        ended = cli.program(*words, environment=environment)

        assert "\x1b" not in ended.out + ended.err


def test_a_terminal_gets_colour_unless_it_asks_for_none() -> None:
    _, coloured = on_a_terminal(["providers"])
    _, plain = on_a_terminal(["providers"], {"NO_COLOR": "1"})

    assert re.search(r"\x1b\[[0-9;]*3[0-9]", coloured)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)


def test_a_traceback_is_shown_to_those_who_ask_for_it(cli: CommandLine) -> None:
    assert "Traceback" in cli.program("search", "x", "--country", "Utopia", "--debug").err
