"""Bytes to text: marks, labels and what the bytes themselves say."""

# ruff: noqa: E501  # pages stand here as they came

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.content.charset import decode
from outrider.content.labels import encoding
from outrider.errors import DecodingFailed

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 6
JAPANESE = "これは日本語の文章です。文字コードを正しく判定できるかどうかを確かめます。" * 6
KOREAN = "다람쥐 헌 쳇바퀴에 타고파. 한국어 문장을 올바르게 읽는지 확인합니다. " * 6
CHINESE = "我们需要确认网页的文字编码能够被正确地识别出来，不会变成乱码。" * 6
FRENCH = "Dès Noël où un zéphyr haï me vêt de glaçons würmiens, je dîne d'exquis rôtis. " * 4


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF-8", "utf-8"),
        ("utf8", "utf-8"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("latin1", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("iso-8859-9", "windows-1254"),
        ("big5-hkscs", "big5"),
        ("'windows-1251'", "windows-1251"),
    ],
)
def test_a_label_names_the_encoding_that_browsers_use_for_it(label: str, name: str) -> None:
    found = encoding(label)

    assert found is not None
    assert name == found.name


@pytest.mark.parametrize(
    "label", ["utf-7", "idna", "hex", "rot_13", "zlib", "undefined", "no-such", "", "../../etc", "punycode", "base64"]
)
def test_what_is_no_text_encoding_of_the_web_is_never_used(label: str) -> None:
    assert encoding(label) is None
    assert "ok <b>" == decode(b"ok <b>", declared=label, markup="html").text


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "utf-16be"),
        (b"\xff\xfe\x00\x00", "utf-32-le", "utf-32le"),
    ],
)
def test_a_byte_order_mark_wins_over_every_label(mark: bytes, codec: str, name: str) -> None:
    found = decode(mark + FRENCH.encode(codec), declared="windows-1251", markup="html")

    assert (FRENCH, name) == (found.text, found.charset)


@pytest.mark.parametrize(
    ("text", "codec", "declared", "name"),
    [
        (RUSSIAN, "koi8-r", "koi8-r", "koi8-r"),
        (JAPANESE, "shift_jis", "Shift_JIS", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp", "euc-jp"),
        (CHINESE, "big5hkscs", None, "big5"),
        (CHINESE, "gbk", "gbk", "gb18030"),
        (KOREAN, "cp949", "euc-kr", "euc-kr"),
        (FRENCH, "cp1252", "iso-8859-1", "windows-1252"),
        (FRENCH, "utf-8", "utf-8", "utf-8"),
    ],
)
def test_the_header_is_believed_when_the_bytes_bear_it_out(
    text: str, codec: str, declared: str | None, name: str
) -> None:
    text = text if codec != "big5hkscs" else "這是一個用來確認網頁編碼的測試文件，內容必須夠長才能判斷。" * 8

    found = decode(text.encode(codec), declared=declared)

    assert (text, name) == (found.text, found.charset)


@pytest.mark.parametrize(
    ("text", "codec"), [(RUSSIAN, "cp1251"), (JAPANESE, "shift_jis"), (KOREAN, "euc_kr"), (CHINESE, "gb18030")]
)
def test_without_any_label_the_bytes_are_asked(text: str, codec: str) -> None:
    assert text == decode(text.encode(codec)).text


def test_a_label_inside_the_page_is_found_behind_comments_and_scripts() -> None:
    page = f"<html><!-- <meta charset=koi8-r> --><head><script>{'x' * 2000}</script><meta charset='windows-1251'></head>{RUSSIAN}"

    found = decode(page.encode("cp1251"), markup="html")

    assert ("windows-1251", True) == (found.charset, RUSSIAN in found.text)


def test_an_xml_declaration_names_the_encoding() -> None:
    found = decode(f'<?xml version="1.0" encoding="windows-1251"?><a>{RUSSIAN}</a>'.encode("cp1251"), markup="xml")

    assert RUSSIAN in found.text


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1251", "us-ascii", "utf-16"])
def test_a_wrong_header_does_not_destroy_a_page_that_is_utf_8(declared: str) -> None:
    page = f"<meta charset=utf-8><p>{FRENCH}{JAPANESE}</p>"

    assert FRENCH + JAPANESE in decode(page.encode(), declared=declared, markup="html").text


@pytest.mark.parametrize(
    ("text", "codec", "label"), [(RUSSIAN, "cp1251", "windows-1251"), (JAPANESE, "shift_jis", "shift_jis")]
)
def test_a_default_header_does_not_destroy_a_page_that_names_its_encoding(text: str, codec: str, label: str) -> None:
    page = f"<meta charset={label}><p>{text}</p>"

    assert text in decode(page.encode(codec), declared="iso-8859-1", markup="html").text


def test_a_header_that_says_utf_8_over_other_bytes_gives_way_to_the_page() -> None:
    page = f"<meta charset=windows-1251><p>{RUSSIAN}</p>"

    assert RUSSIAN in decode(page.encode("cp1251"), declared="utf-8", markup="html").text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_zeros(codec: str) -> None:
    assert "Plain words, two bytes each." == decode("Plain words, two bytes each.".encode(codec), declared="utf-8").text


def test_utf_8_that_was_cut_in_a_character_stays_utf_8_with_a_warning() -> None:
    found = decode((JAPANESE * 3).encode()[:-1], declared="utf-8")

    assert "utf-8" == found.charset
    assert found.text.startswith(JAPANESE)
    assert found.warnings


def test_a_page_with_passages_in_another_encoding_stays_utf_8_with_a_warning() -> None:
    found = decode(FRENCH.encode() * 9 + FRENCH.encode("cp1252"), declared="utf-8")

    assert ("utf-8", True) == (found.charset, FRENCH in found.text)
    assert found.warnings


def test_zeros_in_a_text_are_left_out() -> None:
    assert "ab" == decode(b"a\0b", declared="utf-8").text


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DecodingFailed):
        decode(b"\xff\xfe" + b"\x00\xd8" * 100)


@given(
    st.binary(max_size=300),
    st.sampled_from([None, "utf-8", "gbk", "utf-7", "utf-16", "shift_jis", "hz-gb-2312", "iso-2022-jp"]),
)
def test_any_bytes_are_read_or_refused_in_one_way(body: bytes, declared: str | None) -> None:
    try:
        found = decode(body, declared=declared, markup="html")
    except DecodingFailed:
        return
    assert "\0" not in found.text
    assert found.charset == found.charset.lower()


@given(st.text(max_size=200))
def test_utf_8_with_its_header_is_read_back_exactly(text: str) -> None:
    body = text.encode("utf-8", "ignore")
    kept = body.decode("utf-8").replace("\0", "").removeprefix("\ufeff")

    if b"\0" not in body:
        assert kept == decode(body, declared="utf-8").text
