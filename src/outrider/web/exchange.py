"""One HTTP exchange through a `Web`'s guard, for interfaces that talk to an endpoint of their operator's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.web.web import Web

MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back, decoded."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def exchange(
    web: Web, *, method: str, url: str, headers: Mapping[str, str], body: bytes, total_s: float
) -> Reply:
    """
    Make one exchange; redirects are not followed.

    Raises:
        WebError: Any code of the guard or of the network.
    """
    from outrider.egress.message import Headers, Limits, Request
    from outrider.url import Url

    request = Request(url=Url.parse(url), method=method, headers=Headers(tuple(headers.items())), body=body)
    limits = Limits(first_byte_s=total_s, stall_s=total_s, total_s=total_s, max_body_bytes=MAX_BODY_BYTES, retries=0)
    response = await web.parts.client.send(request, limits=limits)
    return Reply(status=response.status, headers=dict(response.headers.fields), body=response.body)
