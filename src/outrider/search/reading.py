"""Getters for JSON whose types drift: a missing, null or wrong value reads as nothing."""

from __future__ import annotations

import codecs
import json
import math
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A decoded JSON value, whatever it is."""

Record: TypeAlias = dict[str, Any]
"""A JSON object."""


class NotJson(ValueError):
    """The bytes are not JSON that can be held."""


def decode(body: bytes, *, charset: str = "") -> str:
    """Bytes as text, in the first charset that fits: of the byte order mark, UTF-8, as declared, UTF-8 with gaps."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, errors="replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(_known_charset(charset), errors="replace")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _known_charset(name: str) -> str:
    try:
        # `_is_text_encoding` has no public twin: `"".encode` fails for codecs that do not give bytes, such as rot13.
        "".encode(name)
    except (LookupError, ValueError):
        return "utf-8"
    return name


def load_json(text: str) -> Json:
    """
    Read JSON.

    Raises:
        NotJson: It is not JSON, or nested too deeply to be held.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJson(type(error).__name__) from None


def at(value: Json, *path: str | int) -> Json:
    """The value under a path of keys and indexes, None where the path breaks off."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return None
            value = value[step]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def text(value: Json) -> str:
    """A string as it is, a number as text, everything else as the empty string."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return str(value)
    except ValueError:  # An integer of more than 4,300 digits.
        return ""


def first_text(value: Json, *keys: str) -> str:
    """The first of the keys that holds a text which is not blank."""
    return next((found for key in keys if (found := text(at(value, key))).strip()), "")


def texts(value: Json) -> list[str]:
    """The texts in a list; a single text counts as a list of one."""
    if isinstance(value, str):
        return [value]
    return [found for item in value if (found := text(item))] if isinstance(value, list) else []


def records(value: Json) -> list[Record]:
    """The objects in a list, without everything else in it."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def record(value: Json) -> Record:
    """An object as it is, everything else as an empty one."""
    return value if isinstance(value, dict) else {}


def number(value: Json) -> float | None:
    """A finite number, also when it comes as text; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
