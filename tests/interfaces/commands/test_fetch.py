"""`outrider fetch`."""

from __future__ import annotations

import json

from interfaces.commandline import CommandLine, Neighbourhood, on_a_terminal
from world.messages import answer_json, page
from world.site import Site

ARTICLE = "<title>Tides</title><h1>Tides</h1><p>Twice a day.</p><h2 id=spring>Spring</h2><p>At new moon.</p>"


def test_a_piped_page_is_its_markdown_and_nothing_else(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("fetch", nearby.site({"/": page(ARTICLE)}).url)

    assert (0, "# Tides\n\nTwice a day.\n\n## Spring\n\nAt new moon.\n", "") == (ended.status, ended.out, ended.err)


def test_long_lines_are_not_wrapped(cli: CommandLine, nearby: Neighbourhood) -> None:
    line = "word " * 300

    ended = cli.program("fetch", nearby.site({"/": page(f"<p>{line}</p>")}).url)

    assert line.strip() == ended.out.strip()


def test_the_windows_of_a_page_join_to_what_all_gives(cli: CommandLine, long_page: Site) -> None:
    whole = cli("fetch", long_page.at("/long"), "--all")
    offset, pieces = 0, []
    while offset is not None:
        item = cli("fetch", long_page.at("/long"), "--json", "--offset", str(offset)).json["items"][0]
        pieces.append(item["content"])
        offset = item["next_offset"]

    assert len(pieces) > 1
    assert whole.out.rstrip("\n") == "".join(pieces).rstrip("\n")


def test_all_reads_the_page_once(cli: CommandLine, long_page: Site) -> None:
    item = cli("fetch", long_page.at("/long"), "--all", "--json").json["items"][0]

    assert 1 == len(long_page.requests)
    assert (None, False) == (item["next_offset"], item["truncated"])
    assert item["content_length"] == item["returned_chars"] == len(item["content"])


def test_a_cut_page_says_on_standard_error_how_to_go_on(cli: CommandLine, long_page: Site) -> None:
    ended = cli("fetch", long_page.at("/long"))
    quiet = cli("fetch", long_page.at("/long"), "--quiet")

    assert "--offset" in ended.err
    assert (ended.out, "") == (quiet.out, quiet.err)


def test_a_section_and_the_passages_around_a_text_can_be_asked_for(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page(ARTICLE)})

    assert "## Spring\n\nAt new moon.\n" == cli("fetch", site.url, "--section", "Spring").out
    assert "## Spring\n\nAt new moon.\n" == cli("fetch", site.url + "#spring").out
    assert "new moon" in cli("fetch", site.url, "--find", "new moon").out


def test_a_header_is_sent(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page(ARTICLE)})

    cli("fetch", site.url, "-H", "X-Tide: high: 4 m")

    assert "high: 4 m" == site.requests[0].header("x-tide")


def test_several_pages_are_told_apart_and_one_failure_ends_none(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/a": page("<p>Alpha</p>"), "/b": page("<p>Beta</p>")})

    ended = cli("fetch", site.at("/a"), site.at("/missing"), site.at("/b"))

    assert 5 == ended.status
    assert f"==> {site.at('/a')} <==\nAlpha\n==> {site.at('/b')} <==\nBeta\n" == ended.out
    assert site.at("/missing") in ended.err


def test_json_has_the_outcome_of_every_item(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/a": page("<p>Alpha</p>")})

    ended = cli("fetch", "--json", site.at("/a"), site.at("/missing"))

    assert ["success", "failed"] == [item["status"] for item in ended.json["items"]]
    assert "http_404" == ended.json["items"][1]["error"]["code"]


def test_json_of_one_failure_has_it_as_the_error_of_the_call(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("fetch", "--json", nearby.site({}).url)

    assert 5 == ended.status
    assert "http_404" == ended.json["error"]["code"] == ended.json["items"][0]["error"]["code"]


def test_json_of_a_page_has_its_facts(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = nearby.site({"/": answer_json({"tide": "high"})})

    item = cli("fetch", "--json", site.url).json["items"][0]

    assert ("json", 200, site.url) == (item["kind"], item["status_code"], item["final_url"])


def test_a_terminal_gets_the_page_set_in_type(nearby: Neighbourhood) -> None:
    status, shown = on_a_terminal(["fetch", nearby.site({"/": page(ARTICLE + "<p><b>Bold</b> word</p>")}).url])

    assert 0 == status
    assert "## Spring" not in shown
    assert "**Bold**" not in shown
    assert "Spring" in shown


def test_a_terminal_gets_the_markdown_itself_when_it_asks(nearby: Neighbourhood) -> None:
    _, shown = on_a_terminal(["fetch", "--plain", nearby.site({"/": page(ARTICLE)}).url])

    assert "## Spring" in shown


def test_a_page_cannot_steer_the_terminal(nearby: Neighbourhood) -> None:
    site = nearby.site({"/": page("before \x1b]0;owned\x07 after", content_type="text/plain")})

    _, shown = on_a_terminal(["fetch", site.url])

    assert "\x1b]0;" not in shown
    assert "after" in shown


def _reader(nearby: Neighbourhood, *quotes: str) -> Site:
    """A model that answers from the article."""
    said = json.dumps({"answer": "Twice.", "quotes": quotes})
    return nearby.site(
        {
            "/": page(ARTICLE),
            "/v1/chat/completions": answer_json({"choices": [{"message": {"content": said}}]}),
        }
    )


def _asking(site: Site) -> tuple[str, ...]:
    settings = ("reader.family=openai", "reader.model=small", f"reader.base_url={site.at('/v1')}")
    words = ("fetch", site.url, "--prompt", "How often?")
    return (*words, *(word for setting in settings for word in ("--set", setting)))


def test_a_question_is_answered_with_the_passages_it_rests_on(cli: CommandLine, nearby: Neighbourhood) -> None:
    site = _reader(nearby, "Twice a day.", "Giants drink the sea every evening.")

    ended = cli(*_asking(site))

    assert (0, "Twice.\n\n> Twice a day.\n") == (ended.status, ended.out)
    assert "1 quotes do not stand" in ended.err
    assert "Twice." == cli(*_asking(site), "--json").json["items"][0]["text"]


def test_an_answer_without_a_quote_is_said_to_have_none(cli: CommandLine, nearby: Neighbourhood) -> None:
    assert "no quote" in cli(*_asking(_reader(nearby))).err


def test_a_question_without_a_model_ends_with_1(cli: CommandLine, nearby: Neighbourhood) -> None:
    ended = cli("fetch", nearby.site({"/": page(ARTICLE)}).url, "--prompt", "How often?")

    assert (1, "") == (ended.status, ended.out)
    assert "[reader_unavailable]" in ended.err
