"""Cookies of one fetch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.egress.cookies import Cookies
from outrider.url import Url

_HOME = Url.parse("https://a.test/x")


def _header(*lines: str, url: str = "https://a.test/y") -> str:
    cookies = Cookies()
    cookies.keep(_HOME, list(lines))
    return cookies.header(Url.parse(url))


def test_a_cookie_goes_back_to_the_origin_that_set_it() -> None:
    assert "a=1; b=2" == _header("a=1; Path=/", "b=2; Secure; HttpOnly")


@pytest.mark.parametrize(
    "url", ["http://a.test/", "https://a.test:8443/", "https://sub.a.test/", "https://b.test/", "https://test/"]
)
def test_no_domain_attribute_takes_a_cookie_to_another_origin(url: str) -> None:
    assert "" == _header("a=1; Domain=a.test", "b=2; Domain=.test", "c=3; Domain=b.test", url=url)


def test_a_later_cookie_of_the_same_name_replaces_the_earlier() -> None:
    assert "a=2" == _header("a=1", "a=2")


@pytest.mark.parametrize("end", ["Max-Age=0", "max-age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
def test_an_expired_cookie_is_taken_out(end: str) -> None:
    assert "b=2" == _header("a=1", "b=2", f"a=gone; {end}")


@pytest.mark.parametrize("line", ["", "novalue", "=x", "a b=c", "a\x00=1", "ä=1"])
def test_what_is_no_cookie_is_ignored(line: str) -> None:
    assert "" == _header(line)


def test_number_and_size_of_cookies_are_bounded() -> None:
    header = _header(*[f"n{number}={'v' * 100}" for number in range(1_000)])

    assert header.count("=") <= 32
    assert "" == _header("a=" + "v" * 100_000)
    assert "" == _header(*[f"n{number}={'v' * 1_000}" for number in range(20)])


@given(st.lists(st.text(max_size=80), max_size=5))
def test_any_set_cookie_gives_a_header_without_control_characters(lines: list[str]) -> None:
    header = _header(*lines)

    assert header.isascii()
    assert not any(character < " " or character == "\x7f" for character in header)


def test_a_long_line_of_spaces_is_ignored() -> None:
    assert "b=1" == _header("a=" + " " * 60_000 + "\x01", " " * 60_000, "a" * 60_000, "b=1").removeprefix("a=; ")
