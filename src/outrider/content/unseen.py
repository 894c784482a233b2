"""Characters that nobody sees: they carry hidden messages, and break searching and quoting."""

from __future__ import annotations

import re

# Zero-width joiners shape Arabic, Indic scripts and emoji; between Latin letters they only hide. A variation selector
# means something after one symbol; several in a row are a cipher. Tag characters spell whole sentences.
_UNSEEN = re.compile(
    "[\U000e0000-\U000e007f"  # tags
    "\u200b\u2060\ufeff\u180e\u00ad"  # zero width, byte order mark, soft hyphen
    "\u2061-\u2064\u206a-\u206f\u034f\u115f\u1160\u3164\uffa0\u17b4\u17b5"  # operators and fillers without a shape
    "\u202a-\u202e\u2066-\u2069"  # overrides of direction
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]"
    "|(?<=[\x00-\u024f])[\u200c\u200d]+|[\u200c\u200d]+(?=[\x00-\u024f])|[\u200c\u200d]{2,}"
    "|[\u200e\u200f\u061c]{2,}"
    "|(?<=[\x00-\u00a8\u00ba-\u024f])[\ufe00-\ufe0f]+(?!\u20e3)|[\ufe00-\ufe0f]{2,}"
    "|[\U000e0100-\U000e01ef]{2,}|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)


def has_controls(text: str) -> bool:
    """Whether a text holds control characters, which ASCII has too."""
    return _CONTROL.search(text) is not None


def without(text: str) -> tuple[str, int]:
    """The text without them, and how many they were."""
    if text.isascii() and "\x7f" not in text and _CONTROL.search(text) is None:
        return text, 0
    odd = _odd(text)
    if _CANDIDATE.search(odd) is None:
        return text, 0
    # To try the whole expression at each character is slow, and so is a call for each of many places.
    rare = len(odd) * _RARE < len(text)
    cleaned = _RUNS.sub(_without, text) if rare else _UNSEEN.sub("", text)
    return cleaned, len(text) - len(cleaned)


def _without(run: re.Match[str]) -> str:
    """A run of candidates without those that go; whether they do depends on the characters beside it as well."""
    before, after = run.string[max(0, run.start() - 1) : run.start()], run.string[run.end() : run.end() + 1]
    cleaned = _UNSEEN.sub("", before + run[0] + after)
    return cleaned[len(before) : len(cleaned) - len(after)]


def _odd(text: str) -> str:
    """The characters of a text that are not plain ASCII: of most texts few, so that they are tried far faster."""
    return text.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")


_PLAIN = bytes([*b"\t\n\r\f", *range(0x20, 0x7F)])
# Every character that the expression above can begin with, as one set: this is tried on all text that is not ASCII.
_CANDIDATE = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_RUNS = re.compile(f"{_CANDIDATE.pattern}+")
_RARE = 20
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f]")
