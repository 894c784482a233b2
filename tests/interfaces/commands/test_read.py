"""`outrider read`."""

from __future__ import annotations

import pytest

from interfaces.commandline import CommandLine, Neighbourhood, on_a_terminal
from world.messages import page
from world.site import Site

ARTICLE = (
    "<title>Tides</title><h1>Tides</h1><p>Twice a day the water rises.</p>"
    "<h2 id=spring>Spring</h2><p>At new moon it rises higher.</p><h2>Neap</h2><p>At half moon less.</p>"
)


@pytest.fixture
def article(cli: CommandLine, nearby: Neighbourhood) -> Site:
    site = nearby.site({"/": page(ARTICLE)})
    assert 0 == cli("fetch", site.url).status
    return site


def test_a_fetched_page_is_read_again_without_a_request(cli: CommandLine, article: Site) -> None:
    ended = cli("read", article.url)

    assert (0, "") == (ended.status, ended.err)
    assert ended.out.startswith("# Tides\n\nTwice a day the water rises.\n")
    assert 1 == len(article.requests)


def test_a_page_is_named_by_its_path_too(cli: CommandLine, article: Site) -> None:
    path = cli("fetch", article.url, "--json").json["items"][0]["path"]

    assert cli("read", article.url).out == cli("read", path).out


def test_lines_are_counted_and_a_note_says_how_to_go_on(cli: CommandLine, article: Site) -> None:
    ended = cli("read", article.url, "--offset", "3", "--limit", "1")

    assert (0, "Twice a day the water rises.\n") == (ended.status, ended.out)
    assert "--offset 4" in ended.err
    assert "" == cli("read", article.url, "--limit", "1", "--quiet").err


def test_all_joins_the_windows_of_a_long_page(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page("".join(f"<p>{'word ' * 40}{n}</p>" for n in range(600)))})
    fetched = cli("fetch", site.url, "--all")

    first = cli("read", site.url)
    whole = cli("read", site.url, "--all")

    assert "--all" in first.err
    assert whole.out.startswith(first.out.rstrip("\n"))
    assert fetched.out.strip() == whole.out.strip() == cli("read", site.url, "--all", "--json").json["content"].strip()


def test_a_section_the_headings_and_passages_can_be_asked_for(cli: CommandLine, article: Site) -> None:
    assert "## Spring\n\nAt new moon it rises higher." == cli("read", article.url, "--section", "Spring").out.strip()
    assert [["1", "Tides"], ["5", "Spring"], ["9", "Neap"]] == [
        line.split() for line in cli("read", article.url, "--outline").out.splitlines()
    ]
    found = cli("read", article.url, "--find", "new moon")
    assert "At new moon" in found.out
    assert "line" in found.err


@pytest.mark.parametrize(
    ("quote", "status", "said"),
    [
        ("Twice a day the water rises.", 0, "exact"),
        ("Twice a day the water always rises.", 0, "close"),
        ("Giants drink the sea and spit it out again every evening.", 8, "absent"),
    ],
)
def test_a_quote_is_looked_up(cli: CommandLine, article: Site, quote: str, status: int, said: str) -> None:
    ended = cli("read", article.url, "--quote", quote)

    assert status == ended.status
    assert ended.out.startswith(said)
    assert said == cli("read", article.url, "--quote", quote, "--json").json["quote"]["verdict"]


@pytest.mark.parametrize("name", ["https://example.com/never", "web://example.com/0000000000000000"])
def test_a_page_that_is_not_stored_ends_with_8(cli: CommandLine, name: str) -> None:
    ended = cli("read", name)

    assert (8, "") == (ended.status, ended.out)
    assert "[page_not_found]" in ended.err
    assert "page_not_found" == cli("read", name, "--json").json["error"]["code"]


def test_a_removed_page_ends_with_8(cli: CommandLine, article: Site) -> None:
    assert 0 == cli("pages", "remove", article.url).status

    assert 8 == cli("read", article.url).status


def test_a_store_that_cannot_be_opened_ends_with_8(cli: CommandLine) -> None:
    ended = cli("read", "https://example.com/", "--set", "store.data_dir=/dev/null/nowhere")

    assert (8, "") == (ended.status, ended.out)
    assert "[storage_error]" in ended.err


def test_a_terminal_gets_the_page_set_in_type(article: Site) -> None:
    status, shown = on_a_terminal(["read", article.url])

    assert 0 == status
    assert "## Spring" not in shown
    assert "Spring" in shown
