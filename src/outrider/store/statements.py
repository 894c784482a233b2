"""Every statement that is run on the records, in the SQL that SQLite and PostgreSQL share; `?` is a parameter."""

from __future__ import annotations

# Scopes.

SCOPE = "SELECT id FROM scopes WHERE tenant = ? AND owner = ? AND session = ?"
ADD_SCOPE = "INSERT INTO scopes (tenant, owner, session) VALUES (?, ?, ?) RETURNING id"

# Texts: one for each scope and blob, found by words.

TEXT = "SELECT id FROM texts WHERE scope_id = ? AND hash = ?"
ADD_TEXT = "INSERT INTO texts (scope_id, hash, holders, indexed) VALUES (?, ?, 0, 0) RETURNING id"
HOLD_TEXT = "UPDATE texts SET holders = holders + 1 WHERE id = ?"
UNINDEXED = "SELECT id, scope_id, hash FROM texts WHERE indexed = 0 AND holders > 0 AND id > ? ORDER BY id LIMIT ?"
SET_INDEXED = "UPDATE texts SET indexed = ? WHERE id = ?"
UNINDEX_ALL = "UPDATE texts SET indexed = 0"
STATE = "SELECT indexed, holders FROM texts WHERE id = ?"
ABANDONED = "SELECT id, scope_id, hash, indexed FROM texts WHERE holders = 0 AND id > ? ORDER BY id LIMIT ?"
DROP_TEXT = "DELETE FROM texts WHERE id = ?"
ANY_WITH_HASH = "SELECT 1 FROM texts WHERE hash = ? LIMIT 1"

# Pages.

_LISTED = "p.path, p.message, p.url, p.form, p.final_url, p.title, p.chars, p.bytes, p.stored_at, p.facts, t.hash, p.id"
_PAGES = f"SELECT {_LISTED} FROM pages p JOIN texts t ON t.id = p.text_id"  # noqa: S608  (both are constants)
PAGE = f"""{_PAGES} JOIN scopes s ON s.id = p.scope_id
    WHERE p.path = ? AND s.tenant = ? AND s.owner = ? AND s.session = ?"""
NEWEST = f"""{_PAGES} JOIN scopes s ON s.id = p.scope_id
    WHERE s.tenant = ? AND s.owner = ? AND s.session = ? AND p.url = ? AND p.form = ? ORDER BY p.id DESC LIMIT 1"""
LIST = f"""{_PAGES} JOIN scopes s ON s.id = p.scope_id
    WHERE s.tenant = ? AND s.owner = ? AND s.session = ? AND p.id < ? ORDER BY p.id DESC LIMIT ?"""
NEWEST_OF_TEXT = f"{_PAGES} WHERE p.text_id = ? ORDER BY p.id DESC LIMIT 1"
SAME_FETCH = "SELECT path FROM pages WHERE text_id = ? AND url = ? AND form = ? AND message = ? AND facts = ? LIMIT 1"
ADD_PAGE = """INSERT INTO pages
    (path, scope_id, text_id, tenant, message, url, form, final_url, title, chars, bytes, stored_at, facts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
PAGE_TO_DROP = "SELECT id FROM pages WHERE scope_id = ? AND path = ?"
OLDEST = "SELECT id, bytes, stored_at FROM pages WHERE tenant = ? ORDER BY id LIMIT 1"

# Dropping pages by a condition: first what they held is released, then they go.

_RELEASE = """UPDATE texts SET holders = holders - (SELECT COUNT(*) FROM pages WHERE text_id = texts.id AND {0})
    WHERE id IN (SELECT text_id FROM pages WHERE {0})"""
_WEIGHT = "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM pages WHERE {0}"
_DROP = "DELETE FROM pages WHERE {0}"
ONE, OF_MESSAGE, OF_SESSION = "pages.id = ?", "pages.scope_id = ? AND pages.message = ?", "pages.scope_id = ?"


def release(condition: str) -> str:
    """The texts of the pages under a condition lose their holders; the condition's parameters are given twice."""
    return _RELEASE.format(condition)


def weight(condition: str) -> str:
    """How many pages are under a condition, and how many bytes."""
    return _WEIGHT.format(condition)


def drop(condition: str) -> str:
    """Pages under a condition are deleted."""
    return _DROP.format(condition)


# Tenants.

USAGE = "SELECT pages, bytes FROM usage WHERE tenant = ?"
COUNT_IN = """INSERT INTO usage (tenant, pages, bytes) VALUES (?, ?, ?)
    ON CONFLICT (tenant) DO UPDATE SET pages = usage.pages + excluded.pages, bytes = usage.bytes + excluded.bytes"""

# What was deleted.

DELETED = "SELECT message, deleted_at FROM deleted WHERE scope_id = ? AND message IN (?, '')"
NOTE_DELETED = """INSERT INTO deleted (scope_id, message, deleted_at) VALUES (?, ?, ?)
    ON CONFLICT (scope_id, message) DO UPDATE SET deleted_at = excluded.deleted_at"""
FORGET_DELETED = "DELETE FROM deleted WHERE deleted_at < ?"

# Settings of the storage itself.

SETTING = "SELECT value FROM settings WHERE name = ?"
SET_SETTING = """INSERT INTO settings (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
