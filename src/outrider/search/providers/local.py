"""Pages that were read before: the page store's own full-text search, which needs no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from outrider.call import Call
from outrider.errors import ProviderUnavailable, StorageError
from outrider.search.catalogue import ProviderInfo, Terms
from outrider.search.provider import Answer
from outrider.search.settings import ProviderSettings
from outrider.search.wire import Exchange
from outrider.types import Hit, Query

if TYPE_CHECKING:
    from outrider.store.kept import Match
    from outrider.store.pages import PageStore

# The domain lists are applied to what comes back, so more is looked for when there are any.
_LOOKED_FOR = 100
_MOST = 20


class Local:
    """
    Searches the calling session's stored pages.

    Args:
        pages: Where they are; without them nothing is ever found.
    """

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="local",
        name="Pages read before",
        description="Pages that this session has read and stored, found again without the network.",
        docs_url="https://github.com/outrider-web/outrider/blob/main/docs/providers/local.md",
        supports_proxy=False,
        filters=frozenset({"domains"}),
        max_results=_MOST,
        # Each session has pages of its own, and answers are kept without regard to whose they are.
        terms=Terms(cache_s=0),
        weak=True,
    )

    def __init__(self, settings: ProviderSettings, pages: PageStore | None = None) -> None:
        del settings
        self._pages = pages

    async def search(self, query: Query, exchange: Exchange, call: Call) -> Answer:
        """
        Look the words up.

        Raises:
            ProviderUnavailable: The store cannot be read.
        """
        del exchange
        if self._pages is None:
            return Answer(exhausted=True)
        listed = bool(query.allowed_domains or query.blocked_domains)
        try:
            matches = await self._pages.search(
                call.scope, query.text, limit=_LOOKED_FOR if listed else min(query.max_results, _MOST)
            )
        except StorageError as error:
            message = f"{self.info.name}: {error.message}"
            raise ProviderUnavailable(message, hint=error.hint, details={"provider": self.info.id}) from error
        warning = "These results are pages that were read before; the web itself was not searched."
        return Answer(
            hits=tuple(_hit(match, rank) for rank, match in enumerate(matches, start=1)),
            warnings=(warning,) if matches else (),
            exhausted=not matches,
        )


def _hit(match: Match, rank: int) -> Hit:
    return Hit(
        url=match.stored.final_url,
        title=match.stored.title,
        snippet=match.snippet,
        score=match.score,
        provider=Local.info.id,
        rank=rank,
    )


PROVIDER = Local
