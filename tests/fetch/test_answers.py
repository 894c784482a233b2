"""What answers that are no page mean."""

from __future__ import annotations

import pytest

from outrider.egress.message import Headers, Response
from outrider.errors import EmptyContent, Http429, RedirectRejected
from outrider.fetch.answers import is_challenge, refusal
from outrider.url import Url


def _response(status: int, body: bytes = b"<p>text", **headers: str) -> Response:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(url=Url.parse("http://a.test/x"), status=status, headers=Headers(fields), body=body)


@pytest.mark.parametrize("status", [200, 201, 203, 206])
def test_a_good_answer_is_a_page(status: int) -> None:
    assert refusal(_response(status)) is None


@pytest.mark.parametrize("status", [204, 205, 202])
def test_an_answer_without_content_is_empty(status: int) -> None:
    assert isinstance(refusal(_response(status, b"")), EmptyContent)


@pytest.mark.parametrize("status", [300, 304, 305, 399])
def test_a_redirect_that_is_not_followed_is_rejected(status: int) -> None:
    error = refusal(_response(status))

    assert isinstance(error, RedirectRejected)
    assert status == error.status


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [(401, "http_401", False), (404, "http_404", False), (410, "http_410", False), (451, "http_451", False),
     (418, "http_4xx", False), (500, "http_5xx", True), (503, "http_5xx", True), (599, "http_5xx", True)],
)  # fmt: skip
def test_an_error_status_carries_its_text(status: int, code: str, *, retryable: bool) -> None:
    error = refusal(_response(status), "Sorry, nothing here. " * 100)

    assert error is not None
    assert (code, retryable, status) == (error.code, error.retryable, error.status)
    assert "http://a.test/x" == error.details["url"]
    assert error.details["text"].startswith("Sorry")
    assert 1_000 >= len(error.details["text"])


def test_too_many_requests_says_when_to_come_back() -> None:
    error = refusal(_response(429, retry_after="17"))

    assert isinstance(error, Http429)
    assert 17 == error.retry_after_s


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (403, b"", {"cf_mitigated": "challenge"}),
        (405, b"", {"x_amzn_waf_action": "captcha"}),
        (403, b"<script src=/cdn-cgi/challenge-platform/x>", {}),
        (429, b"<div class=px-captcha>", {}),
        (200, b"<p>x", {"cf_mitigated": "challenge"}),
    ],
)
def test_a_bot_check_is_recognised(status: int, body: bytes, headers: dict[str, str]) -> None:
    assert is_challenge(_response(status, body, **headers))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<p>An article about g-recaptcha and hcaptcha.com"),
        (403, b"<p>Forbidden"),
        (403, b" " * 70_000 + b"g-recaptcha"),
    ],
)
def test_talk_about_bot_checks_is_none(status: int, body: bytes) -> None:
    assert not is_challenge(_response(status, body))


def test_a_bot_check_is_a_reason_of_the_error() -> None:
    error = refusal(_response(403, b"<script src=/cdn-cgi/challenge-platform/x>"))

    assert error is not None
    assert "bot_challenge" == error.reason
    assert error.hint
