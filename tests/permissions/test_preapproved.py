"""Which documentation hosts pass without asking."""

from __future__ import annotations

import pytest

from outrider.permissions.preapproved import HOSTS, preapproved
from outrider.permissions.rules import Subject, parse_pattern
from outrider.url import Url

REQUIRED = [
    "platform.claude.com",
    "code.claude.com",
    "modelcontextprotocol.io",
    "docs.python.org",
    "en.cppreference.com",
    "developer.mozilla.org",
    "doc.rust-lang.org",
    "www.typescriptlang.org",
    "react.dev",
    "nextjs.org",
    "vuejs.org",
    "tailwindcss.com",
    "docs.aws.amazon.com",
    "cloud.google.com",
    "kubernetes.io",
    "huggingface.co",
    "kaggle.com",
    "nuget.org",
    "github.com/anthropics",
]


def passes(url: str, **others: str) -> bool:
    return bool(preapproved(Subject(**{"action": "network", "url": Url.parse(url)} | others)))  # type: ignore[arg-type]  # a mapping of mixed values


def test_there_are_at_least_120_entries_and_each_is_in_normal_form_and_unique() -> None:
    assert len(HOSTS) >= 120
    assert len(HOSTS) == len(set(HOSTS))
    assert [] == [entry for entry in HOSTS if parse_pattern(entry).text.removeprefix("domain:") != entry]


@pytest.mark.parametrize("entry", REQUIRED)
def test_the_hosts_that_harnesses_count_on_are_there(entry: str) -> None:
    assert passes(f"https://{entry}/some/page?x=1")


def test_a_host_is_matched_exactly() -> None:
    assert passes("https://docs.python.org/3/")
    assert not passes("https://evil.docs.python.org/")
    assert not passes("https://docs.python.org.evil.test/")
    assert not passes("https://python.org/")


def test_a_path_entry_ends_at_a_segment_boundary_in_every_reading() -> None:
    assert passes("https://github.com/anthropics")
    assert passes("https://github.com/anthropics/anthropic-sdk-python")
    for url in ("https://github.com/anthropics-evil/x", "https://github.com/", "https://github.com/x/anthropics",
                "https://github.com/anthropics/%2e%2e/evil", "https://github.com/anthropics%2f..%2fevil"):  # fmt: skip
        assert not passes(url)


def test_only_reading_counts() -> None:
    assert not passes("https://docs.python.org/", method="POST")
    assert not passes("https://docs.python.org/", action="write")
