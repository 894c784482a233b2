"""Files inside a workspace: written by directory descriptors, so that no link leads out of it."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from outrider.errors import (
    DestinationExists,
    InvalidArgument,
    PathOutsideWorkspace,
    PermissionDenied,
    StorageError,
)
from outrider.fetch.filename import is_device

MAX_PATH_CHARS = 1_024
# Who writes here decides what runs here, or what may be reached from here.
_PROTECTED = frozenset({".git", ".outrider", ".spettro", "outrider.toml"})
_DRIVE = re.compile(r"[A-Za-z]:")
_PART = re.compile(r"\.outrider-[0-9a-f]{16}\.part")
_FOLDER_FLAGS = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the workspace that was read from a path."""

    folder: tuple[str, ...]
    name: str
    """Empty when the server is to suggest one."""

    def __str__(self) -> str:
        return "/".join((*self.folder, self.name))


class Workspace:
    """
    The one folder that downloads go to.

    Args:
        write_roots: Folders in it, relative or absolute, outside of which nothing is written; all of it when empty.
        read_only: Nothing is written at all.

    Raises:
        InvalidArgument: A write root lies outside.
    """

    def __init__(self, root: Path, *, write_roots: Sequence[str] = (), read_only: bool = False) -> None:
        self.root = root
        self._read_only = read_only
        self._write_roots = [self._parts_of_root(Path(text)) for text in write_roots] or [()]

    def target(self, path: str) -> Target:
        """
        Read a path; nothing is looked at or made.

        Raises:
            PermissionDenied: The workspace is read-only.
            PathOutsideWorkspace: The path leads out, or to where nothing is written.
        """
        if self._read_only:
            message = "the workspace is read-only, so nothing is downloaded"
            raise PermissionDenied(message, reason="read_only", hint="workspace.read_only is set.")
        parts = _parts(path)
        named = bool(parts) and not path.endswith("/") and path.rpartition("/")[2] != "."
        target = Target(tuple(parts[:-1]) if named else tuple(parts), parts[-1] if named else "")
        if not any(target.folder[: len(root)] == root for root in self._write_roots):
            roots = ", ".join("/".join(root) for root in self._write_roots)
            message = f"{path} lies outside of the folders that may be written"
            raise PathOutsideWorkspace(message, reason="write_roots", hint=f"Write below {roots}.")
        return target

    def check_free(self, target: Target, *, overwrite: bool) -> None:
        """
        Look whether a target can be written, before anything is requested; blocks.

        Raises:
            DestinationExists: Something is there.
            PathOutsideWorkspace: A link or a special file is in the way.
        """
        try:
            with self.folder(target.folder, make=False) as folder:
                if target.name:
                    folder.check_free(target.name, overwrite=overwrite)
        except FileNotFoundError:
            # What is not there yet is in nobody's way.
            return

    @contextmanager
    def folder(self, parts: tuple[str, ...], *, make: bool) -> Iterator[Folder]:
        """
        Open a folder, component by component; blocks.

        Args:
            make: Make what is missing; it is removed again when the block fails and it is still empty.

        Raises:
            FileNotFoundError: It is missing, and is not to be made.
            PathOutsideWorkspace: A component is a link or no folder.
            StorageError: The system refuses.
        """
        _require_descriptors()
        opened: list[int] = []
        made: list[tuple[int, str]] = []
        try:
            with _translated("/".join(parts), may_be_missing=not make):
                opened.append(os.open(self.root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)))
                for part in parts:
                    if make and _make_folder(opened[-1], part):
                        made.append((opened[-1], part))
                    opened.append(_enter(opened[-1], part))
            yield Folder(self, parts, opened[-1])
        except BaseException:
            for parent, part in reversed(made):
                with suppress(OSError):
                    os.rmdir(part, dir_fd=parent)
            raise
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _parts_of_root(self, path: Path) -> tuple[str, ...]:
        absolute = Path(os.path.normpath(self.root / path))
        try:
            return absolute.relative_to(Path(os.path.normpath(self.root))).parts
        except ValueError as error:
            message = f"workspace.write_roots: {path} lies outside of the workspace"
            raise InvalidArgument(message) from error


