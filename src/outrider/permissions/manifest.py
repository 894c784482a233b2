"""The manifest: what each tool does and may do, and which tools each agent has."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar

from outrider.errors import InvalidArgument
from outrider.permissions.rules import PERMISSIONS, Rule, parse_rule

T = TypeVar("T", bound=str)

FILE_NAME = "manifest.toml"
ACTIONS = ("search", "read", "write", "network", "execute")
MAX_BYTES = 1024 * 1024

Approval = Literal["no", "required", "never"]
Risk = Literal["low", "medium", "high"]

_APPROVALS: tuple[Approval, ...] = ("no", "required", "never")
_RISKS: tuple[Risk, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What one tool does, and how it may be used."""

    name: str
    actions: tuple[str, ...] = ()
    approval: Approval = "no"
    """`required` turns mode `allow` into `ask`; `never` turns mode `ask` into `allow`."""
    risk: Risk = "medium"
    timeout_s: float | None = None
    """For one call; None leaves it to the profile's own limits."""
    history_limit: int | None = None
    """Most characters of a result that stay in a conversation, for dialects that spool the rest."""
    goes_with: tuple[str, ...] = ()
    """An agent that has one of these tools has this one too."""
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Which tools one agent has, and what it may do with them."""

    name: str
    tools: tuple[str, ...] = ()
    max_results: int | None = None
    """Of a search that does not say."""
    max_results_ceiling: int | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Every tool and agent, and the rules for all of them."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    agents: Mapping[str, Agent] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()

    def tool(self, name: str) -> Tool:
        """A tool; one that nobody described is of medium risk and without further rules."""
        return self.tools.get(name) or Tool(name=name)

    def agent(self, name: str) -> Agent:
        """
        An agent.

        Raises:
            InvalidArgument: There is none of that name.
        """
        known = self.agents.get(name)
        if known is None:
            message = f"there is no agent {name!r} in the manifest; there are {', '.join(sorted(self.agents))}"
            raise InvalidArgument(message, details={"field": "agent"}, hint="`outrider manifest add` adds one.")
        return known

    def tools_of(self, agent: str) -> frozenset[str] | None:
        """
        The names of an agent's tools, with those that go with them; None stands for all, which the nameless agent has.

        Raises:
            InvalidArgument: There is no such agent.
        """
        if not agent:
            return None
        own = frozenset(self.agent(agent).tools)
        return own | {tool.name for tool in self.tools.values() if own.intersection(tool.goes_with)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One thing that is wrong with a manifest."""

    place: str
    """Such as `tools.web_fetch.approval`."""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@cache
def default_text() -> str:
    """The manifest that ships, as TOML."""
    return files("outrider.permissions").joinpath(FILE_NAME).read_text(encoding="utf-8")


@cache
def default_manifest() -> Manifest:
    """The manifest that ships."""
    return parse_manifest(default_text(), "the default manifest")


def manifest_with(text: str, source: str) -> Manifest:
    """
    The manifest that ships, with what a dialect says of its own tools laid over it.

    Raises:
        InvalidArgument: The text is wrong.
    """
    return parse_manifest(text, source, over=default_manifest()) if text else default_manifest()


def load_manifest(path: Path, *, over: Manifest | None = None) -> Manifest:
    """
    A project's file, laid over the manifest that ships or another. A missing file changes nothing.

    Raises:
        InvalidArgument: The file cannot be read or is wrong; the message names every place.
    """
    base = over or default_manifest()
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except FileNotFoundError:
        return base
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise InvalidArgument(message) from error
    if len(content) > MAX_BYTES:
        message = f"{path} is larger than {MAX_BYTES} bytes"
        raise InvalidArgument(message)
    return parse_manifest(text, str(path), over=base)


def parse_manifest(text: str, source: str, *, over: Manifest | None = None) -> Manifest:
    """
    Read a manifest and lay it over another: what it does not say stays as it is there.

    An agent's list of tools, and any list of rules, replaces the one below as a whole.

    Args:
        source: Where the text is from, for the message.

    Raises:
        InvalidArgument: Something is wrong; the message names every place.
    """
    manifest, complaints = _read(text, over or Manifest())
    if complaints:
        message = f"{source} is not a manifest: {'; '.join(map(str, complaints))}"
        raise InvalidArgument(message, hint="`outrider manifest check` shows what is wrong.")
    return manifest


def check_manifest(text: str, *, over: Manifest | None = None) -> list[Complaint]:
    """What is wrong with a project's manifest, and what is doubtful, such as an agent's tool that nobody describes."""
    manifest, complaints = _read(text, over or default_manifest())
    for agent in manifest.agents.values():
        unknown = [tool for tool in agent.tools if tool not in manifest.tools]
        complaints += [Complaint(place=f"agents.{agent.name}.tools", message=f"{tool} is no tool") for tool in unknown]
    return complaints


# Reading.


