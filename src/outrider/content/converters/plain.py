"""Text that is returned as it came: prose, Markdown, source code, tables of values."""

from __future__ import annotations

from outrider.content import charset
from outrider.content.source import Source
from outrider.content.words import words
from outrider.types import Document

_KINDS = {
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/csv": "csv", "text/tab-separated-values": "csv",
    "application/yaml": "yaml", "application/x-yaml": "yaml", "text/yaml": "yaml", "text/x-yaml": "yaml",
    "+yaml": "yaml",
    "text/plain": "text", "text/x-rst": "text", "text/troff": "text", "application/x-tex": "code", "text/css": "code",
    "text/javascript": "code", "application/javascript": "code", "application/x-javascript": "code",
    "application/ecmascript": "code", "application/typescript": "code", "application/x-typescript": "code",
    "application/x-sh": "code", "application/x-python-code": "code", "application/x-python": "code",
    "application/x-httpd-php": "code", "application/x-perl": "code", "application/x-ruby": "code",
    "application/sql": "code",
    "application/toml": "code", "application/x-toml": "code", "application/graphql": "code",
    "application/x-powershell": "code",
    "application/x-tcl": "code", "application/x-csh": "code", "application/x-subrip": "text",
    "application/x-latex": "code",
    "application/rtf": "text", "application/x-sql": "code", "application/x-lua": "code", "application/x-diff": "code",
}  # fmt: skip
_BY_SUFFIX = {"md": "markdown", "markdown": "markdown", "csv": "csv", "tsv": "csv", "yml": "yaml", "yaml": "yaml"}
_SOURCE_CODE = words(
    """
    bat c cc cfg cpp cs css dart diff ex exs f90 go gradle h hpp hs ini java jl js jsx kt lua m mjs mm patch php pl pm
    ps1 py pyi r rb rs scala sh sql swift tf toml ts tsx vue zig
    """
)


class Plain:
    """Everything that reads as it is."""

    media_types = frozenset(_KINDS)

    def convert(self, source: Source) -> Document:
        """Read a text; nothing of it is changed but its encoding."""
        decoded = charset.decode(source.body, declared=source.charset)
        return Document(
            markdown=decoded.text,
            text=decoded.text,
            kind=_kind(source),
            charset=decoded.charset,
            warnings=decoded.warnings,
            method="verbatim",
        )


def _kind(source: Source) -> str:
    known = _KINDS.get(source.media_type, "")
    if known and known != "text":
        return known
    if source.media_type.endswith("+yaml"):
        return "yaml"
    suffix = source.name.rpartition(".")[2] if "." in source.name else ""
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    return "code" if suffix in _SOURCE_CODE or not known else "text"


CONVERTER = Plain()
