"""The language of a block of code, as a page names it: in classes, attributes, captions, tabs and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outrider.content import languages
from outrider.content.dom import Key, Tree

_ATTRIBUTES = frozenset({"data-lang", "data-language", "data-code-language", "data-syntax", "data-codelang"})
# Of `<pre>` and `<code>` themselves only.
_NEAR_ATTRIBUTES = frozenset({"lang", "language", "syntax"})
# Other ways of making an attribute's name; the value must then be a language for certain.
_ATTRIBUTE = re.compile(r"data-(?:[\w-]*-)?(?:lang|language|language-mode|code-wrap|mode|mode-id|mime-type)")
_BRUSH = re.compile(r"brush:\s*([\w+#.\-]+)", re.IGNORECASE)
# `lang-go`, `language:go`, and the same at the end of longer words.
_EXPLICIT = re.compile(r"(?:^|\s)lang(?:uage)?[-:]([^\s;]+)", re.IGNORECASE)
_EXPLICIT_END = re.compile(r"[-_]lang(?:uage)?-([^\s;_]+)(?=\s|$)", re.IGNORECASE)
# What a renderer of Markdown makes of any word behind a fence, and nothing else in the class.
_WRITTEN = re.compile(r"language-([^\s`]{1,40})")
_SPHINX = re.compile(r"(?:^|\s)highlight-([^\s;]+)\s+notranslate(?:\s|$)")
# `source-php`, `hl-ipython3`, `highlight-source-css-scss`, `code:go`: the last part that is known.
_PREFIXED = re.compile(
    r"(?:^|_)(?:code|source|sourcecode|highlight|hl|syntax|shiki|prism|hljs|brush|mode|snippet|tab|crayon)[-:]",
    re.IGNORECASE,
)
# Classes that say that the word beside them is a language.
_MARKERS = frozenset(
    {
        "chroma",
        "codehilite",
        "crayon-syntax",
        "highlight",
        "hljs",
        "prettyprint",
        "prism",
        "shiki",
        "source",
        "sourcecode",
        "syntaxhighlighter",
    }
)
_MOST_WORDS = 40

# How far the names are looked for: elements before the code begins, and those around it, tables not counted.
_MOST_BEFORE = 60
_MOST_AROUND = 4
_FAR = 3
_MOST_STEPS = 12
_MOST_CAPTIONED = 3
_MOST_PANELS = 12
_MOST_TABS = 300
_ROOTS = frozenset({"body", "main", "article", "html"})
_GRID = frozenset({"td", "tr", "tbody", "table"})
# A caption stands in the same cell, item or part as its code.
_PARTS = _ROOTS | {"section", "li", "td", "dd", "blockquote"}
_NO_LABEL = frozenset({"button", "svg", "script", "style", "template", "select"})
_CAPTION = re.compile(
    r"(?:^|[\s_-]|code)(?:file|file-?name|title|caption|header|head|lang|language|label|name|bar|info)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LANGUAGE_LABEL = re.compile(r"(?:^|[\s_-]|code)lang(?:uage)?(?:$|[\s_-])", re.IGNORECASE)
_LABEL_BLOCKS = frozenset({"div", "header", "figcaption", "p", "h4", "h5", "h6"})
_MOST_LABEL = 60


def language(tree: Tree, key: Key) -> str:
    """The language of a code block, as its element, the `<code>` in it or what encloses it names it, or ""."""
    return _declared(tree, key) or _of_label(tree, key) or _of_caption(tree, key) or _of_tab(tree, key)


def label(tree: Tree, key: Key) -> Key | None:
    """The element at the start of a code block that holds the name of the language or the file, not code."""
    place = _first_text(tree, key)
    if place is None:
        return None
    words = tree.text(place).strip()
    if len(words) > _MOST_LABEL or not languages.of_label(words):
        return None
    found, named = None, False
    for above in tree.ancestors(place):
        if above <= key or tree.tags[above] in ("pre", "code") or _label_text(tree, above, len(words)) != words:
            break
        found = above
        named = named or _is_label(tree, above)
    return found if found is not None and named else None


def _first_text(tree: Tree, key: Key) -> Key | None:
    """The first text in a block that is not blank."""
    at, end = key + 1, min(tree.ends[key], key + _MOST_BEFORE)
    while at < end:
        tag = tree.tags[at]
        if tag in _NO_LABEL:
            at = tree.ends[at]
            continue
        if not tag and not tree.text(at).isspace():
            return at
        at += 1
    return None


def _label_text(tree: Tree, key: Key, most: int) -> str:
    """The text of a small element, its buttons left out; "" for one that holds more."""
    if tree.ends[key] - key > _MOST_BEFORE:
        return ""
    pieces: list[str] = []
    at, end = key + 1, tree.ends[key]
    while at < end:
        tag = tree.tags[at]
        if tag in _NO_LABEL or tree.tags[at] in ("pre", "code"):
            at = tree.ends[at]
            continue
        if not tag:
            pieces.append(tree.text(at)[: _MOST_LABEL + most])
        at += 1
    return " ".join("".join(pieces).split())


def _is_label(tree: Tree, key: Key) -> bool:
    """Whether an element's name says that it holds a name, or a button to copy or run stands in it."""
    classes = tree.attribute(key, "class") or ""
    if _LANGUAGE_LABEL.search(classes):
        return True
    if tree.tags[key] not in _LABEL_BLOCKS:
        return False
    return _CAPTION.search(classes) is not None or "button" in tree.tags[key + 1 : tree.ends[key]]


