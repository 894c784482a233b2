from __future__ import annotations

import pytest

from outrider.search.domains import cut, keep, matches, with_operators
from outrider.types import Hit, Query


@pytest.mark.parametrize(
    ("link", "entry", "expected"),
    [
        ("https://example.com/", "example.com", True),
        ("https://docs.example.com/x", "example.com", True),
        ("https://notexample.com/", "example.com", False),
        ("https://example.com.evil.test/", "example.com", False),
        ("https://github.com/astral-sh", "github.com/astral-sh", True),
        ("https://github.com/astral-sh/uv", "github.com/astral-sh", True),
        ("https://github.com/astral-shell", "github.com/astral-sh", False),
        ("https://github.com/a/../astral-sh/uv", "github.com/astral-sh", True),
        ("https://github.com/other?/astral-sh", "github.com/astral-sh", False),
        ("https://EXAMPLE.com:8443/", "example.com", True),
        ("https://1.2.3.4/", "3.4", False),
        ("no link", "example.com", False),
    ],
)
def test_entries_match_hosts_subdomains_and_whole_path_segments(link: str, entry: str, expected: bool) -> None:  # noqa: FBT001
    assert expected == matches(link, entry)


def test_a_blocked_entry_wins() -> None:
    query = Query(text="x", allowed_domains=("example.com",), blocked_domains=("forum.example.com",))
    hits = [Hit(url=f"https://{host}/", title="t") for host in ("example.com", "forum.example.com", "other.test")]

    assert ["https://example.com/"] == [hit.url for hit in keep(hits, query)]


def test_operators_name_every_entry() -> None:
    query = Query(text="tides", allowed_domains=("a.test", "b.test/x"), blocked_domains=("c.test",))

    assert ("tides (site:a.test OR site:b.test/x) -site:c.test", ()) == with_operators(query, limit=200)


def test_operators_that_do_not_fit_are_left_to_the_filter_with_a_warning() -> None:
    text, warnings = with_operators(Query(text="tides", allowed_domains=("a" * 60 + ".test",)), limit=30)

    assert "tides" == text
    assert 1 == len(warnings)


def test_a_cut_question_ends_at_a_word() -> None:
    text, warnings = cut("some words that go on", 12)

    assert "some words" == text
    assert 1 == len(warnings)