class Folder:
    """An open folder of the workspace."""

    def __init__(self, workspace: Workspace, parts: tuple[str, ...], descriptor: int) -> None:
        self._workspace = workspace
        self._parts = parts
        self._descriptor = descriptor

    def check_free(self, name: str, *, overwrite: bool) -> None:
        """
        Look whether a name can be taken.

        Raises:
            DestinationExists: A folder, or a file that is not to be replaced.
            PathOutsideWorkspace: A link or a special file.
        """
        try:
            mode = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        shown = "/".join((*self._parts, name))
        if stat.S_ISDIR(mode):
            message = f"{shown} is a folder"
            raise DestinationExists(message, hint="End the path with / to download into the folder.")
        if not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "no regular file"
            message = f"{shown} is {kind}, so it is not written to"
            raise PathOutsideWorkspace(message, reason="symlink" if stat.S_ISLNK(mode) else "special_file")
        if not overwrite:
            message = f"{shown} exists already"
            raise DestinationExists(message, hint="Use overwrite=true, or another path.")

    @contextmanager
    def part(self) -> Iterator[Part]:
        """A file without a name yet; gone after the block unless it was finished."""
        self._sweep()
        part = Part(self._descriptor)
        try:
            yield part
        finally:
            part.close()

    def finish(self, part: Part, name: str, *, overwrite: bool) -> None:
        """
        Give a part its name, whole and at once.

        Raises:
            DestinationExists, PathOutsideWorkspace: As for `check_free`, or the folder was moved away meanwhile.
        """
        with _translated("/".join((*self._parts, name))):
            os.fsync(part.descriptor)
            self._check_in_place()
            self.check_free(name, overwrite=overwrite)
            try:
                part.take_name(name, overwrite=overwrite)
            except FileExistsError:
                self.check_free(name, overwrite=False)
                raise
            os.fsync(self._descriptor)

    def _check_in_place(self) -> None:
        """The way from the workspace to this folder still leads here."""
        here = os.fstat(self._descriptor)
        try:
            with self._workspace.folder(self._parts, make=False) as again:
                there = os.fstat(again._descriptor)  # noqa: SLF001  (of its own kind)
        except FileNotFoundError:
            there = None
        if there is None or (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            message = f"{'/'.join(self._parts)} was replaced during the download"
            raise PathOutsideWorkspace(message, reason="moved")

    def _sweep(self) -> None:
        """Remove hidden parts whose process is gone, left where files without a name are unknown."""
        with os.scandir(self._descriptor) as entries:
            left = [entry.name for entry in entries if _PART.fullmatch(entry.name)]
        for name in left:
            with suppress(OSError):
                descriptor = os.open(name, _FILE_FLAGS, dir_fd=self._descriptor)
                try:
                    _lock(descriptor)
                    os.unlink(name, dir_fd=self._descriptor)
                finally:
                    os.close(descriptor)


class Part:
    """A file that is being written."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._name = ""
        self.descriptor = self._unnamed()
        if self.descriptor < 0:
            self._name = _hidden_name()
            self.descriptor = os.open(self._name, _FILE_FLAGS | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
        # Held until it is closed, so that nobody takes it for one that was left behind.
        _lock(self.descriptor)

    def write(self, content: bytes) -> None:
        """Append."""
        view = memoryview(content)
        while view:
            view = view[os.write(self.descriptor, view) :]

    def empty(self) -> None:
        """Begin anew."""
        os.ftruncate(self.descriptor, 0)
        os.lseek(self.descriptor, 0, os.SEEK_SET)

    def take_name(self, name: str, *, overwrite: bool) -> None:
        """
        Appear under a name.

        Raises:
            FileExistsError: It is taken, and is not to be replaced.
        """
        if overwrite:
            if not self._name:
                hidden = _hidden_name()
                self._link(hidden)
                self._name = hidden
            os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            self._name = ""
        else:
            # Unlike a rename, a link never replaces.
            self._link(name)

    def close(self) -> None:
        """Close, and remove what has no other name."""
        if self._name:
            with suppress(OSError):
                os.unlink(self._name, dir_fd=self._folder)
        os.close(self.descriptor)

    def _link(self, name: str) -> None:
        if self._name:
            os.link(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder, follow_symlinks=False)
        else:
            os.link(f"/proc/self/fd/{self.descriptor}", name, dst_dir_fd=self._folder, follow_symlinks=True)

    def _unnamed(self) -> int:
        """A file that nobody sees, and that a killed process leaves no trace of; -1 where there are none."""
        flag = getattr(os, "O_TMPFILE", 0)
        if not flag or not Path("/proc/self/fd").is_dir():
            return -1
        try:
            return os.open(".", flag | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o666, dir_fd=self._folder)
        except OSError:
            return -1


def _hidden_name() -> str:
    return f".outrider-{secrets.token_hex(8)}.part"


def _parts(path: str) -> list[str]:
    """
    The components of a path.

    Raises:
        PathOutsideWorkspace: It is not a plain path below the workspace.
    """
    if len(path) > MAX_PATH_CHARS:
        raise _refused(path, f"it is longer than {MAX_PATH_CHARS} characters", "malformed")
    if any(ord(character) < 32 or ord(character) == 127 or "\ud800" <= character <= "\udfff" for character in path):
        raise _refused(path, "it holds a control character", "malformed")
    if path.startswith(("/", "~")) or "\\" in path or _DRIVE.match(path):
        raise _refused(path, "it is not relative to the workspace", "absolute")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    for part in parts:
        if part == "..":
            raise _refused(path, "it leads upwards", "traversal")
        if is_device(part):
            raise _refused(path, f"{part} is the name of a device", "device")
        if len(part.encode()) > 255:
            raise _refused(path, "one of its names is longer than 255 bytes", "malformed")
        if part.casefold().rstrip(". ") in _PROTECTED:
            raise _refused(path, f"{part} is protected", "protected")
    return parts


def _refused(path: str, why: str, reason: str) -> PathOutsideWorkspace:
    shown = path[:200].encode("utf-8", "replace").decode()
    return PathOutsideWorkspace(f"{shown!r} cannot be written: {why}", reason=reason, hint="Give a relative path.")


def _make_folder(parent: int, name: str) -> bool:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _enter(parent: int, name: str) -> int:
    try:
        return os.open(name, os.O_RDONLY | _FOLDER_FLAGS, dir_fd=parent)
    except OSError as error:
        # A link in place of a folder is either, depending on the system.
        if error.errno in {errno.ELOOP, errno.ENOTDIR, getattr(errno, "EMLINK", errno.ELOOP)}:
            message = f"{name} is a link or no folder, so nothing is written there"
            raise PathOutsideWorkspace(message, reason="symlink") from error
        raise


def _lock(descriptor: int) -> None:
    """Hold a file for as long as it is open; OSError when somebody else does."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _require_descriptors() -> None:
    if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
        message = "downloads need file calls relative to a folder, which this system does not have"
        raise StorageError(message, reason="unsupported_system")


@contextmanager
def _translated(path: str, *, may_be_missing: bool = False) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            raise
        message = f"{path or 'the workspace'} cannot be written: {error.strerror or type(error).__name__}"
        raise StorageError(message) from error
