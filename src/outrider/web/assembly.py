"""The one place where objects meet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from outrider.config import Config, data_folder
from outrider.errors import InvalidArgument
from outrider.web.dialects.outrider import OutriderDialect
from outrider.web.operation import Operation
from outrider.web.operations.download import DownloadOperation, DownloadRequest
from outrider.web.operations.fetch import FetchOperation, FetchRequest
from outrider.web.operations.read import ReadOperation, ReadRequest
from outrider.web.operations.search import SearchOperation, SearchRequest

if TYPE_CHECKING:
    from outrider.egress.client import Client
    from outrider.egress.guard import Dialer
    from outrider.egress.pace import Pace
    from outrider.egress.resolve import Resolver
    from outrider.egress.transport import Transport
    from outrider.egress.trust import TlsFactory
    from outrider.fetch.reader import Reader
    from outrider.permissions.permissions import Permissions
    from outrider.search.choice import Catalogue
    from outrider.search.searcher import Searcher
    from outrider.store.pages import PageStore
    from outrider.web.dialect import Dialect, OperationRequest
    from outrider.web.reading import Reading

APPROVALS_FILE = "allowed_network.json"
DOCS_URL = "https://github.com/outrider-web/outrider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """What a test, or an embedding program, puts in place of the network."""

    resolver: Resolver | None = None
    dialer: Callable[[Dialer], Dialer] | None = None
    """Wraps the guard; what it returns opens every connection."""
    tls: TlsFactory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What one open `Web` is made of."""

    config: Config
    client: Client
    searcher: Searcher
    search: SearchOperation
    fetch: FetchOperation
    read: ReadOperation
    download: DownloadOperation
    pages: PageStore
    reading: Reading
    dialect: OutriderDialect
    """Writes the results of typed calls, whatever dialect agents speak."""

    def operation(self, request: OperationRequest) -> tuple[str, Operation[Any, Any]]:
        """The name of the operation that a request is for, and the operation."""
        match request:
            case SearchRequest():
                return "search", self.search
            case FetchRequest():
                return "fetch", self.fetch
            case ReadRequest():
                return "read", self.read
            case DownloadRequest():
                return "download", self.download


def available(config: Config) -> frozenset[str]:
    """The parts that tools may need, as far as they are there."""
    from outrider.search.choice import default_catalogue

    left = set(default_catalogue().names()) - set(config.search.disabled)
    optional = {"search": bool(left), "reader": bool(config.reader.family)}
    return frozenset({"fetch", "read", "download", *(name for name, is_there in optional.items() if is_there)})


def identity(config: Config) -> str:
    """The User-Agent: honest unless the operator chose another."""
    return config.egress.user_agent or f"Outrider/{package_version()} (+{DOCS_URL})"


def package_version() -> str:
    """The installed version."""
    try:
        return version("outrider")
    except PackageNotFoundError:
        return "0"


def open_permissions(config: Config, dialect: Dialect) -> Permissions:
    """
    The permissions of a project, made of its files and the configuration.

    A manifest that cannot be read makes them refuse everything.

    Raises:
        InvalidArgument: A rule of the configuration is none.
    """
    from outrider.permissions.approvals import Approvals
    from outrider.permissions.permissions import Permissions, mode_of
    from outrider.permissions.rules import Action, parse_rule_text
    from outrider.web.project import project_manifest

    settings = config.permissions
    project = project_manifest(config, dialect)
    fault, manifest = "", project.base
    try:
        manifest = project.manifest()
    except InvalidArgument as error:
        fault = error.message
    own = Path(settings.approvals) if settings.approvals else Path.cwd() / dialect.folder / APPROVALS_FILE
    rules: tuple[tuple[Action, tuple[str, ...]], ...] = (
        ("deny", settings.deny),
        ("ask", settings.ask),
        ("allow", settings.allow),
    )
    return Permissions(
        mode=mode_of(settings.mode or dialect.mode),
        manifest=manifest,
        rules=[parse_rule_text(action, pattern) for action, patterns in rules for pattern in patterns],
        approvals=Approvals(own),
        use_preapproved=settings.preapproved == "yes" or (not settings.preapproved and dialect.uses_preapproved),
        ask_s=settings.ask_s,
        fault=fault,
    )


