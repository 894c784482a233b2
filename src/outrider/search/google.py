"""What Google's APIs mean by their errors."""

from __future__ import annotations

from outrider.errors import (
    ProviderAuthFailed,
    ProviderError,
    ProviderForbidden,
    ProviderQuotaExceeded,
    ProviderRateLimited,
)
from outrider.search import failures, reading
from outrider.search.reading import Json

_DAILY = {"dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg"}
_RATE = {"rateLimitExceeded", "userRateLimitExceeded"}


def kind(body: Json, status: int) -> type[ProviderError]:
    """The failure that an error body means; `status` counts where the body is silent."""
    body = _unlisted(body)
    reasons = _reasons(body)
    if "API_KEY_INVALID" in reasons or "keyInvalid" in reasons or "API_KEY_EXPIRED" in reasons:
        return ProviderAuthFailed
    if status == 429 or (status == 403 and reasons & (_DAILY | _RATE)):
        return ProviderQuotaExceeded if reasons & _DAILY or _is_daily(body) else ProviderRateLimited
    return ProviderForbidden if status == 403 else failures.kind_for(status)


def wait_s(body: Json) -> float | None:
    """Seconds of the `RetryInfo` in an error body, whose delay is text such as `41s`."""
    for detail in reading.records(reading.at(_unlisted(body), "error", "details")):
        delay = reading.number(reading.text(detail.get("retryDelay")).removesuffix("s"))
        if delay is not None and delay >= 0:
            return delay
    return None


def _unlisted(body: Json) -> Json:
    """Some of the vendor's doors put the error into a list of one."""
    return body[0] if isinstance(body, list) and body else body


def _reasons(body: Json) -> set[str]:
    error = reading.at(body, "error")
    listed = reading.records(reading.at(error, "details")) + reading.records(reading.at(error, "errors"))
    return {reading.text(item.get("reason")) for item in listed}


def _is_daily(body: Json) -> bool:
    """The day's allowance is used up, which no short wait mends."""
    error = reading.at(body, "error")
    named = [reading.text(reading.at(error, "message"))]
    for detail in reading.records(reading.at(error, "details")):
        named.append(reading.text(reading.at(detail, "metadata", "quota_limit")))
        named += [reading.text(item.get("quotaId")) for item in reading.records(detail.get("violations"))]
    folded = " ".join(named).lower().replace(" ", "")
    return "perday" in folded and "perminute" not in folded
