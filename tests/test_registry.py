"""One file in a plural folder is one entry."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from outrider.errors import NotInstalled
from outrider.registry import Registry


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A folder of three entries: one works, one needs what is missing, one is private."""
    package = tmp_path / "registry_sample" / "things"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").write_text("")
    (package / "good.py").write_text("THING = 'good'\n")
    (package / "needy.py").write_text("import surely_not_installed\nTHING = 'needy'\n")
    (package / "_private.py").write_text("THING = 'private'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return Registry("registry_sample.things", attribute="THING", group="outrider.test_things")


def test_names_are_listed_without_importing(registry: Registry) -> None:
    assert ["good", "needy"] == registry.names()
    assert "registry_sample.things.good" not in sys.modules


def test_an_entry_is_imported_when_it_is_loaded(registry: Registry) -> None:
    assert "good" == registry.load("good")


def test_an_entry_that_lacks_a_package_says_which(registry: Registry) -> None:
    with pytest.raises(NotInstalled, match="surely_not_installed"):
        registry.load("needy")


@pytest.mark.parametrize("name", ["absent", "_private", ""])
def test_what_is_no_entry_is_not_loaded(registry: Registry, name: str) -> None:
    with pytest.raises(KeyError):
        registry.load(name)
