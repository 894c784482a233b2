"""Questions and answers of the Stack Exchange network."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from outrider.errors import ProviderRateLimited, WebError
from outrider.search import dates, domains, failures, reading
from outrider.search.catalogue import Bounds, Field, ProviderInfo, Terms
from outrider.search.hits import collect, hit
from outrider.search.provider import Answer, HttpProvider
from outrider.search.wire import ApiReply, ApiRequest
from outrider.types import Freshness, Hit, Query

ENDPOINT = "https://api.stackexchange.com/2.3/search/excerpts"

# Sites whose host is not `<site>.stackexchange.com`.
_HOSTS = {
    "stackoverflow": "stackoverflow.com",
    "superuser": "superuser.com",
    "serverfault": "serverfault.com",
    "askubuntu": "askubuntu.com",
    "mathoverflow": "mathoverflow.net",
    "stackapps": "stackapps.com",
}
_SITE = re.compile(r"[a-z0-9.-]{2,60}", re.ASCII)
_WAIT = re.compile(r"in (\d{1,7}) seconds", re.ASCII)
_THROTTLED = 502


class StackExchange(HttpProvider):
    """Follows the vendor's documentation, read autumn 2026."""

    info: ClassVar[ProviderInfo] = ProviderInfo(
        id="stackexchange",
        name="Stack Exchange",
        description="Questions and answers of one site of the network, Stack Overflow unless set otherwise.",
        docs_url="https://api.stackexchange.com/docs/excerpt-search",
        supports_optional_api_key=True,
        filters=frozenset({"freshness"}),
        max_results=100,
        bounds=Bounds(concurrency=2),
        env={"api_key": ("STACKEXCHANGE_API_KEY", "STACK_EXCHANGE_API_KEY")},
        fields=(Field(key="site", label="Site", default="stackoverflow", description="Such as superuser or math."),),
        terms=Terms(attribution="the site and the author, CC BY-SA"),
        automatic=False,
        weak=True,
    )

    @property
    def _site(self) -> str:
        site = self.option("site").lower()
        return site if _SITE.fullmatch(site) else "stackoverflow"

    def request(self, query: Query, today: date) -> ApiRequest:
        """A key, which raises the allowance, is part of the address."""
        count, lowered = domains.lowered(query, self.info.max_results)
        text, cut = domains.cut(query.text, self.info.max_query_chars, in_url=True)
        params = {"q": text, "site": self._site, "pagesize": str(count), "page": "1"}
        if self.settings.api_key:
            params["key"] = self.settings.api_key
        if query.freshness is not None:
            params |= _seconds(query.freshness, today)
        return ApiRequest(url=ENDPOINT, params=params, warnings=(*lowered, *cut))

    def failure(self, reply: ApiReply) -> WebError:
        """The error's own number counts, and for a throttle the wait in its words."""
        body = self.error_body(reply)
        number = reading.number(reading.at(body, "error_id"))
        name = reading.text(reading.at(body, "error_name"))
        if number == _THROTTLED or name == "throttle_violation":
            match = _WAIT.search(failures.says(body))
            wait_s = float(match.group(1)) if match else None
            return self.error(ProviderRateLimited, reply, retry_after_s=wait_s)
        status = int(number) if number is not None and 400 <= number < 600 else reply.status
        return self.error(failures.kind_for(status), reply, code=name or None)

    def parse(self, reply: ApiReply) -> Answer:
        """Excerpts have no link: it is made from the site and the number."""
        body = self.body(reply)
        if "items" not in body and "error_id" in body:
            raise self.failure(reply)
        host = _HOSTS.get(self._site) or (
            f"{self._site}.com" if "." in self._site else f"{self._site}.stackexchange.com"
        )
        items = self.listed(reply, body.get("items"), missing_is_empty="items" in body)
        return Answer(
            hits=collect(_hit(host, item) for item in items),
            cooldown_s=reading.number(body.get("backoff")),
        )


def _seconds(freshness: Freshness, today: date) -> dict[str, str]:
    start, end = dates.days(freshness, today)
    found = {"fromdate": _epoch(date.fromisoformat(start)) if start else ""}
    found["todate"] = _epoch(date.fromisoformat(end) + timedelta(days=1)) if end else ""
    return {key: value for key, value in found.items() if value}


def _epoch(day: date) -> str:
    return str(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))


def _hit(host: str, item: reading.Record) -> Hit | None:
    question = reading.number(item.get("question_id"))
    answer = reading.number(item.get("answer_id"))
    if question is None and answer is None:
        return None
    path = f"/a/{answer:.0f}" if answer is not None else f"/questions/{question:.0f}"
    return hit(
        f"https://{host}{path}",
        item.get("title"),
        snippet=item.get("excerpt"),
        date=dates.from_epoch(reading.number(item.get("creation_date"))) or "",
        score=item.get("score"),
        site_name=host,
    )


PROVIDER = StackExchange
