"""Content-Encoding undone in bounded pieces."""

from __future__ import annotations

import importlib
import sys
import zlib
from collections.abc import Generator, Iterator
from typing import Any, Protocol

from outrider.errors import DecodingFailed, TruncatedBody

PIECE = 64 * 1024
"""The most that one step decodes, so that a bomb is seen before it unfolds."""

MAX_CODINGS = 2
"""More codings on one body than that serve nobody but attackers."""

MAX_MEMBERS = 4_096
"""gzip members or zstd frames of one body; files for random access have one for each 64 KiB."""

# RFC 9659: zstd on the web needs no window above 8 MiB.
_ZSTD_WINDOW_LOG = 23

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# RFC 8878 section 3.1.2: sixteen magic numbers, from 0x184D2A50, open frames to be skipped.
_ZSTD_SKIPPED = b"\x2a\x4d\x18"


class Decoder(Protocol):
    """Undoes one coding, piece by piece."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode more input; every piece is at most `PIECE` bytes."""
        ...

    def finish(self) -> None:
        """
        Check that the input was whole.

        Raises:
            TruncatedBody: It was not.
        """
        ...


def accepted() -> str:
    """The Accept-Encoding to send: every coding here has an output limit."""
    return "gzip, deflate, br, zstd"


class Body:
    """
    Undoes all codings of one body.

    Args:
        content_encoding: The header's values in order; unknown codings are taken for identity.
    """

    def __init__(self, content_encoding: list[str]) -> None:
        tokens = [token.strip().lower() for value in content_encoding for token in value.split(",")]
        known = [token for token in tokens if token in _DECODERS]
        if len(known) > MAX_CODINGS:
            message = f"the body has {len(known)} codings on top of each other"
            raise DecodingFailed(message)
        self._chain: list[Decoder] = [_DECODERS[token]() for token in reversed(known)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        Decode more of the body.

        Raises:
            DecodingFailed: The bytes are not what the header says.
        """
        yield from self._through(self._chain, data)

    def finish(self) -> None:
        """
        Check that the body was whole.

        Raises:
            TruncatedBody: It was not.
        """
        for decoder in self._chain:
            decoder.finish()

    def _through(self, chain: list[Decoder], data: bytes) -> Iterator[bytes]:
        if not chain:
            yield data
            return
        for piece in chain[0].feed(data):
            yield from self._through(chain[1:], piece)


class _Zlib:
    """gzip, and deflate with or without its zlib frame; other bytes pass as they are."""

    def __init__(self, magic: bytes, window_bits: int) -> None:
        self._magic = magic
        self._window_bits = window_bits
        self._state: zlib._Decompress | None = None
        self._held = b""
        self._members = 0
        self._plain = False
        self._ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while data and not self._ended:
            if self._state is not None:
                data = yield from self._inflate(self._state, data)
            elif self._plain:
                yield data
                return
            elif len(data) < 2 and self._magic.startswith(data[: len(self._magic)]):
                self._held = data
                return
            else:
                self._begin(data)

    def _begin(self, data: bytes) -> None:
        """Choose the frame by the first two bytes."""
        # RFC 1952 section 2.2: a gzip file may be several members; other bytes behind the end are padding.
        if self._magic and not data.startswith(self._magic):
            self._plain, self._ended = self._members == 0, self._members > 0
            return
        if not self._magic and self._members:
            self._ended = True
            return
        self._members = _one_more(self._members)
        self._state = zlib.decompressobj(self._window_bits if self._magic else _deflate_bits(data))

    def _inflate(self, state: zlib._Decompress, data: bytes) -> Generator[bytes, None, bytes]:
        """Decode within one member; the result is what follows it."""
        while True:
            try:
                piece = state.decompress(data, PIECE)
            except zlib.error as error:
                message = "the body is not what its Content-Encoding says"
                raise DecodingFailed(message) from error
            if piece:
                yield piece
            if state.eof:
                self._state = None
                return state.unused_data
            data = state.unconsumed_tail
            # A full piece may have been cut by the limit while the decoder still holds some.
            if not data and len(piece) < PIECE:
                return b""

    def finish(self) -> None:
        if self._state is not None or (self._held and not self._members):
            _truncated()


def _deflate_bits(data: bytes) -> int:
    """RFC 1950 section 2.2: the first two bytes of a zlib frame are a multiple of 31, and the method is 8."""
    framed = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if framed else -zlib.MAX_WBITS


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._state = brotli.Decompressor()
        self._failure: type[Exception] = brotli.error
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = True
        try:
            while not self._state.is_finished():
                piece = self._state.process(data, output_buffer_limit=PIECE)
                data = b""
                yield from _cut(piece)
                # It calls itself ready for more while output that the limit held back still waits inside.
                if not piece and self._state.can_accept_more_data():
                    return
        except self._failure as error:
            message = "the body is not the Brotli that its Content-Encoding says"
            raise DecodingFailed(message) from error

    def finish(self) -> None:
        if self._started and not self._state.is_finished():
            _truncated()


class _Zstd:
    def __init__(self) -> None:
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        self._zstd: Any = importlib.import_module(name)
        self._state: Any = None
        self._held = b""
        self._frames = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        try:
            while data:
                if self._state is not None:
                    data = yield from self._decompress(self._state, data)
                elif len(data) < len(_ZSTD_MAGIC):
                    self._held = data
                    return
                elif self._frames and not data.startswith(_ZSTD_MAGIC) and data[1:4] != _ZSTD_SKIPPED:
                    # Bytes behind the last frame are padding.
                    return
                else:
                    self._begin()
        except (self._zstd.ZstdError, EOFError) as error:
            message = "the body is not the zstd that its Content-Encoding says"
            raise DecodingFailed(message) from error

    def _begin(self) -> None:
        self._frames = _one_more(self._frames)
        parameter = self._zstd.DecompressionParameter.window_log_max
        self._state = self._zstd.ZstdDecompressor(options={parameter: _ZSTD_WINDOW_LOG})

    def _decompress(self, state: Any, data: bytes) -> Generator[bytes, None, bytes]:
        """Decode within one frame; the result is what follows it."""
        while True:
            piece: bytes = state.decompress(data, PIECE)
            if piece:
                yield piece
            if state.eof:
                self._state = None
                rest: bytes = state.unused_data
                return rest
            if state.needs_input:
                return b""
            data = b""

    def finish(self) -> None:
        if self._state is not None or (self._held and not self._frames):
            _truncated()


def _one_more(members: int) -> int:
    """Count a member, and refuse what is made of nothing but their beginnings: each costs a fresh decoder."""
    if members >= MAX_MEMBERS:
        message = f"the body has more than {MAX_MEMBERS} compressed parts"
        raise DecodingFailed(message)
    return members + 1


def _cut(piece: bytes) -> Iterator[bytes]:
    """Brotli may overshoot its output limit by a block."""
    for start in range(0, len(piece), PIECE):
        yield piece[start : start + PIECE]


def _truncated() -> None:
    message = "the body ended in the middle of its compressed data"
    raise TruncatedBody(message, hint="Try again.")


def _gzip() -> Decoder:
    return _Zlib(_GZIP_MAGIC, 16 + zlib.MAX_WBITS)


def _deflate() -> Decoder:
    return _Zlib(b"", zlib.MAX_WBITS)


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _Brotli, "zstd": _Zstd}
