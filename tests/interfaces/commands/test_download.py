"""`outrider download`."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, Neighbourhood, interrupt, on_a_terminal
from world.messages import page, redirect
from world.site import Site
from world.trouble import stall

# An address, so that nothing has to be resolved; it is never contacted.
ELSEWHERE = "https://93.184.215.14"
BODY = b"tide,height\n" * 1_000


@pytest.fixture
def site(nearby: Neighbourhood) -> Site:
    return nearby.site({"/tides.csv": page(BODY, content_type="text/csv")})


def test_a_file_comes_without_a_question_and_its_path_is_printed(cli: CommandLine, site: Site) -> None:
    ended = cli("download", site.at("/tides.csv"))

    assert (0, "tides.csv\n") == (ended.status, ended.out)
    assert hashlib.sha256(BODY).hexdigest() in ended.err
    assert BODY == Path("tides.csv").read_bytes()
    assert "" == cli("download", site.at("/tides.csv"), "again.csv", "--quiet").err


def test_json_says_what_came(cli: CommandLine, site: Site) -> None:
    saved = cli("download", site.at("/tides.csv"), "data/", "--json").json

    assert ("data/tides.csv", len(BODY)) == (saved["path"], saved["bytes"])


def test_a_folder_of_ones_own_choice_takes_the_file(cli: CommandLine, site: Site, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    ended = cli("download", site.at("/tides.csv"), "--into", "elsewhere")

    assert "elsewhere/tides.csv\n" == ended.out
    assert BODY == Path(ended.out.strip()).read_bytes()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("../out.csv",), "path_outside_workspace"),
        (("/tmp/out.csv",), "path_outside_workspace"),
        (("there.csv",), "destination_exists"),
        (("new.csv", "--sha256", "0" * 64), "checksum_mismatch"),
    ],
)
def test_a_file_that_cannot_be_kept_ends_with_8_and_leaves_nothing(
    cli: CommandLine, site: Site, words: tuple[str, ...], code: str
) -> None:
    Path("there.csv").write_text("mine", encoding="utf-8")

    ended = cli("download", site.at("/tides.csv"), *words)

    assert (8, "") == (ended.status, ended.out)
    assert f"[{code}]" in ended.err
    assert ["there.csv"] == [path.name for path in Path().iterdir() if path.is_file()]
    assert "mine" == Path("there.csv").read_text(encoding="utf-8")


def test_a_file_is_replaced_when_that_is_asked_for(cli: CommandLine, site: Site) -> None:
    Path("there.csv").write_text("mine", encoding="utf-8")

    assert 0 == cli("download", site.at("/tides.csv"), "there.csv", "--overwrite").status
    assert BODY == Path("there.csv").read_bytes()


def test_a_file_that_is_too_large_ends_with_6(cli: CommandLine, site: Site) -> None:
    assert 6 == cli("download", site.at("/tides.csv"), "--max-bytes", "100").status


def test_what_the_configuration_denies_stays_denied(cli: CommandLine, site: Site) -> None:
    denied = cli("download", site.at("/tides.csv"), "--set", "permissions.deny=domain:127.0.0.1")
    read_only = cli("download", site.at("/tides.csv"), "--set", "workspace.read_only=true")

    assert (3, 3) == (denied.status, read_only.status)
    assert [] == site.requests


def test_a_redirect_to_a_host_that_was_not_named_is_not_followed(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": redirect(f"{ELSEWHERE}/tides.csv")})

    ended = cli("download", site.url, "x.csv")

    assert (3, "") == (ended.status, ended.out)
    assert "[redirect_rejected]" in ended.err
    assert "domain:93.184.215.14" in ended.err


def test_a_person_is_asked_about_a_redirect_to_another_host(nearby: Neighbourhood) -> None:
    site = nearby.site({"/": redirect(f"{ELSEWHERE}/tides.csv")})

    status, shown = on_a_terminal(["download", site.url, "x.csv"], answers=["no\n"])

    assert 3 == status
    assert "domain:93.184.215.14" in shown


def test_an_interrupted_download_leaves_nothing(cli: CommandLine, nearby: Neighbourhood) -> None:
    slow = nearby.site({"/": stall(b"x" * 100)})
    process = cli.start("download", slow.url, "slow.bin")
    nearby.wait_for_request(slow)

    ended = interrupt(process)

    assert (130, "") == (ended.status, ended.out)
    assert [] == [path for path in Path().iterdir() if path.is_file()]


def test_a_person_sees_the_transfer(site: Site) -> None:
    status, shown = on_a_terminal(["download", site.at("/tides.csv")])

    assert 0 == status
    assert "tides.csv" in shown
    assert "12,000 bytes" in shown
