from __future__ import annotations

from outrider.search.choice import Catalogue
from outrider.search.settings import ProviderSettings, settings_from

CATALOGUE = Catalogue()


def test_the_vendors_usual_variables_are_read() -> None:
    found = settings_from(CATALOGUE.info("brave"), environment={"BRAVE_API_KEY": " k ", "OTHER": "x"})

    assert "k" == found.api_key


def test_the_configuration_wins_over_the_environment() -> None:
    found = settings_from(
        CATALOGUE.info("zhipu"),
        environment={"ZHIPU_API_KEY": "env"},
        configured={"api_key": "file", "search_engine": "search_pro", "unknown": "x"},
    )

    assert "file" == found.api_key
    assert {"search_engine": "search_pro"} == found.extra


def test_a_repr_shows_no_secret() -> None:
    shown = repr(ProviderSettings(api_key="sk-1", proxy_url="http://user:pw@proxy.test", extra={"a": "b"}))

    assert "sk-1" not in shown
    assert "pw" not in shown