def _of_label(tree: Tree, key: Key) -> str:
    found = label(tree, key)
    return languages.of_label(_label_text(tree, found, _MOST_LABEL)) if found is not None else ""


# Classes and attributes.


def _declared(tree: Tree, key: Key) -> str:
    for element in (key, *_inner(tree, key)):
        if found := _named(tree, element, distance=0):
            return found
    for distance, above in enumerate(_around(tree, key), start=1):
        if found := _named(tree, above, distance=distance):
            return found
    return ""


def _inner(tree: Tree, key: Key) -> Iterator[Key]:
    """The `<code>` or `<pre>` that begins a block, and one that begins that."""
    at, end = key + 1, min(tree.ends[key], key + _MOST_BEFORE)
    named = label(tree, key)
    while at < end:
        tag = tree.tags[at]
        if at == named or tag in _NO_LABEL:
            at = tree.ends[at]
            continue
        if not tag and not tree.text(at).isspace():
            return
        if tag in ("pre", "code"):
            yield at
        at += 1


def _around(tree: Tree, key: Key) -> Iterator[Key]:
    left = _MOST_AROUND
    for above, _ in zip(tree.ancestors(key), range(_MOST_STEPS), strict=False):
        tag = tree.tags[above]
        if tag in _ROOTS or not left:
            return
        left -= tag not in _GRID
        yield above


def _named(tree: Tree, key: Key, *, distance: int) -> str:
    """
    What an element's attributes say.

    Args:
        distance: 0 for the code itself, 1 for what encloses it, and so on.
    """
    classes = ""
    for name, value in tree.attributes(key):
        if not value:
            continue
        if name == "class":
            classes = value
        elif found := _from_attribute(tree, name, value, near=not distance):
            return found
    return _from_classes(tree, classes, distance=distance) if classes else ""


def _from_attribute(tree: Tree, name: str, value: str, *, near: bool) -> str:
    if name in _ATTRIBUTES or (near and name in _NEAR_ATTRIBUTES):
        found = languages.normal(value)
        if name == "lang":
            return found if languages.is_known(found) and not _is_the_pages(tree, found) else ""
        return found if languages.may_be(found) else ""
    if name.startswith("data-"):
        if "brush:" in value[:_MOST_LABEL]:
            return _of_brush(value)
        if len(value) < _MOST_LABEL and _ATTRIBUTE.fullmatch(name):
            found = languages.normal(value)
            return found if languages.is_known(found) else ""
    return ""


def _is_the_pages(tree: Tree, name: str) -> bool:
    """Whether a name is that of the human language of the page, as `cs` and `pl` can be."""
    page = tree.index.tags.get("html", ())
    return any((tree.attribute(key, "lang") or "").lower().partition("-")[0] == name for key in page[:1])


