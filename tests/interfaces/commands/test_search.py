"""`outrider search`."""

from __future__ import annotations

from interfaces.commandline import FOUND, CommandLine, Neighbourhood, on_a_terminal
from world.messages import answer_json, page


def test_results_are_listed_plainly_where_they_are_piped(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    ended = cli("search", "high", "tides")

    assert (0, "") == (ended.status, ended.err)
    assert ended.out == (
        "1. First\n   https://example.com/a\n   One bold word.\n\n"
        "2. Second  2026-05-01\n   https://example.org/b\n   Two.\n\n"
    )


def test_the_words_are_one_question(cli: CommandLine, nearby: Neighbourhood) -> None:
    engine = nearby.engine()

    cli("search", "high", "tides", "--freshness", "year")

    assert ("high tides", "year") == (engine.requests[0].query["q"], engine.requests[0].query["time_range"])


def test_json_is_the_tools_data(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    data = cli("search", "tides", "--json").json

    assert ["https://example.com/a", "https://example.org/b"] == [hit["url"] for hit in data["results"]]
    assert "searxng" == data["provider"]
    assert "error" not in data


def test_json_of_a_failure_lists_the_attempts(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine(answer_json({}, status=403))

    ended = cli("search", "tides", "--json")

    assert 7 == ended.status
    assert "provider_misconfigured" == ended.json["error"]["code"]
    assert "searxng" == ended.json["error"]["details"]["attempts"][0]["provider"]


def test_nothing_found_is_no_failure(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine(answer_json(FOUND | {"results": []}))

    ended = cli("search", "tides")

    assert (0, "") == (ended.status, ended.out)
    assert "Nothing was found" in ended.err


def test_domain_lists_and_the_number_of_results_are_honoured(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    assert "example.org" not in cli("search", "tides", "-n", "1").out
    assert "example.com" not in cli("search", "tides", "--allowed-domain", "example.org").out
    assert "example.com" not in cli("search", "tides", "--blocked-domain", "example.com").out


def test_a_terminal_is_told_that_results_are_evidence(nearby: Neighbourhood) -> None:
    nearby.engine()

    status, shown = on_a_terminal(["search", "tides"])

    assert 0 == status
    assert "Evidence" in shown


def test_the_first_results_are_read_when_that_is_asked_for(cli: CommandLine, nearby: Neighbourhood) -> None:
    pages = nearby.site({"/a": page("<p>What the page says.</p>")})
    results = [
        {"url": pages.at(path), "title": "T", "content": "Snippet.", "engine": "recorded"} for path in ("/a", "/b")
    ]
    nearby.engine(answer_json(FOUND | {"results": results}))

    ended = cli("search", "tides", "--content")

    assert 0 == ended.status
    assert "What the page says." in ended.out
    assert "Snippet." in ended.out
    assert f"{pages.at('/b')} was not read" in ended.err


def test_how_many_engines_are_asked_at_once_is_held_to_its_range(cli: CommandLine, nearby: Neighbourhood) -> None:
    nearby.engine()

    assert 0 == cli("search", "tides", "--fan-out", "1").status
    assert 2 == cli("search", "tides", "--fan-out", "6").status
