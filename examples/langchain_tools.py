"""
The tools as LangChain has them; any of its models takes them with `model.bind_tools(tools(web))`.

    python examples/langchain_tools.py https://example.com/
"""

from __future__ import annotations

import asyncio
import sys

from outrider import Web
from outrider.interfaces.frameworks.langchain import tools


async def main(url: str) -> None:
    async with Web() as web:
        by_name = {tool.name: tool for tool in tools(web)}
        # As a model would ask for it.
        wanted = {"name": "web_fetch", "args": {"url": url}, "id": "call_1", "type": "tool_call"}
        message = await by_name["web_fetch"].ainvoke(wanted)
        print(message.status)
        print(message.content)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
