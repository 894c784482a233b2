"""`outrider mcp`: the tools for any MCP client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from outrider.config import Config
from outrider.errors import InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import How, common, speaking

_HELP = """Serve the web tools to an MCP client.

Without --http it speaks over standard input and output, as clients expect that start a server themselves.
With --http it listens on 127.0.0.1; other addresses need tokens.
"""
_EPILOG = """\b
Examples:
  outrider mcp                                   for a client that starts it
  outrider mcp --dialect mcp-fetch               in place of the reference fetch server
  outrider mcp --http --port 8765
  outrider mcp --http --host 0.0.0.0 --token-file tokens.txt --allowed-host mcp.example.org
"""
# What the options of the reference fetch server mean here.
_EVERYWHERE = ("0.0.0.0/0", "::/0")


@click.command("mcp", help=_HELP, epilog=_EPILOG)
@click.option("--http", "over_http", is_flag=True, help="Listen for HTTP instead of using standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8765, show_default=True, help="0 chooses one.")
@click.option("--token-file", default="", metavar="FILE", help="Lines of `name: token`; callers must show one.")
@click.option("--issuer", default="", metavar="URL", help="The OAuth authorization server whose tokens count.")
@click.option("--resource", default="", metavar="URL", help="This server's URL, which those tokens must be for.")
@click.option("--keys", default="", metavar="URL|FILE", help="The authorization server's JSON Web Key Set.")
@click.option("--allowed-host", "allowed_hosts", multiple=True, metavar="HOST[:PORT]", help="Further Host; repeatable.")
@click.option(
    "--allowed-origin", "allowed_origins", multiple=True, metavar="ORIGIN", help="Further Origin; repeatable."
)
@click.option(
    "--ignore-robots-txt", is_flag=True, help="Read pages that robots.txt forbids; mcp-fetch asks it otherwise."
)
@click.option("--user-agent", metavar="TEXT", help="The identity sent to servers.")
@click.option("--proxy-url", metavar="URL", help="Tunnel every connection through this proxy.")
@click.option("--allow-private-ips", is_flag=True, help="Private addresses too; cloud metadata stays out of reach.")
@speaking
@common
def mcp(*, how: How, over_http: bool, **options: Any) -> int:
    """Serve until the client leaves."""
    config = _config(how, options)
    if over_http:
        asyncio.run(_over_http(config, options, quiet=how.quiet))
        return 0
    _refuse_http_options(options)
    from outrider.interfaces.mcp.stdio import serve_stdio

    asyncio.run(serve_stdio(config))
    return 0


async def _over_http(config: Config, options: dict[str, Any], *, quiet: bool) -> None:
    from outrider.interfaces.mcp.http import TOKEN_VARIABLE, Listening, serve_http

    names = ("host", "port", "token_file", "issuer", "resource", "keys", "allowed_hosts", "allowed_origins")
    listening = Listening(**{name: options[name] for name in names}, token=config.environment.get(TOKEN_VARIABLE, ""))
    await serve_http(config, listening, say=(lambda _: None) if quiet else _say)


def _say(url: str) -> None:
    terminal.note(f"listening on {url}")


def _config(how: How, options: dict[str, Any]) -> Config:
    """The settings, with what the options say on top."""
    chosen = {
        "egress.user_agent": options["user_agent"],
        "egress.proxy_url": options["proxy_url"],
    }
    added = [f"{name}={value}" for name, value in chosen.items() if value]
    if options["ignore_robots_txt"]:
        added.append("fetch.robots=ignore")
    config = replace(how, settings=(*added, *how.settings)).config()
    if not options["allow_private_ips"]:
        return config
    return replace(config, egress=replace(config.egress, allow_hosts=(*config.egress.allow_hosts, *_EVERYWHERE)))


def _refuse_http_options(options: dict[str, Any]) -> None:
    used: Sequence[str] = [
        name
        for name in ("token_file", "issuer", "resource", "keys", "allowed_hosts", "allowed_origins")
        if options[name]
    ]
    if used:
        shown = (
            used[0].removesuffix("s").replace("_", "-") if used[0].startswith("allowed") else used[0].replace("_", "-")
        )
        message = f"--{shown} goes with --http"
        raise InvalidArgument(message, details={"field": shown})


COMMAND = mcp
