"""What a body is, by its first bytes and by what the server says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outrider.content.words import words

# First bytes of binary formats that nobody can type by accident.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh9", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm", "application/wasm"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS\x00", "application/ogg"),
    (b"fLaC\x00", "audio/flac"),
    (b"wOFF\x00", "font/woff"),
    (b"wOF2\x00", "font/woff2"),
    (b"\x00\x01\x00\x00\x00", "font/ttf"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"%PDF-", "application/pdf"),
)
# Letters only: they count when bytes that are no text come with them.
_READABLE_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"RIFF", "application/x-riff"),
    (b"ID3", "audio/mpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"MZ", "application/x-dosexec"),
    (b"OTTO\x00", "font/otf"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE_BYTES = 4096
# Of the sample; text in any encoding stays far below, compressed data lies near 11 %, programs and pictures above.
_MOST_CONTROLS = 0.06

_HTML = re.compile(
    rb"\s{0,400}(?:<!--.{0,4000}?-->\s{0,400}){0,9}<(?:!doctype\s+html|html|head|body|title|meta|script|style|table|div|article"
    rb"|main|section|h[1-6]|p|br|a|b|ul|ol|iframe|font|link|nav|header|img|span|pre|center|form)(?=[\s>/])",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"\s{0,400}<\?xml\s", re.IGNORECASE)
_XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]")

_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

# A server sends these for anything it does not know, so they say nothing.
_EMPTY_TYPES = words(
    """
    application/octet-stream binary/octet-stream application/unknown application/x-unknown unknown/unknown
    application/binary */* application/x-www-form-urlencoded
    """
) | {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentType:
    """A `Content-Type` header, read."""

    media_type: str = ""
    """`type/subtype` in lower case; empty when there is none."""
    charset: str | None = None


_PARAMETER = re.compile(r";\s*charset\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s;,]+)", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+\-]+/[a-z0-9!#$&^_.+\-]+")


def content_type(header: str | None) -> ContentType:
    """Read a `Content-Type` header, forgiving: what cannot be read counts as missing."""
    value = (header or "")[:500]
    named = value.partition(";")[0].partition(",")[0].strip().lower()
    found = _PARAMETER.search(value)
    return ContentType(
        media_type=named if _MEDIA_TYPE.fullmatch(named) else "",
        charset=found[1].strip("\"'") if found else None,
    )


def binary_type(body: bytes) -> str:
    """The media type of a body that is recognisably binary; empty for text, and for what could be text."""
    for signature, media_type in _SIGNATURES:
        if body.startswith(signature):
            return media_type
    odd = _odd(body)
    if odd or b"\0" in body[:512]:
        for signature, media_type in _READABLE_SIGNATURES:
            if body.startswith(signature):
                return media_type
        if body[4:8] == b"ftyp":
            return "video/mp4"
    return "application/octet-stream" if odd else ""


def _odd(body: bytes) -> bool:
    """Whether too many control characters stand among the first bytes."""
    sample = body[:_SAMPLE_BYTES]
    if sample.startswith(_WIDE_BOMS) or _every_other_nul(sample):
        return False
    # Terminal sequences start with ESC, which is not counted.
    return len(_CONTROLS.findall(sample)) > max(1, _MOST_CONTROLS * len(sample))


def _every_other_nul(sample: bytes) -> bool:
    """Whether a sample looks like UTF-16: NULs in one half of the bytes, and text in the other."""
    half = len(sample) // 2
    fewer, more = sorted((sample[::2], sample[1::2]), key=lambda bytes_: bytes_.count(0))
    return (
        half > 1
        and fewer.count(0) < 0.05 * half
        and more.count(0) > 0.4 * half
        and len(_CONTROLS.findall(fewer)) <= max(1, _MOST_CONTROLS * half)
    )


def media_type(declared: str, body: bytes) -> str:
    """
    The type to read a text body as.

    A declared type stands, unless it says nothing, or says XML of a feed.
    """
    if declared not in _EMPTY_TYPES:
        return _feed_type(body) or declared if declared in ("text/xml", "application/xml") else declared
    sample = body[:_SAMPLE_BYTES]
    for mark in _BOMS:
        sample = sample.removeprefix(mark)
    sample = sample.replace(b"\0", b"")
    if _HTML.match(sample):
        return "text/html"
    if _XML.match(sample) or _FEED.match(sample.lstrip()):
        return _feed_type(body) or ("application/xhtml+xml" if _XHTML.search(sample) else "application/xml")
    return "application/json" if _looks_like_json(body) else "text/plain"


def _feed_type(body: bytes) -> str:
    found = _FEED.search(body[:_SAMPLE_BYTES])
    if not found or b"<html" in body[: found.start()]:
        return ""
    return "application/atom+xml" if found[0].startswith(b"<feed") else "application/rss+xml"


def _looks_like_json(body: bytes) -> bool:
    sample, tail = body[:64].lstrip(), body[-64:].rstrip()
    pair = sample[:1] + tail[-1:]
    return pair in (b"{}", b"[]") and re.match(rb'[\[{]\s*(?:["\[{\]}\d\-]|true|false|null)', sample) is not None
