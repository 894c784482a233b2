"""Named sets of limits for reading pages."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Literal

from outrider.egress.message import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Every limit of one kind of fetch."""

    name: str
    limits: Limits = field(default_factory=Limits)
    convert_s: float = 20.0
    """Seconds for turning the body into Markdown."""
    default_window: int = 8_000
    """Characters when a call does not say."""
    max_window: int = 32_000
    output_budget: int = 32_000
    """Characters that all items of one call share."""
    render: Literal["auto", "never"] = "auto"
    """Whether an empty page may be rendered in a browser."""
    form: Literal["markdown", "text"] = "markdown"
    """What the window shows of a page."""

    def over(self, configured: Profile) -> Profile:
        """This profile's own limits, and the configured ones in all that it does not set."""
        limits = {
            entry.name: getattr(self.limits, entry.name)
            for entry in fields(Limits)
            if getattr(self.limits, entry.name) != entry.default
        }
        return replace(
            self,
            limits=replace(configured.limits, **limits),
            convert_s=configured.convert_s,
            output_budget=max(self.max_window, configured.output_budget),
            render=configured.render,
        )


AGENT = Profile(name="agent")
"""What agents get by default."""

PIPELINE = Profile(
    name="pipeline",
    limits=Limits(
        connect_s=5.0, first_byte_s=10.0, stall_s=5.0, total_s=15.0, max_body_bytes=102_400, on_excess="cut", retries=0
    ),
    convert_s=5.0,
    render="never",
    form="text",
)
"""Fast answers for pipelines: little time, a cut body, plain text."""

# One for each dialect that needs limits of its own; what they leave out is as configured.

HARNESS9 = Profile(name="harness9", limits=Limits(max_body_bytes=1_048_576))
"""Pages of at most 1 MiB."""

WEKNORA = Profile(name="weknora", limits=Limits(max_body_bytes=2_097_152), max_window=8_000)
"""Pages of at most 2 MiB, in windows of at most 8,000 characters."""

CLAUDE_CODE = Profile(name="claude-code", max_window=100_000)
"""Whole pages, for want of a reader."""

SPETTRO = Profile(
    name="spettro", limits=Limits(max_body_bytes=2_097_152, on_excess="cut"), default_window=20_000, max_window=50_000
)
"""The first 2 MiB of a page."""

MCP_FETCH = Profile(name="mcp-fetch", default_window=5_000, max_window=1_000_000)
"""Windows as large as a client asks for."""

PROFILES = (PIPELINE,)
"""What a call may ask for by name."""
