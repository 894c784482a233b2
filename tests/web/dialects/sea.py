"""A small web with a search engine, for every dialect."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from outrider.call import Call
from outrider.web.assembly import Wiring
from outrider.web.dialect import ToolResult
from outrider.web.web import Web
from world.messages import Reply, Request, answer_json
from world.site import Site
from world.world import World

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

ARTICLE = """<html lang="en"><head><title>Tides of the north</title>
<meta property="article:published_time" content="2026-03-04T05:06:07Z"></head><body><main><article>
<p>The sea rises and falls twice in a day, and every harbour keeps a table of the hours at which it does.</p>
<h2>Spring and neap</h2>
<p>At new and full moon the range is greatest, which sailors call the spring tide, though it comes all year round.</p>
<ul><li>Spring tides follow the moon by a day or two.</li><li>Neap tides come a week later.</li></ul>
<p>Whoever moors a boat leaves enough rope for both of them.</p>
</article></main></body></html>"""
LONG = (
    "<html><head><title>Long page</title></head><body><main>"
    + "".join(
        f"<p>Paragraph {number:03} says that the tide table of harbour {number:03} is kept by hand.</p>"
        for number in range(200)
    )
    + "</main></body></html>"
)
HUGE = "<p>" + "tide " * 600_000 + "</p>"
HITS = [
    {
        "title": "Tides of the north",
        "url": "https://tides.test/north",
        "content": "The sea rises and falls <b>twice</b> in a day &amp; night.",
        "publishedDate": "2026-03-04T00:00:00",
    },
    {"title": "A page without a date", "url": "https://other.test/a?b=1", "content": "Something else about tides."},
]


def engine(request: Request) -> Reply:
    found = HITS if "tide" in request.query.get("q", "") else []
    return answer_json({"query": request.query.get("q", ""), "results": found, "unresponsive_engines": []})


@dataclass
class Sea:
    """The world of these tests."""

    world: World
    site: Site
    other: Site
    stack: AsyncExitStack
    project: Path
    webs: dict[str, Web] = field(default_factory=dict)

    async def web(self, dialect: str, **settings: Any) -> Web:
        """A `Web` that speaks a dialect, with its own project folder."""
        providers = {"searxng": {"base_url": self.site.url}}
        defaults = {"providers": providers, "provider": "searxng", "mode": "allow"}
        web = Web(
            allow_hosts=self.world.allow_hosts,
            wiring=Wiring(resolver=self.world.resolver),
            dialect=dialect,
            **(defaults | settings),
        )
        return await self.stack.enter_async_context(web)

    def results(self, *paths: str) -> Reply:
        """What the search engine answers when it finds pages of the site."""
        found = [{"title": f"About {path}", "url": self.at(path), "content": f"Where {path} is."} for path in paths]
        return answer_json({"query": "tides", "results": found, "unresponsive_engines": []})

    def at(self, path: str) -> str:
        return self.site.at(path)

    def plain(self, text: str) -> str:
        """A text without the ports of this run."""
        return text.replace(self.site.authority, "site.test").replace(self.other.authority, "elsewhere.test")


async def call(web: Web, tool: str, **arguments: Any) -> ToolResult:
    return await web.call(tool, arguments, Call(now=lambda: NOW))


Golden = Callable[[str, str], None]
"""Holds a text to the file of a name."""
