"""
A chat completion that reads the web, for any endpoint that speaks OpenAI's language.

    OPENAI_API_KEY=… python examples/openai_chat.py MODEL "When was Python 3.13 released?"

OPENAI_BASE_URL names another endpoint.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from openai import AsyncOpenAI

from outrider import Web
from outrider.interfaces.frameworks.openai import answer_chat, chat_tools


async def main(model: str, question: str) -> None:
    async with Web() as web, AsyncOpenAI() as client:
        messages: list[Any] = [
            {"role": "system", "content": web.prompt_context()},
            {"role": "user", "content": question},
        ]
        tools: Any = chat_tools(web)
        while True:
            reply = await client.chat.completions.create(model=model, messages=messages, tools=tools)
            message = reply.choices[0].message
            if not message.tool_calls:
                print(message.content)
                return
            messages += [message.model_dump(exclude_none=True), *await answer_chat(web, message)]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
