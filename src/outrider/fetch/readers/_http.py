"""One JSON exchange with a model's API, its failures in our words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from outrider.egress.message import Headers, Limits, Request, Response
from outrider.egress.pace import retry_after
from outrider.errors import InvalidUrl, ReaderFailed
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.egress.client import Client

_MAX_BODY_BYTES = 4 * 1024 * 1024
_WHY = {
    400: "it does not take the request",
    401: "it refuses the key",
    402: "its credits are used up",
    403: "the key may not use this model",
    404: "there is no such model or address",
    413: "the page is too long for it",
    429: "it asks for fewer requests",
}


async def ask(
    client: Client, url: str, headers: Mapping[str, str], body: Mapping[str, Any], call: Call, *, total_s: float
) -> Any:
    """
    Post JSON, and give back the JSON of the answer. No redirect is followed: a key goes nowhere else.

    Raises:
        ReaderFailed: The answer is an error, or no JSON.
        WebError: The network or the guard prevented it.
    """
    left = call.remaining()
    seconds = max(0.001, total_s if left is None else min(total_s, left))
    limits = Limits(first_byte_s=seconds, stall_s=seconds, total_s=seconds, max_body_bytes=_MAX_BODY_BYTES, retries=0)
    fields = {"content-type": "application/json", "accept": "application/json", **headers}
    request = Request(url=_parse(url), method="POST", headers=Headers(fields), body=json.dumps(body).encode())
    async with call.limited("the reader model"):
        response = await client.send(request, limits=limits)
    if response.status != 200:
        raise _failure(response)
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError) as error:
        message = "the reader model's answer is not JSON"
        raise ReaderFailed(message) from error


def _parse(url: str) -> Url:
    try:
        return Url.parse(url)
    except InvalidUrl as error:
        message = "reader.base_url is not a URL that can be reached"
        raise ReaderFailed(message, hint=error.message) from error


def _failure(response: Response) -> ReaderFailed:
    # The vendor's own words may repeat the key, so they are not passed on.
    why = _WHY.get(response.status, "it failed" if response.status >= 500 else "it refuses the request")
    return ReaderFailed(
        f"the reader model at {response.url.host} answered {response.status}: {why}",
        status=response.status,
        retry_after_s=retry_after(response.headers.get("retry-after")),
        hint="Read the page without a prompt.",
    )