async def open_web(
    config: Config, stack: AsyncExitStack, wiring: Wiring | None = None, *, dialect: Dialect | None = None
) -> Parts:
    """
    Build every object from the configuration.

    Args:
        dialect: Whose limits fetches get; the default dialect's when left out.
        stack: Takes over the closing.

    Raises:
        InvalidArgument: A setting is wrong.
    """
    from outrider.fetch.profile import PROFILES

    wiring = wiring or Wiring()
    pages = _pages(config, stack)
    door = _door(config, stack, wiring, proxy_url=config.egress.proxy_url)
    client = door.client
    reading = _reading(config, client, stack, pages, dialect or OutriderDialect())
    reader = _reader(config, client)
    others = [(profile.name, reading.under(profile)) for profile in PROFILES]
    # One door for each proxy that a provider is configured with, opened at its first use.
    proxied = cache(lambda proxy_url: _door(config, stack, wiring, proxy_url=proxy_url).client)
    searcher = _searcher(config, client, pages, proxied)
    return Parts(
        config=config,
        client=client,
        searcher=searcher,
        search=SearchOperation(
            searcher,
            reading,
            default_results=config.search.max_results,
            ceiling=config.search.max_results_ceiling,
        ),
        fetch=FetchOperation(reading, reader, others={name: FetchOperation(one, reader) for name, one in others}),
        read=ReadOperation(pages, reading.profile),
        download=_download(config, door),
        pages=pages,
        reading=reading,
        dialect=OutriderDialect(),
    )


class _Door(NamedTuple):
    """What the network is reached through."""

    client: Client
    transport: Transport
    pace: Pace


def _door(config: Config, stack: AsyncExitStack, wiring: Wiring, *, proxy_url: str) -> _Door:
    from outrider.egress.client import Client
    from outrider.egress.guard import Guard
    from outrider.egress.pace import Pace
    from outrider.egress.policy import AllowList, Policy
    from outrider.egress.proxy import proxied
    from outrider.egress.resolve import SystemResolver
    from outrider.egress.transport import Transport
    from outrider.egress.trust import client_context

    egress = config.egress
    policy = Policy(
        allow=AllowList.parse((*egress.allow_hosts, *egress.allow_hosts_extra)),
        fake_ip_ranges=tuple(_network(text) for text in egress.fake_ip_ranges),
    )
    resolver = wiring.resolver
    if resolver is None:
        resolver = own = SystemResolver()
        stack.push_async_callback(own.aclose)
    guard = Guard(policy, resolver)
    dialer: Dialer = wiring.dialer(guard) if wiring.dialer is not None else guard
    tls = wiring.tls or (lambda: client_context(ca_file=egress.ca_file or None))
    dialers = proxied(
        guard,
        dialer,
        proxy_url=proxy_url,
        environment=config.environment if egress.trust_env_proxy else {},
        tls=tls,
    )
    transport = Transport(dialers, tls, http2=egress.http2)
    pace = Pace(per_host=egress.per_host, overall=egress.overall)
    client = Client(
        guard,
        transport,
        user_agent=identity(config),
        pace=pace,
        allow_downgrade=egress.allow_downgrade,
    )
    stack.push_async_callback(client.aclose)
    return _Door(client, transport, pace)


def _catalogue(pages: PageStore) -> Catalogue:
    """The providers of this installation; the local one is given the pages that it searches."""
    from outrider.search.choice import Catalogue
    from outrider.search.provider import Provider
    from outrider.search.providers.local import Local
    from outrider.search.settings import ProviderSettings

    class WithPages(Catalogue):
        def make(self, name: str, settings: ProviderSettings) -> Provider:
            return Local(settings, pages) if name == Local.info.id else super().make(name, settings)

    return WithPages()


