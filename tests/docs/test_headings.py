"""Whatever has a name has a heading in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outrider.config import settings
from outrider.errors import CODES
from outrider.interfaces.cli import COMMANDS
from outrider.search.catalogue import ProviderInfo
from outrider.search.choice import default_catalogue
from outrider.web.dialect import DIALECTS, load_dialect

DOCS = Path(__file__).parents[2] / "docs"


def headings(name: str) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [line.strip("`") for line in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("cli.md", list(COMMANDS)),
        ("settings.md", [name for name, *_ in settings()]),
        ("errors.md", list(CODES)),
        ("tools.md", sorted({spec.name for spec in load_dialect("outrider").tools()})),
        ("dialects.md", [name.replace("_", "-") for name in DIALECTS.names() if name != "outrider"]),
    ],
    ids=["commands", "settings", "errors", "tools", "dialects"],
)
def test_everything_with_a_name_has_a_heading(page: str, names: list[str]) -> None:
    assert [] == [name for name in names if name not in headings(page)]


@pytest.mark.parametrize("info", default_catalogue().entries(), ids=lambda info: info.id)
def test_every_provider_has_a_page_under_its_name(info: ProviderInfo) -> None:
    assert info.name == headings(f"providers/{info.id}.md")[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_section_of_a_command_shows_it_at_work(name: str) -> None:
    section = (DOCS / "cli.md").read_text(encoding="utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]

    assert f"outrider {name}" in section
