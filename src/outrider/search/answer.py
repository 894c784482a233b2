"""What one provider gave for one query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from outrider.types import Hit


@dataclass(frozen=True, slots=True)
class Topic:
    """A link to a topic of the engine's own, which is no web result."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one provider gave for one query."""

    hits: tuple[Hit, ...] = ()
    warnings: tuple[str, ...] = ()
    answer: str = ""
    """A direct answer beside the results."""
    searched: bool = True
    """False when a model answered without searching."""
    exhausted: bool = False
    """This emptiness says nothing about the web: somebody else has to be asked."""
    incomplete: bool = False
    """The engine gave up before it was through."""
    news: tuple[Hit, ...] = ()
    topics: tuple[Topic, ...] = ()
    query_used: str = ""
    """What was really searched for, when that differs from the question or is only known from the answer."""
    next_page: Mapping[str, str] = field(default_factory=dict)
    """What to send for the next page, when the engine says so."""
    cooldown_s: float | None = None
    """A pause that the vendor asks for in spite of success."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """What the vendor counted, such as `web_search_requests`."""
    stop_reason: str = ""


def with_warnings(answer: Answer, warnings: tuple[str, ...]) -> Answer:
    """The same answer with further warnings before its own."""
    return replace(answer, warnings=(*warnings, *answer.warnings)) if warnings else answer
