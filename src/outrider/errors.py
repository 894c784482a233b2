"""The failures a caller can act on: one class for each stable code."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple


class WebError(Exception):
    """
    Any failure that Outrider reports on purpose.

    The class and `code` say what happened, `str(error)` says it to a person, `hint` tells a model what to try next.

    Args:
        message: One sentence for people. It never holds a secret or an address that the caller did not send.
        hint: The next step to try, for a model or a person; empty when there is none.
        retry_after_s: Seconds to wait before the same call may succeed, when that is known.
        reason: A finer class within the code, such as a guard's reason or `bot_challenge`; empty when there is none.
        status: HTTP status of the answer that this error reports, when there was one.
        details: Further facts for machines. Shape: flat mapping of JSON values.
    """

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str = "",
        *,
        hint: str = "",
        retry_after_s: float | None = None,
        reason: str = "",
        status: int | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message or (type(self).__doc__ or self.code).strip())
        self.hint = hint
        self.retry_after_s = retry_after_s
        self.reason = reason
        self.status = status
        self.details: dict[str, Any] = details or {}

    @property
    def message(self) -> str:
        """The sentence for people."""
        return str(self)

    def as_dict(self) -> dict[str, Any]:
        """Shape: `{code, message, retryable}` and, when known, `hint retry_after_s reason status details`."""
        known = {
            "hint": self.hint,
            "retry_after_s": self.retry_after_s,
            "reason": self.reason,
            "status": self.status,
            "details": self.details,
        }
        return {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            **{key: value for key, value in known.items() if value not in ("", None, {})},
        }


# What the caller asked for.


class InvalidArgument(WebError):
    """An argument is wrong."""

    code = "invalid_argument"


class InvalidUrl(WebError):
    """The text is not a URL that may be fetched."""

    code = "invalid_url"


class UnknownPageId(WebError):
    """No page of this session has that id."""

    code = "unknown_page_id"


class WebDisabled(WebError):
    """The web is turned off."""

    code = "web_disabled"


class Cancelled(WebError):
    """The call was cancelled."""

    code = "cancelled"


class Internal(WebError):
    """Something went wrong inside Outrider."""

    code = "internal"


class NotInstalled(WebError):
    """An optional part is not installed."""

    code = "not_installed"


# What the guard and the permissions refuse.


class SsrfRejected(WebError):
    """The destination is not a public address."""

    code = "ssrf_rejected"


class PermissionDenied(WebError):
    """The permissions refuse this."""

    code = "permission_denied"


class ApprovalRequired(WebError):
    """Somebody has to approve this, and nobody could be asked."""

    code = "approval_required"


class RedirectRejected(WebError):
    """The page redirects to where this call may not go."""

    code = "redirect_rejected"


class TooManyRedirects(WebError):
    """The page redirects too often."""

    code = "too_many_redirects"


class RobotsDenied(WebError):
    """The site's robots.txt asks programs not to read this page."""

    code = "robots_denied"


class RobotsUnavailable(WebError):
    """The site's robots.txt could not be read, so its rules are unknown."""

    code = "robots_unavailable"
    retryable = True


# What happens on the network.


class DnsFailed(WebError):
    """The name could not be resolved."""

    code = "dns_failed"
    retryable = True


class ConnectionFailed(WebError):
    """The connection failed."""

    code = "connection_failed"
    retryable = True


class ConnectionTimeout(WebError):
    """The connection took too long."""

    code = "connection_timeout"
    retryable = True


class ReadTimeout(WebError):
    """The server stopped sending."""

    code = "read_timeout"
    retryable = True


class TotalTimeout(WebError):
    """The time for the whole call ran out."""

    code = "total_timeout"
    retryable = True


class TlsFailed(WebError):
    """The server's TLS identity could not be verified."""

    code = "tls_failed"


class ProxyFailed(WebError):
    """The configured proxy did not connect."""

    code = "proxy_failed"
    retryable = True


# What the server answered.


class HttpError(WebError):
    """The server answered with an error status."""

    code = "http_4xx"


class Http401(HttpError):
    """The page asks for a login."""

    code = "http_401"


class Http403(HttpError):
    """The server refuses this page."""

    code = "http_403"


class Http404(HttpError):
    """The page does not exist."""

    code = "http_404"


class Http410(HttpError):
    """The page is gone for good."""

    code = "http_410"


class Http429(HttpError):
    """The server asks for fewer requests."""

    code = "http_429"
    retryable = True


class Http451(HttpError):
    """The page is withheld for legal reasons."""

    code = "http_451"


class Http4xx(HttpError):
    """The server refuses the request."""

    code = "http_4xx"


class Http5xx(HttpError):
    """The server failed."""

    code = "http_5xx"
    retryable = True


class BodyTooLarge(WebError):
    """The body is larger than allowed."""

    code = "body_too_large"


class HeadersTooLarge(WebError):
    """The response headers are larger than allowed."""

    code = "headers_too_large"


class TruncatedBody(WebError):
    """The body ended before it was complete."""

    code = "truncated_body"
    retryable = True


class DecodingFailed(WebError):
    """The body could not be decoded."""

    code = "decoding_failed"


class UnsupportedContent(WebError):
    """This kind of content cannot be read as text."""

    code = "unsupported_content"


class EmptyContent(WebError):
    """The page holds no readable text."""

    code = "empty_content"


class RenderFailed(WebError):
    """The page could not be rendered."""

    code = "render_failed"
    retryable = True


class RenderUnavailable(WebError):
    """The page needs a browser, and there is none."""

    code = "render_unavailable"


# What is remembered.


