"""Code: its exact text, its language, and what stands beside it on the page."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert


def whole(html: str) -> str:
    return convert(
        html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True
    ).markdown


def fenced(code: str, language: str = "") -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<pre><code class='language-python'>x = 1</code></pre>", "python"),
        ("<pre><code class='lang-js hljs'>x = 1</code></pre>", "js"),
        ("<pre class='brush: php; gutter: true'>x = 1</pre>", "php"),
        ("<pre class='brush:sql'>x = 1</pre>", "sql"),
        (
            "<div class='highlight-python3 notranslate'><div class=highlight><pre><span></span>x = 1</pre></div></div>",
            "python3",
        ),
        ("<div class='highlight highlight-source-shell'><pre>x = 1</pre></div>", "shell"),
        (
            "<div class='language-go highlighter-rouge'><div class=highlight><pre class=highlight><code>x = 1</code></pre></div></div>",
            "go",
        ),
        ("<pre class='prettyprint lang-java'>x = 1</pre>", "java"),
        ("<pre class='sourceCode haskell'><code class='sourceCode haskell'>x = 1</code></pre>", "haskell"),
        ("<pre><code class='hljs rust'>x = 1</code></pre>", "rust"),
        ("<pre data-lang=toml>x = 1</pre>", "toml"),
        ("<div data-language=ruby><pre><code>x = 1</code></pre></div>", "ruby"),
        ("<pre lang=c>x = 1</pre>", "c"),
        (
            "<div class=chroma><pre class=chroma><code class=language-yaml data-lang=yaml>x = 1</code></pre></div>",
            "yaml",
        ),
        ("<pre class='shiki github-dark' ><code class='language-c++'>x = 1</code></pre>", "c++"),
        (
            "<pre class='EnlighterJSRAW' data-enlighter-language=csharp><code class=language-csharp>x = 1</code></pre>",
            "csharp",
        ),
        ("<pre lang=en>x = 1</pre>", ""),
        ("<pre><code class='language-none'>x = 1</code></pre>", ""),
        ("<div class=highlight><pre>x = 1</pre></div>", ""),
        ("<pre>x = 1</pre>", ""),
    ],
)
def test_the_language_is_read_in_every_common_way_of_naming_it(html: str, language: str) -> None:
    assert fenced("x = 1", language) == whole(html)


def test_indentation_is_kept_to_the_byte() -> None:
    code = "func main() {\n\tif x {\n\t\tgo()   // why\n\t}\n\n    two()\n}"

    assert fenced(code) == whole(f"<pre><code>{code}\n</code></pre>")


def test_a_fence_is_longer_than_any_in_the_code() -> None:
    assert "````\n```\na\n```\n````" == whole("<pre>```\na\n```</pre>")


@pytest.mark.parametrize(
    "html",
    [
        # Numbers in a column of their own.
        "<div class=highlight><table><tr><td class=gutter><pre>1\n2\n3</pre><td class=code><pre><code class=ruby>def x\n  1\nend</code></pre></table></div>",
        "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2\n3</pre></div><td class=code><div><pre class=ruby>def x\n  1\nend</pre></div></table>",
        "<table class=rouge-table><tr><td class='gutter gl'><pre class=lineno>1\n2\n3\n</pre><td class=code><pre class=ruby>def x\n  1\nend\n</pre></table>",
        # A table row for each line.
        ("<table class='hljs-ln ruby'><tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=1><td class=hljs-ln-code>def x"
        "<tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=2><td class=hljs-ln-code>  1"
        "<tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=3><td class=hljs-ln-code>end</table>"),
        # Numbers inside the lines.
        "<pre><code class=language-ruby><span class=lineno>1</span>def x\n<span class=lineno>2</span>  1\n<span class=lineno>3</span>end</code></pre>",
        "<pre class='chroma ruby'><span class=lnt>1\n</span><span class=ln>2</span>def x\n  1\nend</pre>".replace("<span class=lnt>1\n</span><span class=ln>2</span>", "<span class=lnt>1</span>"),
        # A block for each line.
        "<pre class='prism-code language-ruby'><code><span class=token-line>def x<br></span><span class=token-line>  1<br></span><span class=token-line>end<br></span></code></pre>",
        "<pre class=language-ruby><div>def x</div><div>  1</div><div>end</div></pre>",
        "<pre class=ruby><code>def x</code><code>  1</code><code>end</code></pre>",
        # Buttons and captions.
        "<pre><button class=copy>Copy</button><code class=language-ruby>def x\n  1\nend</code><div class='copy-button'>Copy code</div></pre>",
    ],
)  # fmt: skip
def test_line_numbers_and_buttons_are_not_code(html: str) -> None:
    written = whole(html)

    assert "def x\n  1\nend" in written
    assert 2 == written.count("```")
    assert "Copy" not in written
    assert not any(digit in written.replace("  1", "") for digit in "123")


def test_all_parts_of_a_sample_are_kept_in_order() -> None:
    html = (
        "<pre><code><span class=k>def</span> <span aria-hidden=true>f</span>(<span class='collapsed'>a</span>):\n"
        "    <span class=x aria-hidden=true>return a</span></code></pre>"
    )

    assert fenced("def f(a):\n    return a") == whole(html)


def test_a_highlighted_element_without_pre_is_a_block_when_it_has_lines() -> None:
    assert fenced("a\n  b", "js") == whole("<div><code class='hljs language-js'>a\n  b</code></div>")
    assert "`a`" == whole("<p><code class='language-js'>a</code></p>")


def test_the_language_of_code_beside_line_numbers_is_that_of_the_code() -> None:
    html = (
        "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td>"
        "<td class=code><pre><code class=language-go>a\nb</code></pre></td></tr></table>"
    )

    assert whole(html) == "```go\na\nb\n```"


@pytest.mark.parametrize(
    "html",
    [
        # Numbers that only their place tells.
        "<pre><div><div><style>.n{}</style><span class=css-1>1</span><div>import os\n</div></div><div><span class=css-1>2</span><div>  go()\n</div></div></div></pre>",
        # Numbers that cannot be selected.
        "<pre><code><span style='display:flex'><span style='-webkit-user-select:none;user-select:none'> 1</span><span>import os\n</span></span><span style='display:flex'><span style='user-select: none'> 2</span><span>  go()\n</span></span></code></pre>",
    ],
)
def test_numbers_that_no_name_marks_are_not_code_either(html: str) -> None:
    assert fenced("import os\n  go()") == whole(html)


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<pre><div><span>1</span> <i>a</i></div><div><span>2</span> <i>b</i></div></pre>", "1 a\n2 b"),
        ("<pre><div><b>1</b>st</div><div><b>3</b>rd</div></pre>", "1st\n3rd"),
        ("<pre><div><b>1</b>st</div><div>x</div><div><b>2</b>nd</div></pre>", "1st\nx\n2nd"),
        ("<pre><div><b>7</b>x</div></pre>", "7x"),
        ("<pre><span style='user-select:none'>$ </span>ls</pre>", "$ ls"),
    ],
)
def test_numbers_that_are_code_are_kept(html: str, code: str) -> None:
    assert fenced(code) == whole(html)


@pytest.mark.parametrize(
    "html",
    [
        "<code class='highlight-wrap language-ts'>\n\t\t\t<pre><code>let x\n  let y</code></pre>\n\t\t</code>",
        "<figure class='highlight ts'><table><tr>\n  <td class=gutter><pre>1<br>2<br></pre></td>\n  <td class=code><pre>let x<br>  let y<br></pre></td>\n</tr></table></figure>",
    ],
)
def test_white_space_around_what_holds_the_code_is_not_code(html: str) -> None:
    assert fenced("let x\n  let y", "ts") == whole(html)
