"""What a body is: declared types, signatures, and guesses."""

from __future__ import annotations

import pytest

from outrider.content.converter import convert
from outrider.content.sniff import content_type
from outrider.errors import UnsupportedContent

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"
GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"
MP4 = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00"
MACHINE = bytes((i * 37 + 11) % 256 for i in range(4000))


@pytest.mark.parametrize("body", [PNG, GZIP, GIF, PDF, MP4, MACHINE, b"PK\x03\x04rest", b"\x7fELF\x02\x01\x01"])
@pytest.mark.parametrize("declared", ["text/html", "text/plain", None, "application/octet-stream"])
def test_a_binary_is_refused_whatever_the_server_calls_it(body: bytes, declared: str | None) -> None:
    with pytest.raises(UnsupportedContent) as caught:
        convert(body, url="https://example.com/file", content_type=declared)

    assert "download" in caught.value.hint


@pytest.mark.parametrize(
    "declared", ["image/png", "application/pdf", "font/woff2", "audio/mpeg", "application/vnd.ms-excel"]
)
def test_a_type_that_is_no_text_is_refused_though_the_body_could_be(declared: str) -> None:
    with pytest.raises(UnsupportedContent):
        convert(b"words", url="", content_type=declared)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<!DOCTYPE html><p>x", "html"),
        (b"\n\n <!-- c --><html><body>x", "html"),
        (b"<?xml version='1.0'?><a/>", "xml"),
        (b"<?xml version='1.0'?><html xmlns='x'><body>x</body></html>", "html"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "feed"),
        (b'{"a": [1, 2]}', "json"),
        (b"[1, 2]", "json"),
        (b"[notes] are not JSON", "text"),
        (b"just words", "text"),
        (b"GIF is a format; this is a sentence about it", "text"),
        (b"", "text"),
        (b"\x1b[31mred\x1b[0m in a log", "text"),
    ],
)
def test_a_missing_type_is_told_from_the_body(body: bytes, kind: str) -> None:
    assert kind == convert(body, url="", content_type=None).kind
    assert kind == convert(body, url="", content_type="application/octet-stream").kind


@pytest.mark.parametrize(
    ("declared", "url", "kind"),
    [
        ("text/markdown; charset=utf-8", "", "markdown"),
        ("text/plain", "https://example.com/README.md?raw=1", "markdown"),
        ("text/plain", "https://example.com/a.py#L3", "code"),
        ("text/x-python", "", "code"),
        ("application/javascript", "", "code"),
        ("application/vnd.api+json", "", "json"),
        ("application/ld+json", "", "json"),
        ("application/problem+xml", "", "xml"),
        ("application/x-yaml", "", "yaml"),
        ("application/vnd.oai.openapi+yaml", "", "yaml"),
        ("text/csv", "", "csv"),
        ("image/svg+xml", "", "xml"),
        ("text/vnd.something", "", "code"),
    ],
)
def test_texts_that_are_no_pages_come_back_as_they_are(declared: str, url: str, kind: str) -> None:
    body = "a < b & c  *d*\n\tré, 1,2\n"

    document = convert(body.encode(), url=url, content_type=declared)

    assert (kind, body, "verbatim") == (document.kind, document.markdown, document.method)


@pytest.mark.parametrize(
    ("header", "media_type", "charset"),
    [
        ('Text/HTML; Charset="UTF-8"', "text/html", "UTF-8"),
        ("text/html;charset='gbk';q=1", "text/html", "gbk"),
        ("text/html, text/html", "text/html", None),
        ("nonsense", "", None),
        (";;;", "", None),
        (None, "", None),
        ("x" * 100_000, "", None),
    ],
)
def test_a_content_type_is_read_forgivingly(header: str | None, media_type: str, charset: str | None) -> None:
    found = content_type(header)

    assert (media_type, charset) == (found.media_type, found.charset)


@pytest.mark.parametrize("body", [bytes(range(4)) * 500, b"\x00\x01" * 800, b"\x02\x00\x03\x00" * 400])
def test_bytes_beside_nuls_that_are_no_letters_are_no_text(body: bytes) -> None:
    with pytest.raises(UnsupportedContent):
        convert(body, url="https://example.com/x", content_type="application/octet-stream")
