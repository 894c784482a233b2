"""Addresses inside a page, resolved against where the page came from."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

# Browsers drop these characters wherever they stand in an address.
_STRIPPED = re.compile(r"[\t\n\r\x00]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# Addresses that run something, or lead to nothing that can be opened from another place.
_DEAD = frozenset(
    {
        "javascript",
        "data",
        "vbscript",
        "blob",
        "about",
        "file",
        "view-source",
        "chrome",
        "livescript",
        "mocha",
        "filesystem",
    }
)
_PLACES = frozenset({"http", "https"})
_EDGES = " \t\n\r\f\x00\x0b"


class Base:
    """
    What relative addresses are relative to.

    Args:
        url: Final URL of the page; "" leaves relative addresses as they are.
        base: The `href` of the page's `<base>`, if any.
    """

    __slots__ = ("_directory", "_origin", "_scheme", "page", "url")

    def __init__(self, url: str, base: str | None = None) -> None:
        self.page = url.partition("#")[0]
        self.url = self.page
        if base:
            joined = _join(self.page, _STRIPPED.sub("", base).strip(_EDGES))
            if joined.startswith(("http:", "https:")) or not url:
                self.url = joined
        self._scheme, self._origin, self._directory = _parts(self.url)

    def link(self, reference: str) -> str:
        """An absolute address for a link; "" for one that leads nowhere, such as `javascript:`."""
        found = self._resolve(reference)
        scheme = _SCHEME.match(found)
        return "" if scheme and scheme[1].lower() in _DEAD else found

    def place(self, reference: str) -> str:
        """An absolute http or https address, as for images and redirects; "" for any other."""
        found = self._resolve(reference)
        scheme = _SCHEME.match(found)
        return found if scheme is None or scheme[1].lower() in _PLACES else ""

    def _resolve(self, reference: str) -> str:
        given = reference = reference.strip(_EDGES)
        if "\x00" in reference or "\n" in reference or "\t" in reference or "\r" in reference:
            reference = _STRIPPED.sub("", reference)
        if _SCHEME.match(reference):
            return reference
        if not self.url or not reference:
            return given
        return self._relative(reference)

    def _relative(self, reference: str) -> str:
        if reference[0] == "#":
            return self.url.partition("#")[0] + reference
        if "/." not in reference and reference[0] not in ".?\\":
            if reference[0] != "/":
                return self._directory + reference
            return f"{self._scheme}:{reference}" if reference[1:2] == "/" else self._origin + reference
        return _join(self.url, reference)


def _parts(url: str) -> tuple[str, str, str]:
    """Scheme, origin, and the address up to the last slash of the path."""
    try:
        split = urlsplit(url)
    except ValueError:
        return "", "", ""
    origin = f"{split.scheme}://{split.netloc}"
    directory = split.path.rpartition("/")[0]
    return split.scheme, origin, f"{origin}{directory}/"


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference.replace("\\", "/"))
    except ValueError:
        return ""
