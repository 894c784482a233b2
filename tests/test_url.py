"""URLs: read once, and never otherwise by whoever dials."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import httpcore2
import pytest
from hypothesis import HealthCheck, assume, example, given, reject, settings
from hypothesis import strategies as st

from outrider.errors import InvalidUrl
from outrider.url import MAX_LENGTH, Url, canonical, normal_host

# Pieces that parsers are known to read differently, thrown together at random.
_FRAGMENTS = st.sampled_from(
    [
        "http", "https", "HTTP", "ftp", ":", "/", "//", "///", "\\", "@", "#", "?", "%", "%2f", "%00", "%40", ".", "..",
        "%2e", "[", "]", "::1", "[::1]", "[::ffff:7f00:1]", "127.0.0.1", "0x7f.1", "0177.0.0.1", "2130706433", "1",
        "localhost", "a.test", "b-c.test", "xn--bcher-kva.test", "bücher.test", "faß.test", "①②⑦.⓪.⓪.①",
        "。", "．", "：",
        "／", "＠", "℀", "ß", "İ", "\u200b", "\u00ad", "\ufeff", "\t", "\n", "\r", " ", "\0", "\x7f",
        ":80", ":443", ":0",
        ":65536", ":８０", "user:pass@", "a/../b", "a%2Fb", "?q=1&r=[2]", "#frag", "~", "_", "-", "\u0308",
        "日本語", "\ud800",
    ]
)  # fmt: skip
_HOSTS = st.sampled_from(
    [
        "a.test",
        "A_b.test.",
        "bücher.test",
        "faß.test",
        "①.test",
        "10.0.0.1",
        "[::1]",
        "[::ffff:7f00:1]",
        "xn--a.test",
        "日本。test",
    ]
)
_TAILS = st.lists(_FRAGMENTS, max_size=8).map("".join)
_WILD = st.one_of(
    st.builds(
        "{}://{}{}/{}".format,
        st.sampled_from(["http", "HTTPS"]),
        _HOSTS,
        st.sampled_from(["", ":80", ":8443", ":"]),
        _TAILS,
    ),
    st.builds("{}://{}{}{}".format, st.sampled_from(["http", "HTTPS"]), _HOSTS, _FRAGMENTS, _TAILS),
    st.text(max_size=60),
    st.lists(_FRAGMENTS, max_size=12).map("".join),
    st.lists(_FRAGMENTS, max_size=10).map(lambda parts: "http://" + "".join(parts)),
    st.lists(_FRAGMENTS, max_size=8).map(lambda parts: "https://a.test/" + "".join(parts)),
)

# Most of what is thrown together is refused, as it should be.
_wild = settings(suppress_health_check=[HealthCheck.filter_too_much], deadline=None)


def _outcome(read: Callable[[], Url]) -> Url | InvalidUrl:
    try:
        return read()
    except InvalidUrl as error:
        return error


def _read(text: str) -> Url:
    try:
        return Url.parse(text)
    except InvalidUrl:
        reject()


@_wild
@given(_WILD)
@example("http://a\udcff.test/")
@example("http://[::1%25lo]/")
@example("http://" + "a." * 200 + "test/")
def test_any_text_is_read_or_refused_as_an_invalid_url(text: str) -> None:
    outcome = _outcome(lambda: Url.parse(text))

    assert outcome.reason if isinstance(outcome, InvalidUrl) else str(outcome).isascii()


@_wild
@given(_WILD)
def test_an_accepted_url_reads_the_same_when_its_normal_form_is_read_again(text: str) -> None:
    url = _read(text)

    again = Url.parse(str(url))

    assert (url.scheme, url.host, url.port, url.path, url.query, url.fragment, url.kind) == (
        again.scheme, again.host, again.port, again.path, again.query, again.fragment, again.kind,
    )  # fmt: skip
    assert "" == again.disguised


@_wild
@given(_WILD)
def test_the_http_library_reads_the_same_host_port_and_target(text: str) -> None:
    url = _read(text).without_fragment()

    theirs = httpcore2.URL(str(url))

    assert url.scheme.encode() == theirs.scheme
    assert url.host.encode() == theirs.host.strip(b"[]")
    assert url.port == (theirs.port or {b"http": 80, b"https": 443}[theirs.scheme])
    # Read from text it drops a final `?`; the transport hands it the parts instead.
    assert url.target.removesuffix("?").encode() == theirs.target.removesuffix(b"?")


@_wild
@given(_WILD)
def test_the_standard_library_reads_the_same_host_and_port_in_the_normal_form(text: str) -> None:
    url = _read(text)

    theirs = urlsplit(str(url))

    assert (url.host, url.port) == (theirs.hostname, theirs.port or {"http": 80, "https": 443}[theirs.scheme])
    assert theirs.username is None
    assert theirs.password is None


@_wild
@given(_WILD)
def test_the_standard_library_never_reads_another_host_from_what_was_accepted(text: str) -> None:
    url = _read(text)

    theirs = urlsplit(text if text.isascii() else str(url))

    assert theirs.hostname is not None
    if url.kind == "name":
        assert url.host == theirs.hostname.removesuffix(".")
    elif url.kind == "ipv4":
        assert url.host == theirs.hostname


@_wild
@given(_WILD)
def test_a_read_url_holds_nothing_that_would_break_a_request(text: str) -> None:
    url = _read(text)

    assert url.path.startswith("/")
    assert not any(character <= " " or character in "\\\x7f" for character in str(url))
    assert 1 <= url.port <= 65_535
    assert not {"/", "?", "#", "@", "\\", "%"}.intersection(url.host)
    assert len(url.host) <= 253


@_wild
@given(_WILD)
def test_no_dot_segment_is_left_in_a_path(text: str) -> None:
    url = _read(text)

    segments = [segment.lower().replace("%2e", ".") for segment in url.path.split("/")]

    assert not {".", ".."}.intersection(segments)


@_wild
@given(_WILD, _WILD)
def test_a_joined_reference_is_read_or_refused_as_an_invalid_url(base: str, reference: str) -> None:
    url = _read(base)

    joined = _outcome(lambda: url.join(reference))

    if isinstance(joined, InvalidUrl):
        assert joined.reason
    else:
        assert joined == Url.parse(str(joined)) or joined.disguised


@_wild
@given(_WILD, st.text(max_size=30))
def test_a_reference_without_scheme_or_double_slash_stays_on_its_origin(base: str, reference: str) -> None:
    url = _read(base)
    assume(not reference.startswith("//") and ":" not in reference)

    try:
        joined = url.join(reference)
    except InvalidUrl:
        return
    assert url.origin == joined.origin


@given(st.ip_addresses(v=4))
def test_a_dotted_quad_is_the_only_spelling_of_an_ipv4_address(address: object) -> None:
    number = int(address)  # type: ignore[call-overload]  # an IPv4Address

    assert str(address) == Url.parse(f"http://{address}/").host
    for spelling in (str(number), hex(number), oct(number).replace("o", ""), f"{number >> 24}.{number & 0xFFFFFF}"):
        with pytest.raises(InvalidUrl):
            Url.parse(f"http://{spelling}/")


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_is_read_in_any_spelling(address: object) -> None:
    exploded = address.exploded  # type: ignore[attr-defined]  # an IPv6Address

    url = Url.parse(f"http://[{exploded.upper()}]:8080/")

    assert ("ipv6", str(address)) == (url.kind, url.host)
    assert f"[{address}]:8080" == url.authority


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "malformed"),
        ("example.test/", "malformed"),
        ("ftp://a.test/", "scheme"),
        ("http:a.test/", "parser-differential"),
        ("http:/a.test/", "parser-differential"),
        ("http:\\\\a.test/", "parser-differential"),
        (" http://a.test/", "parser-differential"),
        ("http://a.test/\r\nX: y", "crlf-injection"),
        ("http://user@a.test/", "userinfo"),
        ("http://@a.test/", "userinfo"),
        ("http:///a.test/", "malformed"),
        ("http://./", "malformed"),
        ("http://a..test/", "malformed"),
        ("http://a.test:0/", "malformed"),
        ("http://a.test:65536/", "malformed"),
        ("http://a.test:８０/", "malformed"),
        ("http://a.test:+80/", "malformed"),
        ("http://[::1/", "malformed"),
        ("http://[::1]x/", "malformed"),
        ("http://[v1.x]/", "malformed"),
        ("http://[127.0.0.1]/", "malformed"),
        ("http://[fe80::1%25lo]/", "ipv6-zone"),
        ("http://a%2etest/", "percent-encoded-host"),
        ("http://127.0.0.1./", "ipv4-nonstandard"),
        ("http://0x7f.1/", "ipv4-nonstandard"),
        ("http://a.0x1/", "ipv4-nonstandard"),
        ("http://①/", "unicode-host"),
        ("http://a／b.test/", "unicode-host"),
        ("http://\u0308a.test/", "unicode-host"),
        ("http://bü\u200dcher.test/", "unicode-host"),
        ("http://" + "ü" * 300 + ".test/", "unicode-host"),
        ("http://\u05d0a.test/", "unicode-host"),
        ("http://" + "a" * 64 + ".test/", "malformed"),
        ("http://" + "a." * 130 + "test/", "malformed"),
        ("http://a.test/" + "a" * MAX_LENGTH, "malformed"),
    ],
)
def test_what_only_disguises_use_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidUrl) as caught:
        Url.parse(text)

    assert reason == caught.value.reason


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("HTTP://A.TEST", "http://a.test/"),
        ("http://a.test.:80/x", "http://a.test/x"),
        ("https://a.test:443", "https://a.test/"),
        ("http://a.test:8080?q", "http://a.test:8080/?q"),
        ("http://bücher.test/münchen?ü#ü", "http://xn--bcher-kva.test/m%C3%BCnchen?%C3%BC#%C3%BC"),
        ("http://faß.test/", "http://xn--fa-hia.test/"),
        ("http://a。test/", "http://a.test/"),
        ("http://a_b.test/", "http://a_b.test/"),
        ("http://a.test/a/./b/../c/%2E%2e/d/..", "http://a.test/a/"),
        ("http://a.test/%zz%2f", "http://a.test/%zz%2f"),
        ("http://a.test/a//b", "http://a.test/a//b"),
        ("http://a.test/@x:1", "http://a.test/@x:1"),
        ("http://a.test/?q=<x>", "http://a.test/?q=%3Cx%3E"),
        ("http://[0:0::1]:80/", "http://[::1]/"),
    ],
)
def test_equal_urls_have_one_normal_form(text: str, normal: str) -> None:
    assert normal == str(Url.parse(text))


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", "http://a.test/b/c?q"),
        ("?x", "http://a.test/b/c?x"),
        ("#f", "http://a.test/b/c?q#f"),
        ("d", "http://a.test/b/d"),
        ("./d", "http://a.test/b/d"),
        ("../d", "http://a.test/d"),
        ("../../../d", "http://a.test/d"),
        ("/d?e#f", "http://a.test/d?e#f"),
        ("//x.test", "http://x.test/"),
        ("https://x.test/y", "https://x.test/y"),
        ("/a:b", "http://a.test/a:b"),
    ],
)
def test_a_reference_is_resolved_as_rfc_3986_says(reference: str, expected: str) -> None:
    assert expected == str(Url.parse("http://a.test/b/c?q").join(reference))


@pytest.mark.parametrize("reference", ["javascript:x", "///127.0.0.1/", "//u@a.test/", "\\\\a.test", " /x", "/x\n"])
def test_a_reference_that_disguises_is_refused(reference: str) -> None:
    with pytest.raises(InvalidUrl):
        Url.parse("http://a.test/").join(reference)


def test_a_host_that_was_spelled_in_other_characters_says_so() -> None:
    assert "unicode-host" == Url.parse("http://１27.0.0.1/").disguised
    assert "unicode-host" == Url.parse("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/").disguised


def test_fragment_and_empty_query_name_no_other_page() -> None:
    assert canonical(Url.parse("http://a.test/x?#f")) == canonical(Url.parse("http://a.test/x"))
    assert canonical(Url.parse("http://a.test/x?y")) != canonical(Url.parse("http://a.test/x"))


@pytest.mark.parametrize(
    ("text", "host"),
    [("A.Test.", "a.test"), ("10.0.0.1", "10.0.0.1"), ("::1", "::1"), ("[::1]", "::1"), ("searxng", "searxng")],
)
def test_a_list_entry_has_the_same_normal_form_as_a_url(text: str, host: str) -> None:
    assert host == normal_host(text)


@pytest.mark.parametrize("text", ["", "a b", "a:80", "[::1]:80", "http://a", "a/b", "１27.0.0.1", "a@b", "%61"])
def test_what_is_not_a_plain_host_is_no_list_entry(text: str) -> None:
    with pytest.raises(InvalidUrl):
        normal_host(text)


@pytest.mark.parametrize("text", ["http://-a.test/", "http://a-.test/", "http://r3---sn-x.test/"])
def test_hyphens_may_stand_anywhere_in_a_label(text: str) -> None:
    assert text == str(Url.parse(text))
