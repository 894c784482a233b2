"""
One run of text with its emphasis and links, from pieces to Markdown.

Whether a delimiter such as `**` opens or closes emphasis depends on the characters on both sides of it (CommonMark
6.2). Therefore the pieces are kept until the run is complete; then each pair of delimiters is placed where it works, or
left out where it cannot.
"""

from __future__ import annotations

import re

from outrider.content import escape

BREAK = "\n"
"""The piece that stands for a line break."""


class Mark:
    """One end of a pair: `*`, `**`, `~~`, or `[` for a link."""

    __slots__ = ("dropped", "kept", "kind", "opening", "other", "url", "written")

    def __init__(self, kind: str, *, opening: Mark | None = None, url: str = "") -> None:
        self.kind = kind
        self.opening = opening is None
        self.other = opening
        if opening is not None:
            opening.other = self
        self.url = url
        """Where a link leads; kept at its opening."""
        self.kept = False
        """Stays though nothing stands between it and its other end."""
        self.written = kind
        self.dropped = False


class Markup(str):
    """A piece that is Markdown already, such as a code span or an image, and stays whole."""

    __slots__ = ()


Piece = str | Mark


def join(pieces: list[Piece]) -> str:
    """
    The Markdown of a run: `BREAK` as a bare newline, spaces at its ends and around breaks removed.

    Text pieces are escaped already, and their white space is collapsed.
    """
    texts = [piece for piece in pieces if isinstance(piece, str)]
    written = "".join(texts) if len(texts) == len(pieces) else _write(_place(_tidy(pieces)))
    return _AROUND_BREAK.sub("\n", written).strip(" \n") if "\n" in written else written.strip(" ")


_AROUND_BREAK = re.compile(r" *\n *")


def _tidy(pieces: list[Piece]) -> list[Piece]:
    """Move spaces and breaks out of the pairs, leave out empty pairs, and merge pairs that touch."""
    result: list[Piece] = []
    # White space that stood before the end of a pair and belongs after it.
    waiting = ""
    for piece in pieces:
        if isinstance(piece, str):
            if waiting and piece:
                _take_text(result, waiting)
                waiting = ""
            if piece:
                _take_text(result, piece)
        elif piece.opening:
            if waiting:
                _take_text(result, waiting)
                waiting = ""
            _take_opening(result, piece)
        else:
            last = result[-1] if result else ""
            if isinstance(last, str) and last and last[-1].isspace():
                kept = last.rstrip()
                waiting = last[len(kept) :] + waiting
                result.pop()
                if kept:
                    result.append(kept)
            _take_closing(result, piece)
    if waiting:
        result.append(waiting)
    return result


def _take_text(result: list[Piece], text: str) -> None:
    if not text[0].isspace() or not result or isinstance(result[-1], str):
        result.append(text)
        return
    place = len(result)
    while place and isinstance(mark := result[place - 1], Mark) and mark.opening:
        place -= 1
    rest = text.lstrip()
    if place < len(result):
        result.insert(place, text[: len(text) - len(rest)])
        if rest:
            result.append(rest)
    else:
        result.append(text)


def _take_opening(result: list[Piece], mark: Mark) -> None:
    last = result[-1] if result else None
    if isinstance(last, Mark) and not last.opening and mark.kind == last.kind != "[":
        # `**a****b**` means nothing: the two become one.
        result.pop()
        first, end = last.other, mark.other
        assert first is not None
        first.other = end
        if end is not None:
            end.other = first
    else:
        result.append(mark)


def _take_closing(result: list[Piece], mark: Mark) -> None:
    last = result[-1] if result else None
    if isinstance(last, Mark) and mark.other is last and not last.kept:
        result.pop()
    else:
        result.append(mark)


def _place(pieces: list[Piece]) -> list[Piece]:
    """Choose delimiters, and drop the pairs that no delimiter can express here."""
    marks = [(place, piece) for place, piece in enumerate(pieces) if isinstance(piece, Mark) and piece.kind != "["]
    places = {id(mark): place for place, mark in marks}
    for place, mark in marks:
        if mark.kind == "*" and mark.opening and _needs_underscore(pieces, place, places.get(id(mark.other), -1)):
            mark.written = "_"
            if mark.other is not None:
                mark.other.written = "_"
    for place, mark in marks:
        if mark.other is None or (
            not mark.dropped
            and not _is_safe(pieces, place, mark)
            and not _works(pieces, place, mark)
            and not _shift(pieces, place, mark)
        ):
            mark.dropped = True
            if mark.other is not None:
                mark.other.dropped = True
    return pieces


