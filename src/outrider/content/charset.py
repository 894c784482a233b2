"""
Bytes to text, by what the server, the document and the bytes themselves say.

Order: byte order mark, then the label of the `Content-Type` header, then the label inside the document, then
detection. A label counts only as far as the bytes bear it out: a header that is wrong does not destroy a page that says
better inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from outrider.content.labels import Encoding, encoding
from outrider.errors import DecodingFailed

Markup = Literal["html", "xml", ""]
"""Where a document may name its own encoding: in a `<meta>`, in an XML declaration, or nowhere."""

_UTF8 = Encoding("utf-8", "utf-8")
_FALLBACK = Encoding("windows-1252", "cp1252")
_BOMS = (
    (b"\xef\xbb\xbf", _UTF8),
    (b"\xff\xfe\x00\x00", Encoding("utf-32le", "utf-32-le")),
    (b"\x00\x00\xfe\xff", Encoding("utf-32be", "utf-32-be")),
    (b"\xff\xfe", Encoding("utf-16le", "utf-16-le")),
    (b"\xfe\xff", Encoding("utf-16be", "utf-16-be")),
)
# The standard looks at 1,024 bytes; pages that put scripts before their <meta> are common.
_PRESCAN_BYTES = 8192
_DETECT_BYTES = 65_536
_MULTIBYTE = frozenset({"gb18030", "big5", "euc-kr", "shift_jis", "euc-jp", "iso-2022-jp", "hz-gb-2312"})
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_META = re.compile(rb"<meta\b[^>]{0,400}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s{0,99}<\?xml\b[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_UNREADABLE = re.compile("[\ufffd\x80-\x9f]")
# A quarter of the text replaced is no text any more.
_MOST_UNREADABLE = 0.25
# UTF-8 with so few faults is UTF-8 that was cut or spliced, not another encoding.
_SPLICED = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text, and how its bytes were read."""

    text: str
    charset: str
    """WHATWG name of the encoding, in lower case."""
    warnings: tuple[str, ...] = ()


def decode(body: bytes, *, declared: str | None = None, markup: Markup = "") -> Decoded:
    """
    Read bytes as text.

    Args:
        declared: The `charset` of the `Content-Type` header.
        markup: What kind of label the document may carry.

    Raises:
        DecodingFailed: No encoding makes text of the bytes.
    """
    for mark, chosen in _BOMS:
        if body.startswith(mark):
            return _read(body[len(mark) :], chosen)
    return _read(body, _wide(body) or _choose(body, encoding(declared), _inside(body, markup)))


def _inside(body: bytes, markup: Markup) -> Encoding | None:
    """The encoding that the document itself names."""
    head = body[:_PRESCAN_BYTES]
    label = None
    if (markup and (found := _XML.match(head))) or (
        markup == "html" and (found := _META.search(_COMMENT.sub(b"", head)))
    ):
        label = found[1]
    named = encoding(label.decode("ascii")) if label else None
    # A label that could be read as bytes of ASCII is not UTF-16, whatever it says.
    return _UTF8 if named is not None and named.name.startswith("utf-16") else named


def _wide(body: bytes) -> Encoding | None:
    """UTF-16 without a byte order mark: every other byte of Western text is NUL."""
    sample = body[:4096]
    pairs = len(sample) // 2
    if pairs < 2 or b"\0" not in sample:
        return None
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    if odd > 0.4 * pairs and even < 0.05 * pairs:
        return Encoding("utf-16le", "utf-16-le")
    if even > 0.4 * pairs and odd < 0.05 * pairs:
        return Encoding("utf-16be", "utf-16-be")
    return None


def _choose(body: bytes, header: Encoding | None, inside: Encoding | None) -> Encoding:
    utf8_faults = _faults_in_utf8(body)
    if utf8_faults == 0 and _is_utf8(body, header, inside):
        return _UTF8
    for label in (header, inside):
        if label is None or label.name == "utf-8" or not _bears_out(body, label):
            continue
        if label is header and inside is not None and inside.name not in (header.name, "utf-8") and _says(body, inside):
            return inside
        return label
    if _UTF8 in (header, inside) and _is_mostly_utf8(body, utf8_faults):
        return _UTF8
    return _detected(body) or header or inside or _FALLBACK


def _is_utf8(body: bytes, header: Encoding | None, inside: Encoding | None) -> bool:
    """Whether bytes that are valid UTF-8 are meant as such."""
    if header is None and inside is None:
        # ISO-2022-JP is ASCII with escape sequences, so it is valid UTF-8 as well.
        return not (b"\x1b$" in body and _says(body, Encoding("iso-2022-jp", "iso2022_jp")))
    if _UTF8 in (header, inside):
        return True
    named = header or inside
    assert named is not None
    if body.isascii():
        return False
    return not (named.name in _MULTIBYTE and _bears_out(body, named))


def _faults_in_utf8(body: bytes) -> int:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace").count("\ufffd")
    return 0


def _is_mostly_utf8(body: bytes, faults: int) -> bool:
    """Whether bytes that are not valid UTF-8 are so in most of their other than ASCII characters."""
    if faults < _SPLICED * len(body):
        return True
    text = body[:_DETECT_BYTES].decode("utf-8", "replace")
    lost = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) > 3 * lost > 0


def _bears_out(body: bytes, label: Encoding) -> bool:
    """Whether the bytes can be read in an encoding, but for a few faults."""
    try:
        body.decode(label.codec)
    except UnicodeDecodeError:
        return body.decode(label.codec, "replace").count("\ufffd") <= _SPLICED * len(body)
    return True


def _detected(body: bytes) -> Encoding | None:
    from turbohtml.detect import detect  # only odd pages need it

    return encoding(detect(body[:_DETECT_BYTES]).encoding)


def _says(body: bytes, label: Encoding) -> bool:
    """Whether detection agrees with a label."""
    found = _detected(_COMMENT.sub(b"", _META.sub(b"", body[:_DETECT_BYTES])))
    return found == label


def _read(body: bytes, chosen: Encoding) -> Decoded:
    try:
        text = body.decode(chosen.codec)
    except UnicodeDecodeError:
        text = body.decode(chosen.codec, "replace")
    # To look for a character is far faster than to count it, and in bytes faster than in text.
    lost = text.count("\ufffd") if "\ufffd" in text else 0
    if lost > 2 and len(_UNREADABLE.findall(text[:_DETECT_BYTES])) > _MOST_UNREADABLE * min(len(text), _DETECT_BYTES):
        message = f"the bytes are no text in {chosen.name}, nor in any encoding that was named or found"
        raise DecodingFailed(message, hint="Use download to get the bytes as they are.")
    warnings = (f"{lost} characters could not be read as {chosen.name}",) if lost else ()
    if b"\0" in body:
        text = text.replace("\0", "")
    return Decoded(text=text, charset=chosen.name, warnings=warnings)
