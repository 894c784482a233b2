"""Types of the rooms below, for interfaces that show what a `Web` gives them."""

from __future__ import annotations

from outrider.fetch.download import Saved
from outrider.store.kept import KeptPage, Match, StoredPage, Usage

__all__ = ["KeptPage", "Match", "Saved", "StoredPage", "Usage"]
