"""What a converter is given: the bytes of one response, with what is known about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from outrider.types import Document

Images = Literal["markdown", "text", "drop"]
"""How an image is written: as Markdown, as its alternative text only, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One response body."""

    body: bytes
    url: str = ""
    """Final URL; empty when the content came from nowhere, and relative links stay relative."""
    media_type: str = ""
    """`type/subtype` in lower case, without parameters; what was sniffed when the server named none."""
    charset: str | None = None
    """As the `Content-Type` header declares it."""
    whole: bool = False
    """Convert everything, without choosing the main content."""
    images: Images = "markdown"
    pretty_json: bool = False

    @property
    def name(self) -> str:
        """The last segment of the URL's path, in lower case."""
        return self.url.partition("#")[0].partition("?")[0].rpartition("/")[2].lower()


class Converter(Protocol):
    """Reads one family of media types."""

    @property
    def media_types(self) -> frozenset[str]:
        """
        What it reads: full types (`text/html`), or suffixes with their sign (`+json`).

        A full type wins over a suffix.
        """
        ...

    def convert(self, source: Source) -> Document:
        """
        Read a body.

        Raises:
            DecodingFailed: The bytes are no text.
            UnsupportedContent: The bytes are not what their type says.
        """
        ...