def _searcher(config: Config, client: Client, pages: PageStore, proxied: Callable[[str], Client]) -> Searcher:
    from outrider.search.configured import Configured
    from outrider.search.searcher import Searcher
    from outrider.search.shelf import Shelf

    search = config.search
    catalogue = _catalogue(pages)
    unknown = search.providers.keys() - catalogue.names()
    if unknown:
        message = f"search.providers: {', '.join(sorted(unknown))}: there is no such provider"
        raise InvalidArgument(message, hint="`outrider providers` lists them.")
    return Searcher(
        client,
        settings=Configured(catalogue, environment=config.environment, tables=search.providers),
        order=search.order,
        fixed=search.provider,
        fallback="always" if search.fallback == "always" else "auto",
        fan_out=search.fan_out,
        shelf=Shelf(seconds=search.cache_s),
        disabled=search.disabled,
        catalogue=catalogue,
        proxied=proxied,
    )


def _reader(config: Config, client: Client) -> Reader | None:
    from outrider.fetch.reader import ReaderSettings, load_family, make_reader

    chosen = config.reader
    if not chosen.family:
        return None
    variable = chosen.key_variable or load_family(chosen.family).key_variable
    settings = ReaderSettings(
        model=chosen.model,
        base_url=chosen.base_url,
        api_key=config.environment.get(variable, "").strip(),
        max_tokens=chosen.max_tokens,
        total_s=chosen.reader_s,
    )
    return make_reader(chosen.family, settings, client)


def _download(config: Config, door: _Door) -> DownloadOperation:
    from outrider.fetch.download import Downloader
    from outrider.fetch.workspace import Workspace

    settings = config.workspace
    root = Path(settings.root) if settings.root else Path.cwd()
    downloader = Downloader(
        door.client,
        door.transport,
        door.pace,
        Workspace(root, write_roots=settings.write_roots, read_only=settings.read_only),
        total_s=settings.download_s,
        stall_s=settings.download_stall_s,
        connect_s=config.fetch.connect_s,
    )
    return DownloadOperation(downloader, default_max_bytes=settings.download_bytes)


def _pages(config: Config, stack: AsyncExitStack) -> PageStore:
    from outrider.store.backend import Store, open_store, url_of
    from outrider.store.kept import Quota
    from outrider.store.pages import PageStore

    async def open_it() -> Store:
        folder, store = data_folder(config), config.store
        blobs = url_of("file", folder / "pages") + ("?fsync=1" if store.fsync else "")
        return await open_store(
            records=store.records or url_of("sqlite", folder / "index.db"), blobs=store.blobs or blobs
        )

    quota = Quota(
        max_pages=config.store.max_pages,
        max_bytes=config.store.max_bytes,
        max_age_s=config.store.max_age_days * 24 * 3_600,
    )
    pages = PageStore(open_it, quota=quota)
    stack.push_async_callback(pages.aclose)
    return pages


def _reading(config: Config, client: Client, stack: AsyncExitStack, pages: PageStore, dialect: Dialect) -> Reading:
    from dataclasses import replace

    from outrider.egress.message import Limits
    from outrider.fetch.cache import Cache
    from outrider.fetch.fetcher import Fetcher
    from outrider.fetch.profile import AGENT
    from outrider.fetch.robots import Robots
    from outrider.fetch.worker import Workshop
    from outrider.store.backends.memory import MemoryShared
    from outrider.web.reading import Reading

    fetch = config.fetch
    workshop = Workshop(convert_s=fetch.convert_s, memory_bytes=fetch.convert_memory_mb * 1024 * 1024)
    stack.push_async_callback(workshop.aclose)
    fetcher = Fetcher(
        client,
        workshop,
        Robots(client),
        cache=Cache(MemoryShared(), identity=identity(config)) if config.store.http_cache else None,
        respect_robots=fetch.robots == "respect",
        images=config.content.images,
        pretty_json=config.content.pretty_json,
    )
    stack.push_async_callback(fetcher.aclose)
    limits = Limits(
        connect_s=fetch.connect_s,
        first_byte_s=fetch.first_byte_s,
        stall_s=fetch.stall_s,
        total_s=fetch.total_s,
        max_body_bytes=fetch.max_body_bytes,
        max_redirects=fetch.max_redirects,
        retries=fetch.retries,
    )
    profile = replace(AGENT, limits=limits, convert_s=fetch.convert_s, output_budget=config.web.output_budget)
    return Reading(fetcher, pages, dialect.profile(profile))


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        message = f"egress.fake_ip_ranges: {text!r} is not a network"
        raise InvalidArgument(message) from error
