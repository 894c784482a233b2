"""Blocks of code."""

from __future__ import annotations

from outrider.content import code, code_language, escape
from outrider.content.dom import Key
from outrider.content.inline import BREAK
from outrider.content.writer import Handlers, Writer


def pre(writer: Writer, key: Key, named: Key | None = None) -> Key:
    """
    Write a block of code.

    Args:
        named: The element that names the language, when it is another one.
    """
    tree = writer.tree
    end = tree.ends[key]
    writer.boundary()
    if code.is_gutter(tree, key):
        return end
    content = code.text(tree, key) or (tree.inner_text(key).removesuffix("\n") if writer.plan.everything else "")
    if writer.flat:
        _code_in_cell(writer, content)
    elif content or tree.ends[key] <= key + 2:
        fence = escape.fence(content)
        language = code_language.language(tree, key if named is None else named)
        writer.add(f"{fence}{language}\n{content}\n{fence}" if content else f"{fence}{language}\n{fence}")
    return end


def _code_in_cell(writer: Writer, content: str) -> None:
    for line in content.split("\n"):
        if line.strip():
            indented = len(line) - len(line.lstrip())
            writer.run += ["\xa0" * indented if indented else "", escape.code_span(line.strip()), BREAK]
    writer.spaced = True


HANDLERS: Handlers = dict.fromkeys(("pre", "xmp", "listing", "plaintext"), pre)
