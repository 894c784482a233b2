"""Who may call over HTTP: bearer tokens of the operator's own."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from pathlib import Path

from mcp.server.auth.provider import AccessToken

from outrider.errors import InvalidArgument

MIN_CHARS = 16
"""A token that can be guessed is none."""


class Tokens:
    """
    Knows the tokens it was given, and keeps only their digests.

    Args:
        by_name: Tokens by the name of whoever holds them.
    """

    def __init__(self, by_name: Mapping[str, str]) -> None:
        self._digests = {name: _digest(token) for name, token in by_name.items()}

    async def verify_token(self, token: str) -> AccessToken | None:
        """See the SDK's `TokenVerifier`. Every token is compared, so that the time says nothing."""
        given = _digest(token)
        names = [name for name, digest in self._digests.items() if hmac.compare_digest(digest, given)]
        return AccessToken(token=token, client_id=names[0], scopes=[]) if names else None


def read_tokens(path: Path) -> dict[str, str]:
    """
    Tokens from a file: one `name: token` a line; empty lines and lines that begin with `#` do not count.

    Raises:
        InvalidArgument: The file cannot be read, holds no token, or one that is malformed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = f"the tokens cannot be read from {path}: {error}"
        raise InvalidArgument(message, details={"field": "token-file"}) from error
    tokens = dict(_entries(lines, path))
    if not tokens:
        raise _wrong(path, "holds no token")
    return tokens


def _entries(lines: list[str], path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, token = (part.strip() for part in line.partition(":"))
        if not colon or not name:
            raise _wrong(path, f"has no `name: token` in line {number}")
        if len(token) < MIN_CHARS:
            raise _wrong(path, f"has a token of fewer than {MIN_CHARS} characters in line {number}")
        yield name, token


def _wrong(path: Path, rule: str) -> InvalidArgument:
    return InvalidArgument(f"{path} {rule}", details={"field": "token-file"})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
