"""What an answer that is not a page means: error statuses and bot challenges. Pure."""

from __future__ import annotations

from http import HTTPStatus

from outrider.egress.message import Response
from outrider.egress.pace import retry_after
from outrider.errors import EmptyContent, RedirectRejected, WebError, for_status

_CHALLENGE_HEADERS = (("cf-mitigated", "challenge"), ("x-amzn-waf-action", "captcha"), ("x-datadome", "protected"))
_CHALLENGE_MARKS = (
    b"/cdn-cgi/challenge-platform/", b"cf-chl-", b"captcha-delivery.com", b"_Incapsula_Resource", b"px-captcha",
    b"g-recaptcha", b"h-captcha", b"hcaptcha.com", b"awswaf", b"anomaly-modal", b"sgcaptcha", b"ddos-guard",
)  # fmt: skip
# Challenges come at the top of small pages; a long article may well speak about them.
_LOOKED_AT = 64 * 1024
_HINTS = {
    401: "The page is behind a login. Use a tool that has access.",
    403: "The site refuses programs, or the page needs a login. Use another source.",
    404: "Check the address, or search for the page.",
    410: "The page is gone. Search for another source.",
    429: "Wait before asking this site again, or use another source.",
    451: "Use another source.",
}


def refusal(response: Response, excerpt: str = "") -> WebError | None:
    """
    The error that an answer stands for, or None when it is a page.

    Args:
        excerpt: The readable text of the answer, for the error's details.
    """
    status = response.status
    if 200 <= status < 300:
        if response.body or status == 200:
            return None
        message = f"{response.url.host} answered {_named(status)}: there is no content"
        return EmptyContent(message, status=status)
    if status < 400:
        message = f"{response.url.host} answered {_named(status)}, which is not followed"
        return RedirectRejected(message, status=status, reason="redirect")
    reason = "bot_challenge" if is_challenge(response) else ""
    hint = _HINTS.get(status, "Try again later." if status >= 500 else "")
    if reason:
        hint = "The site checks for a browser, so asking again will not help. Use another source."
    return for_status(status)(
        f"{response.url.host} answered {_named(status)}",
        status=status,
        reason=reason,
        hint=hint,
        retry_after_s=retry_after(response.headers.get("retry-after")),
        details={"url": str(response.url), **({"text": excerpt[:1_000]} if excerpt else {})},
    )


def is_challenge(response: Response) -> bool:
    """Whether the answer is a bot check in place of the page."""
    for name, mark in _CHALLENGE_HEADERS:
        if mark in response.headers.get(name, "").lower():
            return True
    head = response.body[:_LOOKED_AT]
    return response.status >= 400 and any(mark in head for mark in _CHALLENGE_MARKS)


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
