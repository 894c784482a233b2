"""Pieces of output that several dialects share."""

from __future__ import annotations

from outrider.content.window import grapheme_floor
from outrider.errors import WebError
from outrider.types import Hit, Page
from outrider.url import Url
from outrider.web.dialect import OperationResult, ToolResult
from outrider.web.operations.fetch import FetchResult

SNIPPET_CHARS = 1_500
"""Of one text of search evidence."""


def plain_url(text: str) -> str:
    """
    A URL as a call gave it, in dialects that have no page ids.

    Raises:
        InvalidUrl: It is none.
    """
    Url.parse(text)
    return text


def the_page(result: OperationResult) -> Page:
    """
    The page of a fetch of one.

    Raises:
        WebError: Why there is none.
    """
    assert isinstance(result, FetchResult)
    item = result.items[0]
    if item.error is not None:
        raise item.error
    assert item.page is not None
    return item.page


# Their hints send a model to a tool that most dialects do not have.
_HINTS_AT_DOWNLOAD = frozenset({"body_too_large", "unsupported_content"})


def failure(error: WebError, *, downloads: bool = False) -> ToolResult:
    """A call that failed as a whole, as most dialects write it."""
    return ToolResult(
        text=f"Error {error.code}: {failure_text(error, downloads=downloads)}",
        data={"error": error.as_dict()},
        error=error,
    )


def failure_text(error: WebError, *, downloads: bool = False) -> str:
    """What happened, how long to wait and what to do next."""
    wait = f" Wait {error.retry_after_s:g} s." if error.retry_after_s else ""
    misleads = error.code in _HINTS_AT_DOWNLOAD and not downloads
    hint = f" {error.hint}" if error.hint and not misleads else ""
    return f"{error.message.rstrip('.')}.{wait}{hint}"


def evidence(hit: Hit, limit: int = SNIPPET_CHARS) -> str:
    """What a search engine says a page says, on one line."""
    return shortened(" ".join((hit.snippet or hit.content).split()), limit)


def shortened(text: str, limit: int) -> str:
    """A text of at most so many characters, with an ellipsis where it was cut."""
    if len(text) <= limit:
        return text
    return head(text, limit - 1).rstrip() + "…" if limit > 0 else ""


def head(text: str, limit: int) -> str:
    """The beginning of a text, at most so many code points, cut between graphemes where that is possible."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    return text[: grapheme_floor(text, limit) or limit]
