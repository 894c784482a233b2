"""The three kinds of storage behind everything that outlives a call, each chosen by a URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, unquote, urlsplit

from outrider.errors import InvalidArgument
from outrider.registry import Registry
from outrider.store.threads import in_own_thread

T = TypeVar("T")

Row = tuple[Any, ...]
"""One row of an answer; whoever wrote the statement knows its columns."""

BACKENDS = Registry("outrider.store.backends", attribute="BACKEND", group="outrider.backends")


class Transaction(Protocol):
    """What a unit of work does with the records: all of it happens, or nothing."""

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Run one statement of `outrider.store.statements`."""
        ...

    def index(self, entry: int, scope: str, title: str, body: str) -> None:
        """Make a text findable under an entry's number; its words come from `outrider.store.words`."""
        ...

    def unindex(self, entry: int, scope: str, title: str, body: str) -> None:
        """Undo `index`; the texts must be the same."""
        ...

    def forget_index(self) -> None:
        """Make nothing findable any more, before everything is indexed anew."""
        ...


Work = Callable[[Transaction], T]
"""A unit of work. It runs in the backend's own thread and must not await."""


class Records(Protocol):
    """Rows: small, many, found by key or by word."""

    async def write(self, work: Work[T]) -> T:
        """
        Run a unit of work; when this returns, what it did is committed.

        Raises:
            StorageError: It could not be written.
        """
        ...

    def later(self, work: Work[object]) -> None:
        """Run a unit of work when no `write` waits; a process that ends may never do it."""
        ...

    async def settle(self) -> None:
        """Wait until everything that was put off is done."""
        ...

    async def read(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """
        Run one statement that changes nothing.

        Raises:
            StorageError: It could not be read.
        """
        ...

    async def match(self, words: str, *, scope: str, limit: int) -> list[tuple[int, float]]:
        """
        The entries in which words stand, best first, each with its score (more is better).

        Args:
            words: An expression made by `outrider.store.words.question`.

        Raises:
            StorageError: It could not be read.
        """
        ...

    async def aclose(self) -> None:
        """Finish what was begun, and close."""
        ...


class Blobs(Protocol):
    """
    Bodies: large, never changed, named by what they hold.

    Its methods block: they are called from worker threads and inside units of work.

    A mark says that a blob has to be looked at after a crash: it stands before the blob is written or doomed, and goes
    when the records say the same as the blobs.
    """

    def put(self, key: str, body: bytes) -> None:
        """
        Keep a body whole or not at all; one that is there already stays.

        Raises:
            StorageError: It could not be written.
        """
        ...

    def get(self, key: str) -> bytes | None:
        """A body, or None when there is none; StorageError when it cannot be read."""
        ...

    def has(self, key: str) -> bool:
        """Whether there is a body."""
        ...

    def remove(self, key: str) -> None:
        """Drop a body, if there is one."""
        ...

    def mark(self, key: str) -> str:
        """Put a mark on a blob, which may not be there yet; gives the mark's name."""
        ...

    def unmark(self, mark: str) -> None:
        """Take a mark away, if it is there."""
        ...

    def marks(self) -> Iterator[tuple[str, str]]:
        """Marks that nobody alive has set. Shape: mark, key."""
        ...


class Shared(Protocol):
    """Values that may be lost: what several calls, or several machines, want to know of each other."""

    async def get(self, key: str) -> bytes | None:
        """A value that is not too old; None when there is none."""
        ...

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Keep a value for at most so long."""
        ...

    async def remove(self, key: str) -> None:
        """Drop a value, if there is one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Open storage."""

    records: Records
    blobs: Blobs

    async def aclose(self) -> None:
        """Close it."""
        await self.records.aclose()


class Backend(Protocol):
    """One file of `backends`: what it can be, by URL scheme."""

    schemes: frozenset[str]

    def open(self, url: str) -> Any:
        """
        Open the storage that a URL names; blocks.

        Raises:
            StorageError: It cannot be opened.
        """
        ...


async def open_store(*, records: str, blobs: str) -> Store:
    """
    Open storage by URL, such as `sqlite:///var/lib/outrider/index.db` and `file:///var/lib/outrider/pages`.

    Raises:
        InvalidArgument: No backend knows the scheme.
        NotInstalled: The backend needs a package that is missing.
        StorageError: The storage cannot be opened.
    """
    kept = await in_own_thread(open_backend, blobs)
    return Store(records=await in_own_thread(open_backend, records), blobs=kept)


def open_backend(url: str) -> Any:
    """
    Open the one backend that a URL names; blocks.

    Raises:
        InvalidArgument, NotInstalled, StorageError: As for `open_store`.
    """
    scheme = url.partition("://")[0]
    known: set[str] = set()
    for name in BACKENDS.names():
        backend: Backend = BACKENDS.load(name)
        if scheme in backend.schemes:
            return backend.open(url)
        known |= backend.schemes
    message = f"{scheme!r} names no storage; there are {', '.join(sorted(known))}"
    raise InvalidArgument(message, details={"field": "store"})


def url_of(scheme: str, path: Path) -> str:
    """The URL of storage in a file or folder."""
    return f"{scheme}:///{quote(path.absolute().as_posix().lstrip('/'))}"


def path_of(url: str) -> Path:
    """The file or folder of such a URL; on Windows it begins with a drive."""
    path = unquote(urlsplit(url).path)
    return Path(path[1:] if re.match(r"/[A-Za-z]:", path) else path)
