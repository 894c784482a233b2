"""Text that waits to be opened is read, whatever the classes say; what opens over the page is not."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest

from outrider.content.converter import convert
from outrider.types import Document

ANSWER = "Two days for parcels, and five for anything on a pallet."
PANEL = f"<div class='css-1a'><p>{ANSWER}</p><p>Ask us for the rest.</p></div>"
SHEET = "<style>.css-1a{height:0;overflow:hidden}.css-2b{visibility:hidden;opacity:0}</style>"


def page(body: str, head: str = "") -> Document:
    html = f"<html><head><title>Delivery</title>{head}</head><body><main><h1>Delivery</h1>{body}</main></body></html>"
    return convert(html.encode(), url="https://example.com/", content_type="text/html; charset=utf-8", whole=True)


@pytest.mark.parametrize(
    "body",
    [
        f"<div role=button aria-expanded=false>How long?</div>{PANEL}",
        f"<div><h3><button aria-expanded=false>How long?</button></h3></div>{PANEL}",
        f"<div role=button>How long?</div><style>.x{{}}</style> {PANEL}",
        f"<button>How long?</button>{PANEL}",
        f"<button class=t>More</button><div class=read-more style='display:none'>{ANSWER}</div>",
        f"<div class=swiper-slide>One</div><div class=swiper-slide style='opacity:0'>{ANSWER}</div>",
        f"<div class='item slide on'>One</div><div class='item slide' style='display:none'>{ANSWER}</div>",
        f"<div role=button aria-expanded=false>How long?</div><div class='css-1a'><div class='css-2b'><p>{ANSWER}</p></div></div>",
        f"<details><summary>How long?</summary><div aria-hidden=true>{ANSWER}</div></details>",
        f"<div class=pane><p>Here.</p><p>There.</p></div><div class=pane style='display:none'><p>{ANSWER}</p><p>More.</p></div>",
    ],
)
def test_what_waits_behind_something_to_press_is_read(body: str) -> None:
    document = page(body, SHEET)

    assert ANSWER in document.markdown
    assert document.hidden_chars == 0


@pytest.mark.parametrize(
    "body",
    [
        f"<button>Share</button><div style='display:none'>{ANSWER}</div>",
        f"<button aria-expanded=false>Menu</button><ul class=menu style='display:none'><li>{ANSWER}</li></ul>",
        f"<div role=button>Basket</div><div role=dialog style='display:none'><p>{ANSWER}</p></div>",
        f"<nav><button aria-expanded=false>All</button><div style='display:none'><p>{ANSWER}</p></div></nav>",
        f"<div role=button aria-expanded=false>More</div><p style='position:absolute;left:-9999px'>{ANSWER}</p>",
        f"<div role=button aria-expanded=false>More</div><p style='font-size:0'>{ANSWER}</p>",
        f"<div><button aria-expanded=false>One</button><p>Open.</p><p>Text.</p></div><p style='display:none'>{ANSWER}</p>",
        f"<div class=slide style='display:none'>One</div><div class=slide style='display:none'>{ANSWER}</div>",
        f"<p class=intro>Hello.</p><p class=intro style='display:none'>{ANSWER}</p>",
        f"<div role=button aria-expanded=false>More</div>and then<p style='display:none'>{ANSWER}</p>",
    ],
)
def test_what_stands_beside_something_to_press_by_chance_stays_hidden(body: str) -> None:
    document = page(body, SHEET)

    assert ANSWER not in document.markdown
    assert document.hidden_chars >= len(ANSWER)


def test_a_card_that_is_a_button_as_a_whole_is_read() -> None:
    document = page(
        "<button class=c><p>“They mended it twice.”</p><p>Ada, captain</p></button><button>Send it</button>"
    )

    assert "They mended it twice" in document.markdown
    assert "Send it" not in document.markdown


def test_a_page_that_fades_its_parts_in_is_read() -> None:
    part = f"<div style='opacity:0'><h2>Parcels</h2><p>{ANSWER}</p></div>"

    assert ANSWER in page(f"<div data-w-id='9'>Boats</div>{part}").markdown
    assert ANSWER not in page(part).markdown
    assert ANSWER not in page(f"<div data-w-id='9'>Boats</div><p style='opacity:0'>{ANSWER}</p>").markdown


def test_the_name_of_a_consent_tool_within_another_word_is_no_cookie_wall() -> None:
    assert ANSWER in page(f"<div id='Trusted-By-Parents'><p>{ANSWER}</p></div>").markdown
