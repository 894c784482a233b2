"""DuckDuckGo's second page."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from outrider.call import Call
from outrider.egress.message import Request, Response
from outrider.errors import ReadTimeout
from outrider.search.answer import Answer
from outrider.search.providers.duckduckgo import DuckDuckGo
from outrider.search.settings import ProviderSettings
from outrider.types import Query
from search.doubles import Replies, says

HOST = "html.duckduckgo.com"
FORM = '<div class="nav-link"><form><input type="hidden" name="{name}" value="{value}">{more}</form></div>'
S10 = FORM.format(
    name="s", value="10", more='<input type="hidden" name="vqd" value="4-1"><input type="hidden" name="q" value="x">'
)


class Impatient(DuckDuckGo):
    pause_s = 0.0


def page(*numbers: int, form: str = "") -> bytes:
    results = "".join(
        f'<div class="result"><a class="result__a" href="https://a.test/{number}">Page {number}</a></div>'
        for number in numbers
    )
    return f'<div id="links">{results}{form}</div>'.encode()


async def ask(exchange: Replies, wanted: int, *, call: Call | None = None) -> Answer:
    return await Impatient(ProviderSettings()).search(Query(text="x", max_results=wanted), exchange, call or Call())


def numbers(answer: Answer) -> list[int]:
    return [int(hit.url.rpartition("/")[2]) for hit in answer.hits]


def in_turn(*bodies: bytes, status: int = 200) -> Replies:
    left = list(bodies)

    def script(request: Request) -> Response:
        last = not left[1:]
        return says(left.pop(0), status=status if last and len(bodies) > 1 else 200)(request)

    return Replies({HOST: script})


async def test_the_second_page_is_asked_for_with_the_first_ones_form() -> None:
    exchange = in_turn(page(*range(10), form=S10), page(*range(9, 24)))

    answer = await ask(exchange, 20)

    assert list(range(24)) == numbers(answer)
    assert {"s": ["10"], "vqd": ["4-1"], "q": ["x"]} == parse_qs(exchange.sent[1].body.decode())
    assert 2 == len(exchange.sent)


@pytest.mark.parametrize(
    ("wanted", "first"), [(10, page(*range(10), form=S10)), (20, page(*range(10))), (5, page(1, 2, 3, 4, 5, form=S10))]
)
async def test_one_page_is_enough_when_it_holds_enough_or_is_the_last(wanted: int, first: bytes) -> None:
    exchange = in_turn(first)

    await ask(exchange, wanted)

    assert 1 == len(exchange.sent)


@pytest.mark.parametrize(("status", "rests"), [(202, True), (403, True), (429, True), (503, False), (302, False)])
async def test_a_second_page_that_is_refused_costs_only_its_hits(status: int, rests: bool) -> None:  # noqa: FBT001
    answer = await ask(in_turn(page(1, 2, form=S10), b"", status=status), 20)

    assert [1, 2] == numbers(answer)
    assert any("first page" in warning for warning in answer.warnings)
    assert rests == (answer.cooldown_s is not None)


async def test_a_second_page_that_cannot_be_reached_costs_only_its_hits() -> None:
    first = says(page(1, 2, form=S10))

    class Breaks(Replies):
        async def send(self, request: Request, *, limits: object) -> Response:
            self.sent.append(request)
            if len(self.sent) > 1:
                raise ReadTimeout
            return first(request)

    answer = await ask(Breaks({}), 20)

    assert [1, 2] == numbers(answer)


async def test_a_call_that_is_nearly_over_gets_the_first_page() -> None:
    exchange = in_turn(page(1, 2, form=S10))

    answer = await ask(exchange, 20, call=Call().within(1.5))

    assert [1, 2] == numbers(answer)
    assert 1 == len(exchange.sent)
