from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from interfaces.research.scripted import Model, Script, Turn, Use
from outrider import Progress, Web
from outrider.config import Config
from outrider.errors import InvalidArgument, ReaderFailed
from outrider.interfaces.research.budget import Budget
from outrider.interfaces.research.models import Endpoint, open_model
from outrider.interfaces.research.notebook import Notebook, cited, without
from outrider.interfaces.research.researcher import Report, Researcher
from world.messages import page
from world.site import Site
from world.world import World

QUESTION = "When is high water, and where is the harbour?"
PAGES = {
    "/tides": page("<h1>Tides</h1><p>On Monday it is high water at noon.</p><p>Bring a boat.</p>"),
    "/harbour": page("<h1>Harbour</h1><p>The harbour lies north of the town.</p>"),
}
FACTS = {
    "tides": ("High water is at noon on Monday.", "On Monday it is high water at noon."),
    "harbour": ("The harbour is north of the town.", "The harbour lies north of the town."),
}


def lead(turn: Turn) -> str | Use:
    """Sends two helpers, then writes."""
    if not turn.results:
        return Use("investigate", {"questions": ["tides: when is high water?", "harbour: where is it?"]})
    return "High water is at noon [1]. The harbour lies north [2]." if "[2]" in turn.results[0] else "Noon [1]."


def helper(turn: Turn, root: str) -> Use:
    """Reads its page, and quotes it."""
    topic = turn.question.partition(":")[0]
    if not turn.results:
        return Use("web_fetch", {"url": f"{root}{topic}"})
    claim, quote = FACTS[topic]
    return hand_back((claim, quote))


def hand_back(*findings: tuple[str, str], where: str = "w1") -> Use:
    shown = [{"claim": claim, "page": where, "quote": quote} for claim, quote in findings]
    return Use("final_result", {"findings": shown})


class Ask:
    """Runs a piece of research against a scripted model, whose server the agents may not read."""

    def __init__(self, world: World, web: Web, data: str) -> None:
        self._world = world
        self._web = web
        self._data = data
        self.turns: list[Turn] = []
        self.server: Site

    async def __call__(
        self,
        script: Script,
        *,
        family: str = "openai",
        emit: Callable[[Progress], None] = lambda _: None,
        **budget: Any,
    ) -> Report:
        model = Model(script, self.turns)
        paths: Mapping[str, Any] = {"/v1/chat/completions": model.openai, "/v1/messages": model.anthropic}
        self.server = await self._world.site(paths)
        base = self.server.url if family == "anthropic" else self.server.at("v1")
        endpoint = Endpoint(family=family, name="scripted", base_url=base, key="secret")
        async with open_model(endpoint, Config.load({"data_dir": self._data}, environment={})) as opened:
            return await Researcher(self._web, opened, Budget(**budget), emit).answer(QUESTION)


@pytest.fixture
async def pages(world: World) -> Site:
    return await world.site(dict(PAGES))


@pytest.fixture
async def ask(pages: Site, world: World, tmp_path: Path) -> AsyncIterator[Ask]:
    data = str(tmp_path / "data")
    async with world.web(data_dir=data) as web:
        yield Ask(world, web, data)


@pytest.mark.parametrize("family", ["openai", "anthropic"])
async def test_every_citation_is_a_passage_that_stands_on_its_page(ask: Ask, pages: Site, family: str) -> None:
    report = await ask(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url), family=family)

    assert "" == report.unfinished
    assert {1, 2} == cited(report.answer) == {source.number for source in report.sources}
    assert {quote for _, quote in FACTS.values()} == {source.quote for source in report.sources}
    assert {pages.at("/tides"), pages.at("/harbour")} == {source.url for source in report.sources}
    assert (len(ask.turns), len(ask.turns) * 100) == (report.requests, report.tokens)
    assert "secret" in str(ask.server.requests[0].fields)


