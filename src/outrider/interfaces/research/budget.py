"""How much one piece of research may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Whatever is used up first ends the research; what was found by then is the answer."""

    seconds: float = 300.0
    rounds: int = 6
    """Requests of the leading agent to the model."""
    helpers: int = 8
    """Sub-agents in all."""
    at_once: int = 3
    """Sub-agents that work side by side."""
    helper_rounds: int = 10
    """Requests of one sub-agent to the model."""
    tokens: int = 400_000
    """Of all agents together, in and out."""
