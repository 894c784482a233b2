"""The gate over recorded samples says what is right, what is wrong, and that nothing was there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sample_gate import load, run
from search.typical import TYPICAL

CASE: dict[str, Any] = {
    "id": "success",
    "file": "success.json",
    "kind": "success",
    "request": {"method": "POST", "url": "https://api.tavily.com/search", "json": {"query": "tides"}},
    "response": {"status": 200, "headers": {"content-type": "application/json"}},
    "expect": {
        "results": [
            {"title": title, "url": url, "snippet": snippet, "published": published}
            for title, url, snippet, published in TYPICAL["tavily"].hits
        ]
    },
}


def samples(folder: Path, case: dict[str, Any]) -> Path:
    (folder / "tavily").mkdir()
    (folder / "tavily" / "success.json").write_bytes(TYPICAL["tavily"].raw)
    (folder / "tavily" / "index.json").write_text(json.dumps({"provider": "tavily", "format": 1, "cases": [case]}))
    return folder


def test_there_may_be_nothing_to_check(tmp_path: Path) -> None:
    assert [] == load(tmp_path, [])


@pytest.mark.parametrize(
    ("change", "failures"),
    [
        ({}, 0),
        ({"expect": {"results": []}}, 1),
        ({"expect": {"error": {"class": "quota", "retry_after": None}}}, 1),
        ({"response": {"status": 429, "headers": {"retry-after": "3"}}}, 1),
        (
            {
                "response": {"status": 429, "headers": {"retry-after": "3"}},
                "expect": {"error": {"class": "rate_limited", "retry_after": 3, "retryable": True}},
            },
            0,
        ),
        (
            {
                "response": {"status": 429, "headers": {"retry-after": "3"}},
                "expect": {"error": {"class": "rate_limited", "retry_after": 4}},
            },
            1,
        ),
    ],
)
async def test_a_sample_passes_when_everything_is_as_expected(
    tmp_path: Path, tripwire: Any, change: dict[str, Any], failures: int
) -> None:
    found = load(samples(tmp_path, {**CASE, **change}), [])

    assert failures == await run(found, verbose=False)
