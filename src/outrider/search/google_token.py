"""An access token for Google's cloud, asked for with the credentials that its console gives out as JSON."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime

from outrider.search import reading
from outrider.search.reading import Json, NotJson
from outrider.search.wire import ApiReply, ApiRequest

TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105  # an address
"""The vendor's own. The credentials name one too, which is not used: a key goes to no address that came with it."""

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
LIFETIME_S = 3_600


class NotCredentials(ValueError):
    """The text is no credentials that can be used; the message says why, without any of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleCredentials:
    """A service account's key, or what a person's login left behind."""

    fields: dict[str, str]
    is_service_account: bool

    def __repr__(self) -> str:
        return f"GoogleCredentials({'service account' if self.is_service_account else 'user'})"

    @property
    def project(self) -> str:
        """The project that they belong to; empty when they do not say."""
        return self.fields.get("project_id", "")


def looks_like_credentials(key: str) -> bool:
    """Whether a key is JSON and no access token."""
    return key.lstrip().startswith("{")


def read_credentials(key: str) -> GoogleCredentials:
    """
    Read the JSON of a service account or of a user.

    Raises:
        NotCredentials: It is something else.
    """
    try:
        found = reading.record(reading.load_json(key))
    except NotJson:
        raise NotCredentials("they are not JSON") from None
    fields = {name: reading.text(value) for name, value in found.items()}
    needed = _NEEDED.get(fields.get("type", ""))
    if needed is None:
        raise NotCredentials("they are neither a service account's nor a user's")
    missing = [name for name in needed if not fields.get(name)]
    if missing:
        raise NotCredentials(f"they lack {', '.join(missing)}")
    return GoogleCredentials(fields=fields, is_service_account=fields["type"] == "service_account")


_NEEDED = {
    "service_account": ("client_email", "private_key"),
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
}


def token_request(credentials: GoogleCredentials, now: datetime) -> ApiRequest:
    """
    What to send for a token.

    Raises:
        NotCredentials: The private key is none.
        ImportError: The package that signs is missing.
    """
    if credentials.is_service_account:
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "assertion": _assertion(credentials.fields, int(now.timestamp())),
        }
    else:
        known = {name: credentials.fields[name] for name in _NEEDED["authorized_user"]}
        form = {"grant_type": "refresh_token", **known}
    return ApiRequest(url=TOKEN_URL, method="POST", form=form)


def token_in(reply: ApiReply) -> str:
    """The token in a reply; empty when there is none."""
    try:
        return reading.text(reading.at(reply.json, "access_token"))
    except NotJson:
        return ""


def _assertion(fields: dict[str, str], now: int) -> str:
    """RFC 7523: who asks for what, signed with the account's key (RFC 7515, RS256)."""
    head = {"alg": "RS256", "typ": "JWT"}
    if fields.get("private_key_id"):
        head["kid"] = fields["private_key_id"]
    claims = {"iss": fields["client_email"], "scope": SCOPE, "aud": TOKEN_URL, "iat": now, "exp": now + LIFETIME_S}
    signed = f"{_part(head)}.{_part(claims)}"
    return f"{signed}.{_encoded(_sign(signed.encode('ascii'), fields['private_key']))}"


def _part(value: Json) -> str:
    return _encoded(json.dumps(value, separators=(",", ":")).encode("utf-8"))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _sign(message: bytes, pem: str) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.encode("utf-8", "replace"), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise NotCredentials("their private key cannot be read") from None
    if not isinstance(key, RSAPrivateKey):
        raise NotCredentials("their private key is not of the RSA kind")
    return key.sign(message, PKCS1v15(), SHA256())
