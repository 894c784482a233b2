"""What was found, each with a passage that was looked up on its page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARK = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One finding: what is claimed, and the passage that says so."""

    number: int
    claim: str
    quote: str
    """As it stands on the page."""
    url: str
    title: str
    path: str
    """`web://…` of the stored page; empty when it is held in memory only."""
    start: int
    """Where the passage begins, in code points from the start of the page's text."""


@dataclass(slots=True)
class Notebook:
    """The findings of one piece of research, numbered from 1; only verified ones come in."""

    sources: list[Source] = field(default_factory=list)

    def add(self, *, claim: str, quote: str, url: str, title: str, path: str, start: int) -> Source:
        """Note a finding; the same passage of the same page keeps its number."""
        for known in self.sources:
            if (known.url, known.start, known.quote) == (url, start, quote):
                return known
        source = Source(
            number=len(self.sources) + 1, claim=claim, quote=quote, url=url, title=title, path=path, start=start
        )
        self.sources.append(source)
        return source

    def unknown(self, answer: str) -> list[int]:
        """Numbers that an answer cites and that are no finding."""
        return sorted(number for number in cited(answer) if not 1 <= number <= len(self.sources))

    def used(self, answer: str) -> tuple[Source, ...]:
        """The findings that an answer cites, in their order."""
        numbers = cited(answer)
        return tuple(source for source in self.sources if source.number in numbers)

    def plain_answer(self) -> str:
        """The findings as they are, for when nobody is left to write an answer."""
        return "\n".join(f"- {source.claim} [{source.number}]" for source in self.sources)


def cited(answer: str) -> set[int]:
    """The numbers that stand in brackets: `[2]`, `[1, 3]`."""
    return {int(number) for group in _MARK.findall(answer) for number in group.split(",")}


def without(answer: str, numbers: list[int]) -> str:
    """The answer without some of its citations."""
    dropped = set(numbers)

    def keep(match: re.Match[str]) -> str:
        left = [number for number in match[1].split(",") if int(number) not in dropped]
        return f"[{','.join(left)}]" if left else ""

    return _MARK.sub(keep, answer)
