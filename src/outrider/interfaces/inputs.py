"""Standard input, for commands that take - in place of an argument."""

from __future__ import annotations

import sys

from outrider.errors import InvalidArgument, StorageError


def read_bytes(most: int) -> bytes:
    """
    What standard input gives, at most so many bytes.

    Raises:
        InvalidArgument: It is closed.
        StorageError: It cannot be read.
    """
    # Python has no such object when the program was started with the descriptor closed.
    if sys.stdin is None or sys.stdin.closed:
        message = "standard input is closed, so - has nothing to read"
        raise InvalidArgument(message)
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        message = f"standard input cannot be read: {error.strerror or type(error).__name__}"
        raise StorageError(message) from error


def read_text(most: int) -> str:
    """
    The same as text.

    Args:
        most: Bytes.

    Raises:
        InvalidArgument: It is closed, is no UTF-8, or gives more.
        StorageError: It cannot be read.
    """
    body = read_bytes(most + 1)
    if len(body) > most:
        message = f"standard input gives more than {most} bytes"
        raise InvalidArgument(message)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        message = "standard input gives what is no UTF-8"
        raise InvalidArgument(message) from error