def _needs_underscore(pieces: list[Piece], start: int, end: int) -> bool:
    """Whether `*` would run together with the delimiters of a strong pair that begins or ends at the same place."""
    before = pieces[start - 1] if start else None
    after = pieces[end + 1] if 0 <= end < len(pieces) - 1 else None
    if isinstance(before, Mark) and before.kind == "**":
        return not before.opening or after is before.other
    return isinstance(after, Mark) and after.kind == "**" and after.opening


def _is_safe(pieces: list[Piece], place: int, mark: Mark) -> bool:
    """Whether a letter or digit stands inside, so that nothing outside matters."""
    inner = pieces[place + 1] if mark.opening else pieces[place - 1]
    return isinstance(inner, str) and mark.written != "_" and inner[0 if mark.opening else -1].isalnum()


def _works(pieces: list[Piece], place: int, mark: Mark) -> bool:
    before, after = _beside(pieces, place, mark, -1), _beside(pieces, place, mark, 1)
    inner, outer = (after, before) if mark.opening else (before, after)
    if not inner or inner.isspace():
        return False
    if mark.written == "_":
        return not _is_word(outer)
    return not (_is_punctuation(inner) and _is_word(outer))


# Punctuation that can leave a pair without its meaning changing; escapes and entities stay whole.
_STARTS = re.compile(r"^[(\"'“‘«„¿¡{/.,:–—-]+(?=\w)")
_ENDS = re.compile(r"(?<=\w)[)\"'”’»“?!}/.,:…%–—-]+$")


def _shift(pieces: list[Piece], place: int, mark: Mark) -> bool:
    """Move punctuation out of a pair that it keeps from working, as in `**Note:**this`."""
    inside, outside = (place + 1, place - 1) if mark.opening else (place - 1, place + 1)
    if mark.written == "_" or not 0 <= outside < len(pieces):
        return False
    inner, outer = pieces[inside], pieces[outside]
    if not isinstance(inner, str) or not isinstance(outer, str) or isinstance(inner, Markup):
        return False
    found = (_STARTS if mark.opening else _ENDS).search(inner)
    if not found:
        return False
    pieces[inside] = inner.replace(found[0], "", 1) if mark.opening else inner[: found.start()]
    pieces[outside] = outer + found[0] if mark.opening else found[0] + outer
    return True


def _beside(pieces: list[Piece], place: int, mark: Mark, step: int) -> str:
    """The character next to a run of delimiters; "" at the ends."""
    index = place + step
    while 0 <= index < len(pieces):
        piece = pieces[index]
        if isinstance(piece, str):
            return piece[0 if step > 0 else -1]
        if piece.kind == "[":
            return "[" if piece.opening else "]" if step > 0 else ")"
        if not piece.dropped and piece.written[0] != mark.written[0]:
            return piece.written[0]
        index += step
    return ""


def _is_word(character: str) -> bool:
    return bool(character) and not character.isspace() and not _is_punctuation(character)


def _is_punctuation(character: str) -> bool:
    return bool(character) and not character.isalnum() and not character.isspace()


def _write(pieces: list[Piece]) -> str:
    written: list[str] = []
    # Where the text of each open link begins.
    links: list[int] = []
    for piece in pieces:
        if isinstance(piece, str):
            written.append(piece)
        elif piece.kind != "[":
            if not piece.dropped:
                written.append(piece.written)
        elif piece.opening:
            if written and written[-1].endswith("!"):
                written[-1] = written[-1][:-1] + "\\!"
            links.append(len(written))
        elif links:
            start = links.pop()
            text = "".join(written[start:])
            url = piece.other.url if piece.other else ""
            written[start:] = [f"[{escape.link_text(text)}]({escape.destination(url)})"]
    return "".join(written)
