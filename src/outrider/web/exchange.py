"""An HTTP client through a `Web`'s guard, for interfaces that talk to an endpoint of their operator's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outrider.url import Url

if TYPE_CHECKING:
    from outrider.egress.httpx_transport import GuardedClient
    from outrider.web.web import Web

MAX_BODY_BYTES = 16 * 1024 * 1024


def client_for(web: Web, endpoint: Url, *, silent_s: float) -> GuardedClient:
    """
    A client that reaches the endpoint's origin and nothing else; redirects are not followed.

    It is the caller's to close, before the `Web`.

    Args:
        silent_s: How long it may take to the first byte, and from one to the next; the whole is the caller's to bound.
    """
    from outrider.egress.httpx_transport import guarded_client
    from outrider.egress.message import Limits

    limits = Limits(first_byte_s=silent_s, stall_s=silent_s, max_body_bytes=MAX_BODY_BYTES, retries=0)
    return guarded_client(web.parts.client, origin=endpoint.origin, limits=limits)
