"""Presentation MathML to TeX, for formulas that come without their source."""

from __future__ import annotations

from outrider.content.dom import Key, Tree

_SYMBOLS = {
    "−": "-", "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "÷": r"\div ", "±": r"\pm ", "≤": r"\le ",
    "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "∞": r"\infty ", "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ",
    "√": r"\surd ", "∂": r"\partial ", "∈": r"\in ", "∉": r"\notin ", "⊂": r"\subset ", "⊆": r"\subseteq ",
    "∪": r"\cup ", "∩": r"\cap ", "→": r"\to ", "⇒": r"\Rightarrow ", "∀": r"\forall ", "∃": r"\exists ",
    "∇": r"\nabla ", "…": r"\dots ", "⋯": r"\cdots ", "∼": r"\sim ", "≡": r"\equiv ", "α": r"\alpha ", "β": r"\beta ",
    "γ": r"\gamma ", "δ": r"\delta ", "ε": r"\epsilon ", "ζ": r"\zeta ", "η": r"\eta ", "θ": r"\theta ",
    "λ": r"\lambda ", "μ": r"\mu ", "ν": r"\nu ", "ξ": r"\xi ", "π": r"\pi ", "ρ": r"\rho ", "σ": r"\sigma ",
    "τ": r"\tau ", "φ": r"\phi ", "χ": r"\chi ", "ψ": r"\psi ", "ω": r"\omega ", "Γ": r"\Gamma ", "Δ": r"\Delta ",
    "Θ": r"\Theta ", "Λ": r"\Lambda ", "Σ": r"\Sigma ", "Φ": r"\Phi ", "Ψ": r"\Psi ", "Ω": r"\Omega ", "{": r"\{",
    "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&", "\u2061": "", "\u2062": " ", "\u2063": "", "\u2064": "",
}  # fmt: skip
# How the written children of an element are put together, by their number.
_FORMS = {
    ("mfrac", 2): r"\frac{%s}{%s}", ("msup", 2): "%s^{%s}", ("msub", 2): "%s_{%s}", ("msubsup", 3): "%s_{%s}^{%s}",
    ("munder", 2): "%s_{%s}", ("munderover", 3): "%s_{%s}^{%s}",
}  # fmt: skip
# Each level copies what is below it once; no formula that anyone reads nests deeper.
_MOST_LEVELS = 40
_DROPPED = frozenset({"annotation", "annotation-xml", "mphantom", "maction"})


def to_tex(tree: Tree, key: Key) -> str:
    """The TeX of a `<math>` element; what has no counterpart is written as its text."""
    # Written children of each open element, outermost first.
    open_: list[tuple[Key, list[str]]] = [(key, [])]
    at, end = key + 1, tree.ends[key]
    while open_:
        element, written = open_[-1]
        if at >= tree.ends[element] or at >= end:
            open_.pop()
            tex = _element(tree.tags[element], written)
            if not open_:
                return " ".join(tex.split())
            open_[-1][1].append(tex)
            continue
        tag = tree.tags[at]
        if not tag:
            text = tree.text(at).strip()
            if text:
                written.append(_text(text, tree.tags[element]))
        elif tag in _DROPPED:
            at = tree.ends[at]
            continue
        elif len(open_) < _MOST_LEVELS:
            open_.append((at, []))
        at += 1
    return ""


def _text(text: str, element: str) -> str:
    if element == "mtext" or (element == "mi" and len(text) > 1 and text.isalpha()):
        return rf"\text{{{text}}}" if element == "mtext" else rf"\operatorname{{{text}}}"
    return "".join(_SYMBOLS.get(character, character) for character in text)


def _element(tag: str, written: list[str]) -> str:  # noqa: PLR0911  # one answer for each element
    if tag == "mover" and len(written) == 2:
        return rf"\overset{{{written[1].strip()}}}{{{written[0]}}}"
    if tag == "mroot" and len(written) == 2:
        return rf"\sqrt[{written[1]}]{{{written[0]}}}"
    if form := _FORMS.get((tag, len(written))):
        return form % tuple(written)
    if tag == "msqrt":
        return rf"\sqrt{{{''.join(written)}}}"
    if tag == "mtd":
        return "".join(written)
    if tag == "mtr":
        return " & ".join(written)
    if tag == "mtable":
        rows = r" \\ ".join(written)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    if tag == "mspace":
        return " "
    return "".join(written)
