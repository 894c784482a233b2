"""Write docs/settings.md and docs/errors.md from the code; `--check` only says whether they are current."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outrider.config import environment_name, settings
from outrider.errors import CODES, FACES

DOCS = Path(__file__).parent.parent / "docs"

_SETTINGS_HEAD = """\
# Settings

Every setting has a default.
Later layers win over earlier ones:

1. the defaults below;
2. your own file, `outrider.toml` in your configuration folder, or the file that `OUTRIDER_CONFIG` names;
3. a project's `outrider.toml` in the current folder;
4. the environment variables named below;
5. arguments, as in `Web(allow_hosts=["searxng"])`.

In a file, the part before the dot is the table: `egress.allow_hosts` is `allow_hosts` under `[egress]`.
A project's file may not set `egress`, `search.providers`, `permissions`, `store`, `workspace` or `reader`.
A file that comes with a checkout must not open the network for whoever works in it.

`outrider doctor` shows every setting that is not a default, and the layer it came from.
"""

_ERRORS_HEAD = """\
# Errors

Every failure has a stable code, the same in Python, on the command line, over MCP and over HTTP.
In Python each code is a class of `outrider.errors`, and all are `WebError`.
It has `code`, `message`, `retryable`, `retry_after_s`, `hint`, `reason`, `status` and `details`.

Retryable means that the same call may succeed later.
The exit status is that of the `outrider` command.
"""


def settings_page() -> str:
    """The whole of docs/settings.md."""
    return "\n".join([_SETTINGS_HEAD, *_settings()])


def errors_page() -> str:
    """The whole of docs/errors.md."""
    return "\n".join([_ERRORS_HEAD, *_errors()])


def _settings() -> Iterator[str]:
    section = ""
    for name, default, about in settings():
        if name.split(".")[0] != section:
            section = name.split(".")[0]
            yield f"## {section}\n"
        yield f"### {name}\n"
        yield about["about"] + "\n"
        yield f"- Default: {_shown(default)}"
        if about.get("choices"):
            yield "- Values: " + ", ".join(f"`{choice}`" for choice in about["choices"])
        if about.get("low") is not None:
            yield f"- Range: {about['low']:g} to {about['high']:g}"
        if name != "search.providers":
            yield f"- Environment: `{environment_name(name)}`"
        yield ""


def _shown(value: Any) -> str:
    if value in ("", (), {}):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`" + ", ".join(value) + "`"
    return f"`{value}`"


def _errors() -> Iterator[str]:
    for code, kind in CODES.items():
        yield f"## {code}\n"
        yield (kind.__doc__ or "").strip() + "\n"
        yield f"- Class: `{kind.__name__}`"
        yield f"- Retryable: {'yes' if kind.retryable else 'no'}"
        yield f"- Exit status: {FACES[code].exit_status}"
        yield f"- HTTP status: {FACES[code].http_status}"
        yield ""


def pages() -> dict[Path, str]:
    """Every generated page and what it should hold."""
    return {DOCS / "settings.md": settings_page(), DOCS / "errors.md": errors_page()}


def main() -> int:
    """Write the pages, or check them; exit status 1 when one is stale."""
    stale = [path for path, text in pages().items() if not path.is_file() or path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is not current: run scripts/reference_docs.py")
        return 1 if stale else 0
    for path, text in pages().items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
