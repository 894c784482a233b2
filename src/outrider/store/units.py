"""Units of work that keep pages and let them go: each is done as a whole, inside the records."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from outrider.errors import StorageError
from outrider.store import statements as sql
from outrider.store.backend import Blobs, Transaction
from outrider.store.kept import Quota
from outrider.store.payload import facts_of, whole_characters
from outrider.types import Page, PagePath, Scope
from outrider.url import Url

SCHEME = "web://"


class Vanished(Exception):
    """The blob went between its writing and its row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """A page about to be kept."""

    scope: Scope
    message: str
    url: str
    """Canonical, as asked for."""
    form: str
    page: Page
    key: str
    """Of its blob."""
    chars: int
    bytes: int
    since: float
    """When its fetch began."""


def insert(records: Transaction, blobs: Blobs, fresh: Fresh, *, quota: Quota, now: float) -> PagePath:
    """
    Keep a page whose blob is written; a fetch that is kept already keeps its path.

    Raises:
        Vanished: The blob is gone.
        StorageError: Its message or session was deleted.
    """
    owner_id = scope_id(records, fresh.scope)
    _refuse_deleted(records, owner_id, fresh)
    # Blobs are removed inside units of work too, so what is there now stays until the row stands.
    if not blobs.has(fresh.key):
        raise Vanished
    text_id = _text_id(records, owner_id, fresh.key)
    facts = facts_of(fresh.page)
    known = records.run(sql.SAME_FETCH, (text_id, fresh.url, fresh.form, fresh.message, facts))
    if known:
        return PagePath(known[0][0])
    final_url, title = fresh.page.final_url, whole_characters(fresh.page.document.title)
    path = PagePath(f"{SCHEME}{Url.parse(final_url).host}/{secrets.token_hex(8)}")
    records.run(
        sql.ADD_PAGE,
        (
            path, owner_id, text_id, fresh.scope.tenant, fresh.message, fresh.url, fresh.form, final_url, title,
            fresh.chars, fresh.bytes, now, facts,
        ),
    )  # fmt: skip
    records.run(sql.HOLD_TEXT, (text_id,))
    records.run(sql.COUNT_IN, (fresh.scope.tenant, 1, fresh.bytes))
    _hold_to_quota(records, fresh.scope.tenant, quota, now)
    return path


def drop(records: Transaction, tenant: str, condition: str, parameters: tuple[object, ...]) -> int:
    """Delete pages under a condition; what they held is cleared away later. Gives how many went."""
    count, size = records.run(sql.weight(condition), parameters)[0]
    if count:
        records.run(sql.release(condition), (*parameters, *parameters))
        records.run(sql.drop(condition), parameters)
        records.run(sql.COUNT_IN, (tenant, -count, -size))
    return int(count)


def drop_one(records: Transaction, scope: Scope, path: str) -> bool:
    """Delete one page; whether there was one."""
    found = records.run(sql.PAGE_TO_DROP, (scope_id(records, scope), path))
    return bool(found) and drop(records, scope.tenant, sql.ONE, (found[0][0],)) > 0


def forget(records: Transaction, scope: Scope, message: str, *, now: float) -> int:
    """Delete what a message fetched, or a whole session when none is named. Gives how many pages went."""
    owner_id = scope_id(records, scope)
    records.run(sql.NOTE_DELETED, (owner_id, message, now))
    if message:
        return drop(records, scope.tenant, sql.OF_MESSAGE, (owner_id, message))
    return drop(records, scope.tenant, sql.OF_SESSION, (owner_id,))


def scope_id(records: Transaction, scope: Scope) -> int:
    """The number of a scope, new when it was not seen before."""
    named = (scope.tenant, scope.owner, scope.session)
    rows = records.run(sql.SCOPE, named) or records.run(sql.ADD_SCOPE, named)
    return int(rows[0][0])


def _text_id(records: Transaction, owner_id: int, key: str) -> int:
    rows = records.run(sql.TEXT, (owner_id, key)) or records.run(sql.ADD_TEXT, (owner_id, key))
    return int(rows[0][0])


def _refuse_deleted(records: Transaction, owner_id: int, fresh: Fresh) -> None:
    for message, deleted_at in records.run(sql.DELETED, (owner_id, fresh.message)):
        # Ids of messages are not used again; those of sessions may be.
        if message or deleted_at >= fresh.since:
            what = "message" if message else "session"
            text = f"the {what} that asked for the page was deleted, so the page is not kept"
            raise StorageError(text, reason="deleted")


def _hold_to_quota(records: Transaction, tenant: str, quota: Quota, now: float) -> None:
    """The oldest pages go until the rest is within the quota; the newest always stays."""
    pages, kept = records.run(sql.USAGE, (tenant,))[0]
    while pages > 1:
        page_id, size, stored_at = records.run(sql.OLDEST, (tenant,))[0]
        too_old = 0 < quota.max_age_s < now - stored_at
        if pages <= quota.max_pages and kept <= quota.max_bytes and not too_old:
            return
        drop(records, tenant, sql.ONE, (page_id,))
        pages, kept = pages - 1, kept - size