class SnapshotExpired(WebError):
    """The version of the page that was being read is no longer held."""

    code = "snapshot_expired"
    retryable = True


class PageNotFound(WebError):
    """There is no such page."""

    code = "page_not_found"


class StorageError(WebError):
    """The page could not be kept."""

    code = "storage_error"
    retryable = True


# What search providers answer.


class ProviderError(WebError):
    """A search provider failed."""

    code = "provider_bad_response"


class ProviderNotConfigured(ProviderError):
    """The provider lacks a key or a setting."""

    code = "provider_not_configured"


class ProviderAuthFailed(ProviderError):
    """The provider refuses the key."""

    code = "provider_auth_failed"


class ProviderForbidden(ProviderError):
    """The provider's key has no access to this."""

    code = "provider_forbidden"


class ProviderQuotaExceeded(ProviderError):
    """The provider's credits or allowance are used up."""

    code = "provider_quota_exceeded"


class ProviderRateLimited(ProviderError):
    """The provider asks for fewer requests."""

    code = "provider_rate_limited"
    retryable = True


class ProviderBlocked(ProviderError):
    """The provider takes this address for a bot."""

    code = "provider_blocked"


class ProviderInvalidRequest(ProviderError):
    """The provider refuses a parameter."""

    code = "provider_invalid_request"


class ProviderMisconfigured(ProviderError):
    """The provider's operator has to change a setting."""

    code = "provider_misconfigured"


class ProviderGone(ProviderError):
    """The provider's service was retired."""

    code = "provider_gone"


class ProviderUnavailable(ProviderError):
    """The provider failed or did not answer."""

    code = "provider_unavailable"
    retryable = True


class ProviderBadResponse(ProviderError):
    """The provider's answer could not be understood."""

    code = "provider_bad_response"


class FilterUnsupported(ProviderError):
    """The provider cannot apply a filter that was asked for."""

    code = "filter_unsupported"


# What happens in the workspace.


class PathOutsideWorkspace(WebError):
    """The path leads out of the workspace."""

    code = "path_outside_workspace"


class DestinationExists(WebError):
    """The file exists already."""

    code = "destination_exists"


class ChecksumMismatch(WebError):
    """The file's checksum is not the expected one."""

    code = "checksum_mismatch"


class ReaderUnavailable(WebError):
    """No reader model is configured."""

    code = "reader_unavailable"


class ReaderFailed(WebError):
    """The reader model failed."""

    code = "reader_failed"


class Faces(NamedTuple):
    """How one code looks from outside."""

    exit_status: int
    """Of the command line."""

    http_status: int
    """Of the HTTP service."""


# Exit status by kind: 2 usage, 3 refused, 4 network, 5 the server's answer, 6 content, 7 search, 8 store and files,
# 1 the rest.
_KINDS: dict[str, tuple[int, tuple[type[WebError], ...]]] = {
    "usage": (2, (InvalidArgument, InvalidUrl, UnknownPageId, FilterUnsupported)),
    "refused": (3, (
        SsrfRejected, PermissionDenied, ApprovalRequired, RedirectRejected, TooManyRedirects, RobotsDenied, WebDisabled,
    )),
    "network": (4, (
        DnsFailed, ConnectionFailed, ConnectionTimeout, ReadTimeout, TotalTimeout, TlsFailed, ProxyFailed,
        RobotsUnavailable,
    )),
    "answer": (5, (Http401, Http403, Http404, Http410, Http429, Http451, Http4xx, Http5xx)),
    "content": (6, (
        BodyTooLarge, HeadersTooLarge, TruncatedBody, DecodingFailed, UnsupportedContent, EmptyContent, RenderFailed,
        RenderUnavailable,
    )),
    "search": (7, (
        ProviderNotConfigured, ProviderAuthFailed, ProviderForbidden, ProviderQuotaExceeded, ProviderRateLimited,
        ProviderBlocked, ProviderInvalidRequest, ProviderMisconfigured, ProviderGone, ProviderUnavailable,
        ProviderBadResponse,
    )),
    "keeping": (8, (
        SnapshotExpired, PageNotFound, StorageError, PathOutsideWorkspace, DestinationExists, ChecksumMismatch,
    )),
    "other": (1, (Internal, NotInstalled, ReaderUnavailable, ReaderFailed)),
    "interrupted": (130, (Cancelled,)),
}  # fmt: skip
_HTTP_BY_KIND = {
    "usage": 400, "refused": 403, "network": 502, "answer": 502, "content": 422, "search": 502, "keeping": 409,
    "other": 500, "interrupted": 499,
}  # fmt: skip
_HTTP_BY_CODE = {
    "unknown_page_id": 404, "page_not_found": 404, "snapshot_expired": 410, "storage_error": 500, "not_installed": 501,
    "connection_timeout": 504, "read_timeout": 504, "total_timeout": 504, "provider_rate_limited": 503, "http_429": 503,
    "reader_unavailable": 501, "reader_failed": 502,
}  # fmt: skip

CODES: dict[str, type[WebError]] = {kind.code: kind for _, kinds in _KINDS.values() for kind in kinds}
"""Every stable code and its class."""

FACES: dict[str, Faces] = {
    kind.code: Faces(exit_status, _HTTP_BY_CODE.get(kind.code, _HTTP_BY_KIND[name]))
    for name, (exit_status, kinds) in _KINDS.items()
    for kind in kinds
}
"""Exit status and HTTP status of every code."""


def for_status(status: int) -> type[HttpError]:
    """The class for an HTTP answer with this status, 300 to 599."""
    exact = CODES.get(f"http_{status}")
    if exact is not None and issubclass(exact, HttpError):
        return exact
    return Http5xx if status >= 500 else Http4xx
