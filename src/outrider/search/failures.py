"""From an API's status, headers and words to one typed failure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias

from outrider.egress.message import Headers
from outrider.errors import (
    FilterUnsupported,
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderBlocked,
    ProviderError,
    ProviderForbidden,
    ProviderGone,
    ProviderInvalidRequest,
    ProviderMisconfigured,
    ProviderNotConfigured,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderUnavailable,
    WebError,
)
from outrider.search.reading import Json, at, number, records, text
from outrider.search.text import clip, plain

Outcome: TypeAlias = Literal[
    "ok", "empty", "blocked", "rate_limited", "quota", "auth", "forbidden", "invalid_request", "config", "gone",
    "upstream", "bad_response", "timeout", "filter_unsupported", "not_configured", "resting",
    "not_searched",
]  # fmt: skip
"""How one provider fared."""

MAX_SAYS = 200
"""Characters of a vendor's own words in a message."""

_OUTCOMES: dict[type[WebError], Outcome] = {
    ProviderAuthFailed: "auth",
    ProviderForbidden: "forbidden",
    ProviderQuotaExceeded: "quota",
    ProviderRateLimited: "rate_limited",
    ProviderBlocked: "blocked",
    ProviderInvalidRequest: "invalid_request",
    ProviderMisconfigured: "config",
    ProviderGone: "gone",
    ProviderUnavailable: "upstream",
    ProviderBadResponse: "bad_response",
    ProviderNotConfigured: "not_configured",
    FilterUnsupported: "filter_unsupported",
}

HINTS: dict[type[WebError], str] = {
    ProviderAuthFailed: "Check the key in the configuration.",
    ProviderForbidden: "Give the key access to search in the vendor's console.",
    ProviderQuotaExceeded: "Add credits, wait for the allowance to renew, or use another provider.",
    ProviderRateLimited: "Wait a little, or use another provider.",
    ProviderBlocked: "Use another provider; this one takes the address for a bot for a while.",
    ProviderInvalidRequest: "Change the query or the filters.",
    ProviderUnavailable: "Try again later, or use another provider.",
    ProviderBadResponse: "Use another provider.",
}
"""What to do next, where the provider knows nothing better."""

_BY_STATUS: dict[int, type[ProviderError]] = {
    401: ProviderAuthFailed,
    402: ProviderQuotaExceeded,
    403: ProviderForbidden,
    408: ProviderUnavailable,
    410: ProviderGone,
    425: ProviderUnavailable,
    429: ProviderRateLimited,
    451: ProviderForbidden,
}


def outcome_of(error: WebError) -> Outcome:
    """The word for a failure in the list of attempts."""
    if error.details.get("outcome") == "timeout":
        return "timeout"
    if error.code == "ssrf_rejected":
        return "config"
    return next((outcome for kind, outcome in _OUTCOMES.items() if isinstance(error, kind)), "bad_response")


def kind_for(status: int) -> type[ProviderError]:
    """What a status means when the body says nothing finer."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return ProviderUnavailable
    return ProviderInvalidRequest if status >= 400 else ProviderBadResponse


def shows_challenge(headers: Headers) -> bool:
    """The answer comes from a bot check in front of the service."""
    return headers.get("cf-mitigated", "").strip().lower() == "challenge"


def wait_of(headers: Headers, received: datetime) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or a date; None when it asks for nothing that can be read."""
    return wait_text(headers.get("retry-after", ""), received)


def wait_text(value: str, received: datetime) -> float | None:
    """Seconds in a `Retry-After` value."""
    stripped = value.strip()
    if not stripped:
        return None
    seconds = number(stripped)
    if seconds is not None:
        return seconds if seconds >= 0 else None
    try:
        until = parsedate_to_datetime(stripped)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, math.ceil((until - received).total_seconds()))


def says(body: Json) -> str:
    """The vendor's own sentence in an error body, wherever it usually stands; empty when there is none."""
    for path in _SENTENCES:
        found = text(at(body, *path))
        if found.strip():
            return found
    for listed in ("errors", "error", "detail", "message"):
        for item in records(at(body, listed)):
            found = text(item.get("message")) or text(item.get("msg")) or text(item.get("detail"))
            if found.strip():
                return found
    return ""


_SENTENCES: tuple[tuple[str, ...], ...] = (
    ("error", "message"),
    ("error", "detail"),
    ("error", "info"),
    ("error", "error"),
    ("detail", "error"),
    ("detail", "message"),
    ("message",),
    ("error_message",),
    ("userMessage",),
    ("errMsg",),
    ("msg",),
    ("error",),
    ("detail",),
)


_SPENT = r"余额|欠费|配额|balance|quota|credits?\b|insufficient.?(?:funds|balance)|arrears|payment|money"
_KEY = r"(?<![a-z])iam(?![a-z])|auth|api[ _-]?key|access[ _-]?(?:key|token)|subscription key|鉴权|认证|密钥|令牌"
_HASTE = r"\brate\b|rate_?limit|qps|too many|throttl|limit|频率|频繁|限流|\b429\b"
_WORDS: tuple[tuple[type[ProviderError], re.Pattern[str]], ...] = (
    (ProviderQuotaExceeded, re.compile(_SPENT)),
    (ProviderAuthFailed, re.compile(_KEY)),
    (ProviderRateLimited, re.compile(_HASTE)),
    (ProviderForbidden, re.compile(r"forbidden|permission|not allowed|denied|权限")),
    (ProviderInvalidRequest, re.compile(r"invalid|param|argument|malformed|参数")),
    (ProviderUnavailable, re.compile(r"internal|unavailable|overload|timeout|timed out|server error|系统|繁忙")),
)


def kind_by_words(sentence: str, default: type[ProviderError]) -> type[ProviderError]:
    """What the words of an error mean, for vendors whose statuses and codes say too little."""
    lowered = sentence.lower()
    return next((kind for kind, words in _WORDS if words.search(lowered)), default)


def redact(sentence: str, secrets: Iterable[str]) -> str:
    """A vendor's words as one short line without our secrets in it."""
    for secret in secrets:
        if len(secret) >= 4:
            sentence = sentence.replace(secret, "[key]")
    return clip(plain(sentence[:4_000]), MAX_SAYS)
