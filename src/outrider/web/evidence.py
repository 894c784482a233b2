"""The pages behind the first results of a search, read together within one time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.errors import Cancelled, TotalTimeout, WebError
from outrider.types import Page, PagePath
from outrider.url import Url
from outrider.web.reading import Reading, Wanted

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.session import Session, Snapshot

MAX_PAGES = 3
WITHIN_S = 15.0
"""For all pages together; what is under way then runs on, so that a following fetch finds it."""
MAX_CHARS = 5_000
"""Of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What of a page was read for a search, or why it was not."""

    content: str = ""
    """The beginning of the page's Markdown."""
    page: Page | None = None
    path: PagePath | None = None
    """The name of the stored full text."""
    next_offset: int | None = None
    """Where a fetch reads on."""
    error: WebError | None = None


async def gather(
    urls: Sequence[Url], reading: Reading, call: Call, session: Session, *, within_s: float = WITHIN_S
) -> list[Evidence]:
    """Read pages at the same time; each ends with an outcome of its own."""
    left = call.remaining()
    # Their time is their own: the answer does not wait for them, and they do not end with it.
    own = replace(call, deadline=None)
    tasks = [session.begin(_read(url, reading, own, session)) for url in urls]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=within_s if left is None else min(left, within_s))
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise
    return [_outcome(task, url) for task, url in zip(tasks, urls, strict=True)]


async def _read(url: Url, reading: Reading, call: Call, session: Session) -> Snapshot:
    await call.visit(url)
    # The call named words, not this page: it is read only where robots.txt lets programs in.
    return await reading.ahead(Wanted(url=url, named=False), call, session)


def _outcome(task: asyncio.Task[Snapshot], url: Url) -> Evidence:
    if not task.done():
        message = f"{url.host} was not read in time"
        return Evidence(error=TotalTimeout(message, hint="It is still being read: fetch the page to see it."))
    if task.cancelled():
        return Evidence(error=Cancelled())
    failure = task.exception()
    if isinstance(failure, WebError):
        return Evidence(error=failure)
    if failure is not None:
        raise failure
    snapshot = task.result()
    window = snapshot.windows.cut(offset=0, limit=MAX_CHARS)
    return Evidence(content=window.text, page=snapshot.page, path=snapshot.path, next_offset=window.next_offset)
