"""Formulas in a page, each as TeX exactly once."""

from __future__ import annotations

import re
from typing import NamedTuple

from outrider.content.dom import Key, Tree


class Formula(NamedTuple):
    """One formula."""

    tex: str
    display: bool
    """Whether it stands on a line of its own."""

    @property
    def markdown(self) -> str:
        """`$…$` or `$$…$$`."""
        return f"$${self.tex}$$" if self.display else f"${self.tex}$"


# Whatever writes formulas leaves one of these.
_TAGS = frozenset({"math", "mjx-container", "tex-math"})
_NAMES = frozenset({"data-math", "data-tex", "data-latex", "data-expr", "data-mathml", "data-formula"})
_LABELS = ("math", "katex", "mjx", "latex")
# Scripts that render what stands between \\( and \\) in plain text.
_RENDERERS = ("mathjax", "katex", "auto-render", "tex-mml-chtml", "tex-chtml", "rendermathinelement")
_IN_TEXT = re.compile(
    r"\\\((?P<inline>[^\n]{1,2000}?)\\\)|\\\[(?P<block>.{1,4000}?)\\\]|\$\$(?P<dollars>[^$]{1,4000}?)\$\$", re.DOTALL
)

_CONTAINERS = frozenset({"mjx-container", "math", "tex-math"})
_CLASSES = frozenset({
    "katex", "katex-display", "mathjax", "mathjax_display", "mathjax_chtml", "mathjax_svg", "mathjax_preview",
    "mathjax_svg_display",
    "mathjax_chtml_display", "mwe-math-element", "math", "math-inline", "math-display", "math-block", "mjx-chtml",
    "latex", "tex",
    "mathjye", "tex2jax_process", "math-tex", "latex-expression", "mathjax_display_wrapper", "inline-math",
    "display-math", "ltx_math",
})  # fmt: skip
_SOURCES = ("data-math", "data-tex", "data-latex", "data-expr", "data-formula", "data-mathml")
_DELIMITERS = ((r"\(", r"\)", False), (r"\[", r"\]", True), ("$$", "$$", True), ("$", "$", False))
_ENVIRONMENT = re.compile(r"\\begin\{(?:align|equation|gather|multline|eqnarray|displaymath)\*?\}")
_DISPLAY = re.compile(r"display|block", re.IGNORECASE)
# Nodes of one formula, and nodes looked at in all: formulas that nest in each other are no formulas.
_LARGEST = 3_000
_MOST_NODES = 2_000_000
_WIKI = re.compile(r"^\{\\(?:displaystyle|textstyle|scriptstyle)\s*(.*)\}$", re.DOTALL)


def may_hold(tree: Tree) -> bool:
    """Whether a page can hold formulas at all."""
    index = tree.index
    return (
        not _TAGS.isdisjoint(index.tags)
        or not _NAMES.isdisjoint(index.attributes)
        or any(label in index.labels for label in _LABELS)
        or any((tree.attribute(key, "type") or "").startswith("math/tex") for key in index.tags.get("script", ()))
    )


def renders_text(tree: Tree) -> bool:
    """Whether a script of the page turns TeX between its own delimiters in the text into formulas."""
    for key in tree.index.tags.get("script", ()):
        named = tree.attribute(key, "src") or tree.text(min(key + 1, len(tree) - 1))[:4_000]
        lower = named.lower()
        if any(renderer in lower for renderer in _RENDERERS):
            return True
    return False


def in_text(text: str) -> list[str | Formula]:
    """Split text at the formulas that stand in it between TeX delimiters."""
    parts: list[str | Formula] = []
    at = 0
    for found in _IN_TEXT.finditer(text):
        tex = found[found.lastgroup or 0]
        parts.append(text[at : found.start()])
        parts.append(Formula(_clean(tex), display=found.lastgroup != "inline"))
        at = found.end()
    parts.append(text[at:])
    return parts


def find(tree: Tree) -> dict[Key, Formula | None]:
    """Formulas by the element that stands for each; None for an element that only repeats another one."""
    found: dict[Key, Formula | None] = {}
    tags, ends = tree.tags, tree.ends
    budget = _MOST_NODES
    key = 0
    while key < len(tags) and budget > 0:
        tag = tags[key]
        if not tag or ends[key] - key > _LARGEST or not _is_formula(tree, key):
            key += 1
            continue
        budget -= ends[key] - key
        formula = _formula(tree, key)
        if formula is None and not _is_rendering(tree, key):
            key += 1
            continue
        found[key] = formula
        key = ends[key]
    return _without_renderings(tree, found)


def _is_formula(tree: Tree, key: Key) -> bool:
    tag = tree.tags[key]
    if tag in _CONTAINERS:
        return True
    if tag == "script":
        return (tree.attribute(key, "type") or "").startswith("math/tex")
    if tag in ("pre", "body", "html", "article", "main"):
        return False
    for name, value in tree.attributes(key):
        if name == "class" and value and not _CLASSES.isdisjoint(value.lower().split()):
            return True
        if name in ("data-math", "data-tex", "data-latex", "data-mathml"):
            return True
    return False


