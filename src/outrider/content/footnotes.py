"""Footnotes in a page: which links refer to a note, and which elements are the notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from outrider.content.dom import Key, Tree

_REFERENCE = re.compile(
    r"footnote-?(?:ref|reference|anchor|link)|noteref|fn-?ref|\bfootnote\b|cite_ref|easy-footnote|mw-ref|\breference\b",
    re.IGNORECASE,
)
_NOTE_ID = re.compile(
    r"^(?:user-content-)?(?:_?ftn|_?edn|fn|footnote|endnote|note|cite_note|sdfootnote|easy-footnote-bottom"
    r"|f)[-:_.]?(?=.*\w)",
    re.IGNORECASE,
)
_BACK_ID = re.compile(r"ref|back|anchor|cite_ref", re.IGNORECASE)
_NOTES = re.compile(r"footnote|endnote|references|reflist|\bnotes\b", re.IGNORECASE)
_BACK_CLASS = re.compile(
    r"back-?ref|backlink|footnote-?return|footnote-?back|reversefootnote|fn-?back|mw-cite-backlink|cite-backlink",
    re.IGNORECASE,
)
_BACK_SIGNS = re.compile(r"^[\s\[\](]*(?:[↩↑^⤴⏎↵↖🔙⬆︎\ufe0e\ufe0f]|back|return|jump up)[\s\])0-9]*$", re.IGNORECASE)
_LABEL = re.compile(r"[^\w.\-]+")
_NUMBER = re.compile(r"^[\s\[(]*([\w*†‡§¶.]{1,12})[\s\]):.]*$")
_NOTE_TAGS = frozenset({"li", "p", "div", "aside", "dd", "dt", "td", "tr", "section", "span", "blockquote"})


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The notes of one page, by the keys of their elements."""

    references: dict[Key, str] = field(default_factory=dict)
    """Elements that refer to a note, and its label."""
    numbers: dict[Key, str] = field(default_factory=dict)
    """Elements that refer to an item of a numbered list by the number that the list shows, as `[3]`."""
    notes: dict[Key, str] = field(default_factory=dict)
    """Elements that are a note, and its label."""
    links_back: frozenset[Key] = frozenset()
    """Elements that lead from a note back to the text, or repeat its number: no text for a reader."""


def may_hold(tree: Tree) -> bool:
    """Whether a page can hold footnotes at all."""
    index = tree.index
    return "doc-noteref" in index.labels or any(_NOTE_ID.match(fragment) for fragment in index.fragments)


def find(tree: Tree) -> Footnotes:
    """Find the notes that something refers to."""
    links = _links(tree)
    targets = {target for _, target in links}
    elements = _targets(tree, targets)
    pointing: dict[str, list[Key]] = {}
    for key, target in links:
        if target in elements and _refers(tree, key, target):
            pointing.setdefault(target, []).append(key)
    references: dict[Key, str] = {}
    numbers: dict[Key, str] = {}
    notes: dict[Key, str] = {}
    listed: dict[Key, str] = {}
    used: set[str] = set()
    for target, keys in pointing.items():
        note = _note_element(tree, elements[target], keys[0])
        if note is None or note in notes or note in listed:
            continue
        label = _label(tree, keys[0], target, used)
        if _is_numbered(tree, keys[0], note):
            listed[note] = label
            numbers.update({_outermost(tree, key): " ".join(tree.inner_text(key).split()) for key in keys})
            continue
        notes[note] = label
        references.update({_outermost(tree, key): label for key in keys})
    return Footnotes(references, numbers, notes, frozenset(_links_back(tree, {**notes, **listed})))


def _is_numbered(tree: Tree, reference: Key, note: Key) -> bool:
    """Whether a reference such as `[3]` names the item of a list by its number: then the list says it all."""
    return (
        tree.tags[note] == "li"
        and tree.tags[tree.parents[note]] == "ol"
        and tree.inner_text(reference).strip()[:1] == "["
    )


