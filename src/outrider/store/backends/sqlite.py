"""Records in SQLite: one writer thread with group commit, readers beside it, full text in FTS5."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from outrider.errors import StorageError, WebError
from outrider.store.backend import Row, Work, path_of
from outrider.store.schema import migrate
from outrider.store.threads import in_own_thread, started_pool

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

_READERS = 2
# Units of work that one commit carries: commits cost more than what they commit.
_GROUP = 64
_BUSY_S = 10.0
# At closing, what was put off may take so long; the rest is found at the next start.
_LAST_WORK_S = 0.3
# Of more entries than this with the words, those with the words in their title come first, then the newest: to weigh
# them all takes 1.5 µs each, and to learn how common each word is 0.02 µs for every entry that holds it.
_MOST_RANKED = 500
_TITLE_WEIGHT, _BODY_WEIGHT = 5.0, 1.0

# Contentless: the texts are in the blobs, and a second copy would double the index.
_FULL_TEXT = """CREATE VIRTUAL TABLE IF NOT EXISTS fulltext USING fts5(
    scope, title, body, content='', tokenize="unicode61 remove_diacritics 2")"""
_COUNT = "SELECT COUNT(*) FROM (SELECT rowid FROM fulltext WHERE fulltext MATCH ? LIMIT ?)"
_RANK = f"bm25(fulltext, 0.0, {_TITLE_WEIGHT}, {_BODY_WEIGHT})"
_RANKED = f"SELECT rowid, -{_RANK} AS score FROM fulltext WHERE fulltext MATCH ? ORDER BY score DESC LIMIT ?"  # noqa: S608
_RECENT = "SELECT rowid, ? FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid DESC LIMIT ?"


class _Session:
    """The open transaction, as a unit of work sees it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """See `Transaction`."""
        return self._connection.execute(statement, parameters).fetchall()

    def index(self, entry: int, scope: str, title: str, body: str) -> None:
        """See `Transaction`."""
        values = (entry, scope, title, body)
        self._connection.execute("INSERT INTO fulltext (rowid, scope, title, body) VALUES (?, ?, ?, ?)", values)

    def unindex(self, entry: int, scope: str, title: str, body: str) -> None:
        """See `Transaction`. A contentless table has to be told what it held."""
        values = ("delete", entry, scope, title, body)
        self._connection.execute(
            "INSERT INTO fulltext (fulltext, rowid, scope, title, body) VALUES (?, ?, ?, ?, ?)", values
        )

    def forget_index(self) -> None:
        """See `Transaction`."""
        self._connection.execute("INSERT INTO fulltext (fulltext) VALUES ('delete-all')")


@dataclass(slots=True)
class _Job:
    work: Work[Any]
    done: Future[Any]


