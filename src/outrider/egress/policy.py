"""May this host, port or address be reached? Pure: it decides, and the guard acts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from outrider.errors import InvalidArgument, InvalidUrl
from outrider.url import normal_host

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_ADDRESSES = 64
"""Answers with more addresses are refused."""


def _networks4(*blocks: str) -> tuple[IPv4Network, ...]:
    return tuple(map(IPv4Network, blocks))


def _networks6(*blocks: str) -> tuple[IPv6Network, ...]:
    return tuple(map(IPv6Network, blocks))


# Refused whatever the allow list says: link-local (RFC 3927, RFC 4291), unspecified, multicast (RFC 5771),
# limited broadcast, and the addresses on which clouds answer with credentials.
_ALWAYS4 = _networks4("169.254.0.0/16", "0.0.0.0/32", "224.0.0.0/4", "255.255.255.255/32", "100.100.100.200/32",
                      "168.63.129.16/32", "192.0.0.192/32")  # fmt: skip
_ALWAYS6 = _networks6("fe80::/10", "ff00::/8", "::/128", "fd00:ec2::254/128", "fd20:ce::254/128",
                      "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128")  # fmt: skip

# IANA IPv4 special-purpose registry, blocks that are not globally reachable, and the reserved class E.
_SPECIAL4 = _networks4("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24",
                       "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
                       "203.0.113.0/24", "240.0.0.0/4")  # fmt: skip
# Carved out of 192.0.0.0/24 as globally reachable (RFC 7723, RFC 8155).
_GLOBAL4 = _networks4("192.0.0.9/32", "192.0.0.10/32")

# Only 2000::/3 is allocated as global unicast; within it the IANA IPv6 special-purpose registry names exceptions.
_UNICAST6 = IPv6Network("2000::/3")
_SPECIAL6 = _networks6("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")
# Carved out of 2001::/23 as globally reachable (RFC 7723, 8155, 9665, 7450, 7535, 7343, 9374).
_GLOBAL6 = _networks6("2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48",
                      "2001:20::/28", "2001:30::/28")  # fmt: skip

# Prefixes whose last 32 bits carry an IPv4 address: mapped (RFC 4291), NAT64 (RFC 6052), translated (RFC 2765),
# compatible (RFC 4291).
_MAPPED, _NAT64 = IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")
_TRANSLATED, _COMPATIBLE = IPv6Network("::ffff:0:0:0/96"), IPv6Network("::/96")
_SIX_TO_FOUR, _TEREDO, _NAT64_LOCAL = IPv6Network("2002::/16"), IPv6Network("2001::/32"), IPv6Network("64:ff9b:1::/48")
_CARRIERS = (_MAPPED, _NAT64, _TRANSLATED, _COMPATIBLE, _SIX_TO_FOUR, _TEREDO, _NAT64_LOCAL)
# RFC 5214: an interface identifier of 0000:5efe or 0200:5efe followed by an IPv4 address.
_ISATAP_IDS = (0x00005EFE, 0x02005EFE)

# RFC 6761, RFC 6762, RFC 8375 and the private-use TLD of ICANN; `lan` and `corp` are in wide local use.
_INTERNAL_SUFFIXES = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "corp", "home", "home.arpa")

FAKE_IP_RANGE = IPv4Network("198.18.0.0/15")
"""RFC 2544, the range from which local tunnels answer with stand-in addresses."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Allowed or not, and why."""

    allowed: bool
    reason: str = ""
    """The refusal's class, such as `ipv4-literal` or `dns-nonpublic`; empty when allowed."""
    hint: str = ""
    private: bool = False
    """Allowed only because the allow list or a fake-IP range lets it through."""


_OK = Verdict(allowed=True)


