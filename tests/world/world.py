"""The world that a test builds inline: sites, names, vendors and proxies, all on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, AsyncExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest

from outrider import Web
from outrider.web.assembly import Wiring
from world.authority import Authority, authority
from world.dns import ChosenResolver, DnsServer
from world.listener import Connection, Listener
from world.messages import Reply
from world.names import Names
from world.proxy import ConnectProxy
from world.site import Handler, Site
from world.tripwire import Contact, Tripwire, unguarded
from world.vendor import Dials, Rerouted, S_co, Script, Vendor

Opened = TypeVar("Opened", bound=Site)


class World:
    """
    Everything outside the program under test.

    `names` feeds the resolver that is handed to the guard (`resolver`) and the name server (`await dns_server()`).
    Whatever is opened here is closed when the world ends.
    """

    def __init__(self, folder: Path, tripwire: Tripwire) -> None:
        self.names = Names()
        self.resolver = ChosenResolver(self.names)
        self.sites: list[Site] = []
        self.ports: dict[tuple[str, int], int] = {}
        """Where the host and port of a vendor or a public site really listen."""
        self._folder = folder
        self._tripwire = tripwire
        self._recorders: list[Listener] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def site(
        self,
        paths: Mapping[str, Handler],
        *,
        name: str | None = None,
        tls: bool = False,
        http2: bool = False,
        signed_by: Authority | None = None,
        certificate_names: list[str] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        public: bool = False,
    ) -> Site:
        """
        Open a web site; with a name, the name leads to it. See `world.site.Site` for the handlers.

        Args:
            tls: Speak HTTPS with a certificate of the world's authority, or of `signed_by`.
            http2: Offer HTTP/2 too (with TLS).
            certificate_names: What the certificate is for, when not for the site's own name and address.
            public: The site seems to be on the scheme's own port, for whoever dials through `dialer`.
        """
        signer = (signed_by or authority()) if tls or http2 or signed_by else None
        site = Site(
            paths,
            name=name,
            authority=signer,
            certificate_names=certificate_names,
            http2=http2,
            host=host,
            port=port,
            public=public,
        )
        return await self._open(site)

    async def vendor(self, name: str, script: Script, *, http2: bool = False) -> Vendor:
        """Open a vendor's API under its real name; reach it on port 443 through `dialer`."""
        return await self._open(Vendor(name, script, authority=authority(), http2=http2))

    def dialer(self, dialer: Dials[S_co]) -> Rerouted[S_co]:
        """A dialer that finds the real ports of vendors and public sites; it judges nothing and changes no host."""
        return Rerouted(dialer, self.ports)

    async def proxy(self, *, refuse: Reply | None = None) -> ConnectProxy:
        """Open a CONNECT proxy; with `refuse` it answers every request so."""
        return await self._stack.enter_async_context(ConnectProxy(self.names, refuse=refuse, ports=self.ports))

    async def dns_server(self) -> DnsServer:
        """Open a name server over UDP and TCP that answers from `names`."""
        return await self._stack.enter_async_context(DnsServer(self.names))

    async def recorder(self, address: str = "127.0.0.2", port: int = 0) -> Listener:
        """Listen where nobody should come; see `connections_to`."""
        try:
            recorder = await self._stack.enter_async_context(Listener(host=address, port=port))
        except OSError as error:
            # macOS has 127.0.0.1 alone, unless somebody adds the others.
            pytest.skip(f"this system does not listen on {address}: {error}")
        self._recorders.append(recorder)
        return recorder

    def connections_to(self, address: str) -> list[Contact | Connection]:
        """Every contact with an address: what this process tried to open, and what any listener there accepted."""
        tried = [contact for contact in self._tripwire.contacts if contact.host == address]
        listeners = [*self._recorders, *(site.listener for site in self.sites)]
        accepted = [
            connection
            for listener in listeners
            for connection in listener.connections
            if connection.local[0] == address
        ]
        return [*tried, *accepted]

    @property
    def allow_hosts(self) -> list[str]:
        """Allow-list entries for every site and vendor of the world, as `host:port`."""
        real = [f"{site.shown}:{site.listener.port}" for site in self.sites]
        return real + [f"{host}:{port}" for host, port in self.ports]

    def wiring(self) -> Wiring:
        """What puts this world in the place of the network."""
        return Wiring(resolver=self.resolver, dialer=self.dialer, tls=authority().client)

    def web(self, **overrides: Any) -> Web:
        """The product in this world, with every site that stands now on its allow list; not opened yet."""
        return Web(wiring=self.wiring(), **{"allow_hosts": self.allow_hosts, **overrides})

    @property
    def authority(self) -> Authority:
        return authority()

    @property
    def ca_file(self) -> Path:
        """A PEM file with the authority that the sites' certificates are from."""
        path = self._folder / "world-ca.pem"
        path.write_bytes(authority().pem)
        return path

    def unguarded(self) -> AbstractContextManager[None]:
        """For a test's own client: inside, sockets may be opened without the guard."""
        return unguarded()

    async def _open(self, site: Opened) -> Opened:
        await self._stack.enter_async_context(site)
        self.sites.append(site)
        if site.name is not None:
            self.names.setdefault(site.name, [site.listener.host])
            if site.public:
                self.ports[site.name, 443 if site.scheme == "https" else 80] = site.listener.port
        return site
