"""Certificates: an authority that the world's clients are told to trust."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from datetime import datetime
from functools import cache

import trustme


class Authority:
    """A certificate authority, with one TLS context for each set of names."""

    def __init__(self) -> None:
        self._ca = trustme.CA()

    @property
    def pem(self) -> bytes:
        """What a client must trust."""
        return self._ca.cert_pem.bytes()

    def server(
        self, names: Sequence[str], *, alpn: Sequence[str] = ("http/1.1",), not_after: datetime | None = None
    ) -> ssl.SSLContext:
        """The context of a server whose certificate holds these names and addresses."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._ca.issue_cert(*names, not_after=not_after).configure_cert(context)
        context.set_alpn_protocols(list(alpn))
        context.sni_callback = _remember
        return context

    def client(self) -> ssl.SSLContext:
        """The context of a client that trusts this authority and no other."""
        return ssl.create_default_context(cadata=self.pem.decode("ascii"))


def _remember(tls: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
    tls.asked_for = name  # type: ignore[attr-defined]  # the only place that survives until the handshake's end


@cache
def authority() -> Authority:
    """The world's own. Making keys takes time, so all tests share it."""
    return Authority()


@cache
def stranger() -> Authority:
    """One that nobody trusts."""
    return Authority()