@dataclass(frozen=True, slots=True)
class AllowList:
    """Private services that may be reached: hosts, hosts with a port, and networks."""

    hosts: frozenset[tuple[str, int | None]] = frozenset()
    """Exact hosts; port None means any."""
    suffixes: tuple[str, ...] = ()
    """From `*.example.test`: the part after the star, with its dot."""
    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowList:
        """
        Read entries of the forms `host`, `host:port`, `*.suffix`, `address`, `[v6]:port` and CIDR.

        Raises:
            InvalidArgument: An entry has none of these forms.
        """
        hosts: set[tuple[str, int | None]] = set()
        suffixes: list[str] = []
        networks: list[Network] = []
        for entry in filter(None, (part.strip() for part in entries)):
            if "/" in entry:
                networks.append(_read_network(entry))
            elif entry.startswith("*."):
                suffixes.append("." + _read_host(entry[2:], entry))
            else:
                hosts.add(_read_host_and_port(entry))
        return cls(frozenset(hosts), tuple(suffixes), tuple(networks))

    def names(self, host: str, port: int) -> bool:
        """Whether the host itself is listed."""
        return (host, port) in self.hosts or (host, None) in self.hosts or host.endswith(self.suffixes or ("\0",))

    def covers(self, address: Address) -> bool:
        """Whether a listed network holds the address."""
        return any(address in network for network in self.networks if network.version == address.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The guard's rules. Build it once; it holds no state."""

    allow: AllowList = field(default_factory=AllowList)
    fake_ip_ranges: tuple[Network, ...] = ()
    """Ranges that a local tunnel answers names with; never applied to address literals."""

    @property
    def opens_anything(self) -> bool:
        """Whether any private destination can be reached at all."""
        return bool(self.fake_ip_ranges) or self.allow != AllowList()

    def judge_host(self, host: str, port: int, *, disguised: str = "") -> Verdict:
        """
        Judge what a URL names, before anything is resolved.

        Args:
            host: In the normal form of `outrider.url.Url`.
            disguised: The URL's own reason class for a hidden spelling.
        """
        address = _literal(host)
        if address is not None:
            verdict = self._judge_literal(host, port, address)
        elif self.allow.names(host, port) or not _is_internal(host):
            verdict = _OK
        else:
            verdict = Verdict(
                allowed=False,
                reason="internal-hostname",
                hint=f"If this service is meant to be reached, allow it: OUTRIDER_ALLOW_HOSTS={host}",
            )
        if disguised and not verdict.allowed:
            return Verdict(allowed=False, reason=disguised)
        return verdict

    def judge_addresses(self, host: str, port: int, answers: Sequence[str]) -> Verdict:
        """
        Judge everything that a name resolved to; one bad address refuses all.

        Args:
            answers: Address texts, at least one.
        """
        if not 1 <= len(answers) <= MAX_ADDRESSES:
            return Verdict(allowed=False, reason="dns-failure")
        verdicts = [self._judge_answer(host, port, text) for text in answers]
        refused = [verdict for verdict in verdicts if not verdict.allowed]
        if not refused:
            return Verdict(allowed=True, private=any(verdict.private for verdict in verdicts))
        reason = refused[0].reason if len(refused) == len(verdicts) else "dns-mixed"
        return Verdict(allowed=False, reason=reason, hint=refused[0].hint)

    def _judge_literal(self, host: str, port: int, address: Address) -> Verdict:
        reason = "ipv4-literal"
        if isinstance(address, IPv6Address):
            reason = "ipv6-embedded-v4" if _carries_v4(address) else "ipv6-literal"
        if is_always_refused(address):
            return Verdict(allowed=False, reason=reason)
        if is_public(address):
            return _OK
        if self.allow.names(host, port) or self.allow.covers(address):
            return Verdict(allowed=True, private=True)
        return Verdict(allowed=False, reason=reason)

    def _judge_answer(self, host: str, port: int, text: str) -> Verdict:
        address = _literal(text)
        if address is None or is_always_refused(address):
            return Verdict(allowed=False, reason="dns-nonpublic")
        if is_public(address):
            return _OK
        if self.allow.names(host, port) or self.allow.covers(address) or self._is_fake(address):
            return Verdict(allowed=True, private=True)
        hint = ""
        if address.version == 4 and address in FAKE_IP_RANGE:
            hint = (
                "The resolver answers with stand-in addresses of a local tunnel. "
                'If that is meant, set egress.fake_ip_ranges = ["198.18.0.0/15"].'
            )
        return Verdict(allowed=False, reason="dns-nonpublic", hint=hint)

    def _is_fake(self, address: Address) -> bool:
        return any(address in network for network in self.fake_ip_ranges if network.version == address.version)


@lru_cache(maxsize=4096)
def is_public(address: Address) -> bool:
    """
    Whether the address is globally reachable unicast.

    `ipaddress.is_global` is not used: on Python 3.11 it disagrees with the IANA registries for 15 blocks.
    """
    if isinstance(address, IPv4Address):
        special = any(address in block for block in (*_SPECIAL4, *_ALWAYS4))
        return not special or any(address in block for block in _GLOBAL4)
    if address.scope_id is not None or _is_isatap(address):
        return False
    if address in _MAPPED or address in _NAT64:
        return is_public(_low_v4(address))
    if address not in _UNICAST6:
        return False
    return not any(address in block for block in _SPECIAL6) or any(address in block for block in _GLOBAL6)


def is_always_refused(address: Address) -> bool:
    """Whether no allow list may open the address."""
    if isinstance(address, IPv4Address):
        return any(address in block for block in _ALWAYS4)
    if address.scope_id is not None or any(address in block for block in _ALWAYS6):
        return True
    return any(is_always_refused(inner) for inner in _inner_v4(address))


def is_literal(host: str) -> bool:
    """Whether the host is an address rather than a name."""
    return _literal(host) is not None


def _literal(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_internal(host: str) -> bool:
    return "." not in host or any(host == suffix or host.endswith("." + suffix) for suffix in _INTERNAL_SUFFIXES)


def _carries_v4(address: IPv6Address) -> bool:
    if any(address in block for block in _CARRIERS):
        # ::1 and :: lie in the compatible block but carry nothing.
        return int(address) > 0xFFFF
    return _is_isatap(address)


def _is_isatap(address: IPv6Address) -> bool:
    return (int(address) >> 32) & 0xFFFFFFFF in _ISATAP_IDS


def _low_v4(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


def _inner_v4(address: IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to, by any known embedding."""
    value = int(address)
    if address in _SIX_TO_FOUR:
        return [IPv4Address((value >> 80) & 0xFFFFFFFF)]
    if address in _TEREDO:
        return [IPv4Address((value >> 64) & 0xFFFFFFFF), IPv4Address((value & 0xFFFFFFFF) ^ 0xFFFFFFFF)]
    if any(address in block for block in (_MAPPED, _NAT64, _TRANSLATED, _COMPATIBLE, _NAT64_LOCAL)) or _is_isatap(
        address
    ):
        return [_low_v4(address)] if value > 0xFFFF else []
    return []


def _read_network(entry: str) -> Network:
    try:
        return ip_network(entry, strict=False)
    except ValueError as error:
        raise _bad_entry(entry) from error


def _read_host_and_port(entry: str) -> tuple[str, int | None]:
    if _literal(entry.strip("[]")) is not None:
        return _read_host(entry, entry), None
    host, colon, port = entry.rpartition(":")
    if not colon or (entry.startswith("[") and entry.endswith("]")):
        return _read_host(entry, entry), None
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
        raise _bad_entry(entry)
    return _read_host(host, entry), int(port)


def _read_host(text: str, entry: str) -> str:
    try:
        return normal_host(text)
    except InvalidUrl as error:
        raise _bad_entry(entry) from error


def _bad_entry(entry: str) -> InvalidArgument:
    return InvalidArgument(
        f"allow_hosts: {entry!r} is not a host, host:port or network",
        hint="Examples: searxng, searxng:8080, 10.0.0.5, 10.0.0.0/24",
    )
