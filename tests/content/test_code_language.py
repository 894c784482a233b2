"""The language of a block of code, in the many ways in which pages name it."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert


def whole(html: str) -> str:
    return convert(
        html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True
    ).markdown


def language(html: str) -> str:
    """What stands after the first fence."""
    return whole(html).partition("```")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # Wikis.
        ("<div class='mw-highlight mw-highlight-lang-sql mw-content-ltr' dir=ltr><pre>x</pre></div>", "sql"),
        ("<div class='mw-geshi mw-code'><div class='php source-php'><pre class=de1>x</pre></div></div>", "php"),
        ("<dl class=file><dt>a<dd><pre class='code file python'>x</pre></dl>", "python"),
        # Repositories.
        ("<div class='highlight highlight-source-ts notranslate'><pre class=notranslate>x</pre></div>", "ts"),
        ("<div class='highlight highlight-source-css-scss'><pre>x</pre></div>", "scss"),
        ("<div class='highlight highlight-text-html-basic'><pre>x</pre></div>", "html"),
        ("<pre class='code highlight js-syntax-highlight language-go' lang=go><code>x</code></pre>", "go"),
        ("<div class='codehilite language-lua'><pre><code>x</code></pre></div>", "lua"),
        # Documentation.
        ("<div class='highlight-shell-session notranslate'><div class=highlight><pre>x</pre></div></div>", "shell-session"),
        ("<div class='highlight-pycon+sql notranslate'><div class=highlight><pre>x</pre></div></div>", "pycon+sql"),
        ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>", ""),
        ("<pre class='rust rust-example-rendered'><code>x</code></pre>", "rust"),
        ("<div class=snippet-container><button>Copy</button><pre class=snippet><code class=language-java>x</code></pre></div>", "java"),
        ("<pre class='makeup elixir'><code>x</code></pre>", "elixir"),
        ("<div class='language-ts vp-adaptive-theme'><span class=lang>ts</span><pre class='shiki'><code>x</code></pre></div>", "ts"),
        ("<pre class='astro-code github-dark' data-language=ts><code><span class=line>x</span></code></pre>", "ts"),
        ("<devsite-code><pre translate=no dir=ltr syntax=Python>x</pre></devsite-code>", "python"),
        ("<div class=code-listing data-syntax=swift><pre>x</pre></div>", "swift"),
        ("<pre language=bash><code>x</code></pre>", "bash"),
        # Blogs and forums.
        ("<pre class=EnlighterJSRAW data-enlighter-language=python>x</pre>", "python"),
        ("<pre class=syntaxhighlighter-pre data-syntaxhighlighter-params='brush: java; gutter: false'>x</pre>", "java"),
        ("<pre class='lang:php decode:true'>x</pre>", "php"),
        ("<pre data-code-wrap=yaml><code class=lang-auto>x</code></pre>", "yaml"),
        ("<pre data-code-block-lang=kotlin><span>x</span></pre>", "kotlin"),
        ("<figure class='highlight python'><table><tbody><tr><td class=code><pre><span class=line>x</span></pre></table></figure>", "python"),
        ("<pre lang='C#'>x</pre>", "c#"),
        # Editors in a page.
        ("<pre class='CodeMirror cm-s-default' data-mode='text/x-python'>x</pre>", "python"),
        ("<pre data-mode-id=rust>x</pre>", "rust"),
        ("<div class='highlight hl-ipython3'><pre>x</pre></div>", "ipython3"),
        # What begins with the code names it, however deep it lies.
        ("<pre><pre class='prism-code language-graphql'>x</pre></pre>", "graphql"),
        ("<pre><div><div><code class=language-zig>x</code></div></div></pre>", "zig"),
        ("<pre><code><code class=language-zig>x</code></code></pre>", "zig"),
    ],
)  # fmt: skip
def test_a_language_is_read_from_classes_and_attributes(html: str, expected: str) -> None:
    assert expected == language(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div class=code-title>settings.py</div><pre>x</pre>", "python"),
        ("<div class=code><div class=header>src/my_buckets.tf</div><div class=body><pre>x</pre></div></div>", "hcl"),
        ("<figure><figcaption>Dockerfile</figcaption><pre>x</pre></figure>", "dockerfile"),
        ("<figure><figcaption><span class=title>pages/[slug].tsx</span></figcaption><pre>x</pre></figure>", "tsx"),
        ("<div class=codeHeader><span class=language>C#</span><button>Copy</button></div><pre>x</pre>", "csharp"),
        ("<div class=bbCodeBlock><div class=bbCodeBlock-title>C++:</div><div><pre>x</pre></div></div>", "c++"),
        ("<span class=filename>main.go</span><pre>x</pre>", "go"),
        # A caption of something else, and words that are no caption.
        ("<div class=title>Installation</div><pre>x</pre>", ""),
        ("<p>Python</p><pre>x</pre>", ""),
        ("<div class=filename>main.go</div><p>Then this is written:</p><pre>x</pre>", ""),
        ("<div class=title>notes.txt</div><pre>x</pre>", ""),
    ],
)
def test_a_caption_right_before_the_code_names_it(html: str, expected: str) -> None:
    assert expected == language(html)


def test_tabs_name_what_their_panels_hold() -> None:
    html = (
        "<ul role=tablist><li role=tab>Python</li><li role=tab>Node.js</li><li role=tab>Other</li></ul><div>"
        "<div role=tabpanel><pre>a = 1</pre></div><div role=tabpanel hidden><pre>let b</pre></div>"
        "<div role=tabpanel hidden><pre>c</pre></div></div>"
    )

    written = whole(html)

    assert "```python\na = 1\n```" in written
    assert "```javascript\nlet b\n```" in written
    assert "```\nc\n```" in written


@pytest.mark.parametrize(
    "html",
    [
        "<pre class=shiki><div class=language-id>ts</div><div><code>let x\nlet y</code></div></pre>",
        "<pre><div class=sticky><div>TS</div><button>Run</button></div><div><span>let x</span><br><span>let y</span></div></pre>",
        "<pre><code class='hljs language-ts'><div class=code__header><span>ts</span><button></button></div><div>let x\nlet y</div></code></pre>",
    ],
)
def test_a_label_within_the_block_is_no_code(html: str) -> None:
    assert whole(html) == "```ts\nlet x\nlet y\n```"


@pytest.mark.parametrize(
    "html",
    [
        "<pre><div>make</div><div>make install</div></pre>",
        "<pre><span>make</span>\nmake install</pre>",
        "<pre><code><span class='hljs-title'>make</span>\nmake install</code></pre>",
    ],
)
def test_a_first_word_that_is_also_a_language_stays_in_the_code(html: str) -> None:
    assert "```\nmake\nmake install\n```" == whole(html)


@pytest.mark.parametrize(
    "html",
    [
        "<div class='mw-parser-output' lang=en><pre>x</pre></div>",
        "<pre lang=en-US>x</pre>",
        "<div data-lang=de><pre>x</pre></div>",
        "<div class='lang-ja'><pre>x</pre></div>",
        "<html lang=cs><body><pre lang=cs>x</pre>",
        "<html lang=pl-PL><body><div class=lang-pl><pre>x</pre></div>",
        "<pre><code class='language-*'>x</code></pre>",
        "<pre><code class='lang-auto'>x</code></pre>",
        "<div class='language-switcher'><pre>x</pre></div>",
        "<div data-show-lang=1><pre>x</pre></div>",
        "<div class='basic template'><pre class=template>x</pre></div>",
    ],
)
def test_what_is_no_programming_language_is_not_named(html: str) -> None:
    assert language(html) == ""


def test_what_speaks_a_human_language_may_still_name_code() -> None:
    assert "cs" == language("<html lang=en><body><pre lang=cs>x</pre>")


@pytest.mark.parametrize("word", ["aa", ";", "my-own"])
def test_any_word_that_stood_behind_a_fence_stands_there_again(word: str) -> None:
    assert word == language(f'<pre><code class="language-{word}">x\n</code></pre>')
