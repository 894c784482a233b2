"""Stored pages as Markdown files in a folder."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from outrider.errors import StorageError

if TYPE_CHECKING:
    from outrider.web.results import KeptPage

_MAX_NAME_CHARS = 60
_NOT_IN_NAMES = re.compile(r"[\W_]+")
_NOT_IN_FOLDERS = re.compile(r"[^0-9A-Za-z.-]+")


def export(page: KeptPage, folder: Path) -> Path:
    """
    Write one page below a folder; the file appears whole or not at all, and one of the same page is replaced.

    Raises:
        StorageError: It cannot be written.
    """
    target = folder / _name(page)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, "\n".join([*_head(page), "", page.content.rstrip("\n"), ""]))
    except OSError as error:
        message = f"{target} cannot be written: {error.strerror or type(error).__name__}"
        raise StorageError(message) from error
    return target


def _name(page: KeptPage) -> Path:
    """A folder for the host; title and key for the file, so that it is found again and never another page's."""
    host, _, key = page.stored.path.removeprefix("web://").partition("/")
    title = _NOT_IN_NAMES.sub("-", page.stored.title.casefold())[:_MAX_NAME_CHARS].strip("-")
    plain_host = _NOT_IN_FOLDERS.sub("_", host).strip(".") or "_"
    plain_key = _NOT_IN_FOLDERS.sub("_", key)
    return Path(plain_host) / f"{title}-{plain_key}.md".lstrip("-")


def _head(page: KeptPage) -> Iterator[str]:
    """What is known of the page, as YAML, of which JSON's texts are a part."""
    document = page.page.document
    facts = {
        "title": document.title,
        "url": page.page.final_url,
        "author": document.author,
        "published": document.published,
        "fetched": page.page.fetched_at,
        "path": page.stored.path,
    }
    yield "---"
    for name, value in facts.items():
        if value:
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"
    yield "---"


def _replace(target: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".export-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        # Made for its owner alone, it becomes like any other new file.
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
