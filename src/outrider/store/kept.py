"""What the page store gives back: pages, what is known of them, and how much is kept."""

from __future__ import annotations

from dataclasses import dataclass

from outrider.store.backend import Row
from outrider.store.payload import content_of
from outrider.types import Page, PagePath


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What one tenant may keep; the oldest pages go first."""

    max_pages: int = 200_000
    max_bytes: int = 4 * 1024**3
    """Of full text."""
    max_age_s: float = 0.0
    """0 means for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """What is known of a stored page without reading it."""

    path: PagePath
    message: str
    url: str
    """Canonical, as asked for."""
    final_url: str
    title: str
    form: str
    chars: int
    bytes: int
    stored_at: float
    """Seconds since the epoch."""
    cursor: int
    """Where a list goes on: pages before it are older."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPage:
    """A stored page, read."""

    stored: StoredPage
    page: Page
    form: str

    @property
    def content(self) -> str:
        """The full text that windows are cut from."""
        return content_of(self.page, self.form)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A stored page in which a question's words stand."""

    stored: StoredPage
    snippet: str
    """The best place, its words in `**`."""
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a tenant keeps."""

    pages: int
    bytes: int


def stored_page(row: Row) -> StoredPage:
    """A row of the statements that list pages."""
    path, message, url, form, final_url, title, chars, size, stored_at, _, _, page_id = row
    return StoredPage(
        path=path, message=message, url=url, form=form, final_url=final_url, title=title, chars=chars, bytes=size,
        stored_at=stored_at, cursor=page_id,
    )  # fmt: skip
