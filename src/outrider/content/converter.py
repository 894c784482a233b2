"""The door of this room: the bytes of a response become a document."""

from __future__ import annotations

from functools import cache

from outrider.content import sniff
from outrider.content.source import Converter, Images, Source
from outrider.errors import NotInstalled, UnsupportedContent
from outrider.registry import Registry
from outrider.types import Document

CONVERTERS = Registry("outrider.content.converters", attribute="CONVERTER", group="outrider.converters")
"""One file for each family of media types; other distributions add theirs as entry points."""


def convert(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    whole: bool = False,
    images: Images = "markdown",
    pretty_json: bool = False,
) -> Document:
    """
    Read a response body.

    Args:
        body: The decoded bytes; content codings are undone.
        url: Final URL, against which links are resolved; with "" they stay as they are.
        content_type: The header as it came; what is missing or says nothing is told from the bytes.
        whole: Convert everything, without choosing the main content.
        images: How images are written.
        pretty_json: Indent JSON instead of returning it as it came.

    Raises:
        UnsupportedContent: The body is no text that can be read here, such as an image.
        DecodingFailed: The bytes should be text and are not.
        NotInstalled: The type needs an optional package.
    """
    header = sniff.content_type(content_type)
    media_type = sniff.binary_type(body) or sniff.media_type(header.media_type, body)
    source = Source(
        body=body,
        url=url,
        media_type=media_type,
        charset=header.charset,
        whole=whole,
        images=images,
        pretty_json=pretty_json,
    )
    return _converter(media_type).convert(source)


def _converter(media_type: str) -> Converter:
    known = _by_media_type()
    suffix = media_type.rpartition("+")
    name = known.get(media_type) or (known.get(f"+{suffix[2]}") if suffix[1] else None)
    if name is None and media_type.startswith("text/"):
        name = known["text/plain"]
    if name is None:
        message = f"{media_type} is no content that can be read as text"
        raise UnsupportedContent(message, hint="Use download to save the file.", details={"content_type": media_type})
    converter: Converter = CONVERTERS.load(name)
    return converter


@cache
def _by_media_type() -> dict[str, str]:
    """Names of the converters by media type and suffix."""
    known: dict[str, str] = {}
    for name in CONVERTERS.names():
        try:
            converter: Converter = CONVERTERS.load(name)
        except NotInstalled:
            continue
        for media_type in converter.media_types:
            known.setdefault(media_type, name)
    return known