def _is_rendering(tree: Tree, key: Key) -> bool:
    """Whether an element is only the picture of a formula that a script beside it holds."""
    classes = (tree.attribute(key, "class") or "").lower()
    return "mathjax" in classes or "mjx-chtml" in classes


def _formula(tree: Tree, key: Key) -> Formula | None:  # noqa: PLR0911  # each place that can hold the source
    tag = tree.tags[key]
    display = _is_display(tree, key)
    if tag == "script":
        return _checked(
            tree.inner_text(key) or _raw_text(tree, key), display="display" in (tree.attribute(key, "type") or "")
        )
    for name in _SOURCES[:5]:
        if value := tree.attribute(key, name):
            return _checked(value, display=display)
    for below in range(key, tree.ends[key]):
        below_tag = tree.tags[below]
        if below_tag == "annotation" and "tex" in (tree.attribute(below, "encoding") or "").lower():
            return _checked(_raw_text(tree, below), display=display)
        if below_tag == "script" and (tree.attribute(below, "type") or "").startswith("math/tex"):
            return _checked(
                _raw_text(tree, below), display=display or "display" in (tree.attribute(below, "type") or "")
            )
        if below_tag == "math" and (alternative := tree.attribute(below, "alttext")):
            return _checked(alternative, display=display)
        if below_tag in ("span", "div") and (
            value := tree.attribute(below, "data-tex") or tree.attribute(below, "data-math")
        ):
            return _checked(value, display=display)
    return _from_presentation(tree, key, display=display)


def _from_presentation(tree: Tree, key: Key, *, display: bool) -> Formula | None:
    """A formula without TeX beside it: delimiters in its text, the words of an image, or presentation MathML."""
    classes = (tree.attribute(key, "class") or "").lower().split()
    image = next(tree.find(("img",), start=key, end=tree.ends[key]), None)
    if image is not None and (alternative := tree.attribute(image, "alt")):
        return _checked(alternative, display=display)
    mathml = next(tree.find(("math",), start=key, end=tree.ends[key]), None)
    if mathml is not None:
        from outrider.content.mathml import to_tex

        return _checked(to_tex(tree, mathml), display=display)
    content = _raw_text(tree, key).strip()
    for start, end, is_display in _DELIMITERS:
        if content.startswith(start) and content.endswith(end) and len(content) > len(start) + len(end):
            return _checked(content, display=is_display or display)
    inline = {"math-inline", "inline-math", "math-tex", "math-display", "display-math", "math-block"}
    return _checked(content, display=display) if not inline.isdisjoint(classes) and "\\" in content else None


def _raw_text(tree: Tree, key: Key) -> str:
    return "".join(tree.text(below) for below in range(key, tree.ends[key]))


def _is_display(tree: Tree, key: Key) -> bool:
    tag = tree.tags[key]
    for name, value in tree.attributes(key):
        if name in ("display", "mode") and value in ("block", "true", "display"):
            return True
        if name == "class" and value and tag != "math" and _DISPLAY.search(value) and "displaystyle" not in value:
            return True
        if name in ("data-display", "data-display-mode") and value != "false":
            return True
    parent = tree.parents[key]
    if parent >= 0 and "katex-display" in (tree.attribute(parent, "class") or ""):
        return True
    if tag == "div":
        return True
    first = next(tree.find(("math",), start=key, end=min(tree.ends[key], key + 8)), None)
    return first is not None and tree.attribute(first, "display") == "block"


def _checked(tex: str, *, display: bool) -> Formula | None:
    cleaned = _clean(tex)
    for start, end, is_display in _DELIMITERS:
        if cleaned.startswith(start) and cleaned.endswith(end) and len(cleaned) > len(start) + len(end):
            cleaned = cleaned[len(start) : -len(end)].strip()
            display = display or is_display
            break
    display = display or _ENVIRONMENT.match(cleaned) is not None
    return Formula(cleaned, display) if cleaned else None


def _clean(tex: str) -> str:
    tex = tex.strip().removeprefix("% <![CDATA[").removesuffix("%]]>").strip()
    wiki = _WIKI.match(tex)
    if wiki and wiki[1].count("{") == wiki[1].count("}"):
        tex = wiki[1].strip()
    # A blank line would end the block, a bare dollar the formula.
    return re.sub(r"\s*\n\s*", " ", tex)


def _without_renderings(tree: Tree, found: dict[Key, Formula | None]) -> dict[Key, Formula | None]:
    """Pictures by MathJax 2 carry no TeX; the script after them does. One without a script keeps its own text."""
    scripts = any(tree.tags[key] == "script" for key in found)
    return {
        key: None if scripts and tree.tags[key] != "script" and _is_rendering(tree, key) else formula
        for key, formula in found.items()
        if formula is not None or scripts
    }
