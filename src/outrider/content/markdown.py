"""A page's tree to GitHub-flavoured Markdown, in one walk."""

from __future__ import annotations

from outrider.content.elements import grids, inlines, links, lists, notes, samples, sections
from outrider.content.writer import Elements, Plan, Writer, Written

_ELEMENTS = Elements(
    handlers={
        **inlines.HANDLERS,
        **links.HANDLERS,
        **sections.HANDLERS,
        **samples.HANDLERS,
        **lists.HANDLERS,
        **grids.HANDLERS,
    },
    special=notes.special,
    callout=notes.callout,
    unseen=inlines.noscript,
)


def write(plan: Plan) -> Written:
    """Write the chosen parts of a page."""
    writer = Writer(plan, _ELEMENTS)
    for root in plan.roots:
        writer.walk(root)
    return writer.result()
