"""A page as bytes and back: its text and what belongs to the text in a blob, the rest in a row. Pure."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, Literal

from outrider.errors import StorageError
from outrider.types import Document, Heading, Page

MAX_TEXT_BYTES = 8 * 1024 * 1024
"""Of one page's full text, in UTF-8."""

_HEAD = struct.Struct("!I")
# What a document has beside its text; the texts themselves follow the header as they are.
_TEXTS = frozenset({"markdown", "text"})
_OF_THE_PAGE = (
    "status",
    "content_type",
    "body_bytes",
    "truncated",
    "via",
    "elapsed_s",
    "redirects",
    "fetched_at",
    "warnings",
)

Form = Literal["markdown", "text"]


def content_of(page: Page, form: str) -> str:
    """The full text that windows are cut from."""
    return page.document.text if form == "text" else page.document.markdown


def pack(page: Page, form: str) -> bytes:
    """
    The blob of a page's text; equal documents give equal blobs.

    Raises:
        StorageError: The text is larger than is kept.
    """
    text = content_of(page, form).encode("utf-8", "replace")
    if len(text) > MAX_TEXT_BYTES:
        message = f"the page's text has {len(text)} bytes, and at most {MAX_TEXT_BYTES} are stored"
        raise StorageError(message, hint="It can be read on in this session while it is held in memory.")
    document = page.document
    header = {entry.name: getattr(document, entry.name) for entry in fields(document) if entry.name not in _TEXTS}
    header["outline"] = [asdict(heading) for heading in document.outline]
    head = json.dumps(header, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "replace")
    return _HEAD.pack(len(head)) + head + text


def unpack(blob: bytes) -> Document:
    """The document of a blob. Its plain text, where it is not the content itself, is not kept."""
    (size,) = _HEAD.unpack_from(blob)
    header = json.loads(blob[_HEAD.size : _HEAD.size + size])
    known = {entry.name for entry in fields(Document)}
    values = {name: value for name, value in header.items() if name in known}
    values["outline"] = tuple(Heading(**heading) for heading in values["outline"])
    values["warnings"] = tuple(values["warnings"])
    text = blob[_HEAD.size + size :].decode("utf-8")
    return Document(markdown=text, text=text if values.get("kind") != "html" else "", **values)


def title_and_text(blob: bytes) -> tuple[str, str]:
    """What of a blob is made findable."""
    document = unpack(blob)
    return document.title, document.markdown


def whole_characters(text: str) -> str:
    """A text without the half characters that broken JSON can give, and no database takes."""
    return text.encode("utf-8", "replace").decode()


def name_of(blob: bytes) -> str:
    """The name of a blob: what it holds."""
    return hashlib.sha256(blob).hexdigest()


def facts_of(page: Page) -> str:
    """What is known about one fetch beside its text, as JSON."""
    values = {name: getattr(page, name) for name in _OF_THE_PAGE}
    return json.dumps(values | {"url": page.url, "final_url": page.final_url})


def page_of(facts: str, document: Document, form: str) -> Page:
    """A stored page as if it had just been fetched."""
    values: Mapping[str, Any] = json.loads(facts)
    known = {entry.name for entry in fields(Page)}
    kept = {name: value for name, value in values.items() if name in known}
    kept |= {"redirects": tuple(values["redirects"]), "warnings": tuple(values["warnings"]), "via": "store"}
    if form == "text":
        document = replace(document, text=document.markdown)
    return Page(**kept, document=document)
