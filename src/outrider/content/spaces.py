"""White space as browsers collapse it: the five characters of HTML, and no others."""

from __future__ import annotations

# A non-breaking space and its kin are text.
_TO_SPACE = {ord(character): " " for character in "\t\n\r\f"}


def collapse(text: str) -> str:
    """The text with each run of white space as one space, also at its ends."""
    if "\n" in text or "\t" in text or "\r" in text or "\f" in text:
        text = text.translate(_TO_SPACE)
    # A substitution by expression would hold a match for every word of the text.
    while "  " in text:
        text = text.replace("  ", " ")
    return text
