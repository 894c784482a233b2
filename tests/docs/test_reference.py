"""The generated reference pages say what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_settings_and_errors_pages_are_current() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "reference_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == ran.returncode, ran.stdout + ran.stderr
