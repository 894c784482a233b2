"""Settings that are read when they are wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from outrider.search.choice import Catalogue
from outrider.search.configured import Configured
from search.doubles import catalogue, fake

OPENS = """
import asyncio, sys
from outrider import Web

async def main():
    async with Web():
        pass

asyncio.run(main())
print(*[name for name in sys.modules if name.startswith("outrider.search.providers.")])
"""


def configured(known: Catalogue, environment: dict[str, str], **tables: dict[str, str]) -> Configured:
    return Configured(known, environment=environment, tables=tables)


def test_a_key_comes_from_the_table_or_else_from_the_environment() -> None:
    known = catalogue(fake("one", env={"api_key": ("ONE_KEY",)}), fake("two", env={"api_key": ("TWO_KEY",)}))
    settings = configured(known, {"ONE_KEY": "from-env", "TWO_KEY": "from-env"}, two={"api_key": "from-table"})

    assert ["one", "two"] == list(settings)
    assert 2 == len(settings)
    assert ("from-env", "from-table") == (settings["one"].api_key, settings["two"].api_key)


def test_a_provider_that_is_not_there_has_no_settings() -> None:
    with pytest.raises(KeyError):
        configured(Catalogue(), {})["nobody"]


def test_opening_loads_no_provider_but_the_stores_own() -> None:
    ran = subprocess.run([sys.executable, "-c", OPENS], capture_output=True, text=True, check=True)

    assert {"outrider.search.providers.local"} >= set(ran.stdout.split())
