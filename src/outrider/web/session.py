"""One conversation's memory: page ids, and the last pages as they were read."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from outrider.content.lines import Lines
from outrider.content.window import Windows
from outrider.errors import StorageError, UnknownPageId
from outrider.types import Page, PageId, PagePath, Scope
from outrider.url import Url, canonical
from outrider.web.jobs import Jobs
from outrider.web.spools import Spools

T = TypeVar("T")

MAX_SNAPSHOTS = 8

_PAGE_ID = re.compile(r"w[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A page held for one session, so that continued reads see one version."""

    page: Page
    form: str = "markdown"
    path: PagePath | None = None
    """The name of the stored full text; None when it is not stored."""
    storage_error: StorageError | None = None
    """Why it is not stored."""
    message: str = ""
    """The message that fetched it."""
    is_ahead: bool = False
    """It was fetched before a call asked for it, and waits for that call."""

    @property
    def content(self) -> str:
        """The full text that windows are cut from."""
        return self.page.document.text if self.form == "text" else self.page.document.markdown

    @cached_property
    def lines(self) -> Lines:
        """The same text by its lines."""
        return Lines(self.content)

    @cached_property
    def windows(self) -> Windows:
        """The cutter of this text; it remembers what it learned about the text."""
        return Windows(self.content)


