"""Whole pages under `web://…` names, each bound to its tenant, owner, session and message."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from outrider.errors import PageNotFound, StorageError
from outrider.store import statements as sql
from outrider.store import units
from outrider.store.backend import Row, Store
from outrider.store.kept import KeptPage, Match, Quota, StoredPage, Usage, stored_page
from outrider.store.payload import content_of, name_of, pack, page_of, unpack, whole_characters
from outrider.store.snippet import snippet
from outrider.store.threads import in_own_thread, started_pool
from outrider.store.units import Fresh, Vanished
from outrider.store.upkeep import Upkeep, scope_word
from outrider.store.words import terms
from outrider.types import Document, Page, PagePath, Scope
from outrider.url import Url, canonical

T = TypeVar("T")

# A failed opening is not tried again at every page: each try costs the answer time.
_RETRY_S = 30.0
_MOST_TRIES = 3
# Packing and unpacking; the records have threads of their own.
_THREADS = 2
# Read pages whose documents stay in memory, so that reading on does not unpack them again.
_HELD_DOCUMENTS = 4
_MOST_HELD_CHARS = 2 * 1024 * 1024
# Parts of a question that a large part of all pages holds say little; see `_less_common`.
_COMMON = 2_000


class PageStore:
    """
    Every tenant's pages.

    Args:
        open_store: Opens the storage; called when the first page is kept or looked for.
        clock: Seconds since the epoch.
    """

    def __init__(
        self,
        open_store: Callable[[], Awaitable[Store]],
        *,
        quota: Quota | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._open_store = open_store
        self._quota = quota or Quota()
        self._clock = clock
        self._opening: asyncio.Task[None] | None = None
        self._closed = False
        self._store: Store | None = None
        self._upkeep: Upkeep | None = None
        self._failure: tuple[float, StorageError] | None = None
        self._held: OrderedDict[str, Document] = OrderedDict()

    async def aclose(self) -> None:
        """Close the storage, if it was opened."""
        self._closed = True
        if self._opening is not None:
            await asyncio.wait([self._opening])
        store, self._store = self._store, None
        if store is not None:
            await store.aclose()
            await in_own_thread(self._threads.shutdown)

    def now(self) -> float:
        """The time on this store's clock."""
        return self._clock()

    async def settle(self) -> None:
        """
        Finish what is done beside the calls: indexing, clearing away, repairing.

        Raises:
            StorageError: The storage cannot be opened.
        """
        await (await self._opened()).records.settle()

    # Keeping.

    async def save(
        self, scope: Scope, page: Page, *, message: str = "", form: str = "markdown", whole: bool = False,
        since: float | None = None,
    ) -> PagePath:  # fmt: skip
        """
        Keep a page; when this returns, it is kept.

        Args:
            since: When the fetch began, on this store's clock; what was deleted since then takes the page with it.

        Raises:
            StorageError: It cannot be kept; the page itself is whole.
        """
        store = await self._opened()
        began = self._clock() if since is None else since
        blob, key, mark = await self._in_thread(_prepare, store, page, form)
        fresh = Fresh(
            scope=scope,
            message=message,
            url=canonical(Url.parse(page.url)),
            form=_form(form, whole=whole),
            page=page,
            key=key,
            chars=len(content_of(page, form)),
            bytes=len(blob),
            since=began,
        )
        try:
            path = await self._write(store, fresh, blob)
        except BaseException:
            # The row may still be on its way, so the mark goes after whatever waits to be written.
            store.records.later(lambda _: store.blobs.unmark(mark))
            raise
        finally:
            self._kept_up.index_waiting()
        # At once: put off under load, marks would pile up, and their folder would stay slow to read for good.
        await self._in_thread(store.blobs.unmark, mark)
        return path

    async def _write(self, store: Store, fresh: Fresh, blob: bytes) -> PagePath:
        for _ in range(_MOST_TRIES):
            await self._in_thread(store.blobs.put, fresh.key, blob)
            try:
                return await store.records.write(
                    lambda records: units.insert(records, store.blobs, fresh, quota=self._quota, now=self._clock())
                )
            except Vanished:
                continue
        message = "the page's text was removed while it was being kept"
        raise StorageError(message)

    # Reading.

    async def load(self, scope: Scope, path: str) -> KeptPage:
        """
        Read a page by its path.

        Raises:
            PageNotFound: No page of this scope has that path, or its message or session was deleted.
            StorageError: It cannot be read.
        """
        store = await self._opened()
        rows = await store.records.read(sql.PAGE, (whole_characters(path), scope.tenant, scope.owner, scope.session))
        if not rows or self._is_too_old(rows[0]):
            raise _not_found(path)
        return await self._read(store, rows[0])

    async def newest(self, scope: Scope, url: Url, *, form: str = "markdown", whole: bool = False) -> KeptPage | None:
        """
        The version of a page that was stored last, or None.

        Raises:
            StorageError: It cannot be read.
        """
        store = await self._opened()
        wanted = (scope.tenant, scope.owner, scope.session, canonical(url), _form(form, whole=whole))
        rows = await store.records.read(sql.NEWEST, wanted)
        return None if not rows or self._is_too_old(rows[0]) else await self._read(store, rows[0])

    async def list_pages(self, scope: Scope, *, limit: int = 50, before: int | None = None) -> list[StoredPage]:
        """
        The pages of a scope, newest first.

        Args:
            before: A page's `cursor`; the list goes on behind it.

        Raises:
            StorageError: They cannot be read.
        """
        store = await self._opened()
        wanted = (scope.tenant, scope.owner, scope.session, before or sys.maxsize, limit)
        return [stored_page(row) for row in await store.records.read(sql.LIST, wanted) if not self._is_too_old(row)]

    async def search(self, scope: Scope, question: str, *, limit: int = 10) -> list[Match]:
        """
        The pages of a scope that hold a question's words, best first; each text once.

        Pages that hold all of the words come before those that hold some.

        Raises:
            StorageError: They cannot be read.
        """
        store = await self._opened()
        await self._kept_up.settle()
        wanted = terms(question)
        word = await self._scope_word(store, scope)
        if not wanted or word is None:
            return []
        found = await store.records.match(" AND ".join(wanted), scope=word, limit=limit)
        if not found and len(wanted) > 1:
            rare = await self._less_common(store, wanted, word)
            found = await store.records.match(" OR ".join(rare), scope=word, limit=limit) if rare else []
        matches = [await self._match(store, text_id, score, question) for text_id, score in found]
        return [match for match in matches if match is not None]

    async def usage(self, tenant: str) -> Usage:
        """
        What a tenant keeps.

        Raises:
            StorageError: It cannot be read.
        """
        store = await self._opened()
        rows = await store.records.read(sql.USAGE, (tenant,))
        return Usage(pages=rows[0][0], bytes=rows[0][1]) if rows else Usage(pages=0, bytes=0)

    # Deleting.

    async def remove(self, scope: Scope, path: str) -> None:
        """
        Delete one page.

        Raises:
            PageNotFound: No page of this scope has that path.
            StorageError: It cannot be deleted.
        """
        store = await self._opened()
        if not await store.records.write(lambda records: units.drop_one(records, scope, path)):
            raise _not_found(path)
        self._kept_up.clear_abandoned()

    async def forget_message(self, scope: Scope, message: str) -> int:
        """
        A message was deleted: its pages become unreadable at once, and none is stored for it any more.

        Returns:
            How many pages went.

        Raises:
            StorageError: They cannot be deleted.
        """
        if not message:
            return 0
        return await self._forget(scope, message)

    async def forget_session(self, scope: Scope) -> int:
        """
        A session was deleted: its pages become unreadable at once, and none on its way is stored any more.

        Returns:
            How many pages went.

        Raises:
            StorageError: They cannot be deleted.
        """
        return await self._forget(scope, "")

    async def _forget(self, scope: Scope, message: str) -> int:
        store = await self._opened()
        count = await store.records.write(lambda records: units.forget(records, scope, message, now=self._clock()))
        self._kept_up.clear_abandoned()
        return count

    # Inside.

    async def _opened(self) -> Store:
        if self._store is None:
            if self._closed:
                message = "the page store is closed"
                raise StorageError(message)
            if self._opening is None:
                self._opening = asyncio.create_task(self._open())
                self._opening.add_done_callback(self._has_opened)
            # Whoever leaves meanwhile leaves the opening to the others.
            await asyncio.shield(self._opening)
        assert self._store is not None
        return self._store

    def _has_opened(self, task: asyncio.Task[None]) -> None:
        self._opening = None
        if not task.cancelled():
            # Seen, also when nobody waits for it any more.
            task.exception()

    async def _open(self) -> None:
        if self._failure is not None and self._clock() < self._failure[0]:
            raise self._failure[1]
        try:
            store = await self._open_store()
        except StorageError as error:
            self._failure = (self._clock() + _RETRY_S, error)
            raise
        self._store, self._failure = store, None
        self._threads = started_pool(_THREADS, "outrider-page")
        self._upkeep = Upkeep(store, clock=self._clock)
        self._upkeep.begin()

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        try:
            return await asyncio.wrap_future(self._threads.submit(work, *arguments))
        except RuntimeError as error:
            message = "the page store is closed"
            raise StorageError(message) from error

    @property
    def _kept_up(self) -> Upkeep:
        assert self._upkeep is not None
        return self._upkeep

    def _is_too_old(self, row: Row) -> bool:
        return 0 < self._quota.max_age_s < self._clock() - float(row[8])

    async def _read(self, store: Store, row: Row) -> KeptPage:
        stored, key = stored_page(row), row[10]
        document = await self._document(store, key)
        if document is None:
            raise _not_found(stored.path)
        form = stored.form.partition("-")[0]
        return KeptPage(stored=stored, page=page_of(row[9], document, form), form=form)

    async def _document(self, store: Store, key: str) -> Document | None:
        held = self._held.pop(key, None)
        if held is None:
            held = await self._in_thread(_load, store, key)
        if held is not None and len(held.markdown) <= _MOST_HELD_CHARS:
            self._held[key] = held
            while len(self._held) > _HELD_DOCUMENTS:
                self._held.popitem(last=False)
        return held

    async def _scope_word(self, store: Store, scope: Scope) -> str | None:
        rows = await store.records.read(sql.SCOPE, (scope.tenant, scope.owner, scope.session))
        return scope_word(rows[0][0]) if rows else None

    async def _less_common(self, store: Store, wanted: list[str], word: str) -> list[str]:
        """The words that not nearly every page holds; all of them when every page holds them all."""
        counts = [len(await store.records.match(term, scope=word, limit=_COMMON)) for term in wanted]
        present = [term for term, count in zip(wanted, counts, strict=True) if count]
        rare = [term for term, count in zip(wanted, counts, strict=True) if 0 < count < _COMMON]
        return rare or present

    async def _match(self, store: Store, text_id: int, score: float, question: str) -> Match | None:
        rows = await store.records.read(sql.NEWEST_OF_TEXT, (text_id,))
        # The index may still hold what was deleted a moment ago.
        if not rows or self._is_too_old(rows[0]):
            return None
        document = await self._document(store, rows[0][10])
        if document is None:
            return None
        best = await self._in_thread(snippet, document.markdown, question)
        return Match(stored=stored_page(rows[0]), snippet=best, score=round(score, 4))


def _form(form: str, *, whole: bool) -> str:
    return f"{form}-whole" if whole else form


def _not_found(path: str) -> PageNotFound:
    message = f"there is no page {whole_characters(path[:200])}"
    return PageNotFound(message, hint="Paths come from web_fetch in the same session; fetch the page's URL again.")


def _prepare(store: Store, page: Page, form: str) -> tuple[bytes, str, str]:
    """A page's blob, its name, and a mark that it is about to be written."""
    blob = pack(page, form)
    key = name_of(blob)
    return blob, key, store.blobs.mark(key)


def _load(store: Store, key: str) -> Document | None:
    blob = store.blobs.get(key)
    return None if blob is None else unpack(blob)
