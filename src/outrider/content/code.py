"""Source code in a page: its exact text, and the language it is written in."""

from __future__ import annotations

import re

from outrider.content.dom import Key, Tree
from outrider.content.words import words

# Line numbers, copy buttons and the like stand beside the code, not in it.
_BESIDE = re.compile(
    r"(?:^|[\s_-])(?:gutter|lineno|linenos|linenumbers?|line-numbers-rows|line-numbers-sizer|ln-num|hljs-ln-numbers"
    r"|blob-num"
    r"|copy|copybtn|copy-btn|copy-button|clipboard|btn-clipboard|code-header|code-toolbar-item|toolbar|zeroclipboard"
    r"|react-syntax-highlighter-line-number|line-number|code__line-number|rouge-gutter|cl-gutter)(?:$|[\s_-])|(?:^"
    r"|\s)lnt?(?:\s|$)",
    re.IGNORECASE,
)
# `line-numbers` on a <pre> says that a script adds them; only inside the code it is the numbers themselves.
_NUMBERS = re.compile(r"(?:^|\s)line-numbers(?:$|\s)")
_BLOCKS = frozenset({"div", "p", "li", "tr", "ol", "ul", "table", "tbody"})
_NEVER = frozenset({"button", "script", "style", "svg", "select", "textarea", "template", "noscript"})

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|source|brush|sourcecode|code"
    r"|prettyprint lang|syntax|shiki|crayon-syntax)"
    r"[-:]\s*([\w+#.\-]+)",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(r"(?:^|\s)lang(?:uage)?-(\S+)", re.IGNORECASE)
_BRUSH = re.compile(r"brush:\s*([\w+#.\-]+)", re.IGNORECASE)
_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "data-syntax", "data-codelang")
_KNOWN = words(
    """
    abap ada apache arduino asm awk bash basic batch bat c clojure clj cmake cmd cobol coffeescript console cpp c++
    crystal cs csharp css csv cuda d dart delphi diff django docker dockerfile elixir elm erb erlang f# fish fortran
    fsharp gherkin glsl go golang gradle graphql groovy haml handlebars haskell hcl hs html http ini java javascript
    jinja jinja2 js json json5 jsonc jsonnet jsx julia kotlin kt kusto latex less lisp llvm lua make makefile markdown
    matlab md mdx mermaid mysql nasm nginx nim nix objc objective-c objectivec ocaml octave pascal patch perl pgsql
    php pl plsql postgresql powershell prolog promql properties protobuf proto ps1 pug puppet py pycon python python3
    qml r racket rb rego rest rs rst ruby rust sass scala scheme scss sh shell shell-session sml solidity sparql sql
    stylus svelte svg swift systemverilog tcl terraform tex text toml ts tsx twig typescript vb vba vbnet verilog vhdl
    vim vue wasm wgsl xml xquery xslt yaml yml zig zsh ipython ipython3
    """
)
_NO_LANGUAGE = frozenset({
    "", "none", "text", "plain", "plaintext", "txt", "default", "highlight", "code", "nohighlight", "no-highlight",
    "notranslate",
    "auto", "autodetect", "unknown", "undefined", "null", "block", "wrapper", "container", "inline", "box",
    "snippet", "sample",
    "toolbar", "line", "lines", "numbers", "example", "group", "area", "content", "body", "header", "tabs", "tab",
    "title", "raw",
    "wrap", "output", "fence", "copy", "pre", "enlighter", "pygments", "prettyprint", "highlighter-rouge", "basic",
})  # fmt: skip


def text(tree: Tree, key: Key) -> str:
    """The code below a node, every space of it, without line numbers and buttons."""
    pieces: list[str] = []
    tags, ends, values = tree.tags, tree.ends, tree.values
    end = ends[key]
    # Where the open blocks end, innermost last; each starts and ends a line.
    blocks: list[int] = []
    key += 1
    while key < end:
        while blocks and blocks[-1] <= key:
            blocks.pop()
            _end_line(pieces)
        tag = tags[key]
        if not tag:
            pieces.append(values[key])  # type: ignore[arg-type]  # a text node's value is its text
        elif tag in _NEVER or tree.skip[key] or is_beside(tree, key):
            key = ends[key]
            continue
        elif tag == "br":
            pieces.append("\n")
        elif tag in _BLOCKS or _is_line(tree, key):
            _end_line(pieces)
            blocks.append(ends[key])
        key += 1
    while blocks:
        blocks.pop()
        _end_line(pieces)
    return _trim("".join(pieces))