class SqliteRecords:
    """
    One database file, which several processes may share.

    Args:
        path: The file; None keeps everything in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._news = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._put_off: deque[Work[object]] = deque()
        self._closing = False
        self._last_work_ends = 0.0
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._readers = started_pool(_READERS, "outrider-read")
        ready: Future[None] = Future()
        self._writer = threading.Thread(target=self._serve, args=(ready,), name="outrider-write", daemon=True)
        self._writer.start()
        try:
            ready.result()
        except BaseException:
            self._readers.shutdown()
            raise

    # For callers on the event loop.

    async def write(self, work: Work[T]) -> T:
        """See `Records`."""
        job: _Job = _Job(work, Future())
        with self._news:
            if self._closing:
                message = "the page store is closed"
                raise StorageError(message)
            self._waiting.append(job)
            self._news.notify()
        # A caller that leaves takes its work with it, unless that has begun: then it is done as a whole.
        outcome: T = await asyncio.wrap_future(job.done)
        return outcome

    def later(self, work: Work[object]) -> None:
        """See `Records`."""
        with self._news:
            self._put_off.append(work)
            self._news.notify()

    async def settle(self) -> None:
        """See `Records`."""
        while self._put_off:
            reached: Future[None] = Future()
            self.later(lambda _, reached=reached: reached.set_result(None))  # type: ignore[misc]
            await asyncio.wrap_future(reached)

    async def read(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """See `Records`."""
        return await self._reading(lambda connection: connection.execute(statement, parameters).fetchall())

    async def match(self, words: str, *, scope: str, limit: int) -> list[tuple[int, float]]:
        """See `Records`."""
        return await self._reading(lambda connection: _match(connection, words, scope, limit))

    async def aclose(self) -> None:
        """See `Records`."""
        with self._news:
            self._closing = True
            self._last_work_ends = time.monotonic() + _LAST_WORK_S
            self._news.notify()
        await in_own_thread(self._writer.join)
        await in_own_thread(self._readers.shutdown)
        for connection in self._opened:
            connection.close()

    async def _reading(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        if self._path is None:
            # A database in memory belongs to its one connection.
            return await self.write(lambda session: ask(session._connection))  # type: ignore[attr-defined]  # noqa: SLF001
        try:
            return await asyncio.wrap_future(self._readers.submit(self._ask, ask))
        except RuntimeError as error:
            message = "the page store is closed"
            raise StorageError(message) from error

    def _ask(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        with _translated():
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect()
                connection.execute("PRAGMA query_only = 1")
                self._opened.append(connection)
            return ask(connection)

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        target = ":memory:" if self._path is None else str(self._path)
        # Readers are closed by whoever closes the records, after their threads have ended.
        connection = sqlite3.connect(target, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_S * 1000)}")
        return connection

    # The writer thread.

    def _serve(self, ready: Future[None]) -> None:
        try:
            connection = self._prepared()
        except BaseException as error:  # noqa: BLE001  (handed to whoever opens)
            ready.set_exception(error)
            return
        ready.set_result(None)
        try:
            while (group := self._next_group()) is not None:
                self._commit(connection, group)
        finally:
            connection.close()

    def _prepared(self) -> sqlite3.Connection:
        with _translated():
            if self._path is not None:
                # Pages may be private: the folder is for its owner only.
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = self._connect()
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def _next_group(self) -> list[_Job] | None:
        """What the next commit carries; None when all is done and the records close."""
        with self._news:
            while not self._waiting and not self._put_off and not self._closing:
                self._news.wait()
            if self._waiting:
                taken = [self._waiting.popleft() for _ in range(min(_GROUP, len(self._waiting)))]
                return [job for job in taken if job.done.set_running_or_notify_cancel()]
            if self._put_off and not (self._closing and time.monotonic() > self._last_work_ends):
                return [_Job(self._put_off.popleft(), Future())]
            return None

    def _commit(self, connection: sqlite3.Connection, group: list[_Job]) -> None:
        outcomes: list[tuple[_Job, Any, BaseException | None]] = []
        try:
            with _translated():
                connection.execute("BEGIN IMMEDIATE")
                outcomes = [(job, *_attempt(connection, job.work)) for job in group]
                connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001  (every caller of the group gets it)
            _roll_back(connection)
            outcomes = [(job, None, error) for job in group]
        for job, value, failure in outcomes:
            if failure is None:
                job.done.set_result(value)
            else:
                job.done.set_exception(failure)


def _attempt(connection: sqlite3.Connection, work: Work[Any]) -> tuple[Any, BaseException | None]:
    """One unit of work of a group: when it fails, the others do not."""
    connection.execute("SAVEPOINT work")
    try:
        with _translated():
            value = work(_Session(connection))
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")
        return None, error
    connection.execute("RELEASE work")
    return value, None


def _roll_back(connection: sqlite3.Connection) -> None:
    with suppress(Exception):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # The last commits may be lost with the power, never with the process; the file stays whole either way.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        newest = migrate(_Session(connection), version=version, identity="INTEGER PRIMARY KEY")
        if version != newest:
            connection.execute(_FULL_TEXT)
            connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _match(connection: sqlite3.Connection, words: str, scope: str, limit: int) -> list[tuple[int, float]]:
    expression = _within(scope, "title body", words)
    (count,) = connection.execute(_COUNT, (expression, _MOST_RANKED + 1)).fetchone()
    if 1 < count <= _MOST_RANKED:
        return connection.execute(_RANKED, (expression, limit)).fetchall()
    titled = connection.execute(_RECENT, (1.0, _within(scope, "title", words), limit)).fetchall() if count > 1 else []
    recent = connection.execute(_RECENT, (0.0, expression, limit)).fetchall()
    known = {entry for entry, _ in titled}
    return [*titled, *(one for one in recent if one[0] not in known)][:limit]


def _within(scope: str, columns: str, words: str) -> str:
    return f'scope : "{scope}" AND {{{columns}}} : ({words})'


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the library's errors into ours, without showing where the user's files are."""
    import sqlite3

    try:
        yield
    except WebError:
        raise
    except sqlite3.Error as error:
        message = f"the page store's index cannot be used: {error}"
        hint = "Make the data directory writable, or name another (OUTRIDER_DATA_DIR)."
        raise StorageError(message, hint=hint) from error
    except UnicodeError as error:
        message = "the page store keeps no text with half characters in it"
        raise StorageError(message) from error
    except OSError as error:
        message = f"the page store's index cannot be used: {error.strerror or type(error).__name__}"
        hint = "Make the data directory writable, or name another (OUTRIDER_DATA_DIR)."
        raise StorageError(message, hint=hint) from error


class _Sqlite:
    schemes = frozenset({"sqlite"})

    def open(self, url: str) -> SqliteRecords:
        """`sqlite:///folder/index.db`, or `sqlite://memory`."""
        return SqliteRecords(None if url == "sqlite://memory" else path_of(url))


BACKEND = _Sqlite()
