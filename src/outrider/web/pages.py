"""Stored pages for whoever manages them: listed, searched, removed, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from outrider.types import Scope

if TYPE_CHECKING:
    from outrider.store.kept import KeptPage, Match, StoredPage, Usage
    from outrider.store.pages import PageStore
    from outrider.web.session import Session


class Pages:
    """
    The stored pages of one `Web`.

    Every method takes the scope that it is about; without one it is the default session, or a child's own.

    Args:
        session: Gives the memory of a scope.
        end_session: Forgets it.
    """

    def __init__(
        self, store: PageStore, *, session: Callable[[Scope], Session], end_session: Callable[[Scope], None]
    ) -> None:
        self._store = store
        self._session = session
        self._end_session = end_session

    async def listed(
        self, *, scope: Scope | None = None, limit: int = 50, before: int | None = None
    ) -> list[StoredPage]:
        """
        Newest first.

        Args:
            before: A page's `cursor`; the list goes on behind it.

        Raises:
            StorageError: They cannot be read.
        """
        return await self._store.list_pages(self._scope(scope), limit=limit, before=before)

    async def show(self, path: str, *, scope: Scope | None = None) -> KeptPage:
        """
        One page, whole.

        Raises:
            PageNotFound: The scope has no such page.
        """
        return await self._store.load(self._scope(scope), path)

    async def search(self, question: str, *, scope: Scope | None = None, limit: int = 10) -> list[Match]:
        """
        Pages in which words stand, best first, each with the place.

        Raises:
            StorageError: They cannot be read.
        """
        return await self._store.search(self._scope(scope), question, limit=limit)

    async def remove(self, path: str, *, scope: Scope | None = None) -> None:
        """
        Delete one page; it is unreadable at once.

        Raises:
            PageNotFound: The scope has no such page.
        """
        scope = self._scope(scope)
        await self._store.remove(scope, path)
        self._session(scope).forget_path(path)

    async def forget_message(self, message: str, *, scope: Scope | None = None) -> int:
        """A message was deleted: its pages are unreadable at once. Gives how many went."""
        scope = self._scope(scope)
        self._session(scope).forget_message(message)
        return await self._store.forget_message(scope, message)

    async def forget_session(self, *, scope: Scope | None = None) -> int:
        """A session was deleted: all that it holds is unreadable at once. Gives how many stored pages went."""
        scope = self._scope(scope)
        self._end_session(scope)
        return await self._store.forget_session(scope)

    async def usage(self, tenant: str = "local") -> Usage:
        """How much a tenant keeps."""
        return await self._store.usage(tenant)

    def _scope(self, scope: Scope | None) -> Scope:
        return self._session(scope or Scope()).scope
