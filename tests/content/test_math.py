"""Formulas: TeX between dollar signs, each exactly once."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert

ANNOTATED = '<math{}><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math>'


def whole(html: str) -> str:
    return convert(
        html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True
    ).markdown


@pytest.mark.parametrize(
    "formula",
    [
        ANNOTATED.format(""),
        '<math alttext="E=mc^2"><mi>E</mi></math>',
        f'<span class=katex><span class=katex-mathml>{ANNOTATED.format("")}</span><span class=katex-html aria-hidden=true>E=mc2</span></span>',
        f'<mjx-container><svg><text>E</text></svg><mjx-assistive-mml>{ANNOTATED.format("")}</mjx-assistive-mml></mjx-container>',
        "<span class=MathJax_Preview></span><span class=MathJax><nobr>E=mc2</nobr></span><script type='math/tex'>E=mc^2</script>",
        "<span class=math-inline data-math='E=mc^2'></span>",
        "<span class='math notranslate nohighlight'>\\(E=mc^2\\)</span>",
        "<span class='math inline'>\\(E=mc^2\\)</span>",
        ("<span class=mwe-math-element><span style='display: none;'><math><semantics><mi>E</mi><annotation encoding='application/x-tex'>"
        "{\\displaystyle E=mc^2}</annotation></semantics></math></span><img src=/f.svg alt='{\\displaystyle E=mc^2}'></span>"),
        "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>".replace("<msup>", "<msup>"),
    ],
)  # fmt: skip
def test_a_formula_in_a_sentence_appears_once_as_tex(formula: str) -> None:
    written = whole(f"<p>So {formula} holds.</p>").replace("c^{2}", "c^2")

    assert "So $E=mc^2$ holds." == written


@pytest.mark.parametrize(
    "formula",
    [
        ANNOTATED.format(' display="block"'),
        f'<span class=katex-display><span class=katex><span class=katex-mathml>{ANNOTATED.format("")}</span></span></span>',
        f'<mjx-container display="true"><mjx-assistive-mml>{ANNOTATED.format("")}</mjx-assistive-mml></mjx-container>',
        "<div class=MathJax_Display>E</div><script type='math/tex; mode=display'>E=mc^2</script>",
        "<div class='math notranslate'>\\[E=mc^2\\]</div>",
    ],
)  # fmt: skip
def test_a_displayed_formula_stands_alone(formula: str) -> None:
    assert "a\n\n$$E=mc^2$$\n\nb" == whole(f"<p>a</p>{formula}<p>b</p>")


def test_formulas_in_cells_are_kept() -> None:
    html = f'<table><tr><th>a<th>b<tr><td>{ANNOTATED.format("")}<td><math alttext="\\frac{{a}}{{b}}"><mi>x</mi></math></table>'

    assert "| $E=mc^2$ | $\\frac{a}{b}$ |" in whole(html)


def test_tex_in_plain_text_is_a_formula_where_a_script_makes_it_one() -> None:
    text = "<p>Let \\(x_1 * x_2\\) be, then $$y^2$$.</p>"

    assert "Let $x_1 * x_2$ be, then $$y^2$$." == whole(f"<script src=/mathjax/tex-chtml.js></script>{text}")
    assert "\\(" in whole(text)


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mfrac><mn>1</mn><mi>n</mi></mfrac>", "\\frac{1}{n}"),
        ("<msqrt><mi>x</mi></msqrt>", "\\sqrt{x}"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", "\\sum _{i}^{n}"),
        ("<msub><mi>a</mi><mn>1</mn></msub><mo>≤</mo><mi>π</mi>", "a_{1}\\le \\pi"),
        ("<mi>sin</mi><mtext>if so</mtext>", "\\operatorname{sin}\\text{if so}"),
        ("<mover><mi>x</mi><mo>^</mo></mover>", "\\overset{^}{x}"),
    ],
)
def test_formulas_without_a_source_are_put_into_tex(mathml: str, tex: str) -> None:
    assert f"${tex}$" == whole(f"<p><math>{mathml}</math></p>")
