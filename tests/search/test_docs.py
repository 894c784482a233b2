"""The provider pages say what the catalogue says, and the example of a provider of one's own works as told."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from outrider.call import Call
from outrider.search.choice import Catalogue
from outrider.search.searcher import Searcher
from outrider.search.settings import ProviderSettings
from outrider.types import Query
from search.doubles import Replies, says

ROOT = Path(__file__).parents[2]


def test_the_provider_pages_are_current() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "provider_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == ran.returncode, ran.stdout + ran.stderr


def test_every_provider_has_a_page() -> None:
    for name in Catalogue().names():
        assert (ROOT / "docs" / "providers" / f"{name}.md").exists()


@pytest.fixture
def lighthouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """The documented example as an installed distribution."""
    page = (ROOT / "docs" / "providers" / "writing.md").read_text("utf-8")
    source = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    entry = re.findall(r"^```toml\n.*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0].replace('"', "")
    (tmp_path / "outrider_lighthouse.py").write_text(source)
    described = tmp_path / "outrider_lighthouse-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: outrider-lighthouse\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[outrider.providers]\n{entry}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "outrider_lighthouse", raising=False)
    return Catalogue()


async def test_a_provider_of_another_distribution_is_listed_configured_and_asked(lighthouse: Catalogue) -> None:
    body = {"lights": [{"url": "https://lights.example/pharos", "name": "Pharos", "about": "Tall &amp; old."}]}
    exchange = Replies({"api.lighthouse.example": says(body)})
    searcher = Searcher(exchange, catalogue=lighthouse, settings={"lighthouse": ProviderSettings(api_key="oil")})

    found = await searcher.search(Query(text="pharos", country="EG"), Call(), provider="lighthouse")
    order = [one.id for one in searcher.plan() if one.refusal is None]

    assert "lighthouse" in lighthouse.names()
    assert ["Tall & old."] == [hit.snippet for hit in found.hits]
    assert "country=EG" in exchange.sent[0].url.target
    assert ["lighthouse", "duckduckgo"] == order[:2]


def test_our_own_provider_wins_over_another_of_its_name(lighthouse: Catalogue) -> None:
    assert "outrider.search.providers.brave" == lighthouse.kind("brave").__module__
