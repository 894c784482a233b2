"""The one object that every interface holds: answers calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from outrider.call import Call
from outrider.config import Config
from outrider.errors import (
    ApprovalRequired,
    InvalidArgument,
    PermissionDenied,
    SsrfRejected,
    WebDisabled,
    WebError,
)
from outrider.types import Scope

if TYPE_CHECKING:
    from types import TracebackType

    from outrider.fetch.download import Saved
    from outrider.permissions.permissions import Ask
    from outrider.web.assembly import Parts, Wiring
    from outrider.web.clearance import Clearance
    from outrider.web.dialect import Dialect, OperationRequest, OperationResult, ToolResult, ToolSpec
    from outrider.web.gate import Passage
    from outrider.web.operations.fetch import Fetched, FetchItem, FetchResult
    from outrider.web.operations.read import ReadResult
    from outrider.web.operations.search import SearchResult
    from outrider.web.pages import Pages
    from outrider.web.session import Session

T = TypeVar("T")

MAX_SESSIONS = 256
"""Sessions that one `Web` remembers; the one unused for longest is forgotten first."""


class Web:
    """
    Guarded web access for agents.

    Use it as an async context manager; everything it opened is closed at the end.

    Args:
        config: All settings; loaded from files and the environment when left out.
        wiring: What stands in for the network, in tests.
        approver: Puts questions to a person, for calls that do not bring their own way to ask.
        overrides: Single settings, with or without their section, such as `allow_hosts=["searxng"]`.

    Raises:
        InvalidArgument: A setting is unknown or wrong.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        wiring: Wiring | None = None,
        approver: Ask | None = None,
        **overrides: Any,
    ) -> None:
        if config is not None and overrides:
            message = "give either a config or single settings"
            raise InvalidArgument(message)
        self.config = config or Config.load(overrides)
        self._wiring = wiring
        self._stack = AsyncExitStack()
        self._parts: Parts | None = None
        self._sessions: dict[Scope, Session] = {}
        self._approver = approver
        self._parent: Web | None = None
        self._only: Session | None = None
        """A child's one session."""

    async def __aenter__(self) -> Self:
        from outrider.web.assembly import open_web

        if self._parent is not None:
            return self
        # Asking what the agent has finds out whether there is such an agent.
        self.clearance.has("")
        self._parts = await open_web(self.config, self._stack, self._wiring, dialect=self.dialect)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parts = None
        sessions = [*self._sessions.values(), *([self._only] if self._only is not None else [])]
        self._sessions.clear()
        for session in sessions:
            self._forget(session)
            await session.wait_closed()
        await self._stack.aclose()

    async def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        allowed_domains: Sequence[str] | None = None,
        blocked_domains: Sequence[str] | None = None,
        country: str | None = None,
        freshness: str | None = None,
        language: str | None = None,
        safe: str | None = None,
        provider: str | None = None,
        content: bool = False,
        call: Call | None = None,
    ) -> SearchResult:
        """
        Search the web.

        Args:
            max_results: 1 to 20.
            allowed_domains: Hosts with optional path prefixes; subdomains are included.
            freshness: `day week month year` or `YYYY-MM-DDtoYYYY-MM-DD`.
            provider: Ask this provider, and no other.
            content: Read the first three results too, within 15 seconds for all of them.

        Raises:
            InvalidArgument: An argument is wrong.
            WebError: No provider could answer; any provider code.
        """
        from outrider.web.operations.search import SearchRequest, SearchResult

        request = SearchRequest(
            query=query,
            max_results=max_results,
            allowed_domains=None if allowed_domains is None else tuple(allowed_domains),
            blocked_domains=None if blocked_domains is None else tuple(blocked_domains),
            country=country,
            freshness=freshness,
            language=language,
            safe=safe,
            provider=provider,
            content=content,
        )
        result = await self.run(request, call)
        assert isinstance(result, SearchResult)
        return result

    async def fetch(
        self,
        url: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        section: str | None = None,
        find: str | None = None,
        prompt: str | None = None,
        whole: bool = False,
        headers: Mapping[str, str] | None = None,
        profile: str = "",
        call: Call | None = None,
    ) -> Fetched:
        """
        Read one page.

        Args:
            url: http(s) URL, or a page id of this session.
            offset: Character to start from; a result's `next_offset` goes on.
            limit: Most characters, 1 to 32,000; 8,000 when left out.
            section: Heading or `#fragment` whose section is wanted.
            find: Text or `/regular expression/` whose surroundings are wanted.
            prompt: A question that the configured reader model answers from the page: see `.answer`.
            whole: Convert the whole page instead of its main content.
            headers: Sent along to the URL's own origin only.
            profile: `pipeline` for a fast answer: 15 seconds, 100 KiB of the body and plain text.

        Returns:
            The window as `.markdown`, the page as `.page`, and where to go on as `.next_offset`.

        Raises:
            WebError: Any code that a fetch can end in.
        """
        from outrider.web.operations.fetch import FetchItem

        item = FetchItem(url=url, offset=offset, limit=limit, section=section, find=find, prompt=prompt, whole=whole)
        outcome = (await self.fetch_many([item], headers=headers, profile=profile, call=call)).items[0]
        if outcome.error is not None:
            raise outcome.error
        return outcome

    async def fetch_many(
        self,
        items: Sequence[FetchItem | str],
        *,
        headers: Mapping[str, str] | None = None,
        profile: str = "",
        call: Call | None = None,
    ) -> FetchResult:
        """
        Read up to eight pages at once; each item ends with an outcome of its own.

        Raises:
            InvalidArgument: There are none, or more than eight, or one is malformed.
        """
        from outrider.web.operations.fetch import FetchItem, FetchRequest, FetchResult

        wanted = tuple(FetchItem(url=item) if isinstance(item, str) else item for item in items)
        result = await self.run(FetchRequest(items=wanted, headers=headers, profile=profile), call)
        assert isinstance(result, FetchResult)
        return result

    async def read(
        self,
        path: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        line_offset: int = 0,
        find: str | None = None,
        section: str | None = None,
        outline: bool = False,
        quote: str | None = None,
        call: Call | None = None,
    ) -> ReadResult:
        """
        Read a stored page; nothing is requested.

        Args:
            path: The `web://…` path that a fetch gave, or a page id of this session.
            offset: First line, from 1; a result's `window.next_offset` goes on.
            limit: Most lines, 1 to 2,000.
            line_offset: Characters of the first line to pass over, as `window.next_line_offset` gave it.
            find: Text or `/regular expression/` whose surroundings are wanted.
            section: Heading or `#fragment` whose section is wanted.
            outline: Only the headings, with their lines.
            quote: A passage to look for: `verdict` says whether it stands there exactly, nearly or not.

        Raises:
            PageNotFound: This session may read no such page.
            InvalidArgument: An argument is wrong.
        """
        from outrider.web.operations.read import ReadRequest, ReadResult

        request = ReadRequest(
            path=path,
            offset=offset,
            limit=limit,
            line_offset=line_offset,
            find=find,
            section=section,
            outline=outline,
            quote=quote,
        )
        result = await self.run(request, call)
        assert isinstance(result, ReadResult)
        return result

    async def download(
        self,
        url: str,
        path: str = "",
        *,
        max_bytes: int | None = None,
        overwrite: bool = False,
        sha256: str = "",
        call: Call | None = None,
    ) -> Saved:
        """
        Download a file into the workspace; after a failure nothing of it is left.

        Args:
            path: Relative to the workspace; a folder ends with `/`, and the server then suggests the name.
            max_bytes: The largest file to accept; 20 MiB when left out, 200 MiB at most.
            sha256: What the file must be, in hexadecimal.

        Raises:
            WebError: Any code of the guard, the network, the server's answer or the workspace.
        """
        from outrider.web.operations.download import DownloadRequest, DownloadResult

        request = DownloadRequest(url=url, path=path, max_bytes=max_bytes, overwrite=overwrite, sha256=sha256)
        result = await self.run(request, call)
        assert isinstance(result, DownloadResult)
        return result.saved

    async def run(self, request: OperationRequest, call: Call | None = None) -> OperationResult:
        """
        Run a typed request: the one gate that everything passes.

        Raises:
            WebError: Nothing else; what is unforeseen is logged and becomes `internal`.
        """
        from outrider.web.gate import edge

        with edge():
            kind = self._opened().operation(request)[0]
            passage = self._passage(self.dialect.operations.get(kind) or kind, call)
            return await self._perform(request, passage)

    async def call(self, tool: str, arguments: Mapping[str, Any], call: Call | None = None) -> ToolResult:
        """Run a tool as a model calls it; a failure is the result's `error`, never raised."""
        from outrider.web.dialect import Desk
        from outrider.web.gate import edge

        self._opened()
        try:
            with edge():
                self._refuse_unknown(tool)
                passage = self._passage(tool, call)
                desk = Desk(
                    run=lambda request, call: self._perform(request, replace(passage, call=call)),
                    call=passage.call,
                    session=passage.session,
                    config=self.config,
                    tool=passage.tool,
                    gate=passage.gate,
                )
                return await self.dialect.answer(tool, arguments, desk)
        except WebError as error:
            return self.dialect.render_error(tool, error)

    def tools(self) -> list[ToolSpec]:
        """
        The tools for a model: those that the agent has, and none when the web is turned off.

        Raises:
            InvalidArgument: There is no such agent.
        """
        if not self.config.web.enabled:
            return []
        return [spec for spec in self._specs.values() if self.clearance.has(spec.name)]

    def child(self, *, tools: Sequence[str] | None = None, name: str = "", call: Call | None = None) -> Web:
        """
        A narrower view for a sub-agent: open as long as this one is, and never allowed more.

        It has a session of its own, in which this one's page ids and pages can be read. Its questions are put to
        whoever answers the parent's.

        Args:
            tools: Names of the tools it keeps of this one's; all when left out.
            name: What it is called; an agent of the manifest is held to that agent's tools and rules too.
            call: The parent's call that the sub-agent works for.

        Raises:
            InvalidArgument: One of the tools does not exist.
        """
        import secrets

        for tool in tools or ():
            self._refuse_unknown(tool)
        call = self._own(call or Call())
        # Random, so that no later child of the same name finds this one's pages.
        own = f"{call.scope.session}/{name or 'child'}-{secrets.token_hex(4)}"
        child = Web(self.config)
        child._parent = self
        child._only = self.session(call.scope).child(replace(call.scope, session=own))
        child._adopt(child._only)
        child.dialect = self.dialect
        child.clearance = self.clearance.for_call(call).child(name, tools=tools, ask=call.ask, scope=call.scope)
        return child

    def prompt_context(self, call: Call | None = None, *, workspace: Path | None = None) -> str:
        """The current date and workspace for a system prompt, computed at each call."""
        return self.dialect.prompt_context((call or Call()).now(), workspace or Path.cwd())

    def session(self, scope: Scope) -> Session:
        """The memory of one scope; a child has only its own."""
        from outrider.web.session import Session

        session = self._only or self._sessions.get(scope) or Session(scope)
        self._adopt(session)
        return session

    def end_session(self, scope: Scope) -> None:
        """Forget what belongs to one session: its page ids, its snapshots, its approvals and its spools."""
        session = self._sessions.get(scope)
        if session is not None:
            self._forget(session)
        self.clearance.permissions.forget(scope)

    @cached_property
    def dialect(self) -> Dialect:
        """Whose tool names and output texts agents get."""
        from outrider.web.dialect import load_dialect

        return load_dialect(self.config.web.dialect)

    @cached_property
    def clearance(self) -> Clearance:
        """What callers may use."""
        from outrider.web.assembly import open_permissions
        from outrider.web.clearance import Clearance

        agent = self.config.web.agent
        return Clearance(
            permissions=open_permissions(self.config, self.dialect),
            agents=(agent,) if agent else (),
            ask=self._approver,
        )

    @cached_property
    def _specs(self) -> dict[str, ToolSpec]:
        """The dialect's tools whose parts are there, by name."""
        from outrider.web.assembly import available

        present = available(self.config)
        return {spec.name: spec for spec in self.dialect.tools() if present.issuperset(spec.needs)}

    def _refuse_unknown(self, tool: str) -> None:
        if tool not in self._specs:
            message = f"{tool[:100]} is not a tool; there are {', '.join(self._specs)}"
            raise InvalidArgument(message, details={"field": "tool"})

    def _passage(self, tool: str, call: Call | None) -> Passage:
        """
        What one call goes with.

        Raises:
            WebDisabled, PermissionDenied: There is no web, or not this tool, for the caller.
        """
        from outrider.web.gate import Passage

        if not self.config.web.enabled:
            raise WebDisabled(hint="web.enabled is false in the configuration.")
        call = self._own(call or Call())
        clearance = self.clearance.for_call(call)
        clearance.require(tool)
        return Passage(
            tool=clearance.permissions.manifest.tool(tool),
            call=call,
            session=self.session(call.scope),
            gate=clearance.gate(tool, call),
            clearance=clearance,
            judge=self._opened().client.judge,
        )

    def _adopt(self, session: Session) -> None:
        """Remember a session, and see to its end; what is opened for a child ends with the outermost parent."""
        if self._parent is not None:
            self._parent._adopt(session)  # noqa: SLF001  (another `Web`)
            return
        self._sessions.pop(session.scope, None)
        self._sessions[session.scope] = session
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions))).close()

    def _forget(self, session: Session) -> None:
        """End what `_adopt` remembers."""
        if self._parent is not None:
            self._parent._forget(session)  # noqa: SLF001  (another `Web`)
            return
        self._sessions.pop(session.scope, None)
        session.close()

    def _own(self, call: Call) -> Call:
        """The call as this `Web` makes it: a child's calls belong to its own session."""
        return call if self._only is None else replace(call, scope=self._only.scope)

    async def _perform(self, request: OperationRequest, passage: Passage) -> OperationResult:
        from outrider.web.gate import overdue
        from outrider.web.operations.fetch import FetchRequest

        _, operation = self._opened().operation(request)
        for subject in operation.subjects(request, passage.session):
            try:
                await passage.admit(subject)
            except (PermissionDenied, ApprovalRequired, SsrfRejected):
                # Each item of a fetch passes by itself, so that one that may not does not end the others.
                if not isinstance(request, FetchRequest):
                    raise
        # A person's time is not the tool's: the clock starts now.
        call = passage.limited_call()
        async with overdue(call, passage.tool.name):
            result: OperationResult = await operation.run(passage.held(request), call, passage.session)
        return result

    @property
    def pages(self) -> Pages:
        """The stored pages: to list, search and delete them."""
        from outrider.web.pages import Pages

        return Pages(self._opened().pages, session=self.session, end_session=self.end_session)

    @property
    def parts(self) -> Parts:
        """What this `Web` is made of, for interfaces that show it."""
        return self._opened()

    def _opened(self) -> Parts:
        if self._parent is not None:
            return self._parent._opened()  # noqa: SLF001  (another `Web`)
        if self._parts is None:
            message = "this Web is not open: use it inside `async with Web() as web:`"
            raise InvalidArgument(message)
        return self._parts


