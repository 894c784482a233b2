"""What is installed is pinned, explained and free of any package index's address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-dev.lock")


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


RUN_TIME = [_name(text) for text in PROJECT["project"]["dependencies"]]
OPTIONAL = [_name(text) for extra in PROJECT["project"].get("optional-dependencies", {}).values() for text in extra]
FOR_WORK = [_name(text) for group in PROJECT["dependency-groups"].values() for text in group if isinstance(text, str)]


def _pinned(lock: str) -> dict[str, str]:
    """Name to the first version that the lock gives it; some have another for older Pythons."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return {_name(name): version for name, version in re.findall(r"^(\S+)==([^\s;]+)", text, re.MULTILINE)}


@pytest.mark.parametrize("name", sorted({*RUN_TIME, *OPTIONAL, *FOR_WORK}))
def test_a_dependency_has_its_line_in_the_documentation(name: str) -> None:
    rows = [
        line for line in (ROOT / "docs/dependencies.md").read_text(encoding="utf-8").splitlines() if line[:1] == "|"
    ]
    first_cells = {_name(word) for row in rows for word in row.split("|")[1].strip().split(", ") if word.strip(" -")}

    assert name in first_cells


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_gives_versions_and_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")

    assert "://" not in text
    assert "--index-url" not in text
    assert all("--hash=sha256:" in block for block in re.split(r"\n(?=[a-z])", text))


def test_the_locks_hold_every_dependency() -> None:
    assert not set(RUN_TIME) - _pinned("requirements.lock").keys()
    assert not {*RUN_TIME, *FOR_WORK} - _pinned("requirements-dev.lock").keys()


def test_both_locks_agree() -> None:
    tests_use = _pinned("requirements-dev.lock")

    assert _pinned("requirements.lock").items() <= tests_use.items()
