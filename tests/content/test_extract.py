"""The main content of pages of every kind is found, and what stands around it is left out."""

from __future__ import annotations

import pytest

from outrider.content import clean, dom, extract
from outrider.content.converter import convert

NAV = (
    '<header class="site-header"><a class="logo" href="/">Fernleaf</a><nav class="main-nav"><ul>'
    '<li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li><li><a href="/news">News</a></li>'
    '<li><a href="/about">About us</a></li><li><a href="/login">Log in</a></li></ul></nav></header>'
)
FOOTER = (
    '<footer class="site-footer"><p>© 2026 Fernleaf. All rights reserved.</p><ul><li><a '
    'href="/privacy">Privacy policy</a>'
    '</li><li><a href="/terms">Terms of use</a></li></ul><form class="newsletter"><p>Subscribe to our '
    "newsletter</p></form>"
    "</footer>"
)
SENTENCES = (
    "The mill at the lower weir was built when the river still carried salt, and its wheel turned for ninety years.",
    "Nobody knows who cut the second channel, but the parish paid for it twice, once in coin and once in grain.",
    "When the railway came the miller sold his horses, and in a decade the stones were taken up for a garden wall.",
    "What stands today is the shell of the drying house, a sluice that sticks, and a sign that gets the date wrong.",
)
PROSE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def page(body: str, *, head: str = "", title: str = "The mill at the lower weir") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body>{NAV}{body}{FOOTER}</body></html>"
    )


def read(html: str, *, url: str = "https://fernleaf.test/a/page") -> str:
    """The text that a choice leaves."""
    tree = dom.parse(html)
    clean.clean(tree)
    choice = extract.choose(tree, url=url)
    if choice is None:
        return ""
    found = []
    for root in choice.roots:
        key = root.key
        while key < root.end:
            if key in choice.drop or tree.skip[key]:
                key = tree.ends[key]
                continue
            found.append(tree.text(key))
            key += 1
    return " ".join(" ".join(found).split())


ARTICLE = page(
    f'<main><article class="post"><h1>The mill at the lower weir</h1>{PROSE}<h2>After the fire</h2>{PROSE}</article>'
    '<aside class="sidebar related-posts"><h3>Related posts</h3><ul><li><a href="/b">Ten bridges worth a '
    "detour</a></li>"
    '<li><a href="/c">A short history of hedges</a></li></ul></aside></main>',
    head='<meta property="og:type" content="article">',
)
MANUAL = page(
    '<div class="docs-layout"><aside class="sidebar toc"><ul><li><a href="#i">Install</a></li><li><a '
    'href="#u">Usage</a></li>'
    '<li><a href="/api">API reference</a></li></ul></aside><main class="content markdown"><h1>Configuration</h1>'
    "<p>The server reads its settings from a file in the working directory, and from the environment.</p>"
    "<h2>Options</h2><table><thead><tr><th>Name<th>Meaning</thead><tr><td><code>port</code><td>Where the "
    "server listens."
    "<tr><td><code>root</code><td>The folder that is served to everyone.</table>"
    "<pre><code>serve --port 8080 --root ./public</code></pre>"
    "<p>Values in the environment win over values in the file, so that a container can be started with other settings."
    "</p></main></div>",
    title="Configuration - Server manual",
)
THREAD = page(
    '<div class="thread"><h1 class="thread-title">Which saw for green oak?</h1>'
    + "".join(
        f'<div class="post message"><div class="user-info"><a href="/u/{name}">{name}</a> <span>Posts: '
        f"{number}</span></div>"
        f'<div class="post-body message-body"><p>{text}</p></div></div>'
        for name, number, text in (
            (
                "ash",
                12,
                "I have to cut a dozen green oak posts and wonder whether a bow saw will do the work without binding.",
            ),
            (
                "birch",
                904,
                "A bow saw binds in wet wood. I would take a frame saw with a coarse blade and wax it often.",
            ),
            (
                "cedar",
                33,
                "Agreed with the frame saw, and let the posts rest on two trestles so that the kerf stays open.",
            ),
        )
    )
    + "</div>",
    title="Which saw for green oak? - Woodworking forum",
)
SHOP = page(
    '<main class="product"><h1 class="product-title">Linen apron</h1><p class="price">$42.00</p>'
    '<div class="product-description"><p>A long apron of washed linen with two deep pockets and straps '
    "that cross at the back, "
    "made to be worn every day and to soften with each wash.</p><ul><li>100 % linen, 240 g per square metre</li>"
    "<li>Machine wash at 40 degrees</li></ul></div></main>"
    '<section class="recommendations"><h2>You may also like</h2><a href="/p/1">Tea towel</a> <a '
    'href="/p/2">Oven glove</a>'
    "</section>",
    head='<meta property="og:type" content="product"><script type="application/ld+json">{"@type": "Product"}</script>',
    title="Linen apron",
)


def test_an_article_is_read_whole_and_alone() -> None:
    text = read(ARTICLE)

    assert all(text.count(sentence) == 2 for sentence in SENTENCES)
    assert "After the fire" in text
    assert not [word for word in ("Privacy policy", "Log in", "Ten bridges", "All rights reserved") if word in text]


