"""Fragments of the changelog keep the form that scripts/changelog reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "changelog"
FRAGMENTS = sorted(path for path in FOLDER.iterdir() if path.name != "README.md")


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_is_one_sentence_under_a_valid_name(fragment: Path) -> None:
    assert re.fullmatch(r"\d+(-[a-z0-9-]+)?\.(added|changed|fixed|removed)\.md", fragment.name)
    assert re.fullmatch(r"[^\n]+\.\n", fragment.read_text(encoding="utf-8"))
