"""Which certificate authorities are trusted."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from outrider.errors import InvalidArgument

TlsFactory: TypeAlias = Callable[[], ssl.SSLContext]
"""Makes the verifying context of a client."""


def client_context(*, ca_file: str | None = None) -> ssl.SSLContext:
    """
    A verifying client context: the system's trust store, else the bundled one, plus the operator's own.

    Args:
        ca_file: A PEM file with further authorities, such as a company's.

    Raises:
        InvalidArgument: `ca_file` is not a readable PEM file.
    """
    context = _system_context()
    if ca_file is not None:
        _add(context, ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Set once here: the HTTP library sets the same list before each handshake.
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def _system_context() -> ssl.SSLContext:
    if sys.platform in ("darwin", "win32"):
        import truststore

        native: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return native
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    paths = ssl.get_default_verify_paths()
    if paths.cafile is not None or _has_certificates(paths.capath):
        context.load_default_certs()
    else:
        import certifi

        context.load_verify_locations(cafile=certifi.where())
    return context


def _has_certificates(folder: str | None) -> bool:
    return folder is not None and next(Path(folder).glob("*.[0-9]"), None) is not None


def _add(context: ssl.SSLContext, ca_file: str) -> None:
    try:
        context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        message = f"egress.ca_file: {ca_file} is not a readable PEM file"
        raise InvalidArgument(message) from error
