from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.search.urls import host, key, read, target


@pytest.mark.parametrize(
    ("raw", "leads"),
    [
        ("https://Example.com/A?b=1&c=2#d", "https://Example.com/A?b=1&c=2#d"),
        ("  https://example.com/a b ", "https://example.com/a%20b"),
        ("//example.com/x", "https://example.com/x"),
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx%2520y%2Bz%2Dq&rut=1", "https://a.example/x%20y+z-q"),
        ("https://www.google.com/url?sa=t&q=https://a.example/x&ved=1", "https://a.example/x"),
        ("https://www.google.co.uk/url?url=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        (
            "https://www.bing.com/ck/a?!&&p=1&u=a1" + base64.urlsafe_b64encode(b"https://a.example/?x=1").decode().rstrip("="),
            "https://a.example/?x=1",
        ),
        ("https://a.example/?utm_source=openai", "https://a.example/"),
        ("https://a.example/?x=1&utm_source=openai#y", "https://a.example/?x=1#y"),
        ("https://a.example/?utm_source=openai&x=1", "https://a.example/?x=1"),
        ("https://a.example/?utm_source=openais", "https://a.example/?utm_source=openais"),
        ("https://www.bing.com/ck/a?u=a1%FF", "https://www.bing.com/ck/a?u=a1%FF"),
        ("https://notduckduckgo.com/l/?uddg=https%3A%2F%2Fa.example", "https://notduckduckgo.com/l/?uddg=https%3A%2F%2Fa.example"),
    ],
)  # fmt: skip
def test_links_lead_where_they_say(raw: str, leads: str) -> None:
    assert leads == target(raw)


@pytest.mark.parametrize(
    "raw",
    ["", "x", "/relative", "ftp://a.example/", "javascript:alert(1)", "https://", "https:///x", "https://user:pw@a.example/",
     "//duckduckgo.com/l/?uddg=javascript%3A1", "https://a.example/\ud800", "https://a.example/\\x", "https://[::1"],
)  # fmt: skip
def test_what_leads_nowhere_is_dropped(raw: str) -> None:
    assert "" == target(raw)


def test_an_advert_wrapped_twice_is_seen_for_what_it_is() -> None:
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad%3D1"

    assert "duckduckgo.com" == host(target(wrapped))


def test_two_links_to_one_page_have_one_key() -> None:
    assert key("HTTPS://Example.com:443/a?#top") == key("https://example.com/a")
    assert key("https://example.com/a") != key("https://example.com/b")


@given(st.text(max_size=300))
def test_any_text_is_a_web_address_or_nothing(raw: str) -> None:
    found = target(raw)

    assert "" == found or read(found) is not None
