"""`outrider download`: a file from the web into a folder."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outrider.errors import InvalidUrl
from outrider.interfaces import terminal
from outrider.interfaces.options import How, acting, common
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.results import Saved

_HELP = """Download a file into this folder.

PATH lies inside of it; one that ends with / is a folder.
There, and without a PATH, the server suggests the name.
After a failure nothing is left; a transfer that breaks goes on where it was when the server can do that.
Naming the host and the place on the command line approves both; a redirect to another host is asked about.
"""
_EPILOG = """\b
Examples:
  outrider download https://example.com/report.pdf
  outrider download https://example.com/data.csv inputs/
  outrider download https://example.com/tool.tar.gz tool.tar.gz --sha256 0123…
  outrider download https://example.com/big.iso --max-bytes 200000000 --into /var/tmp
"""


@click.command("download", help=_HELP, epilog=_EPILOG)
@click.argument("url", metavar="URL")
@click.argument("path", metavar="[PATH]", default="")
@click.option("--into", metavar="FOLDER", help="The folder that PATH lies in.  [default: workspace.root, or this one]")
@click.option(
    "--max-bytes", type=int, metavar="N", help="The largest file to accept.  [default: workspace.download_bytes]"
)
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
@click.option("--sha256", default="", metavar="HEX", help="Keep the file only if this is its SHA-256.")
@acting
@common
def download(
    *, url: str, path: str, into: str | None, max_bytes: int | None, overwrite: bool, sha256: str, how: How
) -> int:
    """Download, then say what came."""
    if into is not None:
        how = replace(how, settings=(f"workspace.root={into}", *how.settings))
    options: dict[str, Any] = {"max_bytes": max_bytes, "overwrite": overwrite, "sha256": sha256}
    saved = asyncio.run(_download(url, path, options, how))
    if how.as_json:
        terminal.write_json(asdict(saved))
    else:
        _show(saved, Path(into or ""), quiet=how.quiet)
    return 0


COMMAND = download


async def _download(url: str, path: str, options: dict[str, Any], how: How) -> Saved:
    from outrider.interfaces.bar import transfer

    with transfer(quiet=how.quiet) as live:
        from outrider.interfaces.asking import call_for
        from outrider.web.web import Web

        async with Web(how.config()) as web:
            return await web.download(url, path, call=_approved(call_for(live), url), **options)


def _approved(call: Call, url: str) -> Call:
    """What a person types is approved by typing it: this host, and the one file that the call writes."""
    with suppress(InvalidUrl):
        return replace(call, allow=(f"domain:{Url.parse(url).host}", "write:*"))
    return call


def _show(saved: Saved, into: Path, *, quiet: bool) -> None:
    """The path alone on standard output, so that a script can go on with it."""
    terminal.Screen().say((str(into / saved.path), "bold green"))
    if quiet:
        return
    terminal.flush()
    kind = f", {saved.content_type}" if saved.content_type else ""
    terminal.note((f"{saved.bytes:,} bytes{kind}, {saved.elapsed_s:.1f} s", "dim"))
    terminal.note((f"sha256 {saved.sha256}", "dim"))
    if saved.resumptions:
        terminal.note(("note: ", "yellow"), f"the transfer broke {saved.resumptions} times and went on")
