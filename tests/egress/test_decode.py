"""Content-Encoding undone: every coding, in any cut, within bounds."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from outrider.egress.decode import MAX_MEMBERS, PIECE, Body, accepted
from outrider.errors import DecodingFailed, TruncatedBody, WebError

_SKIPPED_FRAME = b"\x5f\x2a\x4d\x18\x03\x00\x00\x00abc"


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


_PACK: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", _raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}
_packed = pytest.mark.parametrize("name", _PACK)


def _unpack(content_encoding: str, data: bytes, *, cut: int = 65_536) -> bytes:
    body = Body([content_encoding])
    out = b"".join(piece for at in range(0, len(data), cut) for piece in body.feed(data[at : at + cut]))
    body.finish()
    return out


@_packed
@pytest.mark.parametrize("content", [b"", b"a", b"hello" * 100, b"x" * 300_000, bytes(range(256)) * 1_000])
@pytest.mark.parametrize("cut", [1, 7, 1_000, 65_536])
def test_every_coding_gives_the_content_back_however_it_arrives(name: str, content: bytes, cut: int) -> None:
    coding, pack = _PACK[name]

    assert content == _unpack(coding, pack(content), cut=cut)


@settings(deadline=None)
@given(st.sampled_from(sorted(_PACK)), st.lists(st.binary(max_size=2_000), max_size=4), st.integers(1, 300))
def test_any_content_in_any_cut_comes_back(name: str, parts: list[bytes], cut: int) -> None:
    coding, pack = _PACK[name]
    content = b"".join(part * 50 for part in parts)

    assert content == _unpack(coding, pack(content), cut=cut)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
@pytest.mark.parametrize("cut", [1, 2, 3, 5, 20, 21, 65_536])
def test_members_are_joined_wherever_the_network_cuts_between_them(name: str, cut: int) -> None:
    coding, pack = _PACK[name]

    assert b"onetwothree" == _unpack(coding, pack(b"one") + pack(b"") + pack(b"two") + pack(b"three"), cut=cut)


@pytest.mark.parametrize("cut", [1, 3, 65_536])
def test_frames_to_be_skipped_are_skipped(cut: int) -> None:
    packed = _SKIPPED_FRAME + zstd.compress(b"one") + _SKIPPED_FRAME + zstd.compress(b"two")

    assert b"onetwo" == _unpack("zstd", packed, cut=cut)


@pytest.mark.parametrize("name", sorted(_PACK.keys() - {"br"}))
@pytest.mark.parametrize("cut", [1, 65_536])
def test_bytes_behind_the_end_are_padding(name: str, cut: int) -> None:
    coding, pack = _PACK[name]

    assert b"content" == _unpack(coding, pack(b"content") + b"\0\0padding", cut=cut)


@_packed
def test_a_body_that_ends_early_is_truncated(name: str) -> None:
    coding, pack = _PACK[name]
    packed = pack(bytes(range(256)) * 40)

    with pytest.raises(TruncatedBody):
        _unpack(coding, packed[: len(packed) // 2])


@pytest.mark.parametrize(("coding", "start"), [("gzip", b"\x1f"), ("deflate", b"x"), ("zstd", b"\x28\xb5")])
def test_a_body_that_ends_within_its_first_bytes_is_truncated(coding: str, start: bytes) -> None:
    with pytest.raises(TruncatedBody):
        _unpack(coding, start)


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip", b"\x1f\x8b\x08junkjunkjunk"),
        ("gzip", gzip.compress(b"hello")[:10] + b"\xff" * 40),
        ("deflate", b"this is not deflate"),
        ("br", b"this is not brotli at all"),
        ("zstd", b"this is not zstd"),
    ],
)
def test_garbage_is_a_decoding_failure(coding: str, data: bytes) -> None:
    with pytest.raises(DecodingFailed):
        _unpack(coding, data)


@given(st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, zstd"]), st.binary(max_size=300))
def test_any_bytes_end_in_an_error_of_ours_at_most(coding: str, data: bytes) -> None:
    for start in (b"", b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"\x78\x9c", b"\x28\xb5\x2f\xfd"):
        try:
            _unpack(coding, start + data, cut=13)
        except WebError as error:
            assert error.code in {"decoding_failed", "truncated_body"}  # noqa: PT017


@pytest.mark.parametrize("coding", ["identity", "utf-8", "none", "", "aws-chunked"])
def test_an_unknown_coding_is_taken_for_none(coding: str) -> None:
    assert b"plain" == _unpack(coding, b"plain")


@pytest.mark.parametrize("data", [b"1", b"plain text", b"<p>Hello"])
@pytest.mark.parametrize("cut", [1, 65_536])
def test_plain_bytes_that_claim_to_be_gzip_pass_as_they_are(data: bytes, cut: int) -> None:
    assert data == _unpack("gzip", data, cut=cut)


def test_two_codings_are_undone_in_reverse_order() -> None:
    assert b"content" == _unpack("gzip, br", brotli.compress(gzip.compress(b"content")))
    body = Body(["gzip", "br"])
    assert b"content" == b"".join(body.feed(brotli.compress(gzip.compress(b"content"))))


def test_three_codings_on_top_of_each_other_are_refused() -> None:
    with pytest.raises(DecodingFailed):
        Body(["gzip, gzip", "gzip"])


@_packed
def test_a_bomb_unfolds_in_small_pieces(name: str) -> None:
    coding, pack = _PACK[name]
    body = Body([coding])

    pieces = body.feed(pack(b"\0" * (64 << 20)))
    sizes = [len(next(pieces)) for _ in range(20)]

    assert PIECE >= max(sizes)


def test_a_bomb_within_a_bomb_unfolds_in_small_pieces() -> None:
    body = Body(["gzip, gzip"])

    pieces = body.feed(gzip.compress(gzip.compress(b"\0" * (64 << 20))))
    sizes = [len(next(pieces)) for _ in range(20)]

    assert PIECE >= max(sizes)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_body_of_nothing_but_beginnings_is_refused(name: str) -> None:
    coding, pack = _PACK[name]

    with pytest.raises(DecodingFailed):
        _unpack(coding, pack(b"") * (MAX_MEMBERS + 1))
    assert b"" == _unpack(coding, pack(b"") * MAX_MEMBERS)


def test_zstd_windows_beyond_what_the_web_uses_are_refused() -> None:
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    packer = zstd.ZstdCompressor(options=options)

    with pytest.raises(DecodingFailed):
        _unpack("zstd", packer.compress(b"x" * 1_000) + packer.flush())


def test_only_codings_with_an_output_limit_are_offered() -> None:
    assert {"gzip", "deflate", "br", "zstd"} == set(accepted().split(", "))