def _of_brush(value: str) -> str:
    found = _BRUSH.search(value)
    return languages.normal(found[1]) if found else ""


def _from_classes(tree: Tree, classes: str, *, distance: int) -> str:
    if found := _of_brush(classes):
        return found
    if not distance and (written := _WRITTEN.fullmatch(classes)) and languages.is_unknown(written[1]):
        return written[1]
    for match in (*_EXPLICIT.finditer(classes), *_EXPLICIT_END.finditer(classes)):
        named = languages.normal(match[1])
        # Far above, only a name that is known for certain speaks of the code.
        is_likely = languages.may_be(named) if distance < _FAR else languages.is_known(named)
        if is_likely and not _is_the_pages(tree, named):
            return named
    if found := _from_words(classes.lower().split()[:_MOST_WORDS], near=not distance):
        return found
    sphinx = _SPHINX.search(classes)
    return languages.normal(sphinx[1]) if sphinx else ""


def _from_words(classes: list[str], *, near: bool) -> str:
    for word in classes:
        if _PREFIXED.search(word) and (named := _last_known(word)) and (near or len(named) > 1):
            return named
    if near or not _MARKERS.isdisjoint(classes):
        for word in classes:
            named = languages.normal(word)
            if languages.is_known_in_class(named):
                return named
    return ""


def _last_known(word: str) -> str:
    """The longest end of a word that is a known name, or else the last part that is one."""
    parts = re.split(r"[-:_]", word[:_MOST_LABEL])
    ends = ["-".join(parts[start:]) for start in range(1, len(parts))]
    for name in (*ends, *reversed(parts[1:])):
        if languages.is_known_in_class(named := languages.normal(name)):
            return named
    return ""


# What stands beside the code.


def _of_caption(tree: Tree, key: Key) -> str:
    """What a caption right before the code, or before what holds nothing but the code, calls it."""
    at = key
    for _ in range(_MOST_CAPTIONED):
        if tree.tags[at] in _PARTS:
            break
        before = _element_before(tree, at)
        if before is not None:
            if found := _captioned(tree, before):
                return found
            if _label_text(tree, before, _MOST_LABEL):
                break
        at = tree.parents[at]
        if at < 0:
            break
    return ""


def _element_before(tree: Tree, key: Key) -> Key | None:
    """The element before one, with no text between that is more than white space."""
    before = tree.previous(key)
    for _ in range(_MOST_PANELS):
        if before is None or (not tree.tags[before] and not tree.text(before).isspace()):
            return None
        if tree.tags[before] and tree.tags[before] not in _NO_LABEL:
            return before
        before = tree.previous(before)
    return None


def _captioned(tree: Tree, key: Key) -> str:
    tag = tree.tags[key]
    if tree.ends[key] - key > _MOST_BEFORE or tag in ("pre", "table"):
        return ""
    if tag != "figcaption" and not any(
        _CAPTION.search(tree.attribute(at, "class") or "") for at in range(key, min(tree.ends[key], key + 4))
    ):
        return ""
    return languages.of_label(_label_text(tree, key, _MOST_LABEL))


def _of_tab(tree: Tree, key: Key) -> str:
    """What the tab says that opens the panel in which the code stands."""
    for panel in _around(tree, key):
        if tree.attribute(panel, "role") == "tabpanel":
            return _tab(tree, panel)
    return ""


def _tab(tree: Tree, panel: Key) -> str:
    number, before = 0, tree.previous(panel)
    first = panel
    for _ in range(2 * _MOST_PANELS):
        if before is None:
            break
        if tree.tags[before] and tree.attribute(before, "role") == "tabpanel":
            number, first = number + 1, before
        elif tree.tags[before]:
            break
        before = tree.previous(before)
    for place in (first, tree.parents[first]):
        before = _element_before(tree, place) if place > 0 else None
        if before is not None:
            tabs = [
                at
                for at in range(before, min(tree.ends[before], before + _MOST_TABS))
                if tree.attribute(at, "role") == "tab"
            ]
            if number < len(tabs):
                return languages.of_label(_label_text(tree, tabs[number], _MOST_LABEL))
    return ""
