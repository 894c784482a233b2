"""What was stored is found again: by words, phrases, in scripts with and without spaces, with the place shown."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.store.backend import open_store
from outrider.store.pages import PageStore
from outrider.store.snippet import snippet
from outrider.store.words import terms, words
from outrider.types import Document, Page, Scope

HERE = Scope()
TEXTS = {
    "geology": "Quartz is a hard mineral. Granite holds quartz and feldspar.",
    "café": "Das Café öffnet um acht. Naïve résumé.",
    "中文": "全文检索引擎支持中文。北京大学在北京。",
    "日本語": "東京タワーは日本の首都にあります。ひらがなとカタカナ。",
    "한국어": "서울에서 검색엔진을 만들었습니다.",
    "ไทย": "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "mixed": "Python入門書を読む。C++ and snake_case, version 3.11.",
}


@pytest.fixture
async def store() -> AsyncIterator[PageStore]:
    opened = PageStore(lambda: open_store(records="sqlite://memory", blobs="memory://blobs"))
    for title, text in TEXTS.items():
        await opened.save(HERE, page(title, text))
    yield opened
    await opened.aclose()


def page(title: str, text: str) -> Page:
    document = Document(markdown=text, title=title)
    url = "https://example.com/" + title.encode().hex()
    return Page(url=url, final_url=url, status=200, content_type="text/html", document=document, body_bytes=1)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("quartz", "geology"),
        ("QUARTZ feldspar", "geology"),
        ('"hard mineral"', "geology"),
        ("quartz unheardof", "geology"),
        ("cafe", "café"),
        ("resume", "café"),
        ("检索", "中文"),
        ("全文检索引擎", "中文"),
        ("北", "中文"),
        ("首", "日本語"),
        ("タワー", "日本語"),
        ("검색", "한국어"),
        ("ช่องว่าง", "ไทย"),
        ("入門", "mixed"),
        ("Python入門書", "mixed"),
        ('"Python入門書を読む"', "mixed"),
        ("snake_case", "mixed"),
        ('"version 3.11"', "mixed"),
        ("ｐｙｔｈｏｎ", "mixed"),
        ("日本語", "日本語"),
    ],
)
async def test_a_question_finds_its_page(store: PageStore, question: str, title: str) -> None:
    assert title == (await store.search(HERE, question))[0].stored.title


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        "京北",
        "___",
        '"',
        '""',
        "scope1",
        "unheardof NEAR unread NOT",
        '"mineral hard"',
        "a" * 5_000,
        "(((",
        "{title}:",
    ],
)
async def test_what_stands_nowhere_is_not_found(store: PageStore, question: str) -> None:
    assert [] == await store.search(HERE, question)


async def test_a_match_in_the_title_counts_for_more(store: PageStore) -> None:
    await store.save(HERE, page("Zebra", "Striped horses and nothing else of interest here."))
    await store.save(HERE, page("Savannah", "A zebra, a lion and a giraffe met there at the water."))
    assert ["Zebra", "Savannah"] == [match.stored.title for match in await store.search(HERE, "zebra")]


async def test_more_pages_than_can_be_ranked_still_give_results(store: PageStore) -> None:
    count = 520
    for number in range(count):
        title = "common" if number == 7 else f"n{number}"
        await store.save(HERE, page(title, f"common number {number}"))
    found = [match.stored.title for match in await store.search(HERE, "common", limit=4)]
    # Those with the word in their title, then the newest.
    assert ["common", f"n{count - 1}", f"n{count - 2}", f"n{count - 3}"] == found


def test_a_snippet_shows_the_best_place_with_its_words_marked() -> None:
    text = "quartz " + "filler " * 300 + "Granite holds quartz and feldspar in plenty. " + "filler " * 300
    best = snippet(text, "feldspar quartz", chars=100)
    assert "**quartz** and **feldspar**" in best
    assert best.startswith("… ")
    assert best.endswith(" …")


def test_a_snippet_without_the_words_is_the_beginning() -> None:
    assert "Hello there" == snippet("Hello\n\nthere", "quartz")


@given(st.text(), st.text(max_size=50), st.integers(20, 400))
def test_a_snippet_is_bounded_and_on_one_line(text: str, question: str, chars: int) -> None:
    best = snippet(text, question, chars=chars)
    assert "\n" not in best
    assert len(best.replace("*", "")) <= chars + 4


@given(st.text())
def test_any_question_makes_an_expression_without_syntax_of_its_own(question: str) -> None:
    for term in terms(question):
        assert term.startswith('"')
        assert 2 == term.count('"')


@given(st.text(alphabet="北京大学東西南", min_size=1, max_size=12), st.data())
def test_every_part_of_an_unspaced_run_is_found(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    (term,) = terms(run[start:end])
    held = words(run).split()
    wanted = term.strip('" *').split()
    if term.endswith("*"):
        assert any(word.startswith(wanted[0]) for word in held)
    else:
        assert any(wanted == held[at : at + len(wanted)] for at in range(len(held)))
