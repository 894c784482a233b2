"""The command line as a test runs it: in this process, as a program of its own, or on a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from outrider.interfaces.cli import run
from world.distant import DistantWorld
from world.messages import answer_json
from world.site import Handler, Site

PATIENCE_S = 60
"""Bounds a program that hangs; a busy machine needs some of it."""

FOUND: dict[str, Any] = {
    "query": "tides",
    "results": [
        {"url": "https://example.com/a", "title": "First", "content": "One <b>bold</b> word.", "engine": "recorded"},
        {"url": "https://example.org/b", "title": "Second", "content": "Two.", "publishedDate": "2026-05-01T00:00:00"},
    ],
    "answers": [],
    "unresponsive_engines": [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, when it is exactly one JSON document."""
        return json.loads(self.out)


class CommandLine:
    """Runs commands."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> Ended:
        """Run a command in this process."""
        status = run(words)
        captured = self._capsys.readouterr()
        return Ended(status=status, out=captured.out, err=captured.err)

    def program(self, *words: str | bytes, environment: Mapping[str, str] | None = None) -> Ended:
        """Run a command as a program whose streams are pipes."""
        done = subprocess.run(
            command(words),
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            env=os.environ | (environment or {}),
            encoding="utf-8",
            errors="surrogateescape",
        )
        return Ended(status=done.returncode, out=done.stdout, err=done.stderr)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command as a program, for tests that interrupt it."""
        return subprocess.Popen(command(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def command(words: Sequence[str | bytes]) -> list[str | bytes]:
    return [sys.executable, "-m", "outrider", *words]


def on_a_terminal(
    words: Sequence[str], environment: Mapping[str, str] | None = None, *, answers: Sequence[str] = ()
) -> tuple[int, str]:
    """
    Run a command with a terminal for every stream.

    Args:
        answers: Typed one by one, each when the command asks for an answer.

    Returns:
        The exit status, and all that the terminal was sent.
    """
    import pty  # Not on Windows.

    child, terminal = pty.fork()
    if child == 0:
        os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "40"} | dict(environment or {}))
        os.execv(sys.executable, [sys.executable, "-m", "outrider", *words])
    shown = b""
    left = list(answers)
    # Linux ends the reading of a terminal whose program is gone with an error.
    with suppress(OSError):
        while piece := os.read(terminal, 65_536):
            shown += piece
            while left and shown.count(b"answer  ") > len(answers) - len(left):
                os.write(terminal, left.pop(0).encode())
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace")


def interrupt(process: subprocess.Popen[bytes]) -> Ended:
    """Press Ctrl-C and wait for the end."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    return Ended(status=process.returncode, out=out.decode(), err=err.decode())


class Neighbourhood:
    """Sites on loopback that the command line is allowed to reach."""

    def __init__(self, world: DistantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self._monkeypatch = monkeypatch

    def site(self, paths: Mapping[str, Handler]) -> Site:
        """A site on the allow list."""
        built = self._world.build(lambda world: world.site(paths))
        self._monkeypatch.setenv("OUTRIDER_ALLOW_HOSTS", ",".join(self._world.world.allow_hosts))
        return built

    def engine(self, answer: Handler | None = None) -> Site:
        """A recorded search engine, the only one that is asked."""
        built = self.site({"/search": answer if answer is not None else answer_json(FOUND)})
        self._monkeypatch.setenv("SEARXNG_URL", built.url)
        self._monkeypatch.setenv("OUTRIDER_SEARCH_PROVIDER", "searxng")
        return built

    def wait_for_request(self, site: Site, count: int = 1) -> None:
        self._world.build(lambda _: site.until_requests(count))


LONG = "<title>Long</title>" + "".join(f"<h2>Part {n}</h2><p>{f'Sentence {n}. ' * 60}</p>" for n in range(30))
