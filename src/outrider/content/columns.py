"""The columns that a forest is asked about, out of those that describe the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from outrider.content.classifier import spread_bits
from outrider.content.features import BIT_FEATURES, OWN_FEATURES


def columns(described: Sequence[bytes]) -> Sequence[bytes]:
    """
    The columns as they are, then one for each bit of the subjects.

    Made when asked for: a forest asks about some of them.
    """
    return _Columns(described)


def width(described: int) -> int:
    """Number of columns out of so many."""
    return described + 8 * BIT_FEATURES


class _Columns(Sequence[bytes]):
    def __init__(self, described: Sequence[bytes]) -> None:
        self._described = described

    def __len__(self) -> int:
        return width(len(self._described))

    @overload
    def __getitem__(self, number: int) -> bytes: ...

    @overload
    def __getitem__(self, number: slice) -> list[bytes]: ...

    def __getitem__(self, number: int | slice) -> bytes | list[bytes]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        if number < len(self._described):
            return self._described[number]
        byte, bit = divmod(number - len(self._described), 8)
        return spread_bits(self._described[OWN_FEATURES + byte], bit)