def _read(text: str, under: Manifest) -> tuple[Manifest, list[Complaint]]:
    complaints: list[Complaint] = []
    try:
        whole = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return under, [Complaint(place="file", message=f"it is not TOML: {error}")]
    reader = _Reader(complaints)
    unknown = whole.keys() - {"tools", "agents", "rules"}
    complaints.extend(Complaint(place=name, message="there are only tools, agents and rules") for name in unknown)
    tools = dict(under.tools)
    for name, entry in reader.tables(whole, "tools"):
        tools[name] = reader.tool(name, entry, tools.get(name) or Tool(name=name))
    agents = dict(under.agents)
    for name, entry in reader.tables(whole, "agents"):
        agents[name] = reader.agent(name, entry, agents.get(name) or Agent(name=name))
    rules = reader.rules(whole, "", under.rules)
    return Manifest(tools=tools, agents=agents, rules=rules), complaints


class _Reader:
    """Reads TOML values, and writes down what is wrong instead of stopping there."""

    def __init__(self, complaints: list[Complaint]) -> None:
        self._complaints = complaints

    def tables(self, whole: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        section = whole.get(key, {})
        if not isinstance(section, dict):
            self._complain(key, "it holds tables")
            return
        for name, entry in section.items():
            if isinstance(entry, dict):
                yield name, entry
            else:
                self._complain(f"{key}.{name}", "it is a table")

    def tool(self, name: str, entry: Mapping[str, Any], under: Tool) -> Tool:
        place = f"tools.{name}"
        self._known(entry, place, ("actions", "approval", "risk", "timeout_s", "history_limit", "goes_with", "rules"))
        actions = self._texts(entry, f"{place}.actions", under.actions)
        for action in set(actions) - set(ACTIONS):
            self._complain(f"{place}.actions", f"{action} is none of {', '.join(ACTIONS)}")
        return replace(
            under,
            actions=actions,
            approval=self._choice(entry, f"{place}.approval", _APPROVALS, under.approval),
            risk=self._choice(entry, f"{place}.risk", _RISKS, under.risk),
            timeout_s=self._number(entry, f"{place}.timeout_s", under.timeout_s, high=86_400),
            history_limit=self._whole(entry, f"{place}.history_limit", under.history_limit, high=1_000_000_000),
            goes_with=self._texts(entry, f"{place}.goes_with", under.goes_with),
            rules=self.rules(entry, place + ".", under.rules),
        )

    def agent(self, name: str, entry: Mapping[str, Any], under: Agent) -> Agent:
        place = f"agents.{name}"
        self._known(entry, place, ("tools", "max_results", "max_results_ceiling", "rules"))
        return replace(
            under,
            tools=self._texts(entry, f"{place}.tools", under.tools),
            max_results=self._whole(entry, f"{place}.max_results", under.max_results, high=20),
            max_results_ceiling=self._whole(entry, f"{place}.max_results_ceiling", under.max_results_ceiling, high=20),
            rules=self.rules(entry, place + ".", under.rules),
        )

    def rules(self, entry: Mapping[str, Any], place: str, under: tuple[Rule, ...]) -> tuple[Rule, ...]:
        listed = entry.get("rules")
        if listed is None:
            return under
        if not isinstance(listed, list):
            self._complain(f"{place}rules", "it is a list of tables")
            return under
        read = [self._rule(value, f"{place}rules[{index}]") for index, value in enumerate(listed)]
        return tuple(rule for rule in read if rule is not None)

    def _rule(self, value: Any, place: str) -> Rule | None:
        if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
            self._complain(place, "it has the texts permission, pattern and action")
            return None
        self._known(value, place, ("permission", "pattern", "action"))
        if not {"pattern", "action"} <= value.keys():
            self._complain(place, "it needs pattern and action")
            return None
        try:
            return parse_rule(value["action"], value["pattern"], value.get("permission", PERMISSIONS[0]))
        except InvalidArgument as error:
            self._complain(place, error.message)
            return None

    def _known(self, entry: Mapping[str, Any], place: str, keys: Iterable[str]) -> None:
        for key in entry.keys() - set(keys):
            self._complain(f"{place}.{key}", f"there are only {', '.join(keys)}")

    def _texts(self, entry: Mapping[str, Any], place: str, under: tuple[str, ...]) -> tuple[str, ...]:
        value = entry.get(place.rpartition(".")[2])
        if value is None:
            return under
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self._complain(place, "it is a list of texts")
            return under
        return tuple(value)

    def _choice(self, entry: Mapping[str, Any], place: str, known: Sequence[T], under: T) -> T:
        value = entry.get(place.rpartition(".")[2])
        if value is None:
            return under
        if value not in known:
            self._complain(place, f"it is one of {', '.join(known)}")
            return under
        return known[known.index(value)]

    def _number(self, entry: Mapping[str, Any], place: str, under: float | None, *, high: float) -> float | None:
        value = entry.get(place.rpartition(".")[2])
        if value is None:
            return under
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= high:
            self._complain(place, f"it is a number above 0 and at most {high:g}")
            return under
        return float(value)

    def _whole(self, entry: Mapping[str, Any], place: str, under: int | None, *, high: int) -> int | None:
        value = entry.get(place.rpartition(".")[2])
        if value is None:
            return under
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= high:
            self._complain(place, f"it is a whole number from 1 to {high}")
            return under
        return value

    def _complain(self, place: str, message: str) -> None:
        self._complaints.append(Complaint(place=place, message=message))
