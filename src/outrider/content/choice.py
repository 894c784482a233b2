"""What a choice of main content looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.content.dom import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The part of a page that is read."""

    roots: tuple[Node, ...]
    """In document order, none inside another; none at all when the page has nothing but what stands around content."""
    drop: frozenset[int] = frozenset()
    """Keys of the nodes to leave out below the roots, each with everything below it."""
    headings: frozenset[int] = frozenset()
    """Keys of text that is kept for the structure of the Markdown only; plain text has none and leaves it out."""
    method: str = "main"
    """How it was chosen: `main`, `article`, `body`, `shell`."""
