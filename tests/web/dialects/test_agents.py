"""What the manifest says about an agent's searches."""

from __future__ import annotations

import pytest

from web.dialects.sea import Sea, call

MANIFEST = """
[agents.careful]
tools = ["web_search"]
max_results = 1
[agents.held]
tools = ["web_search"]
max_results_ceiling = 1
"""


@pytest.mark.parametrize(
    ("agent", "wanted", "given", "warned"),
    [("careful", None, 1, False), ("careful", 2, 2, False), ("held", 2, 1, True), ("held", 1, 1, False)],
)
async def test_an_agents_own_numbers_hold(
    sea: Sea, agent: str, wanted: int | None, given: int, *, warned: bool
) -> None:
    folder = sea.project / ".outrider"
    folder.mkdir()
    folder.joinpath("manifest.toml").write_text(MANIFEST)
    web = await sea.web("outrider", agent=agent)
    result = await call(web, "web_search", query="tides", max_results=wanted)
    assert not result.is_error
    assert given == len(result.data["results"])
    assert warned == bool(result.data["warnings"])


async def test_a_number_outside_the_tools_range_is_still_refused(sea: Sea) -> None:
    web = await sea.web("outrider")
    assert (await call(web, "web_search", query="tides", max_results=21)).is_error
