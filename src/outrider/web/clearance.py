"""What one caller may use: the agents that stand behind it, their tools and their limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.call import Call
from outrider.errors import PermissionDenied
from outrider.types import Scope

if TYPE_CHECKING:
    from outrider.permissions.permissions import Ask, Gate, Permissions
    from outrider.web.operations.search import SearchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """
    A caller's place among the agents.

    It only ever narrows: every agent in `agents` must have a tool and must be allowed a thing.
    """

    permissions: Permissions
    agents: tuple[str, ...] = ()
    """Names from the manifest, the outermost first; empty for the nameless agent, which has every tool."""
    tools: frozenset[str] | None = None
    """The tools that are left of the agents' own; None leaves all."""
    ask: Ask | None = None
    """Puts questions to a person when the call cannot, or in its place where the caller is a child."""
    scope: Scope | None = None
    """Whose session approvals count, when not the call's own."""
    is_child: bool = False
    name: str = ""
    """What a child is called, for whoever is asked."""

    def for_call(self, call: Call) -> Clearance:
        """The same, with the agent that the call names behind it."""
        known = not call.agent or call.agent in self.agents
        return self if known else replace(self, agents=(*self.agents, call.agent))

    def child(self, name: str, *, tools: Iterable[str] | None, ask: Ask | None, scope: Scope) -> Clearance:
        """
        What a sub-agent gets: never more than this.

        Args:
            name: An agent of the manifest, whose tools and rules hold too; any other name is only a name.
        """
        named = name in self.permissions.manifest.agents
        wanted = None if tools is None else frozenset(tools)
        left = self.tools if wanted is None else wanted if self.tools is None else self.tools & wanted
        return replace(
            self,
            agents=(*self.agents, name) if named and name not in self.agents else self.agents,
            tools=left,
            ask=ask or self.ask,
            scope=self.scope or scope,
            is_child=True,
            name=f"{self.name}/{name}" if self.name else name,
        )

    def has(self, tool: str) -> bool:
        """
        Whether the caller has a tool.

        Raises:
            InvalidArgument: One of its agents is not in the manifest.
        """
        if self.permissions.fault:
            # Who has what cannot be told; the gate refuses every call.
            return self.tools is None or tool in self.tools
        lists = [self.tools, *(self.permissions.manifest.tools_of(agent) for agent in self.agents)]
        return all(names is None or tool in names for names in lists)

    def require(self, tool: str) -> None:
        """
        Refuse a tool that the caller has not.

        Raises:
            PermissionDenied: It has it not.
            InvalidArgument: One of its agents is not in the manifest.
        """
        if not self.has(tool):
            who = f"the agent {self.agents[-1]}" if self.agents else "this agent"
            message = f"{who} does not have the tool {tool}"
            raise PermissionDenied(message, reason="tool", hint="Use another tool.")

    def gate(self, tool: str, call: Call) -> Gate:
        """
        The gate of one call.

        Raises:
            InvalidArgument: A rule of the call is none.
        """
        ask = self.ask or call.ask if self.is_child else call.ask or self.ask
        return self.permissions.gate(tool, call, agents=self.agents or ("",), scope=self.scope, ask=ask, name=self.name)

    def held(self, request: SearchRequest) -> SearchRequest:
        """A search, held to the agents' own numbers of results."""
        agents = [self.permissions.manifest.agent(agent) for agent in self.agents]
        wishes = [agent.max_results for agent in agents if agent.max_results is not None]
        ceilings = [agent.max_results_ceiling for agent in agents if agent.max_results_ceiling is not None]
        wanted = request.max_results if request.max_results is not None else min(wishes, default=None)
        return replace(request, max_results=wanted, ceiling=min(ceilings, default=None))
