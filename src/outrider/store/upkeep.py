"""What the page store does beside its calls: indexing, clearing away, repairing after a crash."""

from __future__ import annotations

import time
from collections.abc import Callable

from outrider.errors import StorageError
from outrider.store import statements as sql
from outrider.store.backend import Store, Transaction
from outrider.store.payload import title_and_text
from outrider.store.words import VERSION, words

# Texts handled in one unit of work: enough to share a commit, few enough that a waiting page is not held up.
_AT_ONCE = 8
# A deletion is remembered longer than any fetch takes, and than a client may repeat a message.
_REMEMBER_DELETED_S = 30 * 24 * 3_600.0


class Upkeep:
    """
    Works when no page waits to be written; whatever is cut short is found again at the next start.

    Args:
        clock: Seconds since the epoch.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def begin(self) -> None:
        """Take up what an earlier process left: marks, texts without an index, abandoned texts."""
        self._store.records.later(self._check_version)
        self._store.records.later(self._repair)
        self.clear_abandoned()
        self.index_waiting()

    def index_waiting(self) -> None:
        """Make findable what is not yet, a few at a time."""
        self._store.records.later(lambda records: self._index(records, 0))

    def clear_abandoned(self) -> None:
        """Remove texts that no page holds, a few at a time."""
        self._store.records.later(lambda records: self._clear(records, 0))

    async def settle(self) -> None:
        """Make everything findable that has been stored."""
        while await self._store.records.write(lambda records: self._index_some(records, 0)) is not None:
            pass

    def _index(self, records: Transaction, after: int) -> None:
        last = self._index_some(records, after)
        if last is not None:
            self._store.records.later(lambda again: self._index(again, last))

    def _index_some(self, records: Transaction, after: int) -> int | None:
        """Index a few; gives the last one's number, or None when there was none."""
        waiting = records.run(sql.UNINDEXED, (after, _AT_ONCE))
        for text_id, scope_id, key in waiting:
            found = self._words(key)
            if found is not None:
                records.index(text_id, scope_word(scope_id), *found)
            # 2: its blob is missing or damaged, so there is nothing to find, now or later.
            records.run(sql.SET_INDEXED, (1 if found is not None else 2, text_id))
        return waiting[-1][0] if waiting else None

    def _clear(self, records: Transaction, after: int) -> None:
        abandoned = records.run(sql.ABANDONED, (after, _AT_ONCE))
        for text_id, scope_id, key, indexed in abandoned:
            found = self._words(key) if indexed == 1 else None
            if found is not None:
                records.unindex(text_id, scope_word(scope_id), *found)
            records.run(sql.DROP_TEXT, (text_id,))
            self._doom(records, key)
        if abandoned:
            last = abandoned[-1][0]
            self._store.records.later(lambda again: self._clear(again, last))

    def _doom(self, records: Transaction, key: str) -> None:
        """Remove a blob that nobody holds: in a unit of work of its own, after the row's going is certain."""
        if records.run(sql.ANY_WITH_HASH, (key,)):
            return
        mark = self._store.blobs.mark(key)
        self._store.records.later(lambda again: self._settle_mark(again, mark, key))

    def _settle_mark(self, records: Transaction, mark: str, key: str) -> None:
        if not records.run(sql.ANY_WITH_HASH, (key,)):
            self._store.blobs.remove(key)
        self._store.blobs.unmark(mark)

    def _repair(self, records: Transaction) -> None:
        for mark, key in list(self._store.blobs.marks()):
            self._settle_mark(records, mark, key)
        records.run(sql.FORGET_DELETED, (self._clock() - _REMEMBER_DELETED_S,))

    def _check_version(self, records: Transaction) -> None:
        """An index made by other rules is made anew: what it holds could not be undone word by word."""
        made_by = records.run(sql.SETTING, ("words",))
        if made_by and made_by[0][0] != VERSION:
            records.forget_index()
            records.run(sql.UNINDEX_ALL)
        if not made_by or made_by[0][0] != VERSION:
            records.run(sql.SET_SETTING, ("words", VERSION))

    def _words(self, key: str) -> tuple[str, str] | None:
        try:
            blob = self._store.blobs.get(key)
        except StorageError:
            # Damaged, which a reader is told; nothing else may stop at it.
            blob = None
        if blob is None:
            return None
        title, text = title_and_text(blob)
        return words(title), words(text)


def scope_word(scope_id: int) -> str:
    """The word under which the full-text index knows a scope."""
    return f"scope{scope_id}"