def _end_line(pieces: list[str]) -> None:
    last = next((piece for piece in reversed(pieces) if piece), "\n")
    if not last.endswith("\n"):
        pieces.append("\n")


def _is_line(tree: Tree, key: Key) -> bool:
    """Whether an element is shown as a line of its own though nothing but its style says so."""
    if tree.tags[key] != "code":
        return False
    after = tree.ends[key]
    # Several <code> elements side by side are lines.
    return after < len(tree) and tree.tags[after] == "code" and tree.parents[after] == tree.parents[key]


def is_beside(tree: Tree, key: Key) -> bool:
    """Whether an element inside a code block holds line numbers, a button or the like."""
    for name, value in tree.attributes(key):
        if name == "class" and value and (_BESIDE.search(value) or _NUMBERS.search(value)):
            return not _holds_code(tree, key)
        if name == "data-line-number" and tree.ends[key] - key <= 2:
            return True
    return False


def _holds_code(tree: Tree, key: Key) -> bool:
    """Whether more than numbers and a caption stand in an element whose name speaks of numbers or buttons."""
    if (
        tree.ends[key] - key > 40
        and next(tree.find(("code", "pre"), start=key + 1, end=tree.ends[key]), None) is not None
    ):
        return not _is_numbers(tree.inner_text(key))
    return False


def _is_numbers(content: str) -> bool:
    return bool(content.strip()) and not content.translate(_DIGITS_AND_SPACE)


_DIGITS_AND_SPACE = dict.fromkeys(map(ord, "0123456789 \t\r\n\f.\xa0"))


def is_gutter(tree: Tree, key: Key) -> bool:
    """Whether a `<pre>` holds only the numbers of the lines of its neighbour."""
    content = tree.inner_text(key)
    if not _is_numbers(content):
        return False
    numbers = content.replace(".", " ").split()
    cell = next((above for above in tree.ancestors(key) if tree.tags[above] == "td"), None)
    return (
        cell is not None
        and len(numbers) > 0
        and numbers == [str(int(numbers[0]) + step) for step in range(len(numbers))]
    )


def _trim(code: str) -> str:
    if "\r" in code:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
    if "\xa0" in code:
        code = code.replace("\xa0", " ")
    kept = code.rstrip()
    # White space after the last line of code is its own; blank lines after it are not.
    return kept + code[len(kept) :].partition("\n")[0] if kept else ""


def language(tree: Tree, key: Key) -> str:
    """The language of a code block, as its element, the `<code>` in it or what encloses it names it, or ""."""
    inner = next((child for child in tree.children(key) if tree.tags[child] == "code"), None)
    for element in (key, inner):
        if element is not None and (found := _named(tree, element, near=True)):
            return found
    for above, _ in zip(tree.ancestors(key), range(4), strict=False):
        if tree.tags[above] in ("body", "main", "article", "html"):
            break
        if found := _named(tree, above, near=False):
            return found
    return ""


def _named(tree: Tree, key: Key, *, near: bool) -> str:
    classes = ""
    for name, value in tree.attributes(key):
        if not value:
            continue
        if name == "class":
            classes = value
        elif name in _ATTRIBUTES or (near and name in ("lang", "language")):
            found = _normal(value)
            if found and (name != "lang" or found in _KNOWN):
                return found
    return _from_classes(classes, near=near) if classes else ""


def _from_classes(classes: str, *, near: bool) -> str:
    if found := _BRUSH.search(classes):
        return _normal(found[1])
    if near and (found := _EXPLICIT.search(classes)) and (named := _normal(found[1])):
        return named
    for found in _LANGUAGE_CLASS.finditer(classes):
        named = _normal(found[1])
        if named and (named in _KNOWN or found[0].lstrip().lower().startswith(("language", "lang", "highlight"))):
            return named
    words = classes.lower().split()
    # Classes that say that the word beside them is a language.
    if near or not _MARKERS.isdisjoint(words):
        for word in words:
            named = _normal(word)
            if named in _KNOWN and (near or not _MARKERS.isdisjoint(words)):
                return named
    return ""


_MARKERS = frozenset(
    {
        "hljs",
        "sourcecode",
        "chroma",
        "prettyprint",
        "syntaxhighlighter",
        "prism",
        "shiki",
        "highlight",
        "codehilite",
        "source",
    }
)


def _normal(name: str) -> str:
    name = name.strip().lower().rstrip(",")
    if len(name) > 20 or " " in name or name in _NO_LANGUAGE:
        return ""
    return name
