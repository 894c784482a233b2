"""Codes are stable, and each has one class and one look from outside."""

from __future__ import annotations

import pytest

from outrider import errors
from outrider.errors import CODES, FACES, HttpError, WebError, for_status

_RETRYABLE = {
    "dns_failed", "connection_failed", "connection_timeout", "read_timeout", "total_timeout", "truncated_body",
    "proxy_failed", "http_429", "http_5xx", "render_failed", "snapshot_expired", "storage_error",
    "provider_rate_limited", "provider_unavailable", "robots_unavailable",
}  # fmt: skip


def _leaves(kind: type[WebError]) -> set[type[WebError]]:
    below = {leaf for child in kind.__subclasses__() for leaf in _leaves(child)}
    return below or {kind}


def test_every_class_is_listed_under_a_code_of_its_own() -> None:
    leaves = {kind for kind in _leaves(WebError) if kind.__module__ == errors.__name__}

    assert leaves == set(CODES.values())
    assert len(leaves) == len({kind.code for kind in leaves})


def test_exactly_what_may_pass_is_retryable() -> None:
    assert _RETRYABLE == {code for code, kind in CODES.items() if kind.retryable}


def test_every_code_has_an_exit_status_and_an_http_status() -> None:
    assert CODES.keys() == FACES.keys()
    for faces in FACES.values():
        assert 1 <= faces.exit_status <= 130
        assert 400 <= faces.http_status <= 599


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "http_401"), (403, "http_403"), (404, "http_404"), (410, "http_410"), (429, "http_429"),
        (451, "http_451"), (400, "http_4xx"), (418, "http_4xx"), (499, "http_4xx"), (500, "http_5xx"),
        (503, "http_5xx"), (599, "http_5xx"),
    ],
)  # fmt: skip
def test_an_http_status_has_a_class(status: int, code: str) -> None:
    kind = for_status(status)

    assert issubclass(kind, HttpError)
    assert code == kind.code


def test_an_error_tells_machines_what_is_known_and_nothing_else() -> None:
    bare = WebError("It failed")
    full = errors.Http429("Slow down", hint="Wait.", retry_after_s=3.0, reason="r", status=429, details={"a": 1})

    assert {"code": "internal", "message": "It failed", "retryable": False} == bare.as_dict()
    assert {
        "code": "http_429", "message": "Slow down", "retryable": True, "hint": "Wait.", "retry_after_s": 3.0,
        "reason": "r", "status": 429, "details": {"a": 1},
    } == full.as_dict()  # fmt: skip


@pytest.mark.parametrize("kind", CODES.values())
def test_an_error_without_words_says_what_its_class_says(kind: type[WebError]) -> None:
    assert kind.__doc__ == kind().message
    assert kind().message.endswith(".")
