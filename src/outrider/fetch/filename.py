"""A name for a downloaded file, from what a server or a URL suggests. Pure."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from urllib.parse import unquote, unquote_to_bytes

from outrider.egress.message import Headers
from outrider.url import Url

MAX_NAME_BYTES = 200

# Names that Windows keeps for devices, with or without an ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_SEPARATORS = re.compile(r"[/\\]")
# What one system or another does not take in a name.
_NOT_IN_NAMES = re.compile(r'[<>:"|?*]')
# RFC 6266: parameters are tokens or quoted strings; RFC 8187: those with a star name their charset.
_PARAMETER = re.compile(r';\s*([A-Za-z0-9!#$&+.^_`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))')
_EXTENDED = re.compile(r"([A-Za-z0-9-]+)'[^']*'(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")


def suggested_name(headers: Headers, url: Url) -> str:
    """
    One safe name: the header's, or else the URL's last segment, or else a plain word.

    Args:
        headers: Of the final answer.
        url: Where that answer came from.
    """
    for raw in (_disposition_name(headers.get("content-disposition", "")), unquote(url.path.rpartition("/")[2])):
        name = safe_name(raw)
        if name:
            return name
    return "download" + _ending(headers.get("content-type", ""))


def safe_name(raw: str) -> str:
    """
    A suggestion reduced to the name of one visible file in one folder; empty when nothing is left.

    It has no separators, no leading dot or dash, no characters that do not show, and at most 200 bytes.
    """
    # Composed first: full-width slashes and dots become what they look like.
    plain = unicodedata.normalize("NFKC", raw)
    last = _SEPARATORS.split(plain)[-1]
    shown = "".join(character for character in last if unicodedata.category(character)[0] != "C")
    name = _NOT_IN_NAMES.sub("_", shown).strip().lstrip(".- ").rstrip(". ")
    if not name:
        return ""
    name = f"_{name}" if is_device(name) else name
    return _shortened(name)


def is_device(name: str) -> bool:
    """Whether a system takes the name for a device."""
    return _DEVICES.fullmatch(name.rstrip(". ")) is not None


def _disposition_name(header: str) -> str:
    found: dict[str, str] = {}
    for key, quoted, token in _PARAMETER.findall(header[:4_096]):
        found.setdefault(key.lower(), _ESCAPED.sub(r"\1", quoted) if quoted else token.strip())
    extended = _EXTENDED.fullmatch(found.get("filename*", ""))
    if extended is not None:
        decoded = _decoded(unquote_to_bytes(extended[2]), extended[1])
        if decoded:
            return decoded
    # Many servers percent-encode here too, though nothing says that they may.
    return unquote(found.get("filename", ""))


def _decoded(raw: bytes, charset: str) -> str:
    try:
        return raw.decode("iso-8859-1" if charset.lower() == "iso-8859-1" else "utf-8")
    except UnicodeDecodeError:
        return ""


def _ending(content_type: str) -> str:
    return mimetypes.guess_extension(content_type.partition(";")[0].strip().lower()) or ""


def _shortened(name: str) -> str:
    if len(name.encode()) <= MAX_NAME_BYTES:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending.encode()) > 20:
        stem, ending = name, ""
    tail = f".{ending}" if ending else ""
    room = MAX_NAME_BYTES - len(tail.encode())
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") + tail
