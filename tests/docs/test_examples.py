"""
Every example in the documentation runs.

A `python` block is executed, top-level `await` included; the blocks of one page share their names. A `text` block
right behind one is what it prints (`...` stands for anything). A `console` block holds commands of `outrider`, each
after `$`, with their output. The world in place of the network is built in `_outside`.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import doctest
import inspect
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

import outrider
from world.distant import DistantWorld
from world.world import World

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

GUIDE = "<html lang=en><title>Guide</title><main><h1>Guide</h1><p>Read me first.</p></main>"


@dataclass(frozen=True, slots=True)
class Example:
    """One block, and where it stands."""

    kind: str
    source: str
    line: int
    prints: str | None


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    found = []
    for index, block in enumerate(blocks):
        behind = blocks[index + 1] if index + 1 < len(blocks) else None
        told = behind is not None and behind[1] == "text" and not text[block.end() : behind.start()].strip()
        if block[1] != "text":
            line = text.count("\n", 0, block.start()) + 2
            found.append(Example(block[1], block[2], line, behind[2] if behind is not None and told else None))
    return found


async def _outside(world: World) -> None:
    """What the pages' examples read: the hosts in them, as they would be on the network."""
    await world.site({"/guide": GUIDE}, name="docs.example", tls=True, public=True)


def _names(world: World) -> dict[str, object]:
    """A page's names, before its first block. Examples write `Web()` as a user does; here it opens onto the world."""
    stand_in = SimpleNamespace(**{name: getattr(outrider, name) for name in outrider.__all__})
    stand_in.Web = partial(outrider.Web, wiring=world.wiring(), allow_hosts=world.allow_hosts)
    stand_in.SyncWeb = partial(outrider.SyncWeb, wiring=world.wiring(), allow_hosts=world.allow_hosts)

    def imported(name: str, *rest: Any, **named: Any) -> object:
        return stand_in if name == "outrider" else __import__(name, *rest, **named)

    return {"__name__": "__main__", "__builtins__": {**vars(builtins), "__import__": imported}}


def _check(example: Example, page: Path, printed: str) -> None:
    if example.prints is not None and not doctest.OutputChecker().check_output(example.prints, printed, _OUTPUT):
        pytest.fail(f"{page.relative_to(ROOT)}:{example.line} printed\n{printed}\ninstead of\n{example.prints}")


def _compiled(example: Example, page: Path) -> CodeType:
    # The empty lines make a traceback point into the page.
    source = "\n" * (example.line - 1) + example.source
    code: CodeType = compile(source, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_run_and_print_what_they_say(page: Path, distant_world: DistantWorld) -> None:
    distant_world.build(_outside)
    names = _names(distant_world.world)
    for example in examples(page):
        if example.kind != "python":
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            running = eval(_compiled(example, page), names)
            if inspect.iscoroutine(running):
                asyncio.run(running)
        _check(example, page, output.getvalue())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_console_examples_run_and_print_what_they_say(page: Path) -> None:
    for example in examples(page):
        if example.kind != "console":
            continue
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", example.source, re.MULTILINE):
            _check(Example("console", command, example.line, expected), page, _run(command))


def _run(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program in {"outrider", "./run"}, "a console example is a command of outrider"
    code = "from outrider.interfaces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_blocks_are_read_with_what_they_print(tmp_path: Path) -> None:
    page = _page(
        tmp_path, "```python\nx = 1\n```\n\n```text\n1\n```\nWords\n```python\ny\n```\nWords\n```text\nz\n```\n"
    )

    assert [("x = 1\n", 2, "1\n"), ("y\n", 10, None)] == [(e.source, e.line, e.prints) for e in examples(page)]


@pytest.mark.parametrize(("printed", "passes"), [("one 2 three\n", True), ("one three\n", False)])
def test_a_wrong_output_fails(printed: str, *, passes: bool) -> None:
    check: Callable[[], None] = partial(
        _check, Example("python", "", 1, "one ... three\n"), ROOT / "README.md", printed
    )
    if passes:
        check()
        return
    with pytest.raises(pytest.fail.Exception):
        check()
