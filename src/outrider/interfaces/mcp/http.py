"""MCP over streamable HTTP: many clients, each with a session of its own."""

from __future__ import annotations

import asyncio
import socket  # noqa: TID251  (listens)
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from outrider.call import Call
from outrider.config import Config
from outrider.errors import InvalidArgument, NotInstalled
from outrider.types import Scope as OurScope
from outrider.url import Url

if TYPE_CHECKING:
    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outrider.interfaces.mcp.sessions import Sessions
    from outrider.web.web import Web

PATH = "/mcp"
_KEYS_SCOPE = OurScope(owner="mcp", session="keys")
TOKEN_VARIABLE = "OUTRIDER_MCP_TOKEN"  # noqa: S105  (its name, not a token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where the server listens, and for whom."""

    host: str = "127.0.0.1"
    port: int = 8765
    """0 lets the system choose."""
    token_file: str = ""
    """Lines of `name: token`."""
    token: str = ""
    """One more token, for whoever is named `token`."""
    issuer: str = ""
    """The authorization server whose access tokens count."""
    resource: str = ""
    """This server's URL as its clients know it; what access tokens must be made for."""
    keys: str = ""
    """Where the authorization server's key set is: a URL or a file."""
    allowed_hosts: tuple[str, ...] = ()
    """Further values of the Host header, such as `mcp.example.org` behind a proxy."""
    allowed_origins: tuple[str, ...] = ()
    """Web pages whose scripts may call."""

    @property
    def is_protected(self) -> bool:
        """Whether a caller must show a token."""
        return bool(self.token_file or self.token or self.issuer)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def check(self) -> None:
        """
        Refuse what would leave the door open.

        Raises:
            InvalidArgument: Other machines could call without a token, or options do not go together.
        """
        if not self.is_local and not self.is_protected:
            message = f"--host {self.host} lets other machines in, so callers must show a token"
            raise InvalidArgument(
                message, details={"field": "host"}, hint=f"Give --token-file, set {TOKEN_VARIABLE}, or give --issuer."
            )
        if self.issuer and (self.token_file or self.token):
            message = "access tokens of an issuer and tokens of your own exclude each other"
            raise InvalidArgument(message, details={"field": "issuer"})
        if bool(self.issuer) != bool(self.resource) or bool(self.issuer) != bool(self.keys):
            message = "--issuer, --resource and --keys go together"
            raise InvalidArgument(message, details={"field": "issuer"})


async def serve_http(config: Config, listening: Listening, *, say: Callable[[str], None] = lambda _: None) -> None:
    """
    Answer until the process is asked to end.

    Args:
        say: Gets the server's URL once it listens.

    Raises:
        NotInstalled: The SDK is not there.
        InvalidArgument: A setting is wrong, or nothing can listen there.
    """
    listening.check()
    try:
        import mcp_types  # noqa: F401  (the SDK's, which serves over HTTP)
        import uvicorn
    except ModuleNotFoundError as error:
        message = f"the MCP server over HTTP needs the package {error.name}, which is not installed"
        raise NotInstalled(message, hint='Install the extra: pip install "outrider[mcp]"') from error
    from outrider.web.web import Web

    with _listen(listening) as door:
        async with Web(config) as web:
            app = http_app(web, listening, port=door.getsockname()[1])
            # No log of its own: what a client asks for is nobody's business.
            settings = uvicorn.Config(
                app, log_config=None, log_level="error", access_log=False, ws="none", lifespan="on"
            )
            settings.server_header = False
            settings.timeout_graceful_shutdown = 3
            say(f"http://{_shown(listening.host)}:{door.getsockname()[1]}{PATH}")
            try:
                await uvicorn.Server(settings).serve(sockets=[door])
            finally:
                await app.sessions.close_all()


def http_app(web: Web, listening: Listening, *, port: int) -> Watched:
    """
    The server as an ASGI application.

    Args:
        port: Where it really listens.
    """
    from outrider.interfaces.mcp.answers import Answers
    from outrider.interfaces.mcp.server import make_server
    from outrider.interfaces.mcp.sessions import IDLE_S, Sessions, end_session
    from outrider.web.web import MAX_SESSIONS

    sessions = Sessions(lambda scope: end_session(web, scope))
    verifier, settings = _access(web, listening)
    app = make_server(Answers(web, sessions)).streamable_http_app(
        streamable_http_path=PATH,
        host=listening.host,
        session_idle_timeout=IDLE_S,
        # As many as a `Web` remembers: one more would take another's page ids away.
        max_sessions=MAX_SESSIONS,
        transport_security=_doorway(listening, port),
        auth=settings,
        token_verifier=verifier,
    )
    return Watched(app, sessions)


class Watched:
    """The application, with an eye on which sessions are in use."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async with self.sessions.visit(scope):
            await self._app(scope, receive, watch)
        if scope["method"] == "DELETE" and 200 <= status < 300:
            await self.sessions.close(scope)


def _listen(listening: Listening) -> socket.socket:
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    try:
        return socket.create_server((listening.host, listening.port), family=family, backlog=256)
    except OSError as error:
        message = f"nothing can listen on {listening.host} port {listening.port}: {error.strerror or error}"
        raise InvalidArgument(message, details={"field": "port"}) from error


def _doorway(listening: Listening, port: int) -> TransportSecuritySettings:
    """Whom a request must be for and may come from, so that a web page cannot reach a server on this machine."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = ("127.0.0.1", "localhost", "[::1]") if listening.is_local else (_shown(listening.host),)
    own = [f"{name}:{port}" for name in names]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*own, *listening.allowed_hosts],
        allowed_origins=[*(f"http://{name}" for name in own), *listening.allowed_origins],
    )


def _access(web: Web, listening: Listening) -> tuple[TokenVerifier | None, AuthSettings | None]:
    if not listening.is_protected:
        return None, None
    from mcp.server.auth.settings import AuthSettings

    if listening.issuer:
        from outrider.interfaces.mcp.oauth import SignedTokens

        signed = SignedTokens(issuer=listening.issuer, resource=listening.resource, load_keys=_keys(web, listening))
        return signed, AuthSettings.model_validate(
            {"issuer_url": listening.issuer, "resource_server_url": listening.resource, "validate_token_resource": True}
        )
    from outrider.interfaces.mcp.tokens import Tokens, read_tokens

    known = read_tokens(Path(listening.token_file)) if listening.token_file else {}
    if listening.token:
        known["token"] = listening.token
    # Nobody issues these tokens. The settings ask for a URL all the same; without a resource it is never shown.
    return Tokens(known), AuthSettings.model_validate({"issuer_url": "http://localhost", "resource_server_url": None})


def _keys(web: Web, listening: Listening) -> Callable[[], Awaitable[str]]:
    async def load() -> str:
        if "://" not in listening.keys:
            return await asyncio.to_thread(Path(listening.keys).read_text, encoding="utf-8")
        # The operator named it, so no rule about agents' pages stands in its way; the guard does.
        call = Call(scope=_KEYS_SCOPE, allow=(f"domain:{Url.parse(listening.keys).host}",))
        page = (await web.fetch(listening.keys, limit=1, call=call)).page
        assert page is not None
        return page.document.markdown

    return load


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
