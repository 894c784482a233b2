"""Jina's search."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from outrider.errors import ProviderRateLimited, WebError
from outrider.search import domains, failures, reading
from outrider.search.catalogue import Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.reading import Json
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Hit, Query

ENDPOINT = "https://s.jina.ai/"


class Jina(HttpProvider):
    """Follows the public source of the service, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="jina",
        name="Jina",
        description="Web search, with the pages' texts when asked for; a call costs at least 10,000 tokens.",
        docs_url="https://jina.ai/reader/",
        requires_api_key=True,
        filters=frozenset({"country", "domains", "language"}),
        max_domains=1,
        max_results=20,
        env={"api_key": ("JINA_API_KEY",)},
        fields=(
            Field(
                key="content",
                label="Page text as content",
                type="select",
                default="false",
                options=choices("false", "true"),
                description="Costs the tokens of every page.",
            ),
        ),
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """The site goes in a header."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars, in_url=True)
        params = {"q": text, "num": str(count)}
        if query.country not in {"", "ALL"}:
            params["gl"] = query.country.lower()
        if query.language:
            params["hl"] = query.language.lower()
        headers = dict(self.bearer)
        if self.option("content") != "true":
            headers["x-respond-with"] = "no-content"
        if query.allowed_domains:
            headers["x-site"] = f"https://{domains.hosts(query.allowed_domains)[0]}"
        return ApiRequest(url=ENDPOINT, params=params, headers=headers, warnings=(*lowered, *cut))

    def means_nothing_found(self, reply: ApiReply) -> bool:
        """A 422 says so in words."""
        return _says_nothing_found(self.error_body(reply), reply.status)

    def failure(self, reply: ApiReply) -> WebError:
        """The wait may stand in the body."""
        wait_s = reading.number(reading.at(self.error_body(reply), "retryAfter"))
        found = super().failure(reply)
        if (
            isinstance(found, ProviderRateLimited)
            and found.retry_after_s is None
            and wait_s is not None
            and wait_s >= 0
        ):
            found.retry_after_s = wait_s
        return found

    def parse(self, reply: ApiReply) -> Answer:
        """The body has a status of its own."""
        body = self.body(reply)
        code = reading.number(body.get("code"))
        if _says_nothing_found(body, reply.status):
            return Answer()
        if code is not None and code >= 400:
            raise self.error(failures.kind_for(int(min(code, 599))), reply)
        items = self.listed(reply, body.get("data"), missing_is_empty="data" in body and code == 200)
        return Answer(hits=collect(map(_hit, items)))


def _says_nothing_found(body: Json, status: int) -> bool:
    words = f"{failures.says(body)} {reading.text(reading.at(body, 'readableMessage'))}".lower()
    return 422 in {status, reading.number(reading.at(body, "code"))} and "no search results" in words


def _hit(item: reading.Record) -> Hit | None:
    return hit(
        item.get("url"),
        item.get("title"),
        snippet=item.get("description"),
        content=item.get("content"),
        date=reading.first_text(item, "date", "publishedTime"),
    )


PROVIDER = Jina
