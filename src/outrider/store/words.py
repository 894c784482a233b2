"""Text as words for the full-text index, and questions as expressions over them. Pure."""

from __future__ import annotations

import re
import unicodedata

VERSION = "1"
"""Changes with every change of what a text's words are; an index made by another version is made anew."""

MAX_TERMS = 16
"""Words of one question that are looked for."""

# Scripts written without spaces between words, and Hangul, whose words carry their particles: Thai, Lao, Myanmar,
# Khmer, kana, ideographs with their extensions, Hangul syllables, compatibility ideographs.
_UNSPACED = re.compile(
    "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_QUOTED = re.compile(r'"([^"]{1,500})"')
_WORD = re.compile(r"\w+")


def words(text: str) -> str:
    """
    A text with unspaced runs as overlapping pairs, which a tokenizer for spaced scripts can index.

    The last character stands alone behind its pair, so that every character begins a word.
    """
    return _UNSPACED.sub(_pairs, unicodedata.normalize("NFKC", text))


def _pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(text[at : at + 2] for at in range(len(text)))} "


def terms(question: str) -> list[str]:
    """
    What a question looks for: its quoted phrases, and its words beside them.

    Shape: each is one expression of the index's language; characters with a meaning there are gone.
    """
    folded = unicodedata.normalize("NFKC", question)
    found = [term for phrase in _QUOTED.findall(folded) if (term := _phrase(phrase))]
    for word in _WORD.findall(_QUOTED.sub(" ", folded)):
        found += _terms_of_word(word)
    return list(dict.fromkeys(found))[:MAX_TERMS]


def _terms_of_word(word: str) -> list[str]:
    """A word may hold spaced and unspaced script at once: `Python入門`."""
    spaced = [f'"{part}"' for part in _UNSPACED.sub(" ", word).split() if part.strip("_")]
    return spaced + [_run(run) for run in _UNSPACED.findall(word)]


def _run(run: str) -> str:
    if len(run) == 1:
        return f'"{run}" *'
    return '"' + " ".join(run[at : at + 2] for at in range(len(run) - 1)) + '"'


def _phrase(phrase: str) -> str:
    """
    A phrase as one run of tokens.

    Inside a phrase an unspaced run that something follows has its last character as a token of its own.
    """
    parts: list[str] = []
    pieces = re.findall(rf"{_UNSPACED.pattern}|\w+", _UNSPACED.sub(lambda run: f" {run[0]} ", phrase))
    for index, piece in enumerate(pieces):
        if not _UNSPACED.fullmatch(piece):
            parts.append(piece)
            continue
        ends = index == len(pieces) - 1 and len(piece) > 1
        parts += [piece[at : at + 2] for at in range(len(piece) - ends)]
    return f'"{" ".join(parts)}"' if parts else ""


def needles(question: str) -> list[str]:
    """The words of a question as a reader would look for them in the text, longest first."""
    folded = unicodedata.normalize("NFKC", question)
    found = _QUOTED.findall(folded) + _WORD.findall(_QUOTED.sub(" ", folded))
    return sorted(dict.fromkeys(word for word in found if word.strip()), key=len, reverse=True)[:MAX_TERMS]