def test_documentation_keeps_tables_and_code() -> None:
    text = read(MANUAL, url="https://docs.fernleaf.test/guide/configuration")

    for part in ("reads its settings", "Where the server listens.", "serve --port 8080", "win over values in the file"):
        assert part in text
    assert "Privacy policy" not in text


def test_a_thread_keeps_every_answer() -> None:
    text = read(THREAD, url="https://forum.fernleaf.test/threads/which-saw.123/")

    for part in ("a dozen green oak posts", "coarse blade", "two trestles"):
        assert part in text
    assert "Privacy policy" not in text


def test_a_product_keeps_its_description() -> None:
    text = read(SHOP, url="https://fernleaf.test/products/linen-apron")

    assert "washed linen with two deep pockets" in text
    assert "Privacy policy" not in text


def test_the_cards_of_a_list_are_kept() -> None:
    cards = "".join(
        f'<li class="card product-card"><a href="/p/{number}"><h3>Enamel pot number {number}</h3></a>'
        f'<span class="price">${number}9.00</span></li>'
        for number in range(1, 25)
    )

    text = read(
        page(
            f'<main><h1>Pots</h1><p>Pots for every stove.</p><ul class="product-grid">{cards}</ul></main>', title="Pots"
        ),
        url="https://fernleaf.test/collections/pots",
    )

    assert [number for number in range(1, 25) if f"Enamel pot number {number}" not in text] == []


@pytest.mark.parametrize("html", ["", "<p>", "<html><head><title>x</title></head></html>", "<script>x</script>"])
def test_a_page_without_text_has_no_choice(html: str) -> None:
    tree = dom.parse(html)
    clean.clean(tree)

    assert extract.choose(tree, url="") is None


@pytest.mark.parametrize("html", ["<p>One line.", "text", "<table><tr><td>1", "<a href=x>link</a>"])
def test_the_little_that_there_is_is_read(html: str) -> None:
    assert read(html)


def test_the_same_page_gives_the_same_choice() -> None:
    choices = []
    for _ in range(2):
        tree = dom.parse(ARTICLE)
        choice = extract.choose(tree, url="https://fernleaf.test/a")
        assert choice is not None
        choices.append(([root.key for root in choice.roots], choice.drop, choice.method))

    assert choices[0] == choices[1]


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "deep",
        "<div>x" * 3_000,
        "<p>" + "word " * 200_000,
        "<a href=x>link</a> " * 20_000,
        "<p>x</p>" * 20_000,
        "<table>" * 3_000 + "<td>x",
        "".join(f"<div id=i{number} class='a{number} b'>x</div>" for number in range(5_000)),
        "<p class='" + "a " * 200_000 + "'>x",
    ],
    ids=["deep", "deep with text", "one line", "links", "pieces", "tables", "names", "classes"],
)
def test_hostile_pages_are_read(html: str) -> None:
    assert read(html)


def test_a_long_run_of_equal_paragraphs_has_no_ragged_end() -> None:
    page = "".join(f"<p>{'word ' * 40}{number}</p>" for number in range(600))

    document = convert(page.encode(), url="https://site.test/", content_type="text/html")

    assert document.markdown.startswith("word")
    assert document.markdown.rstrip().endswith(" 599")


MENUS = "".join(
    f'<ul class="footer-links"><li><a href="/{group}">{group}</a></li>'
    + "".join(f'<li><a href="/{group}/{n}">{group} help {n}</a></li>' for n in range(9))
    + "</ul>"
    for group in ("Stores", "Careers", "Returns", "Privacy")
)


def test_a_page_with_nothing_but_menus_waits_for_its_scripts() -> None:
    html = page(f'<div id="content"></div><nav>{MENUS}</nav><script src="/app.js"></script>')

    document = convert(html.encode(), url="https://fernleaf.test/c/boots", content_type="text/html")

    assert ("", True, "shell") == (document.markdown, document.needs_javascript, document.method)
    assert "Returns help 3" in convert(html.encode(), url="", content_type="text/html", whole=True).markdown


def test_a_page_with_nothing_but_menus_and_no_scripts_needs_none() -> None:
    document = convert(page(f"<nav>{MENUS}</nav>").encode(), url="https://fernleaf.test/", content_type="text/html")

    assert ("", False, "shell") == (document.markdown, document.needs_javascript, document.method)


def test_a_page_of_links_is_what_it_says() -> None:
    html = page(f"<main><h1>All our pages</h1><p>Everything on this site, by subject.</p>{MENUS}</main>")

    assert (
        "Returns help 3" in convert(html.encode(), url="https://fernleaf.test/map", content_type="text/html").markdown
    )


def test_a_page_without_a_link_is_all_content() -> None:
    html = "<article>" + "<p>The same words, said three times over.</p>" * 3 + "<div>" * 50 + "END</article>"

    text = convert(html.encode(), url="https://fernleaf.test/", content_type="text/html").text

    assert text.count("said three times over") == 3
    assert "END" in text
