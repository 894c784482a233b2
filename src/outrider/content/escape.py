"""
Escapes that keep literal text literal in GitHub-flavoured Markdown.

Only what would change meaning is escaped: a reader of the source should meet as few backslashes as possible.
"""

from __future__ import annotations

import re

# Everything that can mean something anywhere in a line. Most text holds none of it.
_SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
_INLINE = re.compile(
    r"""
      \\(?=[!-/:-@\[-`{-~]|\s|$)                    # a backslash before punctuation, or before what may follow
    | `
    | (?<![\s*])\*|\*(?![\s*]|$)|\*(?=\*)|(?<=\*)\*|^\*|\*$
    | _(?!(?<=[^\W_]_)[^\W_])                       # not between two letters
    | \[(?=\^|[ xX]\])                              # a footnote, a task
    | \](?=[(\[:])                                  # the end of a link's text
    | <(?=[A-Za-z/!?]|$)
    | &(?=[A-Za-z][A-Za-z0-9]{1,31};|\#[0-9]{1,7};|\#[xX][0-9a-fA-F]{1,6};|\#?$)
    | (?<=[^\s])~|~(?=~)|^~|~$
    """,
    re.VERBOSE,
)
_LINE = re.compile(
    r"""
      (?P<mark>\#{1,6}(?=[ \t]|$)|[-+](?=[ \t]|$)|>|=+[ \t]*$|[-:|][ \t:|-]*$|\|)
    | (?P<number>\d{1,9})(?P<stop>[.)])(?=[ \t]|$)
    | (?P<definition>\[)(?=[^\]\n]{1,999}\\?\]:)
    """,
    re.VERBOSE,
)
# A substitution holds every match at once; a text of millions of signs is escaped in pieces.
_PIECE = 50_000
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def _inline(found: re.Match[str]) -> str:
    character = found[0]
    return _ENTITIES.get(character) or f"\\{character}"


def text(literal: str) -> str:
    """Escape a run of text for the middle of a line."""
    if not _SPECIAL.search(literal):
        return literal
    if len(literal) <= _PIECE:
        return _INLINE.sub(_inline, literal)
    # At a cut the expression takes the next piece for the unknown, and rather escapes.
    return "".join(_INLINE.sub(_inline, literal[start : start + _PIECE]) for start in range(0, len(literal), _PIECE))


def link_text(written: str) -> str:
    """Escape the brackets of a link's text that are not paired, given the text as it is written."""
    if "[" not in written and "]" not in written:
        return written
    return written if _balanced(written) else _BARE_OR_ESCAPED.sub(_bracket, written)


def _bracket(found: re.Match[str]) -> str:
    # A bracket before a parenthesis is a link's or an image's own.
    own = found[0] == "]" and found.string[found.end() : found.end() + 1] == "("
    return f"\\{found[0]}" if found[0] in "[]" and not own else found[0]


def _balanced(written: str) -> bool:
    depth = 0
    for found in _BARE_OR_ESCAPED.finditer(written):
        depth += {"[": 1, "]": -1}.get(found[0], 0)
        if depth < 0:
            return False
    return depth == 0


_BARE_OR_ESCAPED = re.compile(r"\\.|[\[\]]")


def _line(found: re.Match[str]) -> str:
    if found["number"]:
        return f"{found['number']}\\{found['stop']}"
    return f"\\{found[0]}"


def line_start(line: str) -> str:
    """Escape what would make a block of a line of a paragraph."""
    found = _LINE.match(line)
    return _line(found) + line[found.end() :] if found else line


def heading(written: str) -> str:
    """Escape the signs at the end of a heading that would count as its closing."""
    return _CLOSING.sub(r"\1\\\2", written) if written.endswith("#") else written


_CLOSING = re.compile(r"(^|[ \t])(#+)$")


def cell(written: str) -> str:
    """Escape the bars of one table cell, given its content as it is written."""
    return written.replace("|", "\\|") if "|" in written else written


def destination(url: str) -> str:
    """A link destination that ends where it should."""
    if not url:
        return "<>"
    if _PLAIN_URL.fullmatch(url):
        return url
    url = _BREAKS_URL.sub(lambda found: f"%{ord(found[0]):02X}", url)
    return url if _parentheses_pair(url) else url.replace("(", "%28").replace(")", "%29")


_PLAIN_URL = re.compile(r"[^\x00-\x20\x7f<>()\\*_`&\[\]]*(?:[_*&=][^\x00-\x20\x7f<>()\\*_`&;\[\]]*)*")
_BREAKS_URL = re.compile(r"[\x00-\x20\x7f<>\\]")


def _parentheses_pair(url: str) -> bool:
    depth = 0
    for character in url:
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0 and url.count("(") < 30


def title(literal: str) -> str:
    """The title of a link or an image, in its quotation marks."""
    escaped = _IN_TITLE.sub(r"\\\g<0>", literal)
    return f'"{escaped}"'


_IN_TITLE = re.compile(r'["\\]|&(?=[#\w])')


def code_span(literal: str) -> str:
    """A code span; line breaks become spaces, as they do in a browser."""
    content = _NEWLINES.sub(" ", literal)
    if not content.strip(" "):
        return f"`{content}`"
    longest = max((len(run) for run in _TICKS.findall(content)), default=0)
    fence = "`" * (longest + 1)
    if content[0] == "`" or content[-1] == "`" or (content[0] == " " and content[-1] == " "):
        content = f" {content} "
    return f"{fence}{content}{fence}"


_NEWLINES = re.compile(r"[\r\n]+")
_TICKS = re.compile(r"`+")
_FENCE_TICKS = re.compile(r"`{3,}")


def fence(code: str) -> str:
    """The fence that encloses a block of code."""
    longest = max((len(run) for run in _FENCE_TICKS.findall(code)), default=2)
    return "`" * (longest + 1)
