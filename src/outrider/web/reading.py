"""An address to a page held for a session: from memory, from the store or from the web, and kept again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.errors import InvalidArgument, NotInstalled, PageNotFound, SnapshotExpired, StorageError
from outrider.fetch.fetcher import Fetcher, Wish
from outrider.fetch.profile import AGENT, Profile
from outrider.types import Page, PagePath
from outrider.url import Url
from outrider.web.session import Session, Snapshot

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.store.kept import KeptPage
    from outrider.store.pages import PageStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One page, as a call wants it."""

    url: Url
    whole: bool = False
    headers: Mapping[str, str] | None = None
    continues: bool = False
    """The version that was read before is wanted, where there is one."""
    inside: bool = False
    """It is read on inside, so no other version than the one that was read before will do."""
    raw: bool = False
    """The body as it came, decoded to text and not converted."""
    named: bool = True
    """A call named this very URL; only then may robots.txt be ignored."""


class Reading:
    """
    Reads pages for sessions.

    Args:
        pages: Where pages are kept; without one they live in memory only.
    """

    def __init__(self, fetcher: Fetcher, pages: PageStore | None = None, profile: Profile = AGENT) -> None:
        self._fetcher = fetcher
        self._pages = pages
        self._profile = profile

    @property
    def profile(self) -> Profile:
        """The limits of its fetches."""
        return self._profile

    def under(self, profile: Profile) -> Reading:
        """The same under other limits."""
        return Reading(self._fetcher, self._pages, profile)

    async def get(self, wanted: Wanted, call: Call, session: Session) -> Snapshot:
        """
        The page, held by the session.

        Raises:
            SnapshotExpired: It is read on inside, and the version that was read is neither held nor stored.
            WebError: Any code that a fetch can end in.
        """
        await self._until_arrived(wanted, call, session)
        held = self._held(wanted, session)
        if held is None and wanted.continues:
            held = await self._stored(wanted, session)
        if held is not None:
            await _check_way(held.page, call)
            return held
        return await self._fetched(wanted, call, session)

    async def ahead(self, wanted: Wanted, call: Call, session: Session) -> Snapshot:
        """Fetch a page that the next call for it will find, arrived or on its way; as `get` otherwise."""
        with session.on_its_way(wanted.url, whole=wanted.whole, form=self._profile.form):
            snapshot = await self._fetched(wanted, call, session)
            return session.hold_ahead(wanted.url, snapshot, whole=wanted.whole)

    async def _until_arrived(self, wanted: Wanted, call: Call, session: Session) -> None:
        """Wait for what was fetched ahead and is on its way; whether it arrives shows in what is held then."""
        arrival = session.arrival(wanted.url, whole=wanted.whole, form=self._profile.form)
        if arrival is not None:
            async with call.within(self._profile.limits.total_s).limited(f"reading {wanted.url.host}"):
                await arrival.wait()

    def _form(self, wanted: Wanted) -> str:
        return "raw" if wanted.raw else self._profile.form

    def _held(self, wanted: Wanted, session: Session) -> Snapshot | None:
        found = session.snapshot(wanted.url, whole=wanted.whole, form=self._form(wanted))
        if found is None or not (wanted.continues or found.is_ahead):
            return None
        return session.take(wanted.url, found, whole=wanted.whole)

    async def _stored(self, wanted: Wanted, session: Session) -> Snapshot | None:
        path = session.path_read(wanted.url, whole=wanted.whole, form=self._form(wanted))
        was_read = session.was_read(wanted.url, whole=wanted.whole, form=self._form(wanted))
        kept = await self._kept(wanted, session, path) if path or not was_read else None
        if kept is not None:
            # What was asked for now, which may name another place in the page.
            page = replace(kept.page, url=str(wanted.url))
            return session.keep(
                wanted.url, page, whole=wanted.whole, form=self._form(wanted), path=kept.stored.path,
                message=kept.stored.message,
            )  # fmt: skip
        if was_read and wanted.inside:
            message = f"the version of {wanted.url} that was being read is no longer held"
            raise SnapshotExpired(message, hint="Read the page again from offset 0.")
        return None

    async def _kept(self, wanted: Wanted, session: Session, path: PagePath | None) -> KeptPage | None:
        """The very version that was read, or the newest where the session has read none."""
        if self._pages is None:
            return None
        for scope in session.scopes:
            try:
                if path is not None:
                    return await self._pages.load(scope, path)
                found = await self._pages.newest(scope, wanted.url, form=self._form(wanted), whole=wanted.whole)
            except (PageNotFound, StorageError):
                continue
            if found is not None:
                return found
        return None

    async def _fetched(self, wanted: Wanted, call: Call, session: Session) -> Snapshot:
        began = self._pages.now() if self._pages is not None else 0.0
        wish = Wish(url=wanted.url, headers=wanted.headers, whole=wanted.whole, raw=wanted.raw, named=wanted.named)
        page = await self._fetcher.fetch(wish, call, self._profile)
        await _check_way(page, call)
        path, failure = await self._save(wanted, page, call, session, began)
        if failure is not None and failure.reason == "deleted":
            return Snapshot(page=page, form=self._form(wanted), storage_error=failure)
        return session.keep(
            wanted.url, page, whole=wanted.whole, form=self._form(wanted), path=path, storage_error=failure,
            message=call.message,
        )  # fmt: skip

    async def _save(
        self, wanted: Wanted, page: Page, call: Call, session: Session, began: float
    ) -> tuple[PagePath | None, StorageError | None]:
        """A failed save does not lose the page: it goes out with the failure beside it."""
        if self._pages is None:
            return None, None
        try:
            async with asyncio.timeout(call.remaining()):
                path = await self._pages.save(
                    session.scope, page, message=call.message, form=self._form(wanted), whole=wanted.whole, since=began
                )
        except StorageError as error:
            return None, error
        except (InvalidArgument, NotInstalled) as error:
            return None, StorageError(f"the page store cannot be opened: {error.message}", hint=error.hint)
        except TimeoutError:
            return None, StorageError("the page could not be kept in time", hint="It can be read on in this session.")
        return path, None


async def _check_way(page: Page, call: Call) -> None:
    """Hold the way that a page came to this call's permissions: another call may have fetched it under its own."""
    if page.final_url != page.url:
        for hop in (*page.redirects[1:], page.final_url):
            await call.follow(Url.parse(hop))
