"""
Pages of every type and their Markdown, judged by eye; `GOLDEN=write` writes the Markdown anew.

The pages are written whole: what is chosen of them is a number, held by `benchmarks/content.py --check`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outrider.content.converter import convert

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "benchmarks" / "content_pages").glob("*.html"))
GOLDEN = ROOT / "tests" / "golden" / "content"


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_is_written_as_it_was_judged(page: Path) -> None:
    document = convert(page.read_bytes(), url="https://example.org/page", content_type="text/html", whole=True)

    _hold(page.stem, document.markdown)


def test_every_golden_file_belongs_to_a_page() -> None:
    assert {page.stem for page in PAGES} == {file.name.removesuffix(".md") for file in GOLDEN.glob("*.md")}


def _hold(name: str, markdown: str) -> None:
    path = GOLDEN / f"{name}.md"
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{markdown}\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == f"{markdown}\n"
