from __future__ import annotations

from datetime import UTC, datetime

import pytest

from outrider.errors import (
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderForbidden,
    ProviderGone,
    ProviderInvalidRequest,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderUnavailable,
)
from outrider.search.failures import kind_by_words, kind_for, outcome_of, redact, says, wait_text

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("12", 12.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Monday, 30-Nov-26 12:01:00 GMT", 60.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_waits_are_read_as_seconds_or_dates(value: str, seconds: float | None) -> None:
    assert seconds == wait_text(value, NOW)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, ProviderBadResponse),
        (400, ProviderInvalidRequest),
        (401, ProviderAuthFailed),
        (402, ProviderQuotaExceeded),
        (403, ProviderForbidden),
        (408, ProviderUnavailable),
        (410, ProviderGone),
        (422, ProviderInvalidRequest),
        (429, ProviderRateLimited),
        (500, ProviderUnavailable),
        (529, ProviderUnavailable),
    ],
)
def test_a_status_alone_has_a_meaning(status: int, kind: type[Exception]) -> None:
    assert kind is kind_for(status)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("账户余额不足", ProviderQuotaExceeded),
        ("IAM Certification failed", ProviderAuthFailed),
        ("invalid_iam_token", ProviderAuthFailed),
        ("Open api qps request limit reached", ProviderRateLimited),
        ("请求频率过高", ProviderRateLimited),
        ("InvalidParameter", ProviderInvalidRequest),
        ("InternalError", ProviderUnavailable),
        ("hm", ProviderBadResponse),
    ],
)
def test_words_have_a_meaning_where_statuses_have_none(words: str, kind: type[Exception]) -> None:
    assert kind is kind_by_words(words, ProviderBadResponse)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "why"}},
        {"error": "why"},
        {"message": "why"},
        {"detail": "why"},
        {"detail": {"error": "why"}},
        {"detail": [{"msg": "why"}]},
        {"errors": [{"message": "why"}]},
        {"error": [{"message": "why"}]},
        {"errMsg": "why"},
        {"userMessage": "why"},
    ],
)
def test_the_vendors_sentence_is_found_wherever_it_stands(body: object) -> None:
    assert "why" == says(body)


@pytest.mark.parametrize("body", [None, [], "x", {"error": None}, {"detail": 5.5, "error": [1]}, {}])
def test_other_bodies_say_nothing_or_little(body: object) -> None:
    assert says(body) in {"", "5.5"}


def test_secrets_and_markup_do_not_get_into_a_sentence() -> None:
    assert "bad key [key] end" == redact("bad  key <b>sk-12345</b>\n end", ["sk-12345"])
    assert 200 == len(redact("x" * 10_000, []))


def test_a_failure_has_a_word() -> None:
    assert "timeout" == outcome_of(ProviderUnavailable("x", details={"outcome": "timeout"}))
    assert "upstream" == outcome_of(ProviderUnavailable("x"))
