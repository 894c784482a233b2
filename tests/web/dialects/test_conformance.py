"""What every dialect keeps, ours or another's."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outrider.errors import CODES, InvalidArgument
from outrider.permissions.manifest import manifest_with
from outrider.permissions.permissions import mode_of
from outrider.web.dialect import DIALECTS, Dialect, load_dialect
from outrider.web.web import Web
from web.dialects.sea import Sea, call

NAMES = DIALECTS.names()
TOOLS = [(name, spec.name) for name in NAMES for spec in load_dialect(name).tools()]


@pytest.fixture(params=NAMES)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return load_dialect(request.param)


def test_the_dialects_of_the_specification_are_there() -> None:
    assert {"outrider", "harness9", "weknora", "claude_code", "spettro", "mcp_fetch"} <= set(NAMES)
    assert "claude-code" == load_dialect("claude-code").name
    with pytest.raises(InvalidArgument):
        load_dialect("nobody")


def test_its_name_leads_to_it(dialect: Dialect) -> None:
    assert type(dialect) is type(load_dialect(dialect.name))


def test_its_tools_are_constant_strict_and_well_formed(dialect: Dialect) -> None:
    for spec in dialect.tools():
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", spec.name)
        assert len(spec.description) > 20
        assert spec.parameters["additionalProperties"] is False
        assert set(spec.parameters.get("required", [])) <= set(spec.parameters["properties"])
        assert all(parameter["description"] for parameter in spec.parameters["properties"].values())
    assert dialect.tools() == load_dialect(dialect.name).tools()
    assert json.dumps([spec.parameters for spec in dialect.tools()])


def test_each_tool_is_described_in_its_manifest(dialect: Dialect) -> None:
    manifest = manifest_with(dialect.manifest, dialect.name)
    for spec in dialect.tools():
        tool = manifest.tools[spec.name]
        assert tool.actions
        assert tool.timeout_s
        reads_only = not {"write", "execute"}.intersection(tool.actions)
        assert spec.annotations.get("readOnlyHint", reads_only) == reads_only


def test_its_operations_lead_to_tools_that_it_has(dialect: Dialect) -> None:
    assert set(dialect.operations.values()) <= {spec.name for spec in dialect.tools()}
    assert {"search", "fetch", "read", "download"} >= set(dialect.operations)
    mode_of(dialect.mode)


@pytest.mark.parametrize(("name", "tool"), TOOLS)
async def test_an_unknown_parameter_is_refused_by_name(sea: Sea, name: str, tool: str) -> None:
    web = await sea.web(name, mode="yolo")
    result = await call(web, tool, no_such_parameter=1)
    assert result.error is not None
    assert "invalid_argument" == result.error.code
    assert "no_such_parameter" in result.error.message


@pytest.mark.parametrize(("name", "tool"), TOOLS)
async def test_with_the_web_turned_off_nothing_is_offered_or_done(sea: Sea, name: str, tool: str) -> None:
    web = await sea.web(name, enabled=False)
    assert [] == web.tools()
    result = await call(web, tool)
    assert result.error is not None
    assert "web_disabled" == result.error.code


@pytest.mark.parametrize(("name", "tool"), TOOLS)
async def test_a_denied_tool_requests_nothing(sea: Sea, name: str, tool: str) -> None:
    web = await sea.web(name, mode="yolo", deny=[f"tool:{tool}", "*", "write:*"])
    whole = {"query": "tides", "url": sea.at("article"), "items": [{"url": sea.at("article")}], "path": "web://x/y",
             "prompt": "x", "job_id": "download:1"}  # fmt: skip
    spec = next(spec for spec in web.tools() if spec.name == tool)
    wanted = set(spec.parameters.get("required", [])) or {"url"}
    result = await call(web, tool, **{key: value for key, value in whole.items() if key in wanted})
    assert result.error is not None
    assert result.error.code in ("permission_denied", "invalid_argument", "page_not_found", "path_outside_workspace")
    assert [] == sea.site.requests


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(("name", "tool"), TOOLS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_any_arguments_end_in_a_result(
    tmp_path_factory: pytest.TempPathFactory, name: str, tool: str, data: st.DataObject
) -> None:
    spec = next(spec for spec in load_dialect(name).tools() if spec.name == tool)
    keys = st.sampled_from(sorted(spec.parameters["properties"]))
    arguments: dict[str, Any] = data.draw(st.dictionaries(keys, values, max_size=4))
    # Nothing may be asked of the network here: what gets that far is denied.
    async with Web(dialect=name, mode="deny", preapproved="no", root=str(tmp_path_factory.getbasetemp())) as web:
        result = await web.call(tool, arguments)
    assert result.text or not result.is_error
    if result.error is not None:
        assert result.error.code in CODES.keys() - {"internal"}
    json.dumps(result.data)
