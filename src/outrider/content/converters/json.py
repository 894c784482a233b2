"""JSON."""

from __future__ import annotations

import json

from outrider.content import charset
from outrider.content.source import Source
from outrider.types import Document


class Json:
    """JSON in all its media types, as it came unless indenting is asked for."""

    media_types = frozenset({
        "application/json", "text/json", "application/x-ndjson", "application/jsonl", "application/x-json",
        "application/json5",
        "application/json-seq", "application/manifest", "+json",
    })  # fmt: skip

    def convert(self, source: Source) -> Document:
        """Read JSON text; what is no valid JSON is returned as it came."""
        decoded = charset.decode(source.body, declared=source.charset)
        text = _indented(decoded.text) if source.pretty_json else decoded.text
        return Document(
            markdown=text,
            text=text,
            kind="json",
            charset=decoded.charset,
            warnings=decoded.warnings,
            method="verbatim",
        )


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        # No JSON, or nested deeper than anyone reads.
        return text


CONVERTER = Json()
