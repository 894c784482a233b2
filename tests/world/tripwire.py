"""Watches every outgoing contact of the process: what the guard did not make fails the test."""

from __future__ import annotations

import errno
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address

_OWN: ContextVar[bool] = ContextVar("_OWN", default=False)
_WATCHED = frozenset(
    {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"}
)


class Tripped(AssertionError):
    """Something opened a connection, or looked a name up, behind the guard's back."""


@dataclass(frozen=True, slots=True)
class Contact:
    """One attempt to reach something."""

    event: str
    host: str
    port: int | None


@contextmanager
def unguarded() -> Iterator[None]:
    """The world's own servers and clients, and a test's own client, do not go through the guard."""
    token = _OWN.set(True)
    try:
        yield
    finally:
        _OWN.reset(token)


class Tripwire:
    """
    The audit hook and what it saw since the last `clear`.

    It sees what Python's socket module does, in any thread. It does not see native code that opens sockets itself.
    """

    def __init__(self) -> None:
        self.contacts: list[Contact] = []
        """What the guard dialled or tried to dial, and what the tripwire stopped."""
        self.tripped: list[Contact] = []
        self.armed = False
        # A hook can never be taken out again, so one serves the whole session.
        sys.addaudithook(self._hear)

    def clear(self) -> None:
        self.contacts = []
        self.tripped = []

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.armed or event not in _WATCHED or _OWN.get():
            return
        contact = _contact(event, arguments)
        if contact is None or _makes_a_pair():
            return
        self.contacts.append(contact)
        if not _guarded():
            self.tripped.append(contact)
            message = f"{event} to {contact.host}:{contact.port} without the guard"
            raise Tripped(message)
        if not _is_loopback(contact.host):
            # A test has no network: what the guard lets through to the outside is noted and leads nowhere.
            raise OSError(errno.ENETUNREACH, "tests have no network")


def _contact(event: str, arguments: tuple[object, ...]) -> Contact | None:
    if event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
        text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
        # An address literal is not looked up anywhere.
        return None if host is None or _is_address(text) else Contact(event, text, None)
    address = arguments[1]
    # Anything but a pair of host and port is a Unix socket, or the already connected peer.
    if not isinstance(address, tuple):
        return None
    return Contact(event, str(address[0]), int(address[1]))


def _guarded() -> bool:
    # Looked up at each contact: the tripwire must not be what imports the guard.
    guard = sys.modules.get("outrider.egress.guard")
    return guard is not None and bool(guard.DIALLING.get())


def _makes_a_pair() -> bool:
    """Where the system has no socket pairs, the event loop's own pipe is a connection to itself."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name in {"socketpair", "_fallback_socketpair"}:
            return True
        frame = frame.f_back
    return False


def _is_address(text: str) -> bool:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return _is_address(host) and ip_address(host.partition("%")[0]).is_loopback
