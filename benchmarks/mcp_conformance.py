"""
The protocol's conformance suite, as far as it is about any server.

    python benchmarks/mcp_conformance.py [--suite COMMAND]

The suite is the package @modelcontextprotocol/conformance from npm, which needs Node 22. Its other scenarios ask for
the tools and prompts of a server made for it. Without the suite there is nothing to run: that is said.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from mcp_inspector import listening

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
)


def passes(suite: list[str], url: str, scenario: str) -> bool:
    """Run one scenario, and show its last words when it fails."""
    command = [*suite, "server", "--url", url, "--scenario", scenario]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    passed = done.returncode == 0 and ", 0 failed" in done.stdout
    print(f"  {scenario:28} {'passed' if passed else 'FAILED'}")
    if not passed:
        print(done.stdout[-1_000:] + done.stderr[-1_000:])
    return passed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", default="", help="its command, when it is not on the path")
    given = parser.parse_args().suite
    suite = shlex.split(given) if given else [shutil.which("conformance") or ""]
    started = suite[0] and subprocess.run([*suite, "--help"], capture_output=True, timeout=60, check=False)
    if not started or started.returncode:
        print("skipped: the package @modelcontextprotocol/conformance does not run here; it needs Node 22")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OUTRIDER_DATA_DIR"] = folder
        with listening() as url:
            results = [passes(suite, url, scenario) for scenario in SCENARIOS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