class SyncWeb:
    """
    The same for programs without an event loop: a loop of its own runs in a thread.

    Args: As for `Web`.
    """

    def __init__(self, config: Config | None = None, **overrides: Any) -> None:
        self._web = Web(config, **overrides)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="outrider", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._run(self._web.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._run(self._web.__aexit__(kind, error, trace))
        finally:
            self._stop()

    def search(self, query: str, **options: Any) -> SearchResult:
        """See `Web.search`."""
        return self._run(self._web.search(query, **options))

    def fetch(self, url: str, **options: Any) -> Fetched:
        """See `Web.fetch`."""
        return self._run(self._web.fetch(url, **options))

    def fetch_many(self, items: Sequence[FetchItem | str], **options: Any) -> FetchResult:
        """See `Web.fetch_many`."""
        return self._run(self._web.fetch_many(items, **options))

    def download(self, url: str, path: str = "", **options: Any) -> Saved:
        """See `Web.download`."""
        return self._run(self._web.download(url, path, **options))

    def read(self, path: str, **options: Any) -> ReadResult:
        """See `Web.read`."""
        return self._run(self._web.read(path, **options))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """See `Web.call`."""
        return self._run(self._web.call(tool, arguments))

    def tools(self) -> list[ToolSpec]:
        """See `Web.tools`."""
        return self._web.tools()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
