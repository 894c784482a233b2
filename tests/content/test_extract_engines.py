"""What engines put into their content is named; what only bears such a name is not."""

from __future__ import annotations

import pytest

from outrider.content import dom, engines


def noise(html: str) -> list[str]:
    tree = dom.parse(html)
    return [tree.inner_text(key) for key in sorted(engines.noise(tree))]


TEXT = "<p>" + "Some text that a reader came for. " * 10 + "</p>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            f'<div class="mw-parser-output"><h2>Use<span class="mw-editsection">[edit]</span></h2>{TEXT * 9}</div>',
            ["[edit]"],
        ),
        (f'<main class="rst-content"><h1>Use<a class="headerlink">¶</a></h1>{TEXT * 9}</main>', ["¶"]),
        (f'<div class="vp-doc"><h1>Use<a class="header-anchor">#</a></h1>{TEXT * 9}</div>', ["#"]),
        (
            f'<div class="message-body">{TEXT * 9}<a class="bbCodeBlock-expandLink">Click to expand...</a></div>',
            ["Click to expand..."],
        ),
        (f'<div class="s-prose">{TEXT * 9}</div><div class="js-post-menu">Share Improve</div>', ["Share Improve"]),
    ],
)
def test_marks_and_buttons_of_engines_never_read(html: str, expected: list[str]) -> None:
    assert noise(html) == expected


def test_the_same_name_on_a_page_of_no_engine_says_nothing() -> None:
    assert noise(f'<main>{TEXT * 9}<p class="signature">A signature is a mark.</p></main>') == []


def test_most_of_a_page_is_never_noise() -> None:
    assert noise(f'<div class="postbody"><div class="signature">{TEXT * 9}</div></div>') == []
