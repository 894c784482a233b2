"""
The choice of a page's main content.

A page is cut into pieces of text; each is described by numbers and judged by trees that were learned from pages with
known main content; what is likely enough is kept. Where that cannot be done the page's own landmarks decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outrider.content import completion, engines, extract_model, features, selection, structure
from outrider.content.choice import Choice
from outrider.content.classifier import probability, scores
from outrider.content.columns import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outrider.content import dom
    from outrider.content.extract_model import Model
    from outrider.content.features import Sheet
    from outrider.content.segments import Segments

__all__ = ["Choice", "choose", "is_shell"]

# The whole is taken instead when a landmark holds less than this share of the page's text.
_LEAST_SHARE = 0.3
# A choice that keeps less of a page's words is doubted. Measured, cross-validated: where less than a twentieth is kept,
# all of the page scores as well as the choice (word F1 0.32 and 0.31); from there to three tenths the choice is far
# better (0.71 and 0.33), so to doubt it there too would do harm.
_LEAST_KEPT = 0.05
# A small page of which every text is far more likely a menu than content has yet to be filled. Measured,
# cross-validated: of ten such pages eight hold nothing to read, one hides its text in data, one says little.
_MENU_CHANCE, _MENU_ENTRIES, _SHELL_WORDS = 0.17, 8, 700
# Larger pages are lists and logs without end, or meant to harm: to describe each piece would take seconds and much
# memory.
_MOST_NODES = 150_000
_MOST_PIECES = 12_000


def choose(page: dom.Tree, *, url: str) -> Choice | None:
    """What a reader came for; without roots when it is yet to come, None for one without text."""
    if len(page) > _MOST_NODES:
        return _landmark(page)
    model = extract_model.load()
    pieces = features.cut(page, model.lexicon)
    if not pieces:
        return None
    if len(pieces) > _MOST_PIECES:
        return _landmark(page)
    if not any(pieces.links):
        # A page that leads nowhere has no menus and no teasers to leave out.
        return Choice(roots=(page.node(page.body),), method="body")
    return _judge(features.describe_pieces(pieces, url=url, lexicon=model.lexicon, types=model.types), model)


def _judge(sheet: Sheet, model: Model) -> Choice:
    pieces, page = sheet.pieces, sheet.pieces.tree
    kinds = [sheet.around.kinds[container] for container in pieces.containers]
    found = scores(model.forest, columns(sheet.columns), len(pieces))
    if is_shell(found, pieces):
        return Choice(roots=(), method="shell")
    heard = selection.hush(found, pieces, sheet.types)
    chances = [probability(score) for score in selection.settle(heard, kinds, pieces.words, sheet.types)]
    kept = completion.complete(selection.select(chances, pieces.words, sheet.types), pieces)
    held = sum([words for words, keep in zip(pieces.words, kept, strict=True) if keep])
    if held < _LEAST_KEPT * sum(pieces.words):
        return _landmark(page)
    kept = completion.without_copies(kept, pieces, sheet.types)
    choice = selection.as_choice(sheet, kept, structure.headings_of(sheet, kept))
    return replace(choice, drop=choice.drop | _noise_within(page, choice))


def is_shell(scores: Sequence[float], pieces: Segments) -> bool:
    """Whether a page only has what stands around content."""
    if sum(pieces.words) >= _SHELL_WORDS or probability(max(scores)) >= _MENU_CHANCE:
        return False
    return len(set(pieces.texts)) >= _MENU_ENTRIES


def _noise_within(page: dom.Tree, choice: Choice) -> frozenset[dom.Key]:
    """What the page's engine puts into the chosen part that never reads; never the chosen part itself."""
    return frozenset(
        key for key in engines.noise(page) if any(root.key < key < page.ends[root.key] for root in choice.roots)
    )


def _landmark(page: dom.Tree) -> Choice:
    """The page's own mark of its main content, or all of it."""
    body = page.node(page.body)
    total = len(body.text.strip())
    for tag in ("main", "article"):
        keys = page.index.keys((tag,))
        if len(keys) == 1 and len(page.inner_text(keys[0])) >= _LEAST_SHARE * total:
            return Choice(roots=(page.node(keys[0]),), method=tag)
    return Choice(roots=(body,), method="body")