def _links(tree: Tree) -> list[tuple[Key, str]]:
    found: list[tuple[Key, str]] = []
    for key in tree.index.tags.get("a", ()):
        href = tree.attribute(key, "href") or ""
        at = href.find("#")
        if at >= 0 and len(href) - at < 200 and href[at + 1 :]:
            found.append((key, href[at + 1 :]))
    return found


def _targets(tree: Tree, wanted: set[str]) -> dict[str, Key]:
    found: dict[str, Key] = {}
    for key, name in tree.index.ids.items():
        if name in wanted:
            found.setdefault(name, key)
    return found


def _refers(tree: Tree, key: Key, target: str) -> bool:
    """Whether a link is a reference in the text and not, say, an entry of a table of contents."""
    if tree.ends[key] - key > 12 or not _NUMBER.match(tree.inner_text(key)):
        return False
    role, classes = tree.attribute(key, "role") or "", tree.attribute(key, "class") or ""
    if role == "doc-backlink" or _BACK_CLASS.search(classes):
        return False
    if role == "doc-noteref" or "noteref" in (tree.attribute(key, "epub:type") or ""):
        return True
    if not (_NOTE_ID.match(target) and not _BACK_ID.search(target)):
        return False
    parent = tree.parents[key]
    around = tree.tags[parent] == "sup" or any(tree.tags[below] == "sup" for below in tree.children(key))
    return around or _REFERENCE.search(classes + " " + (tree.attribute(parent, "class") or "")) is not None


def _note_element(tree: Tree, target: Key, reference: Key) -> Key | None:
    """The element that holds the whole note, given the one that the reference points at."""
    note = target
    if tree.tags[target] in ("a", "span", "sup", "b", "strong"):
        note = next((above for above in tree.ancestors(target) if tree.tags[above] in _NOTE_TAGS), -1)
    if note < 0 or tree.tags[note] not in _NOTE_TAGS or note <= reference < tree.ends[note]:
        return None
    if tree.tags[note] in ("dt", "tr", "td", "span", "section", "blockquote"):
        return None
    return note


def _outermost(tree: Tree, key: Key) -> Key:
    """The `<sup>` or bracket around a reference that holds nothing else."""
    for above in tree.ancestors(key):
        if tree.tags[above] not in ("sup", "span") or tree.inner_text(above).strip() != tree.inner_text(key).strip():
            break
        key = above
    return key


def _label(tree: Tree, reference: Key, target: str, used: set[str]) -> str:
    shown = _NUMBER.match(tree.inner_text(reference))
    label = _LABEL.sub("-", shown[1] if shown else target).strip("-.") or _LABEL.sub("-", target)
    while label in used:
        label += "-"
    used.add(label)
    return label


def _links_back(tree: Tree, notes: dict[Key, str]) -> list[Key]:
    found: list[Key] = []
    read_to = 0
    for note, label in sorted(notes.items()):
        if note < read_to:
            continue
        read_to = tree.ends[note]
        for key in tree.find(("a",), start=note + 1, end=tree.ends[note]):
            classes = (tree.attribute(key, "class") or "") + " " + (tree.attribute(key, "role") or "")
            content = tree.inner_text(key)
            leads_back = "#" in (tree.attribute(key, "href") or "")
            own_number = leads_back and content.strip(" []().:") == label and key - note < 6
            if (
                _BACK_CLASS.search(classes)
                or "doc-backlink" in classes
                or (leads_back and _BACK_SIGNS.match(content))
                or own_number
            ):
                found.append(_outermost(tree, key))
        found.extend(_backlink_holders(tree, note))
    return found


def _backlink_holders(tree: Tree, note: Key) -> list[Key]:
    return [
        key
        for key in tree.find(("span", "sup", "div"), start=note + 1, end=min(tree.ends[note], note + 12))
        if _BACK_CLASS.search(tree.attribute(key, "class") or "")
    ]
