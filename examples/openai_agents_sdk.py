"""
An agent of the OpenAI Agents SDK that reads the web.

    OPENAI_API_KEY=… python examples/openai_agents_sdk.py MODEL "When was Python 3.13 released?"

OPENAI_BASE_URL names another endpoint.
"""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner
from openai import AsyncOpenAI

from outrider import Web
from outrider.interfaces.frameworks.openai_agents import tools


async def main(model: str, question: str) -> None:
    async with Web() as web, AsyncOpenAI() as client:
        agent = Agent(
            name="reader",
            instructions=web.prompt_context(),
            model=OpenAIChatCompletionsModel(model, client),
            tools=list(tools(web)),
        )
        run = await Runner.run(agent, question, run_config=RunConfig(tracing_disabled=True))
        print(run.final_output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
