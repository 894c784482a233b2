"""Models by name: any endpoint that speaks OpenAI's or Anthropic's language, reached through the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outrider.config import Config
from outrider.errors import InvalidArgument
from outrider.url import Url
from outrider.web.exchange import client_for

if TYPE_CHECKING:
    import httpx2  # noqa: TID251  (only its type: what is sent goes through the guard)
    from pydantic_ai.models import Model

FAMILIES: Mapping[str, tuple[str, str]] = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
}
"""Where each family's models are by default, and the variable that holds the key."""
REQUEST_S = 120.0
"""How long a model may be silent within one reply; the whole is bounded by the research's budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Which model, and where."""

    family: str
    name: str
    base_url: str
    key: str = ""

    @classmethod
    def read(cls, text: str, *, base_url: str, environment: Mapping[str, str]) -> Endpoint:
        """
        From `family:model`.

        Raises:
            InvalidArgument: The family is unknown, or its key is missing where it is needed.
        """
        family, colon, name = text.partition(":")
        if not colon or not name or family not in FAMILIES:
            message = f"--model takes {' or '.join(f'{one}:NAME' for one in FAMILIES)}; {text[:100]!r} is neither"
            raise InvalidArgument(message, details={"field": "model"})
        usual, variable = FAMILIES[family]
        key = environment.get(variable, "")
        if not key and not base_url:
            message = f"{family} needs a key"
            raise InvalidArgument(message, details={"field": "model"}, hint=f"Set {variable}.")
        return cls(family=family, name=name, base_url=base_url or usual, key=key)


@asynccontextmanager
async def open_model(endpoint: Endpoint, config: Config) -> AsyncIterator[Model]:
    """
    A model that is reached through a guard of its own.

    The operator names the endpoint, often on the own machine, so its host is allowed there; the agents' own reading
    of the web does not go that way.
    """
    from outrider.web.web import Web

    url = Url.parse(endpoint.base_url)
    lane = replace(config, egress=replace(config.egress, allow_hosts=(f"{url.host}:{url.port}",), allow_hosts_extra=()))
    async with Web(lane) as web, client_for(web, url, silent_s=REQUEST_S) as client:
        yield _model(endpoint, client)


def _model(endpoint: Endpoint, client: httpx2.AsyncClient) -> Model:
    # An endpoint without a key still wants the field to be there.
    key = endpoint.key or "none"
    if endpoint.family == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(
            endpoint.name, provider=AnthropicProvider(base_url=endpoint.base_url, api_key=key, http_client=client)
        )
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel(
        endpoint.name, provider=OpenAIProvider(base_url=endpoint.base_url, api_key=key, http_client=client)
    )
