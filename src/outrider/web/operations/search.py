"""The search operation: a question to numbered hits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.call import Call
from outrider.search.query import make_query
from outrider.types import Hit, PageId, SearchAnswer
from outrider.url import Url
from outrider.web.evidence import MAX_PAGES, Evidence, gather
from outrider.web.operation import Subject
from outrider.web.session import Session

if TYPE_CHECKING:
    from outrider.search.searcher import Searcher
    from outrider.web.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question, as `web_search` takes it."""

    query: str
    max_results: int | None = None
    allowed_domains: tuple[str, ...] | None = None
    blocked_domains: tuple[str, ...] | None = None
    country: str | None = None
    freshness: str | None = None
    language: str | None = None
    safe: str | None = None
    provider: str | None = None
    """Chosen by the caller in Python, on the command line or over HTTP; models are not offered it."""
    content: bool = False
    """Whether the first results are read."""
    ceiling: int | None = None
    """The most results that the calling agent gets, where that is less than the configured ceiling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedHit:
    """A hit with its page id in the session."""

    page_id: PageId
    hit: Hit
    evidence: Evidence | None = None
    """What its page says, or why it was not read; None when it was not to be read."""

    @property
    def content(self) -> str:
        """The beginning of its page, where that was read."""
        return self.evidence.content if self.evidence is not None else ""

    @property
    def url(self) -> str:
        """Where it leads."""
        return self.hit.url

    @property
    def domain(self) -> str:
        """The URL's host."""
        return Url.parse(self.hit.url).host


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Numbered hits, who served them, and today's date."""

    query: str
    hits: tuple[NumberedHit, ...]
    answer: SearchAnswer
    """The searcher's own answer, with its trace of attempts."""
    today: str
    """`YYYY-MM-DD`, so that a model with an older sense of time searches with the right year."""
    warnings: tuple[str, ...] = ()


class SearchOperation:
    """Asks the searcher and numbers what comes back."""

    def __init__(
        self, searcher: Searcher, reading: Reading | None = None, *, default_results: int = 5, ceiling: int = 20
    ) -> None:
        self._searcher = searcher
        self._reading = reading
        self._default_results = default_results
        self._ceiling = ceiling

    def subjects(self, request: SearchRequest, session: Session) -> list[Subject]:
        """The tool itself, not the provider's host."""
        del session
        return [Subject(action="search", text=request.query)]

    async def run(self, request: SearchRequest, call: Call, session: Session) -> SearchResult:
        """
        Search.

        Raises:
            InvalidArgument: An argument is wrong.
            WebError: All providers failed; any provider code.
        """
        query, warnings = make_query(
            request.query,
            max_results=request.max_results,
            default_results=self._default_results,
            ceiling=self._ceiling if request.ceiling is None else min(self._ceiling, request.ceiling),
            allowed_domains=request.allowed_domains,
            blocked_domains=request.blocked_domains,
            country=request.country,
            freshness=request.freshness,
            language=request.language,
            safe=request.safe,
        )
        answer = await self._searcher.search(query, call, provider=request.provider)
        hits = tuple(NumberedHit(page_id=session.page_id(Url.parse(hit.url)), hit=hit) for hit in answer.hits)
        if request.content:
            hits = await self._with_evidence(hits, call, session)
        return SearchResult(
            query=query.text,
            hits=hits,
            answer=replace(answer, warnings=(*warnings, *answer.warnings)),
            today=call.now().date().isoformat(),
            warnings=(*warnings, *answer.warnings),
        )

    async def _with_evidence(
        self, hits: tuple[NumberedHit, ...], call: Call, session: Session
    ) -> tuple[NumberedHit, ...]:
        if self._reading is None:
            return hits
        first, rest = hits[:MAX_PAGES], hits[MAX_PAGES:]
        read = await gather([Url.parse(hit.url) for hit in first], self._reading, call, session)
        return (*(replace(hit, evidence=found) for hit, found in zip(first, read, strict=True)), *rest)
