"""What a caller asks for, validated into a `Query`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from outrider.errors import InvalidArgument, InvalidUrl
from outrider.types import Freshness, Query
from outrider.url import Url

MAX_QUERY_CHARS = 2_000
MAX_RESULTS = 20
MAX_DOMAINS = 100
"""Entries of one domain list."""

_SPANS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"} | {
    span: span for span in ("day", "week", "month", "year")
}
_RANGE = re.compile(r"(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})", re.ASCII)
_SCHEME = re.compile(r"^https?://", re.IGNORECASE)
_COUNTRY = re.compile(r"[A-Za-z]{2}|ALL", re.ASCII | re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}", re.ASCII)
_SAFE = {"off", "moderate", "strict"}
# Not assigned, yet what people write for the United Kingdom.
_COUNTRY_ALIASES = {"UK": "GB"}


def make_query(
    text: Any,
    *,
    max_results: Any = None,
    default_results: int = 5,
    ceiling: int = MAX_RESULTS,
    allowed_domains: Any = None,
    blocked_domains: Any = None,
    country: Any = None,
    freshness: Any = None,
    language: Any = None,
    safe: Any = None,
) -> tuple[Query, tuple[str, ...]]:
    """
    A query and the warnings about what was lowered.

    Args:
        text: The question: not blank, at most 2,000 characters.
        max_results: 1 to 20; above `ceiling` it is lowered with a warning. None means `default_results`.
        allowed_domains: Hosts, each with an optional path prefix; subdomains are included.
        blocked_domains: As `allowed_domains`; a blocked one wins.
        country: Two letters or `ALL`.
        freshness: `pd pw pm py`, `day week month year`, or `YYYY-MM-DDtoYYYY-MM-DD`.
        language: A language tag such as `en` or `pt-BR`.
        safe: `off`, `moderate` or `strict`.

    Raises:
        InvalidArgument: An argument is wrong; the message names it and the rule.
    """
    count, warnings = _count(max_results, default=default_results, ceiling=ceiling)
    query = Query(
        text=_text(text),
        max_results=count,
        allowed_domains=_domains("allowed_domains", allowed_domains),
        blocked_domains=_domains("blocked_domains", blocked_domains),
        country=_country(country),
        freshness=_freshness(freshness),
        language=_language(language),
        safe=_safe(safe),
    )
    return query, warnings


def _wrong(field: str, rule: str) -> InvalidArgument:
    return InvalidArgument(f"{field} {rule}", details={"field": field})


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong("query", "must be a text that is not blank")
    # Half pairs come from broken JSON; no engine could be sent them.
    text = value.encode("utf-8", "replace").decode("utf-8").strip()
    if len(text) > MAX_QUERY_CHARS:
        raise _wrong("query", f"must be at most {MAX_QUERY_CHARS:,} characters; it has {len(text):,}")
    return text


def _count(value: Any, *, default: int, ceiling: int) -> tuple[int, tuple[str, ...]]:
    if value is None:
        return min(default, ceiling), ()
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_RESULTS:
        raise _wrong("max_results", f"must be a whole number from 1 to {MAX_RESULTS}")
    if value > ceiling:
        return ceiling, (f"max_results was lowered from {value} to the configured ceiling of {ceiling}",)
    return value, ()


def _domains(field: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise _wrong(field, "must be a list of hosts such as example.com or github.com/astral-sh")
    if len(value) > MAX_DOMAINS:
        raise _wrong(field, f"must have at most {MAX_DOMAINS} entries")
    return tuple(dict.fromkeys(_domain(field, entry) for entry in value))


def _domain(field: str, entry: Any) -> str:
    if not isinstance(entry, str) or not entry.strip():
        raise _wrong(field, "must hold texts that are not blank")
    host_text, slash, path = _SCHEME.sub("", entry.strip()).removeprefix("*.").partition("/")
    address = host_text.count(":") > 1
    try:
        url = Url.parse(f"https://{f'[{host_text}]' if address and '[' not in host_text else host_text}/{path}")
    except InvalidUrl as error:
        rule = f"must hold hosts, each with an optional path such as github.com/astral-sh; {entry[:80]!r} is none"
        raise _wrong(field, rule) from error
    if url.query is not None or url.fragment is not None or (":" in host_text and not address):
        raise _wrong(field, f"must hold hosts with an optional path and nothing more; {entry[:80]!r} has more")
    return url.host + (url.path.rstrip("/") if slash else "")


def _country(value: Any) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not _COUNTRY.fullmatch(value.strip()):
        raise _wrong("country", "must be a two-letter code such as DE, or ALL")
    code = value.strip().upper()
    return _COUNTRY_ALIASES.get(code, code)


def _freshness(value: Any) -> Freshness | None:
    if value is None or value == "":
        return None
    rule = "must be pd, pw, pm, py, day, week, month, year, or a range YYYY-MM-DDtoYYYY-MM-DD"
    if not isinstance(value, str):
        raise _wrong("freshness", rule)
    asked = value.strip()
    span = _SPANS.get(asked.lower())
    if span is not None:
        return Freshness(span=span)  # type: ignore[arg-type]  # the table holds the literal's values
    match = _RANGE.fullmatch(asked)
    if match is None:
        raise _wrong("freshness", rule)
    return _range(*match.groups())


def _range(start: str, end: str) -> Freshness:
    try:
        first, last = date.fromisoformat(start), date.fromisoformat(end)
    except ValueError as error:
        raise _wrong("freshness", "must name days that exist") from error
    if first > last:
        raise _wrong("freshness", "must not end before it starts")
    return Freshness(start=start, end=end)


def _language(value: Any) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not _LANGUAGE.fullmatch(value.strip()):
        raise _wrong("language", "must be a language tag such as en or pt-BR")
    main, *rest = value.strip().split("-")
    return "-".join([main.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def _safe(value: Any) -> Any:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value.strip().lower() not in _SAFE:
        raise _wrong("safe", "must be off, moderate or strict")
    return value.strip().lower()
