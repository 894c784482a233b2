"""The read operation: a stored page by lines, by section, by what stands in it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace

from outrider.call import Call
from outrider.content.find import Found, find, section
from outrider.content.lines import MAX_BYTES, MAX_LINES, LineLimits, LineWindow
from outrider.content.quote import Verdict, verify
from outrider.errors import InvalidArgument, PageNotFound, StorageError
from outrider.fetch.profile import Profile
from outrider.store.pages import PageStore
from outrider.store.units import SCHEME
from outrider.types import Heading, Page, PageId, PagePath
from outrider.url import Url
from outrider.web.operation import Subject
from outrider.web.passages import within
from outrider.web.session import Session, Snapshot

# One passage around a match is about this long.
_PASSAGE_CHARS = 700
_PAGE_ID = re.compile(r"w[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A stored page, and what of it is wanted; at most one of `find`, `section`, `outline` and `quote`."""

    path: str
    """`web://…` or page id."""
    offset: int | None = None
    """First line, from 1."""
    limit: int | None = None
    """Most lines."""
    line_offset: int = 0
    """Code points of the first line to pass over."""
    find: str | None = None
    section: str | None = None
    outline: bool = False
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A heading, and the line on which it stands."""

    heading: Heading
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """What of a page was asked for."""

    page: Page
    path: PagePath | None
    """None when the page is held in memory only."""
    page_id: PageId
    content_length: int
    """Code points of the full text."""
    total_lines: int
    window: LineWindow | None = None
    section: str = ""
    found: Found | None = None
    found_lines: tuple[tuple[int, ...], ...] = ()
    """For each passage the line of each of its matches."""
    outline: tuple[OutlineEntry, ...] | None = None
    outline_total: int = 0
    """All headings, shown or not."""
    verdict: Verdict | None = None
    verdict_lines: tuple[int, int] | None = None
    """First and last line of the passage, or of what is nearest to it."""

    @property
    def text(self) -> str:
        """What was asked for, as text."""
        if self.window is not None:
            return self.window.text
        if self.found is not None:
            return "\n\n…\n\n".join(passage.text for passage in self.found.passages)
        return self.verdict.text if self.verdict is not None else ""


class ReadOperation:
    """Reads what was stored, or what the session holds; nothing is requested."""

    def __init__(self, pages: PageStore, profile: Profile) -> None:
        self._pages = pages
        self._profile = profile

    def subjects(self, request: ReadRequest, session: Session) -> list[Subject]:
        """Reading what the session may read anyway."""
        del session
        return [Subject(action="read", text=request.path)]

    async def run(self, request: ReadRequest, call: Call, session: Session) -> ReadResult:
        """
        Read.

        Raises:
            PageNotFound: The path is no page that this session may read.
            InvalidArgument: An argument is wrong.
            StorageError: The page cannot be read.
        """
        del call
        _check(request)
        snapshot = await self._snapshot(request.path, session)
        base = ReadResult(
            page=snapshot.page,
            path=snapshot.path,
            page_id=session.page_id(Url.parse(snapshot.page.url)),
            content_length=len(snapshot.content),
            total_lines=snapshot.lines.total,
        )
        if request.quote is not None:
            return await self._quoted(base, snapshot, request.quote)
        if request.find is not None:
            return await self._found(base, snapshot, request.find)
        if request.outline:
            return self._outlined(base, snapshot)
        return self._lines(base, snapshot, request)

    # Which page.

    async def _snapshot(self, path: str, session: Session) -> Snapshot:
        if path.startswith(SCHEME):
            return await self._by_path(path, session)
        if not _PAGE_ID.fullmatch(path):
            message = f"there is no page {path[:200]!r}"
            raise PageNotFound(message, hint="Give the web://… path or the page id that web_fetch named.")
        return await self._by_id(session.address(path), session)

    async def _by_path(self, path: str, session: Session) -> Snapshot:
        failure: PageNotFound | StorageError | None = None
        for scope in session.scopes:
            try:
                kept = await self._pages.load(scope, path)
            except (PageNotFound, StorageError) as error:
                failure = failure or error
            else:
                return Snapshot(page=kept.page, form=kept.form, path=kept.stored.path)
        held = session.by_path(path)
        # When the store itself fails, memory still knows the page.
        if held is not None and isinstance(failure, StorageError):
            return held
        assert failure is not None
        raise failure

    async def _by_id(self, url: Url, session: Session) -> Snapshot:
        for whole in (False, True):
            held = session.snapshot(url, whole=whole, form=self._profile.form)
            if held is not None:
                return held
            path = session.path_read(url, whole=whole, form=self._profile.form)
            if path is not None:
                return await self._by_path(path, session)
        for scope in session.scopes:
            kept = await self._pages.newest(scope, url, form=self._profile.form)
            if kept is not None:
                return Snapshot(page=kept.page, form=kept.form, path=kept.stored.path)
        message = f"{url} has not been read in this session"
        raise PageNotFound(message, hint="Read it with web_fetch first.")

    # What of it.

    def _lines(self, base: ReadResult, snapshot: Snapshot, request: ReadRequest) -> ReadResult:
        lines, end, first = snapshot.lines, None, 1
        if request.section is not None:
            start, end = _section(snapshot, request.section)
            first = lines.line_of(start)
        limits = LineLimits(lines=request.limit or MAX_LINES, chars=self._profile.output_budget)
        line = first if request.offset is None else request.offset
        if line < first or (end is not None and lines.start_of(min(line, lines.total)) >= end):
            message = f"offset {line} does not lie in the section, which begins on line {first}"
            raise InvalidArgument(message, details={"field": "offset"})
        window = lines.cut(line=line, line_offset=request.line_offset, limits=limits, end=end)
        return replace(base, window=window, section=request.section or "")

    async def _found(self, base: ReadResult, snapshot: Snapshot, pattern: str) -> ReadResult:
        most = max(1, self._profile.output_budget // _PASSAGE_CHARS)
        found = await asyncio.to_thread(find, snapshot.content, pattern, limit=most)
        shown = within(found, chars=self._profile.output_budget, max_bytes=MAX_BYTES)
        lines = snapshot.lines
        places = tuple(tuple(lines.line_of(start) for start, _ in passage.matches) for passage in shown.passages)
        return replace(base, found=shown, found_lines=places)

    def _outlined(self, base: ReadResult, snapshot: Snapshot) -> ReadResult:
        outline = snapshot.page.document.outline if snapshot.form == "markdown" else ()
        entries: list[OutlineEntry] = []
        room = min(self._profile.output_budget, MAX_BYTES)
        for heading in outline:
            room -= len(heading.text.encode("utf-8", "replace")) + 20
            if room < 0:
                break
            entries.append(OutlineEntry(heading=heading, line=snapshot.lines.line_of(heading.offset)))
        return replace(base, outline=tuple(entries), outline_total=len(outline))

    async def _quoted(self, base: ReadResult, snapshot: Snapshot, quote: str) -> ReadResult:
        verdict = await asyncio.to_thread(verify, snapshot.content, quote)
        if verdict.start is None or verdict.end is None:
            return replace(base, verdict=verdict)
        lines = snapshot.lines
        return replace(
            base,
            verdict=verdict,
            verdict_lines=(lines.line_of(verdict.start), lines.line_of(max(verdict.start, verdict.end - 1))),
        )


def _check(request: ReadRequest) -> None:
    wants = {
        "find": request.find is not None,
        "section": request.section is not None,
        "outline": request.outline,
        "quote": request.quote is not None,
    }
    asked = [name for name, wanted in wants.items() if wanted]
    if len(asked) > 1:
        message = f"{' and '.join(asked)} exclude each other"
        raise InvalidArgument(message, details={"field": asked[1]})
    if request.offset is not None and request.offset < 1:
        message = "offset must be 1 or more: it is the number of a line"
        raise InvalidArgument(message, details={"field": "offset"})
    if request.limit is not None and not 1 <= request.limit <= MAX_LINES:
        message = f"limit must be from 1 to {MAX_LINES}"
        raise InvalidArgument(message, details={"field": "limit"})


def _section(snapshot: Snapshot, wanted: str) -> tuple[int, int]:
    document = snapshot.page.document
    span = section(document, wanted) if snapshot.form == "markdown" else None
    if span is None:
        names = ", ".join(heading.text for heading in document.outline[:20])
        message = f"the page has no section {wanted!r}"
        raise InvalidArgument(message, details={"field": "section"}, hint=f"Its sections: {names}" if names else "")
    return span
