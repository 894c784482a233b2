"""The exact text of source code in a page."""

from __future__ import annotations

import re

from outrider.content import code_language
from outrider.content.dom import Key, Tree

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
_MOST_OF_NUMBER = 4
_UNSELECTABLE = re.compile(r"user-select:\s*none")
_BLOCKS = frozenset({"div", "p", "li", "tr", "ol", "ul", "table", "tbody", "pre"})
_NEVER = frozenset({"button", "script", "style", "svg", "select", "textarea", "template", "noscript"})


def text(tree: Tree, key: Key) -> str:
    """The code below a node, every space of it, without line numbers and buttons."""
    pieces: list[str] = []
    tags, ends, values = tree.tags, tree.ends, tree.values
    end = ends[key]
    numbers = _numbers(tree, key)
    label = code_language.label(tree, key)
    # White space around a `<pre>` in what stands for the code is the page's own.
    shown = end if tags[key] == "pre" or "pre" not in tags[key + 1 : end] else key
    # Where the open blocks end, innermost last; each starts and ends a line.
    blocks: list[int] = []
    key += 1
    while key < end:
        while blocks and blocks[-1] <= key:
            blocks.pop()
            _end_line(pieces)
        tag = tags[key]
        if not tag:
            if key < shown or not tree.text(key).isspace():
                pieces.append(values[key])  # type: ignore[arg-type]  # a text node's value is its text
        elif tag in _NEVER or tree.skip[key] or key == label or key in numbers or is_beside(tree, key):
            key = ends[key]
            continue
        elif tag == "br":
            pieces.append("\n")
        elif tag in _BLOCKS or _is_line(tree, key):
            _end_line(pieces)
            blocks.append(ends[key])
            if tag == "pre":
                shown = max(shown, ends[key])
        key += 1
    while blocks:
        blocks.pop()
        _end_line(pieces)
    return _trim("".join(pieces))


def _numbers(tree: Tree, key: Key) -> frozenset[Key]:
    """The elements that count the lines of a block, each the first thing in its line, whatever they are called."""
    parents, ends, values = tree.parents, tree.ends, tree.values
    found: list[Key] = []
    for at in range(key + 3, ends[key]):
        # A text that fills an element.
        if tree.tags[at] or parents[at] != at - 1 or ends[at - 1] != at + 1 or parents[at - 1] <= key:
            continue
        text = values[at]
        if len(text) < _LONGEST_NUMBER and isinstance(text, str) and _is_digits(text.strip()):
            line = parents[at - 1]
            if (not found or parents[parents[found[0]]] == parents[line]) and _is_first(tree, line, at - 1):
                found.append(at - 1)
    return frozenset(found) if len(found) > 1 and _count_lines(tree, found) else frozenset()


def _is_first(tree: Tree, line: Key, key: Key) -> bool:
    """Whether nothing that shows stands before an element in its line."""
    at = line + 1
    for _ in range(_MOST_UNSEEN):
        if at >= key:
            break
        if tree.tags[at] not in _NEVER and not tree.text(at).isspace():
            return False
        at = tree.ends[at]
    return at == key


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _count_lines(tree: Tree, found: list[Key]) -> bool:
    first = int(tree.text(found[0] + 1))
    if any(int(tree.text(key + 1)) != first + step for step, key in enumerate(found)):
        return False
    counted = [tree.parents[key] for key in found]
    lines = [child for child in tree.children(tree.parents[counted[0]]) if tree.tags[child] not in _UNCOUNTED]
    # A number that runs into a word is no part of the code.
    return lines == counted and any(_after(tree, key).isalpha() or _after(tree, key) in _STARTS for key in found)


def _after(tree: Tree, key: Key) -> str:
    """The first character that follows an element in its line, or ""."""
    at, end = tree.ends[key], tree.ends[tree.parents[key]]
    while at < end:
        if tree.tags[at] in _NEVER:
            at = tree.ends[at]
            continue
        if text := tree.text(at):
            return text[0]
        at += 1
    return ""


_LONGEST_NUMBER = 10
_MOST_UNSEEN = 8
_UNCOUNTED = _NEVER | {""}
_STARTS = frozenset("#<@$\"'{}")


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
        if name == "style" and value and "user-select" in value and _is_unselectable_number(tree, key, value):
            return True
    return False


def _is_unselectable_number(tree: Tree, key: Key, style: str) -> bool:
    is_small = tree.ends[key] - key <= _MOST_OF_NUMBER
    return is_small and _UNSELECTABLE.search(style) is not None and _is_numbers(tree.inner_text(key))


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
