"""Which addresses are public, and what an allow list opens."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from outrider.egress.policy import (
    MAX_ADDRESSES,
    AllowList,
    Policy,
    is_always_refused,
    is_literal,
    is_public,
)
from outrider.errors import InvalidArgument

# Written from the RFCs that the IANA special-purpose registries cite: block, and whether it is globally reachable.
_BLOCKS4 = [
    ("0.0.0.0/8", False),  # RFC 791, this network
    ("10.0.0.0/8", False),  # RFC 1918
    ("100.64.0.0/10", False),  # RFC 6598, carrier-grade NAT
    ("127.0.0.0/8", False),  # RFC 1122, loopback
    ("169.254.0.0/16", False),  # RFC 3927, link-local
    ("172.16.0.0/12", False),  # RFC 1918
    ("192.0.0.0/29", False),  # RFC 7335
    ("192.0.0.8/32", False),  # RFC 7600
    ("192.0.0.9/32", True),  # RFC 7723, PCP anycast
    ("192.0.0.10/32", True),  # RFC 8155, TURN anycast
    ("192.0.0.170/31", False),  # RFC 8880
    ("192.0.2.0/24", False),  # RFC 5737
    ("192.31.196.0/24", True),  # RFC 7535, AS112
    ("192.52.193.0/24", True),  # RFC 7450, AMT
    ("192.88.99.0/24", False),  # RFC 7526, deprecated 6to4 relays
    ("192.168.0.0/16", False),  # RFC 1918
    ("192.175.48.0/24", True),  # RFC 7534, AS112
    ("198.18.0.0/15", False),  # RFC 2544
    ("198.51.100.0/24", False),  # RFC 5737
    ("203.0.113.0/24", False),  # RFC 5737
    ("224.0.0.0/4", False),  # RFC 5771, multicast
    ("240.0.0.0/4", False),  # RFC 1112
    ("255.255.255.255/32", False),  # RFC 919
]
_BLOCKS6 = [
    ("::1/128", False),  # RFC 4291, loopback
    ("::/128", False),  # RFC 4291, unspecified
    ("64:ff9b:1::/48", False),  # RFC 8215, local NAT64
    ("100::/64", False),  # RFC 6666, discard
    ("100:0:0:1::/64", False),  # RFC 9780
    ("2001::/32", False),  # RFC 4380, Teredo
    ("2001:1::1/128", True),  # RFC 7723
    ("2001:1::2/128", True),  # RFC 8155
    ("2001:2::/48", False),  # RFC 5180
    ("2001:3::/32", True),  # RFC 7450
    ("2001:4:112::/48", True),  # RFC 7535
    ("2001:10::/28", False),  # RFC 4843, old ORCHID
    ("2001:20::/28", True),  # RFC 7343
    ("2001:30::/28", True),  # RFC 9374
    ("2001:100::/24", False),  # RFC 2928, the rest of 2001::/23
    ("2001:db8::/32", False),  # RFC 3849
    ("2002::/16", False),  # RFC 3056, 6to4
    ("2620:4f:8000::/48", True),  # RFC 7534
    ("3fff::/20", False),  # RFC 9637
    ("5f00::/16", False),  # RFC 9602
    ("fc00::/7", False),  # RFC 4193
    ("fe80::/10", False),  # RFC 4291
    ("fec0::/10", False),  # RFC 3879
    ("ff00::/8", False),  # RFC 4291
    ("::/96", False),  # RFC 4291, IPv4-compatible
    ("::ffff:0:0:0/96", False),  # RFC 2765
    ("4000::/3", False),  # not allocated
    ("8000::/1", False),
]
_ANYWHERE6 = st.one_of(
    st.ip_addresses(v=6),
    *(st.ip_addresses(network=block) for block, _ in _BLOCKS6),
    st.ip_addresses(network="2000::/3"),
)
_ANYWHERE4 = st.one_of(st.ip_addresses(v=4), *(st.ip_addresses(network=block) for block, _ in _BLOCKS4))


@pytest.mark.parametrize(("block", "reachable"), [*_BLOCKS4, *_BLOCKS6])
def test_every_edge_of_a_special_block_is_judged_by_its_registry(block: str, *, reachable: bool) -> None:
    network = IPv6Network(block) if ":" in block else IPv4Network(block)

    assert reachable == is_public(network[0])
    assert reachable == is_public(network[-1])
    assert reachable == is_public(network[network.num_addresses // 2])


@given(_ANYWHERE4)
def test_an_ipv4_address_outside_the_special_blocks_is_public(address: IPv4Address) -> None:
    inside = [reachable for block, reachable in _BLOCKS4 if address in IPv4Network(block)]
    # The rest of 192.0.0.0/24 is special as a whole (RFC 6890), and one cloud answers on a public address.
    assume(address not in IPv4Network("192.0.0.0/24") or inside)
    assume(address != IPv4Address("168.63.129.16"))

    assert (all(inside) if inside else True) == is_public(address)


@given(_ANYWHERE6)
def test_only_allocated_ipv6_unicast_is_public(address: IPv6Address) -> None:
    if (
        is_public(address)
        and address not in IPv6Network("::ffff:0:0/96")
        and address not in IPv6Network("64:ff9b::/96")
    ):
        assert address in IPv6Network("2000::/3")
        inside = [reachable for block, reachable in _BLOCKS6 if address in IPv6Network(block)]
        assert not inside or any(inside)


def _embedded(address: IPv4Address) -> dict[str, IPv6Address]:
    number = int(address)
    return {
        "mapped": IPv6Address((0xFFFF << 32) | number),
        "compatible": IPv6Address(number),
        "translated": IPv6Address((0xFFFF << 48) | number),
        "nat64": IPv6Address((0x64FF9B << 96) | number),
        "local nat64": IPv6Address((0x64FF9B0001 << 80) | number),
        "6to4": IPv6Address((0x2002 << 112) | (number << 80)),
        "teredo server": IPv6Address((0x20010000 << 96) | (number << 64)),
        "teredo client": IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF)),
        "isatap": IPv6Address((0x26062800 << 96) | (0x5EFE << 32) | number),
        "isatap, universal": IPv6Address((0x26062800 << 96) | (0x02005EFE << 32) | number),
    }


@given(_ANYWHERE4)
def test_no_embedding_makes_a_private_ipv4_address_public(address: IPv4Address) -> None:
    for name, carrier in _embedded(address).items():
        if not is_public(address):
            assert not is_public(carrier), name
        if is_always_refused(address) and int(address) > 0xFFFF:
            assert is_always_refused(carrier), name


@given(st.ip_addresses(v=4))
def test_a_public_address_behind_nat64_or_mapped_stays_public(address: IPv4Address) -> None:
    carriers = _embedded(address)

    assert is_public(address) == is_public(carriers["mapped"]) == is_public(carriers["nat64"])


def test_an_address_with_a_zone_is_never_public() -> None:
    assert not is_public(IPv6Address("2606:2800::1%eth0"))
    assert is_always_refused(IPv6Address("2606:2800::1%eth0"))


_METADATA = [
    "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254",
    "fd20:ce::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "0.0.0.0", "::", "fe80::1",
    "224.0.0.1", "ff02::1", "255.255.255.255",
]  # fmt: skip


@pytest.mark.parametrize("address", _METADATA)
def test_no_allow_list_opens_metadata_link_local_multicast_or_the_unspecified_address(address: str) -> None:
    everything = Policy(
        allow=AllowList.parse(["0.0.0.0/0", "::/0", "trap.test", address if ":" not in address else f"[{address}]"]),
        fake_ip_ranges=(IPv4Network("0.0.0.0/0"), IPv6Network("::/0")),
    )

    assert not everything.judge_host(address, 80).allowed
    assert not everything.judge_addresses("trap.test", 80, [address]).allowed


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1", "ipv4-literal"),
        ("::1", "ipv6-literal"),
        ("fd00::1", "ipv6-literal"),
        ("::ffff:10.0.0.1", "ipv6-embedded-v4"),
        ("2002:a00:1::", "ipv6-embedded-v4"),
        ("64:ff9b::a00:1", "ipv6-embedded-v4"),
        ("2606:2800::5efe:a00:1", "ipv6-embedded-v4"),
    ],
)
def test_a_refused_literal_names_its_class(address: str, reason: str) -> None:
    assert reason == Policy().judge_host(address, 80).reason


@pytest.mark.parametrize(
    "host",
    ["localhost", "a.localhost", "searxng", "printer.local", "db.internal", "metadata.google.internal", "nas.lan",
     "x.home.arpa", "srv.corp", "x.localdomain", "x.intranet"],
)  # fmt: skip
def test_an_internal_name_is_refused_before_it_is_resolved(host: str) -> None:
    assert "internal-hostname" == Policy().judge_host(host, 80).reason
    assert Policy(allow=AllowList.parse([host])).judge_host(host, 80).allowed


def test_a_disguise_is_the_reason_of_a_refusal_and_none_by_itself() -> None:
    assert "unicode-host" == Policy().judge_host("127.0.0.1", 80, disguised="unicode-host").reason
    assert Policy().judge_host("xn--bcher-kva.test", 80, disguised="unicode-host").allowed


def test_one_bad_address_among_good_ones_refuses_all() -> None:
    verdict = Policy().judge_addresses("a.test", 80, ["93.184.215.14", "10.0.0.1", "2606:2800::1"])

    assert ("dns-mixed", False) == (verdict.reason, verdict.allowed)
    assert "dns-nonpublic" == Policy().judge_addresses("a.test", 80, ["10.0.0.1"]).reason
    assert "dns-nonpublic" == Policy().judge_addresses("a.test", 80, ["no address"]).reason


@pytest.mark.parametrize("count", [0, MAX_ADDRESSES + 1])
def test_an_answer_without_or_with_too_many_addresses_is_refused(count: int) -> None:
    assert "dns-failure" == Policy().judge_addresses("a.test", 80, ["93.184.215.14"] * count).reason
    assert Policy().judge_addresses("a.test", 80, ["93.184.215.14"] * MAX_ADDRESSES).allowed


def test_stand_in_addresses_open_for_names_alone_and_only_when_told() -> None:
    told = Policy(fake_ip_ranges=(IPv4Network("198.18.0.0/15"),))

    verdict = Policy().judge_addresses("a.test", 80, ["198.18.0.9"])
    assert not verdict.allowed
    assert "fake_ip_ranges" in verdict.hint
    assert told.judge_addresses("a.test", 80, ["198.18.0.9"]).allowed
    assert not told.judge_host("198.18.0.9", 80).allowed
    assert not told.judge_addresses("a.test", 80, ["10.0.0.9"]).allowed
    assert not told.judge_addresses("a.test", 80, ["169.254.169.254"]).allowed


@pytest.mark.parametrize(
    ("entry", "host", "port", "opened"),
    [
        ("searxng", "searxng", 8080, True),
        ("searxng:8080", "searxng", 8080, True),
        ("searxng:8080", "searxng", 80, False),
        ("SearXNG.", "searxng", 80, True),
        ("searxng", "searxng.evil.test", 80, False),
        ("searxng", "xsearxng", 80, False),
        ("svc.test", "svc.test", 80, True),
        ("svc.test", "a.svc.test", 80, False),
        ("*.svc.test", "a.svc.test", 80, True),
        ("*.svc.test", "a.b.svc.test", 80, True),
        ("*.svc.test", "svc.test", 80, False),
        ("*.svc.test", "asvc.test", 80, False),
        ("svc.tes", "svc.test", 80, False),
        ("10.0.0.5", "10.0.0.5", 80, True),
        ("10.0.0.5", "10.0.0.50", 80, False),
        ("10.0.0.5:8080", "10.0.0.5", 80, False),
        ("10.0.0.5:8080", "10.0.0.5", 8080, True),
        ("10.0.0.0/24", "10.0.0.99", 80, True),
        ("10.0.0.0/24", "10.0.1.0", 80, False),
        ("10.0.0.7/24", "10.0.0.99", 80, True),
        ("::1", "::1", 80, True),
        ("[::1]", "::1", 80, True),
        ("[::1]:8080", "::1", 80, False),
        ("[::1]:8080", "::1", 8080, True),
        ("127.0.0.1", "::1", 80, False),
        ("127.0.0.1", "localhost", 80, False),
        ("fd00::/8", "fd12::1", 80, True),
        ("10.0.0.0/8", "::ffff:10.0.0.1", 80, False),
    ],
)
def test_an_allow_list_entry_opens_exactly_what_it_names(entry: str, host: str, port: int, *, opened: bool) -> None:
    policy = Policy(allow=AllowList.parse([entry]))

    named = policy.judge_addresses(host, port, ["10.1.1.1"])
    verdict = policy.judge_host(host, port) if is_literal(host) else named

    assert opened == verdict.allowed
    assert opened == verdict.private


@pytest.mark.parametrize(
    "entry",
    ["*", "a b", "http://a", "a/b", "10.0.0.0/99", "a:0", "a:65536", "a:b", "a:²", "[::1", "*.", "a@b", "1.2.3"],
)
def test_an_entry_that_is_no_host_port_or_network_is_refused_by_name(entry: str) -> None:
    with pytest.raises(InvalidArgument, match="allow_hosts"):
        AllowList.parse([entry])


def test_empty_entries_open_nothing() -> None:
    assert AllowList() == AllowList.parse(["", "  "])
    assert not Policy(allow=AllowList.parse([""])).opens_anything


@given(_ANYWHERE4 | _ANYWHERE6)
def test_the_verdict_on_a_literal_and_on_a_name_that_leads_to_it_agree(address: IPv4Address | IPv6Address) -> None:
    policy = Policy(allow=AllowList.parse(["10.0.0.0/8", "fd00::/8"]))

    literal = policy.judge_host(str(address), 80)
    named = policy.judge_addresses("a.test", 80, [str(address)])

    assert (literal.allowed, literal.private) == (named.allowed, named.private)
    assert ip_address(str(address)) == address
