"""Formulas, footnotes and callouts: elements that are not what their tag says."""

from __future__ import annotations

from outrider.content import callouts
from outrider.content.dom import Key
from outrider.content.inline import Markup
from outrider.content.math import Formula
from outrider.content.writer import Writer


def special(writer: Writer, key: Key) -> Key | None:
    """Write a formula, a mark or a note; answers None for an element that is none of these."""
    plan, tree = writer.plan, writer.tree
    if key in plan.formulas:
        formula = plan.formulas[key]
        if formula is not None:
            _formula(writer, formula)
        return tree.ends[key]
    notes = plan.footnotes
    if key in notes.references:
        while writer.run and writer.run[-1] == " ":
            writer.run.pop()
        writer.run.append(Markup(f"[^{notes.references[key]}]"))
        writer.spaced = False
        return tree.ends[key]
    if key in notes.numbers:
        writer.run.append(Markup(notes.numbers[key]))
        writer.spaced = False
        return tree.ends[key]
    if key in notes.links_back:
        return tree.ends[key]
    if key in notes.notes and not writer.flat:
        writer.boundary()
        if writer.out.gap == 2 and writer.closed_list[0] == writer.out.count:
            writer.out.gap = 1
        writer.enter(key, f"[^{notes.notes[key]}]: ", "    ", after=lambda: _after_note(writer))
        return key + 1
    return None


def _after_note(writer: Writer) -> None:
    writer.closed_list = (writer.out.count, "", "")


def _formula(writer: Writer, formula: Formula) -> None:
    if formula.display and not writer.flat and not writer.in_link:
        writer.boundary()
        writer.add(formula.markdown)
        return
    written = f"${formula.tex}$" if formula.display and writer.flat else formula.markdown
    writer.run.append(Markup(written))
    writer.spaced = False


def callout(writer: Writer, key: Key) -> None:
    """Say what a callout is before its text."""
    callout = None if writer.flat else callouts.read(writer.tree, key)
    if callout is None:
        return
    writer.boundary()
    writer.label = callout.label
    if callout.title_key is not None:
        writer.drop.add(callout.title_key)

    def close() -> None:
        writer.boundary()
        writer.label = ""

    writer.open.append((writer.tree.ends[key], close))
