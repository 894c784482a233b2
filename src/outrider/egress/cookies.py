"""Cookies of one fetch: kept by origin, forgotten at its end."""

from __future__ import annotations

import re

from outrider.url import Url

_MAX_COOKIES, _MAX_BYTES = 32, 8_192
# RFC 6265 section 4.1.1, token and cookie-octets, with the quotes and spaces that servers send all the same.
_PAIR = re.compile(r"\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*([\x21\x23-\x2b\x2d-\x3a\x3c-\x7e\" ,]*)")


class Cookies:
    """
    What the servers of one redirect chain set.

    A cookie goes back only to the exact origin that set it, whatever Domain it asked for: a chain of redirects needs no
    more, and nothing can then cross an origin.
    """

    def __init__(self) -> None:
        self._by_origin: dict[str, dict[str, str]] = {}

    def keep(self, url: Url, set_cookie: list[str]) -> None:
        """Take over a response's Set-Cookie values."""
        jar = self._by_origin.setdefault(url.origin, {})
        for line in set_cookie:
            match = _PAIR.match(line.partition(";")[0])
            if match is None:
                continue
            name, value = match.groups()
            jar.pop(name, None)
            if not _expired(line) and len(jar) < _MAX_COOKIES and len(name) + len(value) <= _MAX_BYTES:
                jar[name] = value.strip()

    def header(self, url: Url) -> str:
        """The Cookie header for a request, or empty."""
        pairs = [f"{name}={value}" for name, value in self._by_origin.get(url.origin, {}).items()]
        header = "; ".join(pairs)
        return header if len(header) <= _MAX_BYTES else ""


def _expired(line: str) -> bool:
    folded = line.lower().replace(" ", "")
    return ";max-age=0" in folded or ";max-age=-" in folded or "expires=thu,01jan1970" in folded
