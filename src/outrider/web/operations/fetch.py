"""The fetch operation: up to eight addresses to windows of their pages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from outrider.call import Call, Progress
from outrider.content.find import Found, find, section
from outrider.content.window import fair_shares
from outrider.errors import Cancelled, InvalidArgument, ReaderUnavailable, RedirectRejected, WebError
from outrider.fetch.reader import Answer, Reader, answer
from outrider.types import Heading, Page, PageId, PagePath, Window
from outrider.url import Url, canonical
from outrider.web.operation import Subject
from outrider.web.passages import within
from outrider.web.reading import Reading, Wanted
from outrider.web.session import Session, Snapshot

MAX_ITEMS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchItem:
    """One page to read, as `web_fetch` takes it."""

    url: str
    """http(s) URL or page id."""
    offset: int = 0
    limit: int | None = None
    section: str | None = None
    find: str | None = None
    prompt: str | None = None
    """A question that the reader model answers from the page, or from the section."""
    whole: bool = False
    raw: bool = False
    """The body as it came, decoded to text and not converted."""
    named: bool = True
    """False when robots.txt is to be respected whatever the configuration says."""
    held: bool = False
    """Go on in the version that the session holds, if it holds one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """One call's items."""

    items: tuple[FetchItem, ...]
    headers: Mapping[str, str] | None = None
    """Sent along to each item's own origin; never offered to models."""
    profile: str = ""
    """The set of limits: `pipeline` for fast answers; empty for the usual one."""
    stays: bool = False
    """A redirect to another host is not followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What became of one item."""

    status: Literal["success", "failed", "skipped"]
    url: str
    """As asked for; a page id is replaced by its URL."""
    page_id: PageId | None = None
    page: Page | None = None
    window: Window | None = None
    section: str = ""
    """The heading whose section the window is cut from; empty for the whole page."""
    section_span: tuple[int, int] | None = None
    """Start and end of that section in the full text."""
    found: Found | None = None
    """The passages that `find` gave, in place of a window."""
    answer: Answer | None = None
    """What the reader model said, in place of a window."""
    duplicate_of: int | None = None
    """Index of the item that asked for the same; it holds the outcome."""
    error: WebError | None = None
    """Why it failed or was skipped."""
    path: PagePath | None = None
    """The name of the stored full text, for `read_page`."""
    storage_error: WebError | None = None
    """Why the full text is not stored."""
    notes: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The window's text, the found passages, or the reader model's answer."""
        if self.answer is not None:
            return self.answer.text
        if self.found is not None:
            return "\n\n…\n\n".join(passage.text for passage in self.found.passages)
        return self.window.text if self.window is not None else ""

    @property
    def next_offset(self) -> int | None:
        """Where to go on reading; None at the end."""
        return self.window.next_offset if self.window is not None else None

    @property
    def outline(self) -> tuple[Heading, ...]:
        """The page's headings."""
        return self.page.document.outline if self.page is not None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """The items' outcomes, in the order they were asked for."""

    items: tuple[Fetched, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Which part of a page an item wants, once the page is known."""

    snapshot: Snapshot
    start: int
    end: int
    section: str
    notes: tuple[str, ...] = ()
    answer: Answer | None = None

    @property
    def length(self) -> int:
        return self.end - self.start


class FetchOperation:
    """
    Reads pages, or goes on in pages that were read.

    Args:
        reader: Answers prompts; without one they fail.
        others: The same under other limits, by the profile's name.
    """

    def __init__(
        self, reading: Reading, reader: Reader | None = None, *, others: Mapping[str, FetchOperation] | None = None
    ) -> None:
        self._reading = reading
        self._reader = reader
        self._others = others or {}
        self._profile = reading.profile

    def subjects(self, request: FetchRequest, session: Session) -> list[Subject]:
        """The URLs, page ids resolved; an item that names none fails by itself."""
        addresses = (_address(item, session) for item in request.items)
        return [Subject(action="network", url=url) for url in addresses if url is not None]

    async def run(self, request: FetchRequest, call: Call, session: Session) -> FetchResult:
        """
        Read every item; one failure never ends the batch.

        Raises:
            InvalidArgument: The request itself is wrong.
        """
        if request.profile:
            return await self._other(request.profile).run(replace(request, profile=""), call, session)
        items = request.items
        self._check(items)
        firsts = _first_of_each(items, session)
        snapshots = await self._snapshots(request, call, session)
        places = {
            index: _located(snapshots[_document(item, session)], item, session)
            for index, item in enumerate(items)
            if firsts[index] == index
        }
        shares = self._shares(items, places)
        answers = await self._answers(items, places, call)
        outcomes = [
            await self._outcome(item, answers.get(index, places[index]), shares.get(index, 0), session)
            if firsts[index] == index
            else _duplicate(item, firsts[index], answers.get(firsts[index], places[firsts[index]]), session)
            for index, item in enumerate(items)
        ]
        return FetchResult(items=tuple(outcomes))

    def _other(self, profile: str) -> FetchOperation:
        if profile not in self._others:
            message = f"there is no profile {profile!r}; there are {', '.join(self._others)}"
            raise InvalidArgument(message, details={"field": "profile"})
        return self._others[profile]

    async def _snapshots(
        self, request: FetchRequest, call: Call, session: Session
    ) -> dict[_Document, Snapshot | WebError]:
        """Each page once, however many of its parts are asked for, so that all of them are of one version."""
        asked: dict[_Document, list[FetchItem]] = {}
        for item in request.items:
            asked.setdefault(_document(item, session), []).append(item)
        read = await asyncio.gather(*(self._snapshot(items, request, call, session) for items in asked.values()))
        return dict(zip(asked, read, strict=True))

    def _check(self, items: tuple[FetchItem, ...]) -> None:
        if not 1 <= len(items) <= MAX_ITEMS:
            message = f"items must hold 1 to {MAX_ITEMS} entries; it holds {len(items)}"
            raise InvalidArgument(message, details={"field": "items"})
        for item in items:
            if item.offset < 0:
                message = "offset must be 0 or more"
                raise InvalidArgument(message, details={"field": "offset"})
            if item.limit is not None and not 1 <= item.limit <= self._profile.max_window:
                message = f"limit must be from 1 to {self._profile.max_window}"
                raise InvalidArgument(message, details={"field": "limit"})
            if item.prompt is not None and (item.find is not None or item.offset > 0):
                message = "prompt excludes find and offset"
                raise InvalidArgument(message, details={"field": "prompt"})
            if item.section is not None and item.find is not None:
                message = "section and find exclude each other"
                raise InvalidArgument(message, details={"field": "find"})

    async def _snapshot(
        self, items: list[FetchItem], request: FetchRequest, call: Call, session: Session
    ) -> Snapshot | WebError:
        try:
            url = session.address(items[0].url)
            await call.visit(url)
            follow = _follow(url, request, call)
            wanted = Wanted(
                url=url,
                whole=items[0].whole,
                raw=items[0].raw,
                named=all(item.named for item in items),
                headers=request.headers,
                continues=all(_continues(item) for item in items),
                inside=any(item.offset > 0 for item in items),
            )
            snapshot = await self._reading.get(wanted, replace(call, follow=follow), session)
        except WebError as error:
            return error
        except asyncio.CancelledError:
            if _is_cancelling():
                raise
            return Cancelled()
        return snapshot

    def _shares(self, items: tuple[FetchItem, ...], places: Mapping[int, _Place | WebError]) -> dict[int, int]:
        """How many characters each item may show, out of the call's one budget."""
        indices = [index for index, place in places.items() if isinstance(place, _Place)]
        needs: list[int] = []
        for index in indices:
            place = places[index]
            assert isinstance(place, _Place)
            wanted = items[index].limit or self._profile.default_window
            left = place.length if items[index].find is not None else max(1, place.length - items[index].offset)
            needs.append(min(wanted, left))
        return dict(zip(indices, fair_shares(needs, self._profile.output_budget), strict=True))

    async def _answers(
        self, items: tuple[FetchItem, ...], places: Mapping[int, _Place | WebError], call: Call
    ) -> dict[int, _Place | WebError]:
        """What the reader model says, for the items that ask it."""
        asking = {
            index: (item.prompt, place)
            for index, item in enumerate(items)
            if item.prompt is not None and isinstance(place := places.get(index), _Place)
        }
        said = await asyncio.gather(*(self._answer(prompt, place, call) for prompt, place in asking.values()))
        return dict(zip(asking, said, strict=True))

    async def _answer(self, prompt: str, place: _Place, call: Call) -> _Place | WebError:
        if self._reader is None:
            message = "no reader model is configured, so prompt cannot be answered"
            return ReaderUnavailable(message, hint="Read the page without prompt.")
        try:
            call.emit(Progress(stage="read", message="asking the reader model"))
            content = place.snapshot.content
            said = await answer(content, prompt, self._reader, call, start=place.start, end=place.end)
        except WebError as error:
            return error
        return replace(place, answer=said)

    async def _outcome(self, item: FetchItem, place: _Place | WebError, share: int, session: Session) -> Fetched:
        if isinstance(place, WebError):
            return _failed(item, place, session)
        if place.answer is not None:
            page_id = session.page_id(Url.parse(place.snapshot.page.url))
            told = replace(_success(place.snapshot, page_id), answer=place.answer, section=place.section)
            return replace(told, notes=place.notes)
        page = place.snapshot.page
        page_id = session.page_id(Url.parse(page.url))
        try:
            if item.find is not None:
                most = max(1, share // 700)
                found = await asyncio.to_thread(find, place.snapshot.content, item.find, limit=most)
                return replace(_success(place.snapshot, page_id), found=within(found, chars=share), notes=place.notes)
            window = _cut(place, offset=item.offset, limit=max(1, share))
        except WebError as error:
            return replace(_failed(item, error, session), page_id=page_id)
        return replace(
            _success(place.snapshot, page_id),
            window=window,
            section=place.section,
            section_span=(place.start, place.end) if place.section else None,
            notes=place.notes,
        )


_Document = tuple[str, bool, bool]
"""What names one page in a batch: its address, and whether the whole of it, or its raw body, is wanted."""


def _document(item: FetchItem, session: Session) -> _Document:
    url = _address(item, session)
    return (item.url if url is None else canonical(url), item.whole, item.raw)


def _continues(item: FetchItem) -> bool:
    """Whether the item is content with the version that was read before."""
    return item.held or item.offset > 0 or item.section is not None or item.find is not None


def _located(snapshot: Snapshot | WebError, item: FetchItem, session: Session) -> _Place | WebError:
    if isinstance(snapshot, WebError):
        return snapshot
    try:
        return _place(snapshot, item, session.address(item.url))
    except WebError as error:
        return error


def _success(snapshot: Snapshot, page_id: PageId) -> Fetched:
    return Fetched(
        status="success",
        url=snapshot.page.url,
        page_id=page_id,
        page=snapshot.page,
        path=snapshot.path,
        storage_error=snapshot.storage_error,
    )


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _first_of_each(items: tuple[FetchItem, ...], session: Session) -> list[int]:
    """For each item the index of the first that asks for the same."""
    seen: dict[tuple[object, ...], int] = {}
    firsts: list[int] = []
    for index, item in enumerate(items):
        try:
            name = canonical(session.address(item.url))
        except WebError:
            name = item.url
        key = (
            name,
            item.offset,
            item.limit,
            item.section or _fragment(item, session),
            item.find,
            item.prompt,
            item.whole,
            item.raw,
        )
        firsts.append(seen.setdefault(key, index))
    return firsts


def _fragment(item: FetchItem, session: Session) -> str | None:
    url = _address(item, session)
    return url.fragment if url is not None else None


def _address(item: FetchItem, session: Session) -> Url | None:
    try:
        return session.address(item.url)
    except WebError:
        return None


Follow = Callable[[Url], Awaitable[None]]


def _follow(url: Url, request: FetchRequest, call: Call) -> Follow:
    """Who is asked about a redirect on the way from an address."""

    async def stay(target: Url) -> None:
        if target.host != url.host:
            message = f"{url} redirects to another host, {target}, which was not followed"
            raise RedirectRejected(
                message, reason="other-host", hint="Fetch the target itself.", details={"target": str(target)}
            )
        await call.follow(target)

    return stay if request.stays else call.follow


def _place(snapshot: Snapshot, item: FetchItem, url: Url) -> _Place:
    """Which part of the page is wanted: all of it, or the section that the call or the URL's fragment names."""
    everything = _Place(snapshot, 0, len(snapshot.content), "")
    if item.find is not None or snapshot.form != "markdown":
        return everything
    document = snapshot.page.document
    if item.section is not None:
        span = section(document, item.section)
        if span is None:
            names = ", ".join(heading.text for heading in document.outline[:20])
            message = f"the page has no section {item.section!r}"
            raise InvalidArgument(message, details={"field": "section"}, hint=f"Its sections: {names}" if names else "")
        return _Place(snapshot, *span, item.section)
    # A fragment that a redirect names counts like one that the call names.
    fragment = url.fragment or Url.parse(snapshot.page.final_url).fragment
    if not fragment or item.offset > 0:
        return everything
    span = section(document, "#" + fragment)
    if span is None:
        return replace(everything, notes=(f"The page has no place #{fragment}; this is its beginning.",))
    if span[0] == 0:
        return everything
    return _Place(snapshot, *span, "#" + fragment)


def _cut(place: _Place, *, offset: int, limit: int) -> Window:
    """A window of the place; its offsets count from the start of the full text."""
    windows = place.snapshot.windows
    if not place.section:
        return windows.cut(offset=offset, limit=limit)
    start = offset or place.start
    if not place.start <= start < place.end:
        message = f"offset must lie in the section, from {place.start} to {place.end - 1}"
        raise InvalidArgument(message, details={"field": "offset"})
    window = windows.cut(offset=start, limit=min(limit, place.end - start))
    over = window.next_offset is not None and window.next_offset >= place.end
    return replace(window, next_offset=None) if over else window


def _failed(item: FetchItem, error: WebError, session: Session) -> Fetched:
    try:
        url = session.address(item.url)
    except WebError:
        return Fetched(status="failed", url=item.url, error=error)
    return Fetched(status="failed", url=str(url), page_id=session.page_id(url), error=error)


def _duplicate(item: FetchItem, first: int, place: _Place | WebError, session: Session) -> Fetched:
    if isinstance(place, WebError):
        return replace(_failed(item, place, session), duplicate_of=first)
    page_id = session.page_id(Url.parse(place.snapshot.page.url))
    return replace(_success(place.snapshot, page_id), duplicate_of=first)
