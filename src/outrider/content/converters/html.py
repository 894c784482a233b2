"""Web pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from outrider.content import (
    charset,
    clean,
    dom,
    embedded,
    extract,
    footnotes,
    markdown,
    math,
    metadata,
    plaintext,
    reveal,
    shell,
    stream,
    unseen,
)
from outrider.content.clean import Cleaned
from outrider.content.dom import Key, Tree
from outrider.content.footnotes import Footnotes
from outrider.content.source import Source
from outrider.content.urls import Base
from outrider.content.writer import Plan, Written
from outrider.types import Document

# A page of a few sentences is read whole: a choice among them would rather lose one than spare a reader anything.
_FEW_NODES = 400
_FEW_CHARACTERS = 300


class Html:
    """HTML and XHTML."""

    media_types = frozenset(
        {"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "text/x-server-parsed-html"}
    )

    def convert(self, source: Source) -> Document:
        """Read a page."""
        decoded = charset.decode(source.body, declared=source.charset, markup="html")
        charset_name, warnings = decoded.charset, decoded.warnings
        if stream.is_too_much(decoded.text):
            document = _stream(decoded.text, source)
        else:
            tree = dom.parse(decoded.text)
            # A large page's text is as large as its tree.
            del decoded
            document = _page(tree, source)
        return replace(document, charset=charset_name, warnings=warnings + document.warnings)


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a page that is written, and how it was chosen."""

    roots: tuple[Key, ...]
    drop: frozenset[Key]
    method: str
    headings: frozenset[Key] = frozenset()


def _page(tree: Tree, source: Source) -> Document:
    tree, hidden_in_frames = embedded.unfold(tree)
    formulas = math.find(tree) if math.may_hold(tree) else {}
    cleaned = clean.clean(tree, shown=frozenset(formulas))
    cleaned = replace(cleaned, hidden_chars=cleaned.hidden_chars + hidden_in_frames)
    reveal.reveal(tree)
    base = metadata.base_of(tree, source.url)
    part = _choose(tree, source)
    plan = Plan(
        tree=tree,
        roots=part.roots,
        drop=part.drop,
        base=base,
        images=source.images,
        everything=source.whole,
        formulas=formulas,
        formulas_in_text=math.renders_text(tree),
        footnotes=_footnotes(tree, part) if footnotes.may_hold(tree) else Footnotes(),
    )
    written = markdown.write(plan)
    if unseen.has_controls(written.text):
        removed = clean.without_unseen(tree, [key for key, tag in enumerate(tree.tags) if not tag])
        cleaned = replace(cleaned, hidden_chars=cleaned.hidden_chars + removed)
        written = markdown.write(plan)
    if not written.text and part.method != "shell" and part.roots != (tree.body,):
        part = _Part((tree.body,), frozenset(), "body")
        plan = replace(plan, roots=part.roots, drop=part.drop)
        written = markdown.write(plan)
    return _document(plan, written, part, cleaned)


def _stream(html: str, source: Source) -> Document:
    """A page with too much markup for a tree."""
    streamed = stream.write(html, Base(source.url))
    return Document(
        markdown=streamed.markdown,
        text=streamed.markdown,
        title=streamed.title,
        method="text",
        hidden_chars=streamed.hidden_chars,
        warnings=("the page is so large that it was read as a whole and plainly, without choosing its main content",),
    )


def _choose(tree: Tree, source: Source) -> _Part:
    choice = None if source.whole or _is_short(tree) else extract.choose(tree, url=source.url)
    if choice is None:
        return _Part((tree.body,), frozenset(), "whole" if source.whole else "body")
    return _Part(tuple(root.key for root in choice.roots), choice.drop, choice.method, choice.headings)


def _is_short(tree: Tree) -> bool:
    """Whether a page says so little that there is nothing to choose from."""
    return len(tree) < _FEW_NODES and len(tree.inner_text(tree.body).strip()) < _FEW_CHARACTERS


def _footnotes(tree: Tree, part: _Part) -> Footnotes:
    """The footnotes whose note is written too; a reference to any other stays the number that it shows."""
    found = footnotes.find(tree)
    if not found.notes:
        return found
    shown = _shown(tree, part, found.notes.keys())
    labels = {found.notes[key] for key in shown}
    return Footnotes(
        references={key: label for key, label in found.references.items() if label in labels},
        numbers=found.numbers,
        notes={key: label for key, label in found.notes.items() if key in shown},
        links_back=found.links_back,
    )


def _shown(tree: Tree, part: _Part, wanted: object) -> set[Key]:
    shown: set[Key] = set()
    assert hasattr(wanted, "__contains__")
    for root in part.roots:
        key, end = root, tree.ends[root]
        while key < end:
            if tree.skip[key] or key in part.drop:
                key = tree.ends[key]
                continue
            if key in wanted:
                shown.add(key)
            key += 1
    return shown


def _document(plan: Plan, written: Written, part: _Part, cleaned: Cleaned) -> Document:
    tree, base = plan.tree, plan.base
    declared = metadata.read(tree, base)
    text = plaintext.write(replace(plan, drop=plan.drop | part.headings) if part.headings else plan)
    is_shell = shell.needs_javascript(tree, text) or (part.method == "shell" and "script" in tree.index.tags)
    if is_shell and shell.says_nothing(text):
        written, text = Written(text="", outline=(), anchors={}), ""
    warnings = ("the text stood in a hidden container that a script would have shown",) if cleaned.waited else ()
    return Document(
        markdown=written.text,
        text=text,
        title=declared.title,
        author=declared.author,
        published=declared.published,
        modified=declared.modified,
        dates_from=declared.dates_from,
        site_name=declared.site_name,
        language=declared.language,
        canonical_url=declared.canonical_url,
        method="hydration" if cleaned.waited else part.method,
        outline=written.outline,
        anchors=written.anchors,
        hidden_chars=cleaned.hidden_chars,
        refresh_url=shell.redirect(tree, base, declared, text),
        alternate_markdown=declared.alternate_markdown,
        needs_javascript=is_shell,
        warnings=warnings,
    )


CONVERTER = Html()
