"""A page's tree as plain text: the words, a line for each block, without markup."""

from __future__ import annotations

from outrider.content import code, spaces
from outrider.content.dom import Key, Tree
from outrider.content.words import words
from outrider.content.writer import Plan

_BLOCKS = words(
    """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre section summary table tbody tfoot thead
    tr ul br
    """
)
_CELLS = frozenset({"td", "th"})
_CODE = frozenset({"pre", "xmp", "listing", "plaintext"})


def write(plan: Plan) -> str:
    """The text of the chosen parts of a page."""
    lines = _Lines()
    for root in plan.roots:
        _walk(plan, root, lines)
    return lines.result()


class _Lines:
    """Pieces of text that become lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[str] = []

    def end(self) -> None:
        """End the line."""
        if self.pieces:
            line = spaces.collapse("".join(self.pieces)).strip(" ")
            if line:
                self.lines.append(line)
            self.pieces.clear()

    def result(self) -> str:
        """All lines."""
        self.end()
        return "\n".join(self.lines)


def _walk(plan: Plan, root: Key, lines: _Lines) -> None:
    tree, drop, formulas = plan.tree, plan.drop, plan.formulas
    tags, ends, values, skip = tree.tags, tree.ends, tree.values, tree.skip
    backs = plan.footnotes.links_back
    end = ends[root]
    # Where the open blocks end, innermost last.
    open_: list[Key] = []
    key = root
    while key < end:
        while open_ and open_[-1] <= key:
            open_.pop()
            lines.end()
        if key in formulas:
            formula = formulas[key]
            lines.pieces.append(formula.tex if formula is not None else "")
            key = ends[key]
            continue
        if skip[key] or key in drop or key in backs:
            key = ends[key]
            continue
        tag = tags[key]
        if not tag:
            lines.pieces.append(values[key])  # type: ignore[arg-type]  # a text node's value is its text
        elif tag in _CODE:
            _code(tree, key, lines)
            key = ends[key]
            continue
        elif tag in _BLOCKS:
            lines.end()
            open_.append(ends[key])
        elif tag in _CELLS:
            lines.pieces.append(" ")
        key += 1
    lines.end()


def _code(tree: Tree, key: Key, lines: _Lines) -> None:
    lines.end()
    if not code.is_gutter(tree, key) and (text := code.text(tree, key)):
        lines.lines.append(text)
