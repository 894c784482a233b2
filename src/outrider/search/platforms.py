"""Anthropic's models on other vendors' platforms, through the vendor's SDK over our own door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outrider.egress.message import Headers, Limits
from outrider.errors import DecodingFailed, NotInstalled
from outrider.search.wire import Exchange, streaming

if TYPE_CHECKING:
    from anthropic import AsyncAnthropicFoundry, AsyncAnthropicVertex

NEEDED = "web search on this platform needs the extra anthropic"
INSTALL = "Install it: pip install 'outrider[anthropic]'."

# The regions that stand for many have hosts of their own.
_VERTEX_HOSTS = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertex:
    """Google's platform."""

    region: str
    project: str

    @property
    def origin(self) -> str:
        """Where its requests go; the host is the vendor's own, whatever the region is called."""
        return f"https://{_VERTEX_HOSTS.get(self.region, f'{self.region}-aiplatform.googleapis.com')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundry:
    """Microsoft's platform."""

    resource: str

    @property
    def origin(self) -> str:
        """Where its requests go."""
        return f"https://{self.resource}.services.ai.azure.com"


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of any status."""

    status: int
    headers: Headers
    body: bytes


def require_sdk() -> None:
    """
    Find the vendor's SDK.

    Raises:
        NotInstalled: The extra is missing.
    """
    try:
        import anthropic  # noqa: F401  # only whether it is there
    except ImportError as error:
        raise NotInstalled(NEEDED, hint=INSTALL) from error


async def say(
    place: Vertex | Foundry,
    message: Mapping[str, Any],
    *,
    key: str,
    exchange: Exchange,
    limits: Limits,
    hear: Callable[[bytes], None],
) -> Said:
    """
    Send one message; a good answer's pieces are heard as they arrive.

    Args:
        message: As the vendor's own API takes it; the SDK puts it into the platform's form.
        key: Foundry's key, or an access token for Vertex.

    Raises:
        WebError: The network or the guard prevented it.
    """
    import anthropic

    from outrider.egress.httpx_transport import guarded_client, own_failures

    try:
        with own_failures():
            async with guarded_client(streaming(exchange), origin=place.origin, limits=limits) as http:
                create: Any = _client(place, key, http).messages.with_streaming_response.create
                async with create(**message) as response:
                    pieces = []
                    async for piece in response.iter_bytes():
                        pieces.append(piece)
                        hear(piece)
                    return Said(response.status_code, _fields(response.headers), b"".join(pieces))
    except anthropic.APIStatusError as error:
        return Said(error.status_code, _fields(error.response.headers), error.response.content)
    except anthropic.AnthropicError as error:
        raise DecodingFailed(f"the SDK cannot read the answer ({type(error).__name__})") from None


def _fields(headers: Any) -> Headers:
    return Headers(headers.multi_items())


def _client(place: Vertex | Foundry, key: str, http: Any) -> AsyncAnthropicVertex | AsyncAnthropicFoundry:
    """The address is said outright: left out, the SDK would take it from the environment."""
    import anthropic

    common: dict[str, Any] = {"http_client": http, "max_retries": 0, "timeout": None, "open_telemetry": False}
    if isinstance(place, Foundry):
        return anthropic.AsyncAnthropicFoundry(api_key=key, base_url=f"{place.origin}/anthropic/", **common)
    return anthropic.AsyncAnthropicVertex(
        region=place.region,
        project_id=place.project,
        access_token=key,
        base_url=f"{place.origin}/v1",
        **common,
    )
