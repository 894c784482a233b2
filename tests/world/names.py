"""What names resolve to: one table for the resolver inside the process and for the name server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

# RFC 1034 gives none; resolvers in use follow between 8 and 16.
MAX_ALIASES = 8


class Trouble(Enum):
    """An answer that is not an answer."""

    NXDOMAIN = "there is no such name"
    SERVFAIL = "the name server failed"
    REFUSED = "the name server refused"
    SILENCE = "no answer ever comes"


@dataclass(frozen=True, slots=True)
class Alias:
    """The name is another name (CNAME)."""

    target: str


@dataclass(frozen=True, slots=True)
class Changing:
    """A different answer each time; the last one stays."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Truncated:
    """Over UDP only the news that the answer is too long; over TCP the answer."""

    addresses: tuple[str, ...]


Answer = Sequence[str] | Trouble | Alias | Changing | Truncated


def changing(*answers: Answer) -> Changing:
    return Changing(answers)


class Names(dict[str, Answer]):
    """Host name to answer. Names end in `.test`, save a vendor's real ones; an absent name is NXDOMAIN."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: Counter[tuple[str, str]] = Counter()

    def answer(self, name: str, kind: str = "") -> Sequence[str] | Trouble | Alias | Truncated:
        """The answer whose turn it is. `kind` keeps the turns of A and AAAA queries apart."""
        answer = self.get(name, Trouble.NXDOMAIN)
        if not isinstance(answer, Changing):
            return answer
        turn = self._asked[name, kind]
        self._asked[name, kind] += 1
        chosen = answer.answers[min(turn, len(answer.answers) - 1)]
        assert not isinstance(chosen, Changing)
        return chosen

    def forget(self) -> None:
        """Start every changing answer again."""
        self._asked.clear()
