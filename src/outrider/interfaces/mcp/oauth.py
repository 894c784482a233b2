"""Who may call over HTTP: access tokens of an authorization server, as a protected resource takes them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import jwt
from mcp.server.auth.provider import AccessToken

from outrider.errors import WebError

# RFC 7518, section 3.1, without what is symmetric or not signed: a key that verifies must not be one that signs.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
KEYS_S = 300.0
"""How long the authorization server's keys are held."""
RETRY_S = 10.0
"""How soon they are fetched again for a key that is not among them: a stranger must not set the pace."""

Load = Callable[[], Awaitable[str]]


class SignedTokens:
    """
    Verifies JWT access tokens (RFC 9068) with the keys of their issuer.

    Args:
        issuer: What `iss` must be, to the letter.
        resource: What `aud` must name: this server's own URL (RFC 8707).
        load_keys: Gives the issuer's JSON Web Key Set.
        clock: Seconds, as `time.monotonic` gives them.
    """

    def __init__(
        self, *, issuer: str, resource: str, load_keys: Load, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._issuer = issuer
        self._resource = resource
        self._load = load_keys
        self._clock = clock
        self._keys: Mapping[str, Any] = {}
        self._loaded_at = -KEYS_S
        self._loading = asyncio.Lock()

    async def verify_token(self, token: str) -> AccessToken | None:
        """See the SDK's `TokenVerifier`."""
        try:
            header = jwt.get_unverified_header(token)
            key = await self._key(str(header.get("kid", "")))
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._resource,
                issuer=self._issuer,
                options={"require": ["exp", "iss", "aud"]},
            )
        except (jwt.PyJWTError, WebError, ValueError, TypeError):
            # TypeError: an algorithm that does not go with the key.
            return None
        return self._access(token, claims)

    def _access(self, token: str, claims: Mapping[str, Any]) -> AccessToken:
        scope = claims.get("scope", "")
        subject = claims.get("sub")
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or "oauth"),
            scopes=scope.split() if isinstance(scope, str) else [str(part) for part in scope],
            expires_at=int(claims["exp"]),
            resource=self._resource,
            subject=None if subject is None else str(subject),
            claims={"iss": self._issuer},
        )

    async def _key(self, kid: str) -> Any | None:
        async with self._loading:
            age = self._clock() - self._loaded_at
            if age >= KEYS_S or (kid not in self._keys and age >= RETRY_S):
                self._keys = _read_keys(await self._load())
                self._loaded_at = self._clock()
        return self._keys.get(kid)


def _read_keys(text: str) -> dict[str, Any]:
    """Keys by their id; a set of one may leave its id out."""
    read = jwt.PyJWKSet.from_dict(json.loads(text))
    return {key.key_id or "": key.key for key in read.keys}
