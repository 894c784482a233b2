"""GitHub: repositories, issues, users, topics or code."""

from __future__ import annotations

from datetime import date
from typing import ClassVar
from urllib.parse import quote

from outrider.errors import ProviderRateLimited, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, choices
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.github.com/search/"


class GitHub(HttpProvider):
    """Follows the vendor's REST documentation, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="github",
        name="GitHub",
        description="Repositories unless set otherwise; ten searches a minute without a token, thirty with one.",
        docs_url="https://docs.github.com/rest/search/search",
        supports_optional_api_key=True,
        filters=frozenset({"freshness"}),
        max_results=100,
        max_query_chars=256,
        bounds=Bounds(concurrency=2),
        env={"api_key": ("GITHUB_TOKEN", "GH_TOKEN")},
        fields=(
            Field(
                key="kind",
                label="Kind",
                type="select",
                default="repositories",
                options=choices("repositories", "issues", "users", "topics", "code"),
                description="`code` needs a token.",
            ),
        ),
        automatic=False,
        weak=True,
    )

    def request(self, query: Query, today: date) -> ApiRequest:
        """Freshness becomes a qualifier of the day of creation."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars)
        if query.freshness is not None:
            text = f"{text} {_created(query.freshness, today)}"
        headers = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28", **self.bearer}
        return ApiRequest(
            url=ENDPOINT + self.option("kind"),
            params={"q": text, "per_page": str(count), "page": "1"},
            headers=headers,
            warnings=(*lowered, *cut),
        )

    def failure(self, reply: ApiReply) -> WebError:
        """A spent allowance is a 403 as often as a 429; its end is an absolute time."""
        if reply.status not in {403, 429}:
            return super().failure(reply)
        spent = reply.headers.get("x-ratelimit-remaining", "").strip() == "0"
        waits = failures.wait_of(reply.headers, reply.received) is not None
        named = "rate limit" in failures.says(self.error_body(reply)).lower()
        if not (spent or waits or named or reply.status == 429):
            return super().failure(reply)
        until = reading.number(reply.headers.get("x-ratelimit-reset", "")) if spent and not waits else None
        says = "its allowance of searches is used up for now"
        return self.error(ProviderRateLimited, reply, says=says, retry_at=int(until) if until else None)

    def parse(self, reply: ApiReply) -> Answer:
        """Incomplete results are said to be so."""
        body = self.body(reply)
        items = self.listed(reply, body.get("items"), missing_is_empty="items" in body)
        incomplete = body.get("incomplete_results") is True
        told = (f"{self.info.name}: the results are incomplete, its search ran out of time",) if incomplete else ()
        return Answer(hits=collect(map(_hit, items)), incomplete=incomplete, warnings=told)


def _created(freshness: Freshness, today: date) -> str:
    start, end = dates.days(freshness, today)
    if start and end:
        return f"created:{start}..{end}"
    return f"created:>={start}" if start else f"created:<={end}"


def _hit(item: reading.Record) -> Hit | None:
    topic = reading.text(item.get("name"))
    address = reading.text(item.get("html_url")) or f"https://github.com/topics/{quote(topic, errors='replace')}"
    title = reading.first_text(item, "full_name", "title", "login", "display_name", "path", "name")
    return hit(
        address if title else "",
        title,
        snippet=reading.first_text(item, "description", "body", "short_description"),
        date=item.get("created_at"),
        updated=reading.first_text(item, "pushed_at", "updated_at"),
        score=item.get("score"),
        exact=True,
    )


PROVIDER = GitHub
