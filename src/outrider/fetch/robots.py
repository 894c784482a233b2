"""May this page be read by a program? The rules of RFC 9309."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outrider.egress.message import Limits
from outrider.errors import RedirectRejected, RobotsDenied, RobotsUnavailable, SsrfRejected, WebError
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.egress.client import Client, Permit

# RFC 9309 section 2.5: at least 500 kibibytes are read; section 2.4: rules are kept at most a day.
_LIMITS = Limits(
    connect_s=5.0, first_byte_s=8.0, stall_s=5.0, total_s=10.0, max_body_bytes=512_000, on_excess="cut", retries=0
)
_KEEP_S, _KEEP_FAILURE_S = 3_600.0, 60.0
_MAX_SITES = 512
# Reasons of a refused hop that are the caller's own, see `Call.follow`.
_OF_THE_CALLER = frozenset({"permission_denied", "approval_required", "other-host"})
_TOKEN = re.compile(r"[A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class _Rules:
    until: float
    parsed: Any
    """The library's rules; None when everything is allowed."""
    failure: str = ""
    """Why the rules are unknown; empty when they are known."""


class Robots:
    """
    Reads and remembers robots.txt files, through the same client as everything else.

    Args:
        product: The name that groups are matched against; the product token of the client's identity by default.
        clock: Monotonic seconds.
    """

    def __init__(
        self, client: Client, *, product: str | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._product = product or product_token(client.user_agent)
        self._clock = clock
        self._sites: OrderedDict[str, _Rules] = OrderedDict()

    async def check(self, url: Url, *, permit: Permit | None = None) -> None:
        """
        Ask the site's rules about a page.

        Args:
            permit: Asked before each redirect hop of the robots.txt.

        Raises:
            RedirectRejected: The permit refused a hop; another caller's may allow it, so that is not remembered.
            RobotsDenied: The rules forbid it.
            RobotsUnavailable: The rules could not be read; that is no ban for ever, so it may be tried again.
            SsrfRejected: The robots.txt itself leads where nothing may go.
        """
        rules = self._sites.get(url.origin)
        if rules is None or rules.until < self._clock():
            rules = await self._read(url, permit)
            self._sites[url.origin] = rules
            self._sites.move_to_end(url.origin)
            while len(self._sites) > _MAX_SITES:
                self._sites.popitem(last=False)
        if rules.failure:
            raise RobotsUnavailable(
                f"the robots.txt of {url.host} could not be read ({rules.failure}), so its rules are unknown",
                hint="Try again later, or use another source.",
                retry_after_s=_KEEP_FAILURE_S,
            )
        if rules.parsed is not None and not rules.parsed.can_fetch(str(url.without_fragment()), self._product):
            message = f"the robots.txt of {url.host} asks programs not to read this page"
            raise RobotsDenied(message, hint="Use another source.")

    async def _read(self, url: Url, permit: Permit | None) -> _Rules:
        try:
            response = await self._client.get(
                url.join("/robots.txt"), limits=_LIMITS, accept="text/plain, */*;q=0.5", permit=permit
            )
        except SsrfRejected:
            raise
        except RedirectRejected as error:
            if "target" in error.details and error.reason in _OF_THE_CALLER:
                raise
            return _Rules(self._clock() + _KEEP_FAILURE_S, None, error.code)
        except WebError as error:
            return _Rules(self._clock() + _KEEP_FAILURE_S, None, error.code)
        if response.status >= 500 or response.status == 429:
            return _Rules(self._clock() + _KEEP_FAILURE_S, None, f"status {response.status}")
        if not 200 <= response.status < 300:
            # RFC 9309 section 2.3.1.3: unavailable, so there are no rules.
            return _Rules(self._clock() + _KEEP_S, None)
        return _Rules(self._clock() + _KEEP_S, _parse(response.body))


def product_token(user_agent: str) -> str:
    """The name in front of the first slash of an identity, as robots.txt groups spell it."""
    match = _TOKEN.match(user_agent)
    return match.group() if match else "Outrider"


def _parse(body: bytes) -> Any:
    from protego import Protego

    return Protego.parse(body.decode("utf-8-sig", "replace"))
