"""Sets of words, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text that white space parts."""
    return frozenset(text.split())


def in_order(text: str) -> tuple[str, ...]:
    """The words of a text, first things first."""
    return tuple(text.split())