@dataclass(slots=True)
class Session:
    """Belongs to one scope; nothing in it is shared."""

    scope: Scope = field(default_factory=Scope)
    parent: Session | None = None
    """The session that this one grew out of: its page ids and snapshots can be used here, not the other way round."""
    first: int = 1
    """Number of the first page id that is given here; lower ones are the parent's."""
    spools: Spools = field(default_factory=Spools)
    """Outputs that were too long to show at once, in dialects that page through them."""
    jobs: Jobs = field(default_factory=Jobs)
    """Work that another call may end by name, in dialects that offer that."""
    _ids: dict[str, PageId] = field(default_factory=dict)
    _urls: dict[PageId, str] = field(default_factory=dict)
    _snapshots: OrderedDict[tuple[str, bool, str], Snapshot] = field(default_factory=OrderedDict)
    _read: dict[tuple[str, bool, str], PagePath | None] = field(default_factory=dict)
    """The path of the version that was read last, by what it is a version of."""
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _arrivals: dict[tuple[str, bool, str], asyncio.Event] = field(default_factory=dict)

    def page_id(self, url: Url) -> PageId:
        """The id of a URL in this session, new when it was not seen before; ids are never reused."""
        name = canonical(url)
        known = self._known(name)
        if known is not None:
            return known
        fresh = PageId(f"w{self.first + len(self._ids)}")
        self._ids[name] = fresh
        self._urls[fresh] = str(url.without_fragment())
        return fresh

    def address(self, text: str) -> Url:
        """
        What a call names: a page id of this session, or a URL.

        Raises:
            UnknownPageId: It has the form of a page id, and this session has none such.
            InvalidUrl: It is neither.
        """
        if not _PAGE_ID.fullmatch(text):
            return Url.parse(text)
        url = self._url(text)
        if url is None:
            message = f"{text} is not a page id of this session"
            raise UnknownPageId(message, hint="Page ids come from search results and fetched pages; or give the URL.")
        return Url.parse(url)

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something that may outlast the call that began it; it ends with the session."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Seen, also when nobody waits for it any more.
            task.exception()

    async def wait_closed(self) -> None:
        """Wait until everything that outlasted its call has ended; `close` comes first."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def close(self) -> None:
        """End what runs in the session, and remove what it left on disk."""
        self.jobs.close()
        self.spools.close()
        for task in self._tasks:
            task.cancel()

    def child(self, scope: Scope) -> Session:
        """A session that can use this one's page ids and snapshots, and goes on counting where this one is now."""
        return Session(scope=scope, parent=self, first=self.first + len(self._ids))

    def _known(self, name: str) -> PageId | None:
        known = self._ids.get(name)
        if known is not None or self.parent is None:
            return known
        inherited = self.parent._known(name)  # noqa: SLF001  (of its own kind)
        # What the parent numbered after the child was made would clash with the child's own numbers.
        return inherited if inherited is not None and int(inherited[1:]) < self.first else None

    def _url(self, text: str) -> str | None:
        known = self._urls.get(PageId(text))
        if known is not None or self.parent is None or int(text[1:]) >= self.first:
            return known
        return self.parent._url(text)  # noqa: SLF001  (of its own kind)

    @property
    def scopes(self) -> list[Scope]:
        """Whose stored pages can be read here: this session's own, and those of the sessions it grew out of."""
        return [self.scope, *(self.parent.scopes if self.parent is not None else [])]

    def keep(
        self,
        url: Url,
        page: Page,
        *,
        whole: bool,
        form: str,
        path: PagePath | None = None,
        storage_error: StorageError | None = None,
        message: str = "",
    ) -> Snapshot:
        """Remember a page under the URL that was asked for, and forget the oldest beyond eight."""
        snapshot = Snapshot(page=page, form=form, path=path, storage_error=storage_error, message=message)
        return self._hold((canonical(url), whole, form), snapshot)

    def hold_ahead(self, url: Url, snapshot: Snapshot, *, whole: bool) -> Snapshot:
        """Let the next call for a page find it, though that call does not read on."""
        return self._hold((canonical(url), whole, snapshot.form), replace(snapshot, is_ahead=True))

    @contextmanager
    def on_its_way(self, url: Url, *, whole: bool, form: str) -> Iterator[None]:
        """While the block runs, who wants the page can wait for its end."""
        key = (canonical(url), whole, form)
        arrival = self._arrivals.setdefault(key, asyncio.Event())
        try:
            yield
        finally:
            self._arrivals.pop(key, None)
            arrival.set()

    def arrival(self, url: Url, *, whole: bool, form: str) -> asyncio.Event | None:
        """What is set when a page on its way has arrived, or will not."""
        return self._arrivals.get((canonical(url), whole, form))

    def take(self, url: Url, snapshot: Snapshot, *, whole: bool) -> Snapshot:
        """Hand out a held page; if it was fetched ahead, it no longer is."""
        if not snapshot.is_ahead:
            return snapshot
        return self._hold((canonical(url), whole, snapshot.form), replace(snapshot, is_ahead=False))

    def forget_message(self, message: str) -> None:
        """Drop the pages that a message fetched."""
        for key, snapshot in list(self._snapshots.items()):
            if message and snapshot.message == message:
                del self._snapshots[key]

    def forget_path(self, path: str) -> None:
        """Drop the page of a path."""
        for key, snapshot in list(self._snapshots.items()):
            if snapshot.path == path:
                del self._snapshots[key]

    def by_path(self, path: str) -> Snapshot | None:
        """The held page of a path."""
        found = next((one for one in self._snapshots.values() if one.path == path), None)
        return found if found is not None or self.parent is None else self.parent.by_path(path)

    def _hold(self, key: tuple[str, bool, str], snapshot: Snapshot) -> Snapshot:
        self._snapshots[key] = snapshot
        self._snapshots.move_to_end(key)
        self._read[key] = snapshot.path
        while len(self._snapshots) > MAX_SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return snapshot

    def snapshot(self, url: Url, *, whole: bool, form: str) -> Snapshot | None:
        """The page as it was read before, when it is still held."""
        key = (canonical(url), whole, form)
        found = self._snapshots.get(key)
        if found is not None:
            self._snapshots.move_to_end(key)
        elif self.parent is not None:
            return self.parent.snapshot(url, whole=whole, form=form)
        return found

    def was_read(self, url: Url, *, whole: bool, form: str) -> bool:
        """Whether the page was read in this session, held or not."""
        if (canonical(url), whole, form) in self._read:
            return True
        return self.parent is not None and self.parent.was_read(url, whole=whole, form=form)

    def path_read(self, url: Url, *, whole: bool, form: str) -> PagePath | None:
        """The stored version of the page that was read last, when it was read and stored."""
        key = (canonical(url), whole, form)
        if key in self._read or self.parent is None:
            return self._read.get(key)
        return self.parent.path_read(url, whole=whole, form=form)
