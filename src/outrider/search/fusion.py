"""One ranking out of several."""

from __future__ import annotations

from collections.abc import Sequence

from outrider.search import urls
from outrider.types import Hit

# Cormack, Clarke and Büttcher 2009: the constant that keeps one first place from outweighing two second ones.
_K = 60


def fuse(rankings: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """
    Merge by canonical URL with reciprocal rank fusion; of equal pages the one that says most is kept.

    With one ranking this only drops repeats.
    """
    scores: dict[str, float] = {}
    best: dict[str, Hit] = {}
    for ranking in rankings:
        seen: set[str] = set()
        for rank, hit in enumerate(ranking, start=1):
            key = urls.key(hit.url)
            if key in seen:
                continue
            seen.add(key)
            scores[key] = scores.get(key, 0.0) + 1.0 / (_K + rank)
            best[key] = _fuller(best.get(key), hit)
    # A stable sort: of equal scores the earlier ranking's comes first.
    return tuple(best[key] for key in sorted(scores, key=lambda key: -scores[key]))


def _fuller(first: Hit | None, second: Hit) -> Hit:
    if first is None:
        return second
    return second if _said(second) > _said(first) else first


def _said(hit: Hit) -> tuple[bool, bool, int]:
    return bool(hit.snippet), hit.published is not None, len(hit.content)
