"""Names of text encodings as the web uses them."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple


class Encoding(NamedTuple):
    """One encoding, by both of its names."""

    name: str
    """WHATWG name, in lower case."""
    codec: str
    """Python's codec that reads it, a superset where browsers use one."""


# https://encoding.spec.whatwg.org/#names-and-labels, read 2026-11-30: a label names the encoding that browsers use for
# it, which is often a superset of what the label meant. Keys are Python's canonical names. What is not here is no text
# encoding of the web: utf-7, idna, hex, rot13 and the like are never used, whatever a server says.
_PARTS = (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)
_BY_CODEC = {
    "utf-8": Encoding("utf-8", "utf-8"),
    "utf-8-sig": Encoding("utf-8", "utf-8"),
    "utf-16": Encoding("utf-16le", "utf-16-le"),
    "utf-16-le": Encoding("utf-16le", "utf-16-le"),
    "utf-16-be": Encoding("utf-16be", "utf-16-be"),
    "ascii": Encoding("windows-1252", "cp1252"),
    "iso8859-1": Encoding("windows-1252", "cp1252"),
    "cp1252": Encoding("windows-1252", "cp1252"),
    "iso8859-9": Encoding("windows-1254", "cp1254"),
    "iso8859-11": Encoding("windows-874", "cp874"),
    "tis-620": Encoding("windows-874", "cp874"),
    "cp874": Encoding("windows-874", "cp874"),
    "gb2312": Encoding("gb18030", "gb18030"),
    "gbk": Encoding("gb18030", "gb18030"),
    "cp936": Encoding("gb18030", "gb18030"),
    "gb18030": Encoding("gb18030", "gb18030"),
    "hz": Encoding("hz-gb-2312", "hz"),
    "big5": Encoding("big5", "big5hkscs"),
    "big5hkscs": Encoding("big5", "big5hkscs"),
    "cp950": Encoding("big5", "big5hkscs"),
    "euc_kr": Encoding("euc-kr", "cp949"),
    "cp949": Encoding("euc-kr", "cp949"),
    "shift_jis": Encoding("shift_jis", "cp932"),
    "cp932": Encoding("shift_jis", "cp932"),
    "euc_jp": Encoding("euc-jp", "euc_jp"),
    "iso2022_jp": Encoding("iso-2022-jp", "iso2022_jp"),
    "koi8-r": Encoding("koi8-r", "koi8-r"),
    "koi8-u": Encoding("koi8-u", "koi8-u"),
    "cp866": Encoding("ibm866", "cp866"),
    "mac-roman": Encoding("macintosh", "mac-roman"),
    "mac-cyrillic": Encoding("x-mac-cyrillic", "mac-cyrillic"),
    **{f"cp{page}": Encoding(f"windows-{page}", f"cp{page}") for page in range(1250, 1259) if page != 1252},
    **{f"iso8859-{part}": Encoding(f"iso-8859-{part}", f"iso8859-{part}") for part in _PARTS},
}  # fmt: skip

# Labels that Python does not know.
_ALIASES = {
    "unicode-1-1-utf-8": "utf-8", "x-unicode20utf8": "utf-8", "unicode11utf8": "utf-8", "unicode": "utf-16-le",
    "unicodefffe": "utf-16-be",
    "x-gbk": "gbk", "x-sjis": "shift_jis", "windows-31j": "cp932", "ms_kanji": "shift_jis", "x-euc-jp": "euc_jp",
    "big5-hkscs": "big5hkscs", "cn-big5": "big5", "x-x-big5": "big5", "ks_c_5601-1987": "cp949", "windows-949": "cp949",
    "x-cp1250": "cp1250", "x-cp1251": "cp1251", "x-cp1252": "cp1252", "x-ansi": "cp1252", "dos-874": "cp874",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8", "iso-8859-8-e": "iso8859-8", "iso-8859-6-i": "iso8859-6", "logical": "iso8859-8",
    "visual": "iso8859-8",
    "koi": "koi8-r", "koi8": "koi8-r", "koi8-ru": "koi8-u", "x-mac-roman": "mac-roman", "mac": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic", "dos-866": "cp866",
    "sun_eu_greek": "iso8859-7",
    "hz-gb-2312": "hz", "iso-2022-cn": "", "iso-2022-kr": "", "utf-7": "", "x-user-defined": "",
}  # fmt: skip

_PLAUSIBLE = re.compile(r"[A-Za-z0-9_:.\-]{2,40}")


def encoding(label: str | None) -> Encoding | None:
    """The encoding that a label names on the web; None for an unknown one, or one that is no text encoding."""
    wanted = (label or "").strip().strip("\"'").lower()
    if not _PLAUSIBLE.fullmatch(wanted):
        return None
    alias = _ALIASES.get(wanted, wanted)
    try:
        return _BY_CODEC.get(codecs.lookup(alias).name) if alias else None
    except LookupError:
        return None
