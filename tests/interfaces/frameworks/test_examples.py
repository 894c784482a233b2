from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from interfaces.research.scripted import Model, Turn, Use
from world.site import Site
from world.world import World

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[3] / "examples"
QUESTION = "When is high water?"


async def _run(example: str, *words: str, environment: Mapping[str, str]) -> str:
    command = [sys.executable, str(EXAMPLES / example), *words]
    done = await anyio.run_process(command, env={**os.environ, **environment})
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("example", "model"),
    [
        ("openai_chat.py", "scripted"),
        ("anthropic_messages.py", "scripted"),
        ("pydantic_ai_agent.py", "openai-chat:scripted"),
        ("openai_agents_sdk.py", "scripted"),
    ],
)
async def test_an_example_answers_from_what_it_read(
    world: World, site: Site, tmp_path: Path, example: str, model: str
) -> None:
    def script(turn: Turn) -> str | Use:
        if not turn.results:
            return Use("web_fetch", {"url": site.at("/tides")})
        return "At noon." if "high water at noon" in turn.results[0] else "I do not know."

    scripted = Model(script)
    paths: Mapping[str, Any] = {"/v1/chat/completions": scripted.openai, "/v1/messages": scripted.anthropic}
    server = await world.site(paths)
    environment = {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": server.at("v1"),
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": server.url.rstrip("/"),
        "OUTRIDER_ALLOW_HOSTS": f"127.0.0.1:{site.listener.port}",
        "OUTRIDER_DATA_DIR": str(tmp_path),
    }

    assert "At noon." == (await _run(example, model, QUESTION, environment=environment)).strip()
    assert {QUESTION} == {turn.question for turn in scripted.turns}


async def test_the_langchain_example_prints_the_page(site: Site, tmp_path: Path) -> None:
    environment = {
        "OUTRIDER_ALLOW_HOSTS": f"127.0.0.1:{site.listener.port}",
        "OUTRIDER_DATA_DIR": str(tmp_path),
    }
    printed = await _run("langchain_tools.py", site.at("/tides"), environment=environment)

    assert printed.startswith("success")
    assert "high water at noon" in printed
