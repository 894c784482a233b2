"""Bodies as compressed files, named by what they hold."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from outrider.errors import StorageError
from outrider.store.backend import path_of

# Level 3 is the library's own default.
_LEVEL = 3
# A mark this old belongs to nobody, whatever process has its number today.
_MARK_LIVES_S = 24 * 3_600.0


class FileBlobs:
    """
    Files under one folder.

    A file appears by rename, so it is whole or not there. Its mark is an empty file in `marks`.

    Args:
        fsync: Whether a body is on the disk itself before it counts as kept; it costs ten times the rest.
        clock: Seconds since the epoch.
    """

    def __init__(self, folder: Path, *, fsync: bool = False, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._marks = folder / "marks"
        self._fsync = fsync
        self._clock = clock
        with _translated(folder):
            # Pages may be private: the folder is for its owner only.
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            self._marks.mkdir(mode=0o700, exist_ok=True)

    def put(self, key: str, body: bytes) -> None:
        """See `Blobs`."""
        path = self._path(key)
        if path.exists():
            return
        part = self._marks / f"{key}.{secrets.token_hex(8)}.part"
        with _translated(path):
            try:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                self._write(part, _compress(body))
                part.replace(path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise

    def get(self, key: str) -> bytes | None:
        """See `Blobs`."""
        path = self._path(key)
        with _translated(path):
            try:
                packed = path.read_bytes()
            except FileNotFoundError:
                return None
            return _decompress(packed)

    def has(self, key: str) -> bool:
        """See `Blobs`."""
        return self._path(key).exists()

    def remove(self, key: str) -> None:
        """See `Blobs`."""
        with _translated(self._folder):
            self._path(key).unlink(missing_ok=True)

    def mark(self, key: str) -> str:
        """See `Blobs`."""
        name = f"{key}.{os.getpid()}-{secrets.token_hex(8)}"
        with _translated(self._folder):
            (self._marks / name).touch(mode=0o600, exist_ok=False)
        return name

    def unmark(self, mark: str) -> None:
        """See `Blobs`."""
        with _translated(self._folder):
            (self._marks / mark).unlink(missing_ok=True)

    def marks(self) -> Iterator[tuple[str, str]]:
        """See `Blobs`. Parts of files that nobody finished are removed on the way."""
        with _translated(self._folder):
            found = list(os.scandir(self._marks))
        for entry in found:
            key, _, setter = entry.name.partition(".")
            with suppress(FileNotFoundError):
                age_s = self._clock() - entry.stat().st_mtime
                if setter.endswith(".part"):
                    if not self._is_being_written(key) or age_s > _MARK_LIVES_S:
                        Path(entry.path).unlink()
                elif age_s > _MARK_LIVES_S or not _alive(setter):
                    yield entry.name, key

    def _is_being_written(self, key: str) -> bool:
        """Whoever writes a part has set a mark before."""
        return any(_alive(path.name.partition(".")[2]) for path in self._marks.glob(f"{key}.*-*"))

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.zst"

    def _write(self, path: Path, content: bytes) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if self._fsync:
                file.flush()
                os.fsync(file.fileno())


class _translated:  # noqa: N801  (reads as a block's adverb)
    """Turn the system's errors into ours, without showing where the user's files are."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            message = f"the page store's files cannot be used: {error.strerror or type(error).__name__}"
            hint = "Make the data directory writable, or name another (OUTRIDER_DATA_DIR)."
            raise StorageError(message, hint=hint) from error


def _alive(setter: str) -> bool:
    """Whether the process that set a mark still runs."""
    number = setter.partition("-")[0]
    if not number.isdigit():
        return False
    pid = int(number)
    if pid == os.getpid():
        return True
    if sys.platform == "win32":
        # There, asking by signal would end the process.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _compress(body: bytes) -> bytes:
    zstd = _zstd()
    options = {zstd.CompressionParameter.compression_level: _LEVEL, zstd.CompressionParameter.checksum_flag: 1}
    packed: bytes = zstd.compress(body, options=options)
    return packed


def _decompress(packed: bytes) -> bytes:
    zstd = _zstd()
    try:
        body: bytes = zstd.decompress(packed)
    except zstd.ZstdError as error:
        message = "a stored page is damaged"
        raise StorageError(message, hint="Fetch the page again.") from error
    return body


class _Files:
    schemes = frozenset({"file"})

    def open(self, url: str) -> FileBlobs:
        """`file:///folder`, or `file:///folder?fsync=1`."""
        return FileBlobs(path_of(url), fsync=url.endswith("?fsync=1"))


BACKEND = _Files()
