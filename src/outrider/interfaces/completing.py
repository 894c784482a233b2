"""What a shell is offered when a word of a command is completed."""

from __future__ import annotations

import click


def provider_ids(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Ids of search providers."""
    from outrider.web.providers import provider_names

    return [name for name in provider_names() if name.startswith(incomplete)]


def dialect_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Names of dialects."""
    from outrider.web.dialect import DIALECTS

    names = [name.replace("_", "-") for name in DIALECTS.names()]
    return [name for name in names if name.startswith(incomplete)]
