"""
The protocol's conformance suite: all its server scenarios, against two servers of ours over HTTP.

    python benchmarks/mcp_conformance.py [--suite COMMAND | --install]

The first server is the one that ships. The other speaks a dialect made of the tools that the suite calls by name. A
scenario must pass on the server that it is listed for; the rest are about what this server does not offer, and their
reasons stand here. The suite is the package @modelcontextprotocol/conformance from npm. Without it there is nothing to
run: that is said, and it is a failure in continuous integration (`CI` set) only.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from mcp_inspector import listening
from mcp_peers import CONFORMANCE, node_folder, npm_program, with_node

SHIPPED = "outrider"
SUITES_OWN = "conformance"
PASSES: Mapping[str, tuple[str, ...]] = {
    SHIPPED: (
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
    ),
    SUITES_OWN: (
        "server-initialize",
        "ping",
        "tools-list",
        "tools-call-simple-text",
        "tools-call-error",
        "tools-call-with-progress",
        "tools-call-sampling",
        "tools-call-elicitation",
        "json-schema-2020-12",
        "prompts-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
    ),
}
"""By the dialect that the server speaks."""
_NO_FILES = "tools answer in text and in data, never with a picture, a sound or a resource"
_OWN_FORM = "the form of a question is the one of an approval"
_OWN_PAGES = "resources are the pages that the session read, not the suite's"
_OWN_PROMPT = "there is one prompt, which reads a page"
NOT_OFFERED: Mapping[str, str] = {
    "logging-set-level": "no log is sent to clients; the protocol advises against it from 2026-07-28 on",
    "tools-call-with-logging": "no log is sent to clients",
    "completion-complete": "nothing is completed",
    "tools-call-image": _NO_FILES,
    "tools-call-audio": _NO_FILES,
    "tools-call-embedded-resource": _NO_FILES,
    "tools-call-mixed-content": _NO_FILES,
    "elicitation-sep1034-defaults": _OWN_FORM,
    "elicitation-sep1330-enums": _OWN_FORM,
    "server-sse-polling": "no stream is closed before its answer, so the scenario checks nothing",
    "resources-read-text": _OWN_PAGES,
    "resources-read-binary": _OWN_PAGES,
    "resources-templates-read": _OWN_PAGES,
    "resources-subscribe": "a stored page never changes, so there is nothing to subscribe to",
    "resources-unsubscribe": "a stored page never changes",
    "prompts-get-simple": _OWN_PROMPT,
    "prompts-get-with-args": _OWN_PROMPT,
    "prompts-get-embedded-resource": _OWN_PROMPT,
    "prompts-get-with-image": _OWN_PROMPT,
}


def run(suite: Sequence[str], url: str) -> tuple[dict[str, bool], str]:
    """Every scenario, and whether all of its checks passed; and all that was said."""
    command = [*suite, "server", "--url", url, "--suite", "all"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    said = done.stdout + done.stderr
    lines = re.findall(r"^\S+ ([a-z0-9-]+): (\d+) passed, (\d+) failed", said, re.MULTILINE)
    return {name: int(passed) > 0 and failed == "0" for name, passed, failed in lines}, said


def judge(results: Mapping[str, Mapping[str, bool]]) -> list[str]:
    """Show every scenario once; gives what is wrong."""
    wrong = []
    for name in sorted({name for passed in results.values() for name in passed}):
        wanted = [dialect for dialect, names in PASSES.items() if name in names]
        failed = [dialect for dialect in wanted if not results[dialect].get(name)]
        if failed or not (wanted or name in NOT_OFFERED):
            wrong.append(name)
        shown = "FAILED on " + " and ".join(failed) if failed else "passed" if wanted else "not offered"
        reason = "" if wanted else f": {NOT_OFFERED.get(name, 'NO REASON IS GIVEN')}"
        print(f"  {name:30} {shown}{reason}")
    known = {name for names in PASSES.values() for name in names}
    return wrong + [f"{name} is not among them" for name in known if all(name not in one for one in results.values())]


@contextmanager
def installed_dialect() -> Iterator[None]:
    """Inside, child processes find the suite's dialect as they would find any third party's."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "conformance_dialect-1.dist-info")
        told.mkdir()
        told.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: conformance-dialect\nVersion: 1\n")
        told.joinpath("entry_points.txt").write_text(
            f"[outrider.dialects]\n{SUITES_OWN} = mcp_conformance_dialect:DIALECT\n"
        )
        os.environ.update(OUTRIDER_DATA_DIR=folder, PYTHONPATH=os.pathsep.join((folder, str(Path(__file__).parent))))
        yield


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", default="", help="its command, when it is not in the cache folder")
    parser.add_argument("--install", action="store_true", help="install it, and Node, into the cache folder")
    options = parser.parse_args()
    suite = shlex.split(options.suite) or npm_program(CONFORMANCE, install=options.install)
    if not suite:
        print("!!! NOT RUN: the conformance suite is missing. Run again with --install, or name it with --suite.")
        return 1 if os.environ.get("CI") else 0
    os.environ.update(with_node(node_folder(install=False)))
    results, said = {}, {}
    with installed_dialect():
        for dialect in PASSES:
            with listening("--dialect", dialect) as url:
                results[dialect], said[dialect] = run(suite, url)
    wrong = judge(results)
    for name in wrong:
        print(f"wrong: {name}")
    if wrong:
        print("\n".join(said.values())[-6_000:])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
