"""
A conversation with an Anthropic model that reads the web.

    ANTHROPIC_API_KEY=… python examples/anthropic_messages.py MODEL "When was Python 3.13 released?"
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from anthropic import AsyncAnthropic

from outrider import Web
from outrider.interfaces.frameworks.anthropic import answer, tools


async def main(model: str, question: str) -> None:
    async with Web() as web, AsyncAnthropic() as client:
        messages: list[Any] = [{"role": "user", "content": question}]
        offered: Any = tools(web)
        while True:
            reply = await client.messages.create(
                model=model, max_tokens=4_096, system=web.prompt_context(), messages=messages, tools=offered
            )
            results = await answer(web, reply.content)
            if not results:
                print("".join(block.text for block in reply.content if block.type == "text"))
                return
            messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
