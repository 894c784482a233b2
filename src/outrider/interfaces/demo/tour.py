"""The guided tour: each step is asked of a real `Web`, and says what it expects to happen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from outrider.config import Config, EgressConfig, SearchConfig
from outrider.errors import WebError
from outrider.interfaces.demo.site import METADATA, Harbour
from outrider.web.operations.fetch import Fetched, FetchResult
from outrider.web.operations.search import SearchResult
from outrider.web.web import Web

Result = SearchResult | FetchResult | Fetched

QUESTION = "port merrow tide gauges"
WINDOW = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step as it went."""

    title: str
    asked: str
    """The Python that was run."""
    result: Result | WebError
    facts: tuple[tuple[str, str], ...] = ()
    """What is worth seeing about it: a name, and what was observed."""
    why: str
    as_expected: bool


def configuration(harbour: Harbour) -> Config:
    """Nothing of the user's own settings: the harbour and no other private address may be reached."""
    return Config(
        egress=EgressConfig(allow_hosts=(harbour.allowed,)),
        search=SearchConfig(provider="searxng", providers={"searxng": {"base_url": harbour.base}}),
    )


class Tour:
    """The steps, over one session."""

    def __init__(self, web: Web, harbour: Harbour) -> None:
        self._web = web
        self._harbour = harbour
        self._next_offset = 0

    @property
    def steps(self) -> tuple[Callable[[], Awaitable[Step]], ...]:
        """Each to be run once, in this order."""
        return (
            self._search,
            self._read,
            self._read_on,
            self._section,
            self._together,
            self._metadata,
            self._trap,
            self._neighbour,
        )

    async def _search(self) -> Step:
        result = await self._attempt(self._web.search(QUESTION))
        served = (
            f"{result.answer.provider}, {len(result.hits)} results" if isinstance(result, SearchResult) else "nobody"
        )
        return Step(
            title="Search",
            asked=f'await web.search("{QUESTION}")',
            result=result,
            facts=(("answered by", served),),
            why="Each result has a page id (w1, w2, …) that can be read instead of its URL. "
            "Snippets are evidence of a search engine; the page decides.",
            as_expected=isinstance(result, SearchResult) and len(result.hits) == 3,
        )

    async def _read(self) -> Step:
        result = await self._attempt(self._web.fetch("w1", limit=WINDOW))
        facts: tuple[tuple[str, str], ...] = ()
        if isinstance(result, Fetched) and result.window is not None and result.page is not None:
            self._next_offset = result.next_offset or 0
            window = result.window
            facts = (
                ("page", f"{result.page.document.title}, {result.page.body_bytes:,} bytes of HTML"),
                ("shown", f"characters {window.offset:,}–{window.returned_chars:,} of {window.content_length:,}"),
                ("outline", ", ".join(heading.text for heading in result.outline[1:5]) + ", …"),
                ("next_offset", str(self._next_offset)),
            )
        return Step(
            title="Read a page",
            asked=f'await web.fetch("w1", limit={WINDOW})',
            result=result,
            facts=facts,
            why="The page became Markdown without its navigation. Long pages come in windows that end between blocks.",
            as_expected=self._next_offset > 0,
        )

    async def _read_on(self) -> Step:
        before = len(self._harbour.requests)
        result = await self._attempt(self._web.fetch("w1", offset=self._next_offset, limit=WINDOW))
        asked_again = len(self._harbour.requests) - before
        return Step(
            title="Continue reading",
            asked=f'await web.fetch("w1", offset={self._next_offset}, limit={WINDOW})',
            result=result,
            facts=(("requests to the site", str(asked_again)),),
            why="The session holds the page as it was first read, so windows joined by next_offset give back exactly "
            "one version of it.",
            as_expected=isinstance(result, Fetched) and asked_again == 0,
        )

    async def _section(self) -> Step:
        result = await self._attempt(self._web.fetch("w1", section="When a gauge falls silent", limit=400))
        return Step(
            title="Go to a section",
            asked='await web.fetch("w1", section="When a gauge falls silent", limit=400)',
            result=result,
            why="A heading or #fragment leads straight to its section; find= gives the passages around a text.",
            as_expected=isinstance(result, Fetched) and bool(result.section),
        )

    async def _together(self) -> Step:
        result = await self._attempt(self._web.fetch_many(["w2", "w3"]))
        return Step(
            title="Read several pages at once",
            asked='await web.fetch_many(["w2", "w3"])',
            result=result,
            why="Up to eight go out together and share one budget of characters; one that fails never ends the others.",
            as_expected=isinstance(result, FetchResult) and all(item.status == "success" for item in result.items),
        )

    async def _metadata(self) -> Step:
        result = await self._attempt(self._web.fetch(METADATA))
        return Step(
            title="Ask for a cloud's metadata address",
            asked=f'await web.fetch("{METADATA}")',
            result=result,
            facts=_refusal(result),
            why="This is where a cloud keeps a machine's credentials. No setting opens it, not even the allow list.",
            as_expected=_is_refused(result),
        )

    async def _trap(self) -> Step:
        result = await self._attempt(self._web.fetch(f"{self._harbour.base}/free-credits"))
        return Step(
            title="Follow a link that redirects there",
            asked=f'await web.fetch("{self._harbour.base}/free-credits")',
            result=result,
            facts=(("the site answered", f"302, Location: {METADATA}"), *_refusal(result)),
            why="Every hop of a redirect is judged like a first request, before anything is sent to it.",
            as_expected=_is_refused(result) and self._harbour.requests[-1] == "/free-credits",
        )

    async def _neighbour(self) -> Step:
        result = await self._attempt(self._web.fetch(f"{self._harbour.base}/office-party"))
        return Step(
            title="Follow a link into the private network",
            asked=f'await web.fetch("{self._harbour.base}/office-party")',
            result=result,
            facts=(
                ("the site answered", f"302, Location: {self._harbour.internal}/admin"),
                *_refusal(result),
                ("connections that service saw", str(self._harbour.touched)),
            ),
            why="A real service listens there. This command allows one host and port; the door beside it stays shut.",
            as_expected=_is_refused(result) and self._harbour.touched == 0,
        )

    async def _attempt(self, work: Awaitable[Result]) -> Result | WebError:
        try:
            return await work
        except WebError as error:
            return error


def _is_refused(result: object) -> bool:
    return isinstance(result, WebError) and result.code in ("ssrf_rejected", "redirect_rejected")


def _refusal(result: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(result, WebError):
        return ()
    return (("reason", result.reason),) if result.reason else ()
