"""What people approved for good: the project's own file."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outrider.errors import InvalidArgument, PermissionDenied, StorageError
from outrider.permissions.rules import Rule, parse_pattern

MAX_BYTES = 1024 * 1024
"""A larger file is not read."""
LOCK_S = 5.0
"""How long another process is waited for."""

_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class _Reading:
    """The file as it was read, and how to tell that it has changed."""

    stamp: tuple[int, int, int] | None
    rules: tuple[Rule, ...]


class Approvals:
    """
    The file `{"allowed": ["domain:…"]}` of one project.

    It may be edited by hand and written by several processes at once. A missing file approves nothing.
    """

    def __init__(self, path: Path, *, lock_s: float = LOCK_S) -> None:
        self.path = path
        self._lock_s = lock_s
        self._reading = _Reading(None, ())

    def rules(self) -> tuple[Rule, ...]:
        """
        What the file allows now.

        Raises:
            PermissionDenied: The file is there and cannot be understood, so nobody knows what it would say.
        """
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._unreadable(error.strerror or "it cannot be looked at") from error
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._reading.stamp != stamp:
            self._reading = _Reading(stamp, self._read())
        return self._reading.rules

    def add(self, pattern: str) -> None:
        """
        Keep an approval; what is there already stays.

        Raises:
            PermissionDenied: The file cannot be understood; it is left as it is.
            StorageError: It cannot be written, or another process holds it for too long.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_suffix(".lock"), self._lock_s):
                whole = self._load() if self.path.exists() else {}
                allowed = whole.setdefault("allowed", [])
                if pattern not in allowed:
                    allowed.append(pattern)
                    _replace(self.path, json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            message = f"the approval could not be kept in {self.path.name}: {error.strerror}"
            raise StorageError(message) from error

    def _read(self) -> tuple[Rule, ...]:
        allowed = self._load().get("allowed", [])
        try:
            return tuple(Rule(action="allow", pattern=parse_pattern(entry)) for entry in allowed)
        except InvalidArgument as error:
            raise self._unreadable(error.message) from error

    def _load(self) -> dict[str, Any]:
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
            whole = json.loads(content.decode("utf-8")) if len(content) <= MAX_BYTES else None
        except OSError as error:
            raise self._unreadable(error.strerror or "it cannot be read") from error
        except (ValueError, RecursionError) as error:
            raise self._unreadable("it is not JSON") from error
        allowed = whole.get("allowed", []) if isinstance(whole, dict) else None
        if not isinstance(allowed, list) or not all(isinstance(entry, str) for entry in allowed):
            raise self._unreadable('it does not read {"allowed": ["domain:…"]}')
        assert isinstance(whole, dict)
        return whole

    def _unreadable(self, why: str) -> PermissionDenied:
        return PermissionDenied(
            f"permissions cannot be checked, because {self.path.name} cannot be read: {why}",
            reason="unreadable",
            hint=f"Repair or remove {self.path}.",
        )


def _replace(path: Path, content: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


@contextlib.contextmanager
def _locked(path: Path, lock_s: float) -> Iterator[None]:
    """Hold the lock file, which stays: removing it would let two processes hold two different ones."""
    with path.open("a+b") as file:
        due = time.monotonic() + lock_s
        while not _try_lock(file.fileno()):
            if time.monotonic() > due:
                message = f"another process holds {path.name}"
                raise StorageError(message)
            time.sleep(_POLL_S)
        # Closing the file lets go of the lock.
        yield


if sys.platform == "win32":  # pragma: no cover  (locks a byte instead of the file)

    def _try_lock(handle: int) -> bool:
        import msvcrt

        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _try_lock(handle: int) -> bool:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
