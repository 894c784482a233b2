"""Today's date and the workspace, for system prompts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def prompt_context(now: datetime, workspace: Path) -> str:
    """Two lines for a system prompt, computed at each call."""
    return f"Working directory: {workspace}\nToday's date: {now.date().isoformat()}"
