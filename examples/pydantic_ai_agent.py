"""
A Pydantic AI agent that reads the web.

    OPENAI_API_KEY=… python examples/pydantic_ai_agent.py openai-chat:MODEL "When was Python 3.13 released?"
"""

from __future__ import annotations

import asyncio
import sys

from pydantic_ai import Agent

from outrider import Web
from outrider.interfaces.frameworks.pydantic_ai import tools


async def main(model: str, question: str) -> None:
    async with Web() as web:
        agent = Agent(model, instructions=web.prompt_context(), tools=tools(web))
        print((await agent.run(question)).output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
