"""XML that is no page and no feed."""

from __future__ import annotations

from outrider.content import charset
from outrider.content.source import Source
from outrider.types import Document


class Xml:
    """XML in all its media types, as it came; nothing in it is ever expanded or followed."""

    media_types = frozenset({"application/xml", "text/xml", "application/xml-dtd", "+xml"})

    def convert(self, source: Source) -> Document:
        """Read XML text."""
        decoded = charset.decode(source.body, declared=source.charset, markup="xml")
        return Document(
            markdown=decoded.text,
            text=decoded.text,
            kind="xml",
            charset=decoded.charset,
            warnings=decoded.warnings,
            method="verbatim",
        )


CONVERTER = Xml()
