"""The tables, and how they came to be what they are."""

from __future__ import annotations

from outrider.errors import StorageError
from outrider.store.backend import Transaction

# Each step leads from one version to the next; a released one is never changed. What differs between databases stands
# in braces and is put in by the backend: {identity} is the type of a key that the database counts up by itself.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE scopes (
            id {identity},
            tenant TEXT NOT NULL,
            owner TEXT NOT NULL,
            session TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX scopes_by_name ON scopes (tenant, owner, session)",
        """
        CREATE TABLE texts (
            id {identity},
            scope_id BIGINT NOT NULL REFERENCES scopes (id),
            hash TEXT NOT NULL,
            holders INTEGER NOT NULL,
            indexed INTEGER NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX texts_by_scope ON texts (scope_id, hash)",
        "CREATE INDEX texts_by_hash ON texts (hash)",
        # Only what waits stands in these two, so looking for work costs nothing when there is none.
        "CREATE INDEX texts_unindexed ON texts (id) WHERE indexed = 0",
        "CREATE INDEX texts_abandoned ON texts (id) WHERE holders = 0",
        """
        CREATE TABLE pages (
            id {identity},
            path TEXT NOT NULL,
            scope_id BIGINT NOT NULL REFERENCES scopes (id),
            text_id BIGINT NOT NULL REFERENCES texts (id),
            tenant TEXT NOT NULL,
            message TEXT NOT NULL,
            url TEXT NOT NULL,
            form TEXT NOT NULL,
            final_url TEXT NOT NULL,
            title TEXT NOT NULL,
            chars INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            stored_at DOUBLE PRECISION NOT NULL,
            facts TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX pages_by_path ON pages (path)",
        "CREATE INDEX pages_by_scope ON pages (scope_id, id)",
        "CREATE INDEX pages_by_url ON pages (scope_id, url, form, id)",
        "CREATE INDEX pages_by_message ON pages (scope_id, message)",
        "CREATE INDEX pages_by_text ON pages (text_id, id)",
        "CREATE INDEX pages_by_tenant ON pages (tenant, id)",
        """
        CREATE TABLE usage (
            tenant TEXT NOT NULL PRIMARY KEY,
            pages BIGINT NOT NULL,
            bytes BIGINT NOT NULL
        )
        """,
        # What was deleted, so that a page still on its way then is not stored after all.
        """
        CREATE TABLE deleted (
            scope_id BIGINT NOT NULL REFERENCES scopes (id),
            message TEXT NOT NULL,
            deleted_at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (scope_id, message)
        )
        """,
        "CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    ),
)


def migrate(records: Transaction, *, version: int, identity: str) -> int:
    """
    Bring the tables from a version to the newest one.

    Args:
        version: Where they are; 0 when there are none.
        identity: The type of a key that the database counts up by itself.

    Returns:
        The newest version.

    Raises:
        StorageError: A newer Outrider made them.
    """
    if version > len(STEPS):
        message = f"the stored pages have schema {version}, and this version of Outrider knows up to {len(STEPS)}"
        raise StorageError(message, hint="Use a newer Outrider, or another data directory (OUTRIDER_DATA_DIR).")
    for step in STEPS[version:]:
        for statement in step:
            records.run(statement.replace("{identity}", identity))
    return len(STEPS)
