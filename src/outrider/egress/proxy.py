"""Dialling through an HTTP proxy: a tunnel to a judged and pinned address."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import unquote

from outrider.egress.guard import Dialer, Guard
from outrider.errors import InvalidArgument, InvalidUrl, ProxyFailed, SsrfRejected, WebError
from outrider.url import Url

if TYPE_CHECKING:
    import ssl

    from httpcore2 import AsyncNetworkStream

_MAX_ANSWER_BYTES = 16 * 1024
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |\r|$)")
_USER_INFO = re.compile(r"(https?://)([^/@]*)@", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """One proxy and the credentials that belong to it alone."""

    url: Url
    authorization: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.url.origin})"

    @classmethod
    def parse(cls, text: str) -> Proxy:
        """
        Read a proxy's URL, with or without credentials.

        Raises:
            InvalidArgument: It is not an http or https URL. The message does not repeat it: it may hold a password.
        """
        match = _USER_INFO.match(text)
        bare = text if match is None else match.group(1) + text[match.end() :]
        try:
            url = Url.parse(bare if "://" in bare else f"http://{bare}")
        except InvalidUrl as error:
            message = f"the proxy's URL cannot be used: {error.message}"
            raise InvalidArgument(message, hint="A proxy is named as http://host:port or https://host:port.") from error
        if match is None:
            return cls(url=url)
        pair = unquote(match.group(2)).encode()
        return cls(url=url, authorization="Basic " + base64.b64encode(pair).decode("ascii"))


class ProxyDialer:
    """
    Connects through a proxy's CONNECT tunnel.

    The proxy is told the address that was judged, not the name, so it cannot resolve it to another one. The proxy's
    own address is judged like any other: one on a private network has to be on the allow list.
    """

    def __init__(
        self,
        guard: Guard,
        dialer: Dialer,
        proxy: Proxy,
        *,
        no_proxy: str = "",
        tls: Callable[[], ssl.SSLContext],
    ) -> None:
        self._guard = guard
        self._dialer = dialer
        self._proxy = proxy
        self._bypass = [entry.strip().lower() for entry in no_proxy.split(",") if entry.strip()]
        self._tls = tls

    async def connect(self, host: str, port: int, *, timeout_s: float | None = None) -> AsyncNetworkStream:
        """See `Dialer`."""
        if bypasses(self._bypass, host, port):
            return await self._dialer.connect(host, port, timeout_s=timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                addresses = await self._guard.addresses(host, port)
                stream = await self._reach(timeout_s)
                try:
                    await self._tunnel(stream, addresses[0], port)
                except BaseException:
                    await stream.aclose()
                    raise
                return stream
        except TimeoutError as error:
            message = f"the proxy {self._proxy.url.host} did not connect in time"
            raise ProxyFailed(message) from error

    async def _reach(self, timeout_s: float | None) -> AsyncNetworkStream:
        url = self._proxy.url
        try:
            stream = await self._dialer.connect(url.host, url.port, timeout_s=timeout_s)
            if url.scheme == "https":
                context = self._tls()
                context.set_alpn_protocols(["http/1.1"])
                stream = await stream.start_tls(context, url.host, timeout_s)
        except SsrfRejected as error:
            hint = f"If this proxy is meant, allow it: OUTRIDER_ALLOW_HOSTS={url.authority}"
            message = f"the proxy {url.host} is not a public host, so it is not contacted"
            raise SsrfRejected(message, reason=error.reason, hint=hint) from error
        except WebError as error:
            message = f"the proxy {url.host} could not be reached: {error.message}"
            raise ProxyFailed(message) from error
        return stream

    async def _tunnel(self, stream: AsyncNetworkStream, address: str, port: int) -> None:
        target = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self._proxy.authorization:
            lines.append(f"Proxy-Authorization: {self._proxy.authorization}")
        await stream.write(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
        answer = b""
        # Byte by byte: what follows the header already belongs to the tunnel.
        while not answer.endswith(b"\r\n\r\n"):
            byte = await stream.read(1)
            if not byte or len(answer) > _MAX_ANSWER_BYTES:
                message = f"the proxy {self._proxy.url.host} did not answer the tunnel request"
                raise ProxyFailed(message)
            answer += byte
        match = _STATUS_LINE.match(answer)
        status = int(match.group(1)) if match else 0
        if not 200 <= status < 300:
            hint = (
                "Check the proxy's user name and password." if status == 407 else "The proxy must allow tunnels here."
            )
            message = f"the proxy {self._proxy.url.host} refused the tunnel with status {status}"
            raise ProxyFailed(message, status=status, hint=hint)


def proxied(
    guard: Guard,
    dialer: Dialer,
    *,
    proxy_url: str,
    environment: Mapping[str, str],
    tls: Callable[[], ssl.SSLContext],
) -> dict[str, Dialer]:
    """
    The dialer for each scheme.

    Args:
        proxy_url: The operator's own proxy; it wins over the environment. Empty means none.
        environment: Where HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are looked for; empty when not trusted.

    Raises:
        InvalidArgument: A proxy's URL cannot be used.
    """
    no_proxy = _variable(environment, "no_proxy")
    dialers: dict[str, Dialer] = {}
    for scheme in ("http", "https"):
        text = proxy_url or _variable(environment, f"{scheme}_proxy") or _variable(environment, "all_proxy")
        if text:
            dialers[scheme] = ProxyDialer(guard, dialer, Proxy.parse(text), no_proxy=no_proxy, tls=tls)
        else:
            dialers[scheme] = dialer
    return dialers


def bypasses(entries: list[str], host: str, port: int) -> bool:
    """Whether NO_PROXY entries name a host: `*`, `host`, `.suffix`, `*.suffix`, `host:port`, address or network."""
    return any(_matches(entry, host, port) for entry in entries)


def _matches(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    name, colon, wanted = entry.rpartition(":")
    if colon and wanted.isascii() and wanted.isdigit() and (":" not in name or name.endswith("]")):
        if int(wanted) != port:
            return False
        entry = name
    entry = entry.strip("[]").removeprefix("*").removeprefix(".")
    if host == entry or host.endswith("." + entry):
        return True
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False


def _variable(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""
