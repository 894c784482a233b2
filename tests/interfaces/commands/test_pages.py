"""`outrider pages`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interfaces.commandline import CommandLine, Neighbourhood, on_a_terminal
from world.messages import page
from world.site import Site


@pytest.fixture
def stored(cli: CommandLine, nearby: Neighbourhood) -> Site:
    site = nearby.site(
        {
            "/a": page("<title>Alpha: one</title><p>Tides rise.</p>"),
            "/b": page("<title>Beta</title><p>Gauges measure.</p>"),
        }
    )
    assert 0 == cli("fetch", site.at("/a")).status
    assert 0 == cli("fetch", site.at("/b")).status
    return site


def test_pages_are_listed_newest_first(cli: CommandLine, stored: Site) -> None:
    ended = cli("pages")

    assert [stored.at("/b"), stored.at("/a")] == [line.split()[3] for line in ended.out.splitlines()]
    assert ended.out == cli("pages", "list").out


def test_a_list_goes_on_where_it_stopped(cli: CommandLine, stored: Site) -> None:
    first = cli("pages", "list", "--limit", "1", "--json").json
    rest = cli("pages", "list", "--before", str(first["before"]), "--json").json

    assert ["Beta", "Alpha: one"] == [entry["title"] for entry in (*first["pages"], *rest["pages"])]
    assert 2 == first["kept"]["pages"]


def test_no_pages_are_no_failure(cli: CommandLine) -> None:
    ended = cli("pages")

    assert (0, "") == (ended.status, ended.out)
    assert "no stored pages" in ended.err


def test_a_page_is_shown_whole(cli: CommandLine, stored: Site) -> None:
    assert (0, "Tides rise.\n", "") == (
        (ended := cli("pages", "show", stored.at("/a"))).status,
        ended.out,
        ended.err,
    )
    assert "Tides rise." == cli("pages", "show", stored.at("/a"), "--json").json["content"].strip()


def test_words_are_found_offline(cli: CommandLine, stored: Site) -> None:
    ended = cli("pages", "search", "gauges")

    assert stored.at("/b") in ended.out
    assert stored.at("/a") not in ended.out
    assert 2 == len(stored.requests)
    assert [stored.at("/b")] == [entry["url"] for entry in cli("pages", "search", "gauges", "--json").json["pages"]]
    assert "No stored page" in cli("pages", "search", "zeppelin").err


def test_a_removed_page_is_gone_and_the_others_stay(cli: CommandLine, stored: Site) -> None:
    assert {"removed": 1} == cli("pages", "remove", stored.at("/a"), "--json").json

    assert ["Beta"] == [entry["title"] for entry in cli("pages", "--json").json["pages"]]


def test_a_misspelt_name_removes_nothing(cli: CommandLine, stored: Site) -> None:
    ended = cli("pages", "remove", stored.at("/a"), stored.at("/never"))

    assert 8 == ended.status
    assert 2 == len(cli("pages", "--json").json["pages"])


def test_all_are_removed_only_when_all_are_meant(cli: CommandLine, stored: Site) -> None:
    assert 2 == cli("pages", "remove").status
    assert 2 == cli("pages", "remove", "--all", stored.at("/a")).status

    assert {"removed": 2} == cli("pages", "remove", "--all", "--json").json
    assert [] == cli("pages", "--json").json["pages"]


def test_pages_are_exported_as_markdown_files(cli: CommandLine, stored: Site, tmp_path: Path) -> None:
    files = cli("pages", "export", "notes", "--json").json["files"]
    again = cli("pages", "export", "notes").out.split()

    assert sorted(files) == sorted(again) == sorted(map(str, Path("notes").rglob("*.md")))
    alpha = next(Path(name) for name in files if "alpha-one" in name)
    text = alpha.read_text(encoding="utf-8")
    assert text.startswith('---\ntitle: "Alpha: one"\nurl: "' + stored.at("/a"))
    assert text.endswith("---\n\nTides rise.\n")


def test_one_page_is_exported_by_its_url(cli: CommandLine, stored: Site) -> None:
    assert 1 == len(cli("pages", "export", "notes", stored.at("/b"), "--json").json["files"])


def test_an_export_that_cannot_be_written_ends_with_8(cli: CommandLine, stored: Site) -> None:
    Path("taken").write_text("a file", encoding="utf-8")

    ended = cli("pages", "export", "taken")

    assert (8, "") == (ended.status, ended.out)
    assert "[storage_error]" in ended.err


def test_a_terminal_gets_a_title_an_address_and_a_path_each(stored: Site) -> None:
    status, shown = on_a_terminal(["pages"])

    assert 0 == status
    assert shown.index("Beta") < shown.index(stored.at("/b")) < shown.index("web://")
