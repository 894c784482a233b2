"""Places in a text: the section a heading or fragment names, the passages around a match."""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import TYPE_CHECKING
from urllib.parse import unquote

import regex

from outrider.content.window import grapheme_floor
from outrider.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outrider.types import Document, Heading

# Long enough for any quotation that is worth looking for; a longer expression is not written by hand.
MAX_PATTERN_CHARS = 1_000
# A text of 8 MB is searched for an ordinary expression in a tenth of this.
PATTERN_TIMEOUT_S = 1.0
# Counting goes on past the passages that are shown, but not for ever.
_MOST_MATCHES = 10_000
# A match keeps up to 100 bytes for each character it runs over, so an expression sees this much of the text at a time.
_STRETCH_CHARS = 64_000
# Counts are written out when an expression is compiled: `(a{999}){999}` took 300 MB.
_MOST_WRITTEN_OUT = 2_000_000
_COUNT = re.compile(r"\{([0-9]*),?([0-9]*)\}")
# How far a passage's end moves to spare a word.
_LONG_WORD = 40

# What stands for the same thing in typed and in typeset text.
_ALIKE = ("'’‘ʼ′`", '"“”„‟″', "-‐‑‒–—−")
# Markdown's emphasis between words is not part of what a reader searches for.
_GAP = r"[*_~`]{0,3}\s++[*_~`]{0,3}"
_WORDS = regex.compile(r"\S+")
_SPACES = re.compile(r"\s+")
_NUMBERING = re.compile(r"^(?:chapter |section |§ ?)?[0-9]+(?:\.[0-9]+)*[.):]? +")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of the text around one match, or around several that stand close together."""

    text: str
    offset: int
    """Code points from the start of the full text."""
    matches: tuple[tuple[int, int], ...]
    """Start and end of each match, in code points from the start of the full text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search through a text gave."""

    passages: tuple[Passage, ...]
    total: int
    """All matches, shown or not; 10,000 means that many or more."""


def find(text: str, pattern: str, *, around: int = 300, limit: int = 20, timeout_s: float = PATTERN_TIMEOUT_S) -> Found:
    """
    The passages around the matches of a pattern.

    A pattern written `/like this/` is a regular expression; `/i` at its end ignores case. Anything else is looked for
    as it stands, but case, the kind of quotes and dashes, white space and emphasis between words do not count.
    An expression matches within stretches of at most 64,000 characters, which end between paragraphs where they can.

    Args:
        around: Code points shown before and after a match; a little less where a word or grapheme would be cut.
        limit: Most matches to show.

    Raises:
        InvalidArgument: The pattern is empty, too long, not a valid expression, or takes longer than `timeout_s`.
    """
    spans = _matches(text, _compile(pattern), timeout_s)
    return Found(passages=tuple(_passages(text, spans[:limit], around)), total=len(spans))


def section(document: Document, wanted: str) -> tuple[int, int] | None:
    """
    Start and end, in the Markdown, of the section that a heading's text or a `#fragment` names.

    A heading's text is compared without case and white space; its beginning is enough when no heading is equal. A
    section runs to the next heading of the same or a higher level. None when nothing has that name.
    """
    return _by_fragment(document, wanted[1:]) if wanted.startswith("#") else _by_name(document, wanted)


def _by_name(document: Document, wanted: str) -> tuple[int, int] | None:
    index = _named_heading(document.outline, wanted)
    return _by_fragment(document, wanted) if index is None else _section_at(document, index)


def _by_fragment(document: Document, fragment: str) -> tuple[int, int] | None:
    # What follows `:~:` speaks to a browser, about text to highlight.
    name = unquote(fragment.partition(":~:")[0])
    if not name.strip():
        return None
    index = _first(document.outline, lambda heading: heading.anchor == name)
    if index is None and (offset := _anchor(document, name)) is not None:
        return _section_from(document, offset)
    if index is None:
        index = _first(document.outline, lambda heading: _slug(heading.text) == name.lower())
    if index is None:
        # Whoever writes `## Install` or `#Getting started` means a heading.
        index = _named_heading(document.outline, name.lstrip("#"))
    return None if index is None else _section_at(document, index)


def _anchor(document: Document, name: str) -> int | None:
    exact = document.anchors.get(name)
    if exact is not None:
        return exact
    folded = name.casefold()
    return next((offset for anchor, offset in document.anchors.items() if anchor.casefold() == folded), None)


def _named_heading(outline: tuple[Heading, ...], wanted: str) -> int | None:
    name = _fold(wanted)
    if not name:
        return None
    ways: tuple[Callable[[Heading], bool], ...] = (
        lambda heading: _fold(heading.text) == name,
        lambda heading: _NUMBERING.sub("", _fold(heading.text)) == name,
        lambda heading: _fold(heading.text).startswith(name),
        lambda heading: _NUMBERING.sub("", _fold(heading.text)).startswith(name),
    )
    return next((index for way in ways if (index := _first(outline, way)) is not None), None)


def _first(outline: tuple[Heading, ...], suits: Callable[[Heading], bool]) -> int | None:
    return next((index for index, heading in enumerate(outline) if suits(heading)), None)


def _fold(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip(" ¶#").casefold()


def _slug(text: str) -> str:
    """The fragment that code hosts give to a heading of a Markdown file."""
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def _section_at(document: Document, index: int) -> tuple[int, int]:
    heading = document.outline[index]
    return heading.offset, _end_of_section(document, index + 1, heading.level)


def _section_from(document: Document, offset: int) -> tuple[int, int]:
    """An anchor at a heading, or with only white space before one, means that section; another is read to its end."""
    outline = document.outline
    following = next((index for index, heading in enumerate(outline) if heading.offset >= offset), len(outline))
    if following < len(outline) and not document.markdown[offset : outline[following].offset].strip():
        return _section_at(document, following)
    # Before the first heading, any heading ends what an anchor begins.
    level = outline[following - 1].level if following else 6
    return offset, _end_of_section(document, following, level)


def _end_of_section(document: Document, index: int, level: int) -> int:
    ends = (heading.offset for heading in document.outline[index:] if heading.level <= level)
    return next(ends, len(document.markdown))


@dataclass(frozen=True, slots=True)
class _Search:
    """A compiled pattern, and the pieces that a text is searched in."""

    pattern: regex.Pattern[str]
    stretches: Callable[[str], Iterator[tuple[int, int]]]


def _compile(pattern: str) -> _Search:
    if not pattern.strip():
        message = "find is empty"
        raise InvalidArgument(message, hint="Give the words to look for.")
    if len(pattern) > MAX_PATTERN_CHARS:
        message = f"find has {len(pattern)} characters, and the most is {MAX_PATTERN_CHARS}"
        raise InvalidArgument(message, hint="Look for a shorter part of it.")
    written = re.fullmatch(r"/(.+)/(i?)", pattern, re.DOTALL)
    if written is None:
        return _Search(regex.compile(_literal(pattern), regex.IGNORECASE | regex.FULLCASE), _whole)
    flags = regex.MULTILINE | (regex.IGNORECASE if written[2] else 0)
    return _Search(_expression(written[1], flags), _stretches)


def _expression(source: str, flags: int) -> regex.Pattern[str]:
    if _written_out(source) > _MOST_WRITTEN_OUT:
        message = "the repetitions of this expression multiply to too much"
        raise InvalidArgument(message, hint="Use smaller counts, or * and +.")
    try:
        return regex.compile(source, flags)
    # Besides its own error, the library lets slip what its parser stumbles over.
    except (regex.error, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        message = f"find is not a valid regular expression: {error}"
        hint = "Correct the expression, or leave out the slashes to search for it as it is."
        raise InvalidArgument(message, hint=hint) from error


def _written_out(source: str) -> int:
    """How long the expression gets when its counts are written out, at the most: as if each stood inside the last."""
    counts = (max(1, *(int(end or 1) for end in ends)) for ends in _COUNT.findall(source))
    return prod(counts, start=len(source))


def _literal(words: str) -> str:
    # Text may be composed or decomposed; the pattern is looked for as it is and in each form.
    forms = dict.fromkeys((words, *(unicodedata.normalize(form, words) for form in ("NFC", "NFD", "NFKC"))))
    return "|".join(_GAP.join(_token(token) for token in _WORDS.findall(form)) for form in forms)


def _token(token: str) -> str:
    return "".join(_character(character) for character in token)


def _character(character: str) -> str:
    alike = next((group for group in _ALIKE if character in group), None)
    return regex.escape(character) if alike is None else f"[{regex.escape(alike)}]"


def _matches(text: str, search: _Search, timeout_s: float) -> list[tuple[int, int]]:
    due = time.monotonic() + timeout_s
    spans: list[tuple[int, int]] = []
    try:
        for start, end in search.stretches(text):
            left = max(0.0, due - time.monotonic())
            found = search.pattern.finditer(text, start, end, timeout=left, concurrent=True)
            spans += (match.span() for match in islice(found, _MOST_MATCHES) if match.end() > match.start())
            if len(spans) >= _MOST_MATCHES:
                break
    except TimeoutError as error:
        message = f"find took longer than {timeout_s:g} s on this text"
        raise InvalidArgument(message, hint="Use a simpler expression, or plain words.") from error
    return spans[:_MOST_MATCHES]


def _whole(text: str) -> Iterator[tuple[int, int]]:
    yield 0, len(text)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Each ends after a blank line, or else a line, or else where it is full."""
    start = 0
    while start < len(text):
        end = min(start + _STRETCH_CHARS, len(text))
        if end < len(text):
            end = (
                text.rfind("\n\n", start, end) + 2
                if "\n\n" in text[start:end]
                else text.rfind("\n", start, end) + 1 or end
            )
        yield start, end
        start = end


