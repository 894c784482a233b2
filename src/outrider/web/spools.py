"""What did not fit into an answer: files of one session, read on by byte offset."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from outrider.errors import InvalidArgument, PageNotFound, StorageError

MAX_SPOOLS = 64
"""Of one session; the oldest go first."""


@dataclass(slots=True)
class Spools:
    """The outputs that one session keeps on disk, numbered from 1."""

    folder: Path | None = None
    """Made with the first of them."""
    _count: int = 0
    _files: dict[int, Path] = field(default_factory=dict)

    def keep(self, text: str) -> int:
        """
        Write a text to a file of its own and give its number.

        Raises:
            StorageError: It cannot be written.
        """
        try:
            if self.folder is None:
                # Made with mode 0700, and the files in it with 0600.
                self.folder = Path(tempfile.mkdtemp(prefix="outrider-spool-"))
            number = self._count + 1
            path = self.folder / str(number)
            path.touch(mode=0o600, exist_ok=False)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            message = f"the rest of the output could not be kept: {error.strerror}"
            raise StorageError(message) from error
        self._count = number
        self._files[number] = path
        while len(self._files) > MAX_SPOOLS:
            self._files.pop(next(iter(self._files))).unlink(missing_ok=True)
        return number

    def read(self, number: int, offset: int) -> str:
        """
        The text from a byte offset on; one inside a character counts from that character's start.

        Raises:
            PageNotFound: This session has no such spool.
            InvalidArgument: The offset lies beyond its end.
        """
        path = self._files.get(number)
        if path is None:
            message = f"there is no spool:{number} in this session"
            raise PageNotFound(message, hint="Call the tool again.")
        try:
            content = path.read_bytes()
        except OSError as error:
            message = f"spool:{number} cannot be read"
            raise StorageError(message) from error
        if not 0 <= offset <= len(content):
            message = f"offset must be from 0 to {len(content)}"
            raise InvalidArgument(message, details={"field": "offset"})
        while 0 < offset < len(content) and content[offset] & 0xC0 == 0x80:
            offset -= 1
        return content[offset:].decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Remove every file."""
        folder, self.folder = self.folder, None
        self._files.clear()
        if folder is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(folder)
