"""The package's own surface."""

from __future__ import annotations

import subprocess
import sys

import outrider


def test_the_public_surface_is_exactly_what_is_listed() -> None:
    assert ["Call", "Config", "FetchItem", "Progress", "Scope", "SyncWeb", "Web", "WebError"] == outrider.__all__
    assert all(getattr(outrider, name).__name__ == name for name in outrider.__all__)
    assert set(outrider.__all__) <= set(dir(outrider))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(outrider, "Nothing")


def test_importing_the_package_alone_loads_no_event_loop_and_no_http_library() -> None:
    program = (
        "import sys, outrider; heavy = ('asyncio', 'httpcore2', 'turbohtml', 'ssl'); "
        "print([name for name in heavy if name in sys.modules])"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "[]" == ran.stdout.strip()


def test_importing_web_loads_neither_the_http_nor_the_html_library() -> None:
    program = (
        "import sys; from outrider import Web; heavy = ('httpcore2', 'turbohtml', 'sqlite3'); "
        "print([name for name in heavy if name in sys.modules])"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "[]" == ran.stdout.strip()
