"""`outrider completion`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from interfaces.commandline import CommandLine
from outrider.interfaces.cli import COMMANDS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_load_its_script(cli: CommandLine, shell: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(cli("completion", shell).out)
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")

    done = subprocess.run([program, "-n", str(script)], capture_output=True, check=False, timeout=60)

    assert (0, b"") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("outrider ", set(COMMANDS)),
        ("outrider fetch --se", {"--section", "--set"}),
        ("outrider providers show wiki", {"wikipedia"}),
    ],
)
def test_words_are_completed(words: str, expected: set[str], tmp_path: Path) -> None:
    """As the bash script asks for it."""
    typed = words.split(" ")

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv[0] = 'outrider'; from outrider.interfaces.cli import main; main()",
        ],
        env={"_OUTRIDER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(typed) - 1)}
        | {"PYTHONPATH": ":".join(filter(None, sys.path)), "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )

    assert expected == {line.partition(",")[2] for line in done.stdout.splitlines()}
