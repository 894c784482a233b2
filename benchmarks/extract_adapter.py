"""
The converter as the extraction bench calls it: page in, title, text and Markdown out.

Both functions take the bytes of a page and its URL, and answer a dict with `title`, `text` and `markdown`.
"""

from __future__ import annotations

from outrider.content.converter import convert


def extract(html: bytes, url: str) -> dict[str, str]:
    """The main content of a page."""
    document = convert(html, url=url, content_type="text/html")
    return {"title": document.title, "text": document.text, "markdown": document.markdown}


def to_markdown(html: bytes, _url: str) -> dict[str, str]:
    """Everything in a page; links stay relative, so that they compare with the page's own."""
    document = convert(html, url="", content_type="text/html; charset=utf-8", whole=True)
    return {"title": document.title, "text": document.text, "markdown": document.markdown}