async def test_a_quote_that_is_not_on_the_page_goes_back_to_the_model(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if turn.is_lead:
            return lead(turn)
        tried = len(turn.results)
        if turn.question.startswith("tides") and tried == 1:
            return hand_back(("High water is at nine.", "On Monday it is high water at nine."))
        return helper(turn, pages.url)

    report = await ask(script)

    complaints = [turn.results[-1] for turn in ask.turns if turn.results and "not on their pages" in turn.results[-1]]
    assert 1 == len(complaints)
    assert "high water at noon" in complaints[0]
    assert "nine" not in str([source.quote for source in report.sources])
    assert 2 == len(report.sources)


async def test_a_model_that_insists_on_a_false_quote_gets_only_the_true_ones_in(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if turn.is_lead:
            return lead(turn)
        if turn.question.startswith("harbour") and turn.results:
            true, false = FACTS["harbour"], ("It is closed.", "The harbour is closed for ever.")
            return hand_back(true, false)
        return helper(turn, pages.url)

    report = await ask(script)

    assert {quote for _, quote in FACTS.values()} == {source.quote for source in report.sources}


async def test_citations_of_nothing_go_back_and_are_never_shown(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if not turn.is_lead:
            return helper(turn, pages.url)
        return lead(turn) if not turn.results else "The moon is cheese [7] and wet [1, 9]."

    report = await ask(script)

    assert report.unfinished
    assert cited(report.answer) <= {1, 2}
    assert {1, 2} == {source.number for source in report.sources}


async def test_helpers_work_side_by_side_with_the_web_tools_only(ask: Ask, pages: Site) -> None:
    await ask(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url))

    helpers = [turn for turn in ask.turns if not turn.is_lead]
    assert {"tides", "harbour"} == {turn.question.partition(":")[0] for turn in helpers}
    assert {"web_search", "web_fetch", "read_page", "final_result"} == set(helpers[0].tools)
    # Both began before either was done.
    assert not any(turn.results for turn in helpers[:2])


async def test_the_model_that_goes_on_for_ever_is_stopped_and_what_was_found_is_told(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if not turn.is_lead:
            return helper(turn, pages.url)
        return Use("investigate", {"questions": ["tides: when?"]})

    report = await ask(script, rounds=3, helpers=2)

    assert "3 rounds" in report.unfinished
    assert FACTS["tides"][0] in report.answer
    assert [1] == [source.number for source in report.sources]


async def test_a_helper_that_never_hands_back_is_stopped(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if turn.is_lead:
            return lead(turn) if not turn.results else "Nothing could be found."
        return Use("web_fetch", {"url": pages.at("/tides")})

    report = await ask(script, helper_rounds=3)

    assert ("Nothing could be found.", ()) == (report.answer, report.sources)
    assert 2 + 2 * 3 == len(ask.turns)


async def test_the_tokens_of_all_agents_are_bounded(ask: Ask, pages: Site) -> None:
    report = await ask(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url), tokens=1_000, at_once=1)

    assert report.tokens <= 1_000


async def test_when_time_is_up_what_was_found_is_told(ask: Ask, pages: Site, world: World) -> None:
    async def never(request: Any, connection: Any) -> None:
        await connection.reader.read()

    pages.paths["/harbour"] = never
    report = await ask(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url), seconds=2.0)

    assert "seconds were used up" in report.unfinished


async def test_steps_are_told(ask: Ask, pages: Site) -> None:
    seen: list[Progress] = []
    await ask(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url), emit=seen.append)

    assert {"research", "connect"} <= {step.stage for step in seen}


async def test_a_model_that_cannot_be_reached_is_a_failure_with_a_code(world: World, tmp_path: Path) -> None:
    endpoint = Endpoint(family="openai", name="scripted", base_url="http://127.0.0.1:9/v1")
    config = Config.load({"data_dir": str(tmp_path)}, environment={})
    async with world.web() as web, open_model(endpoint, config) as model:
        with pytest.raises(ReaderFailed):
            await Researcher(web, model).answer(QUESTION)


async def test_the_models_own_host_is_not_opened_to_the_agents(ask: Ask, pages: Site) -> None:
    def script(turn: Turn) -> str | Use:
        if turn.is_lead:
            return lead(turn) if not turn.results else "Nothing."
        if not turn.results:
            return Use("web_fetch", {"url": ask.server.at("v1/secret")})
        return Use("final_result", {"findings": []})

    await ask(script)

    refusals = [result for turn in ask.turns if not turn.is_lead for result in turn.results]
    assert refusals
    assert all("ssrf_rejected" in refusal for refusal in refusals)


def test_a_model_is_named_by_family_and_name() -> None:
    read = Endpoint.read("openai:some-model", base_url="", environment={"OPENAI_API_KEY": "key"})

    assert ("openai", "some-model", "key") == (read.family, read.name, read.key)
    for text in ("", "openai", "openai:", "other:model"):
        with pytest.raises(InvalidArgument):
            Endpoint.read(text, base_url="", environment={"OPENAI_API_KEY": "key"})
    with pytest.raises(InvalidArgument):
        Endpoint.read("anthropic:model", base_url="", environment={})


def test_a_finding_keeps_its_number_and_citations_can_be_taken_out() -> None:
    notebook = Notebook()
    one = {"claim": "a", "quote": "b", "url": "http://a.test/", "title": "", "path": "", "start": 0}
    assert notebook.add(**one).number == notebook.add(**one).number == 1  # type: ignore[arg-type]  # as keywords
    assert [2, 7] == notebook.unknown("x [7] y [1, 2]")
    assert "x  y [1]" == without("x [7] y [1, 2]", [2, 7])


@pytest.mark.slow
async def test_the_command_prints_the_answer_and_its_sources(pages: Site, world: World, tmp_path: Path) -> None:
    model = Model(lambda turn: lead(turn) if turn.is_lead else helper(turn, pages.url))
    server = await world.site({"/v1/chat/completions": model.openai})
    environment = {
        **os.environ,
        "OUTRIDER_ALLOW_HOSTS": f"127.0.0.1:{pages.listener.port}",
        "OUTRIDER_DATA_DIR": str(tmp_path),
    }
    words = (QUESTION, "--model", "openai:scripted", "--base-url", server.at("v1"), "--json")
    done = await anyio.run_process([sys.executable, "-m", "outrider", "research", *words], env=environment)
    report = json.loads(done.stdout)

    assert "High water is at noon [1]. The harbour lies north [2]." == report["answer"]
    assert {quote for _, quote in FACTS.values()} == {source["quote"] for source in report["sources"]}