def _passages(text: str, spans: Iterable[tuple[int, int]], around: int) -> Iterable[Passage]:
    group: list[tuple[int, int]] = []
    for span in spans:
        if group and span[0] - around > group[-1][1] + around:
            yield _passage(text, group, around)
            group = []
        group.append(span)
    if group:
        yield _passage(text, group, around)


def _passage(text: str, matches: list[tuple[int, int]], around: int) -> Passage:
    start = _open(text, max(0, matches[0][0] - around), matches[0][0])
    end = _close(text, matches[-1][1], min(len(text), matches[-1][1] + around))
    return Passage(text=text[start:end], offset=start, matches=tuple(matches))


def _open(text: str, start: int, match: int) -> int:
    """After white space near the start, so that a passage begins with a whole word; never past the match."""
    if start == 0:
        return 0
    space = _SPACES.search(text, start - 1, min(start + _LONG_WORD, match))
    return space.end() if space else grapheme_floor(text, start) or 0


def _close(text: str, match: int, end: int) -> int:
    """Before white space near the end, never before the match's own end."""
    if end == len(text):
        return end
    near = max(match, end - _LONG_WORD)
    cut = max(text.rfind(" ", near, end + 1), text.rfind("\n", near, end + 1))
    return cut if cut > match else grapheme_floor(text, end, after=match) or end
