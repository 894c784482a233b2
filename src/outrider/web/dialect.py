"""The interface of a dialect: tool names, schemas and output text over the operations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from outrider.call import Call
from outrider.errors import InvalidArgument, WebError
from outrider.registry import Registry
from outrider.web.operations.download import DownloadRequest, DownloadResult
from outrider.web.operations.fetch import FetchRequest, FetchResult
from outrider.web.operations.read import ReadRequest, ReadResult
from outrider.web.operations.search import SearchRequest, SearchResult
from outrider.web.session import Session

if TYPE_CHECKING:
    from outrider.config import Config
    from outrider.fetch.profile import Profile
    from outrider.permissions.manifest import Tool
    from outrider.permissions.permissions import Gate

OperationRequest = SearchRequest | FetchRequest | ReadRequest | DownloadRequest
OperationResult = SearchResult | FetchResult | ReadResult | DownloadResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a model is told about a tool; constant while the process lives."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema 2020-12 of the arguments."""
    needs: tuple[str, ...] = ()
    """Parts without which the tool is not offered, such as `search`, `read` or `download`."""
    annotations: Mapping[str, bool] = field(default_factory=dict)
    """Hints for clients, by the names that MCP gives them, such as `readOnlyHint`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """One call's result, twice: the text that a model reads, and the data for machines."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    error: WebError | None = None

    @property
    def is_error(self) -> bool:
        """Whether the call as a whole failed."""
        return self.error is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a dialect may use to answer one call."""

    run: Callable[[OperationRequest, Call], Awaitable[OperationResult]]
    """The one gate: runs a request under the permissions of `call`."""
    call: Call
    """As it was made; a dialect may listen in on its progress, and no more."""
    session: Session
    config: Config
    tool: Tool
    """The manifest's entry of the tool that is called."""
    gate: Gate
    """For what is asked about beside an operation's own subjects."""


class Dialect(Protocol):
    """One family of tool names, parameters, defaults and output text over the one engine."""

    @property
    def name(self) -> str:
        """As the configuration names it."""
        ...

    @property
    def operations(self) -> Mapping[str, str]:
        """The tool that stands for each operation: `search`, `fetch`, `read`, `download`."""
        ...

    @property
    def mode(self) -> str:
        """What holds where no permission rule speaks, unless the configuration says otherwise."""
        ...

    @property
    def uses_preapproved(self) -> bool:
        """Whether documentation hosts pass without asking."""
        ...

    @property
    def folder(self) -> str:
        """Where a project keeps its approvals and its manifest."""
        ...

    @property
    def manifest(self) -> str:
        """TOML that is laid over the manifest that ships; empty when there is nothing to add."""
        ...

    def tools(self) -> list[ToolSpec]:
        """Every tool of the family."""
        ...

    def profile(self, agent: Profile) -> Profile:
        """The limits of its fetches, made from the configured ones."""
        ...

    def prompt_context(self, now: datetime, workspace: Path) -> str:
        """The lines about date and workspace for a system prompt."""
        ...

    async def answer(self, tool: str, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """
        Read a call, run it, and write its result.

        Raises:
            InvalidArgument: The tool or an argument is wrong.
            WebError: Whatever the call as a whole failed with.
        """
        ...

    def render_error(self, tool: str, error: WebError) -> ToolResult:
        """Write a call that failed as a whole."""
        ...


DIALECTS = Registry("outrider.web.dialects", attribute="DIALECT", group="outrider.dialects")
"""One file for each family; other distributions add theirs as entry points."""


def load_dialect(name: str) -> Dialect:
    """
    The dialect of a name, which may be spelled with hyphens.

    Raises:
        InvalidArgument: There is none of that name.
    """
    known = DIALECTS.names()
    wanted = name.replace("-", "_")
    if wanted not in known:
        shown = ", ".join(entry.replace("_", "-") for entry in known)
        message = f"there is no dialect {name!r}; there are {shown}"
        raise InvalidArgument(message, details={"field": "dialect"})
    dialect: Dialect = DIALECTS.load(wanted)()
    return dialect
