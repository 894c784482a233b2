"""The shapes of structured results: JSON Schema 2020-12 for each tool of the default dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_NUMBER = {"type": "number"}
_BOOLEAN = {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_MAYBE_INTEGER = {"type": ["integer", "null"]}


def _object(properties: Mapping[str, Any], *, required: tuple[str, ...] = ()) -> dict[str, Any]:
    """What else is in it is allowed: a later version may tell more."""
    return {"type": "object", "properties": dict(properties), **({"required": list(required)} if required else {})}


def _list(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(item)}


_ERROR = _object(
    {
        "code": {**_STRING, "description": "Stable; see the list of error codes."},
        "message": _STRING,
        "retryable": _BOOLEAN,
        "hint": _STRING,
        "retry_after_s": _NUMBER,
        "reason": _STRING,
        "status": _INTEGER,
        "details": {"type": "object"},
    },
    required=("code", "message", "retryable"),
)
_HIT = _object(
    {
        "page_id": {**_STRING, "description": "Short name that the other tools take in place of the URL."},
        "title": _STRING,
        "url": _STRING,
        "domain": _STRING,
        "snippet": {**_STRING, "description": "Evidence of the search engine, not verified on the page."},
        "verified": _BOOLEAN,
        "published": _STRING,
        "age": _STRING,
        "updated": _STRING,
        "site_name": _STRING,
        "score": _NUMBER,
        "provider": _STRING,
        "rank": _INTEGER,
        "content": _STRING,
    },
    required=("page_id", "title", "url", "domain", "snippet"),
)
_HEADING = _object({"level": _INTEGER, "text": _STRING, "offset": _INTEGER, "anchor": _STRING})
_PASSAGE = _object({"offset": _INTEGER, "text": _STRING, "matches": _list({"type": "array", "items": _INTEGER})})
_ITEM = _object(
    {
        "status": {"enum": ["success", "failed", "skipped"]},
        "url": _STRING,
        "page_id": _STRING,
        "final_url": _STRING,
        "title": _STRING,
        "author": _STRING,
        "published": _STRING,
        "modified": _STRING,
        "language": _STRING,
        "status_code": _INTEGER,
        "content_type": _STRING,
        "kind": _STRING,
        "bytes": _INTEGER,
        "via": _STRING,
        "elapsed_s": _NUMBER,
        "fetched_at": _STRING,
        "redirects": _STRINGS,
        "hidden_chars": _INTEGER,
        "warnings": _STRINGS,
        "notes": _STRINGS,
        "content": {**_STRING, "description": "The window's text: untrusted data from the web."},
        "offset": _INTEGER,
        "returned_chars": _INTEGER,
        "content_length": _INTEGER,
        "truncated": _BOOLEAN,
        "next_offset": {**_MAYBE_INTEGER, "description": "Where to go on reading; null at the end."},
        "outline": _list(_HEADING),
        "matches": _INTEGER,
        "passages": _list(_PASSAGE),
        "duplicate_of": _INTEGER,
        "error_code": _STRING,
        "retryable": _BOOLEAN,
        "error": _ERROR,
    },
    required=("status", "url"),
)
_SEARCH = {
    "query": _STRING,
    "today": {**_STRING, "description": "YYYY-MM-DD"},
    "provider": _STRING,
    "answer": _STRING,
    "results": _list(_HIT),
    "attempts": _list({"type": "object"}),
    "warnings": _STRINGS,
    "searched": {**_BOOLEAN, "description": "False when a model answered without searching."},
    "news": _list({"type": "object"}),
    "usage": {"type": "object"},
    "attribution": _STRINGS,
}

# A call that failed as a whole has `error` and nothing else, so only what every outcome has is required: nothing.
OUTPUTS: Mapping[str, dict[str, Any]] = {
    "web_search": _object({**_SEARCH, "error": _ERROR}),
    "web_fetch": _object({"items": _list(_ITEM), "error": _ERROR}),
    "read_page": _object(
        {
            "path": _STRING,
            "content": _STRING,
            "offset": _INTEGER,
            "next_offset": _MAYBE_INTEGER,
            "next_line_offset": _MAYBE_INTEGER,
            "total_lines": _INTEGER,
            "error": _ERROR,
        }
    ),
    "download": _object(
        {
            "path": _STRING,
            "bytes": _INTEGER,
            "content_type": {"type": ["string", "null"]},
            "sha256": _STRING,
            "url": _STRING,
            "final_url": _STRING,
            "error": _ERROR,
        }
    ),
}
"""By tool name."""
