"""A manifest as text: shown, and extended on request."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from outrider.errors import InvalidArgument
from outrider.permissions.manifest import Agent, Manifest, Tool, default_manifest, parse_manifest
from outrider.permissions.rules import Rule, parse_rule


def show_manifest(manifest: Manifest) -> str:
    """A manifest as TOML."""
    blocks = [_tool_block(tool) for tool in manifest.tools.values()]
    blocks += [_agent_block(agent) for agent in manifest.agents.values()]
    return "\n\n".join([*blocks, *_rule_blocks("rules", manifest.rules)]) + "\n"


def with_tools(text: str, names: Sequence[str], *, over: Manifest | None = None) -> str:
    """
    A project's manifest with the default entries of these tools added; what it has already stays untouched.

    Args:
        over: The manifest that the project's is laid over, when it is not the one that ships.

    Raises:
        InvalidArgument: The text is no manifest, or there is no such tool.
    """
    present = _parsed(text).get("tools", {})
    defaults = (over or default_manifest()).tools
    unknown = [name for name in names if name not in defaults]
    if unknown:
        message = f"there is no tool {', '.join(unknown)}; there are {', '.join(defaults)}"
        raise InvalidArgument(message, details={"field": "tool"})
    return _appended(text, [_tool_block(defaults[name]) for name in names if name not in present])


def with_agent(text: str, name: str, tools: Sequence[str]) -> str:
    """
    A project's manifest with an agent added.

    Raises:
        InvalidArgument: The text is no manifest, or it has that agent already.
    """
    if name in _parsed(text).get("agents", {}):
        message = f"the manifest has an agent {name} already; edit it there"
        raise InvalidArgument(message, details={"field": "agent"})
    return _appended(text, [_agent_block(Agent(name=name, tools=tuple(tools)))])


def with_rule(text: str, rule: Rule, *, tool: str = "", agent: str = "") -> str:
    """
    A project's manifest with a rule added: for everything, or for one of its tools or agents.

    A rule that stands there already is not added again.

    Raises:
        InvalidArgument: The text is no manifest, or there is no such agent.
    """
    whole = _parsed(text)
    if agent:
        parse_manifest(text, "the file", over=default_manifest()).agent(agent)
    path = ("tools", tool) if tool else ("agents", agent) if agent else ()
    if rule in _rules_at(whole, path):
        return text
    place = ".".join([*map(_key, path), "rules"])
    return _appended(text, _rule_blocks(place, (rule,)))


def _rules_at(whole: dict[str, Any], path: Sequence[str]) -> list[Rule]:
    for name in path:
        whole = whole.get(name, {})
    return [parse_rule(**one) for one in whole.get("rules", [])]


def _parsed(text: str) -> dict[str, Any]:
    parse_manifest(text, "the file", over=default_manifest())
    return tomllib.loads(text)


def _tool_block(tool: Tool) -> str:
    lines = [
        f"[tools.{_key(tool.name)}]",
        f"actions = {_list(tool.actions)}",
        f"approval = {_text(tool.approval)}",
        f"risk = {_text(tool.risk)}",
    ]
    if tool.timeout_s is not None:
        lines.append(f"timeout_s = {tool.timeout_s:g}")
    if tool.history_limit is not None:
        lines.append(f"history_limit = {tool.history_limit}")
    if tool.goes_with:
        lines.append(f"goes_with = {_list(tool.goes_with)}")
    return "\n\n".join(["\n".join(lines), *_rule_blocks(f"tools.{_key(tool.name)}.rules", tool.rules)])


def _agent_block(agent: Agent) -> str:
    lines = [f"[agents.{_key(agent.name)}]", f"tools = {_list(agent.tools)}"]
    if agent.max_results is not None:
        lines.append(f"max_results = {agent.max_results}")
    if agent.max_results_ceiling is not None:
        lines.append(f"max_results_ceiling = {agent.max_results_ceiling}")
    return "\n\n".join(["\n".join(lines), *_rule_blocks(f"agents.{_key(agent.name)}.rules", agent.rules)])


def _rule_blocks(place: str, rules: Iterable[Rule]) -> list[str]:
    return [
        f"[[{place}]]\npermission = {_text(rule.permission)}\n"
        f"pattern = {_text(rule.pattern.text)}\naction = {_text(rule.action)}"
        for rule in rules
    ]


def _appended(text: str, blocks: Sequence[str]) -> str:
    """The text with blocks at its end, and proof that it still reads as a manifest."""
    if not blocks:
        return text
    whole = "\n\n".join([*([text.rstrip("\n")] if text.strip() else []), *blocks]) + "\n"
    parse_manifest(whole, "the changed file", over=default_manifest())
    return whole


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else _text(name)


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A TOML basic string."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(f"\\u{ord(letter):04X}" if letter < " " or letter == "\x7f" else letter for letter in escaped)
        + '"'
    )
