"""Public and special-purpose addresses, independent of the interpreter's own tables. No request is sent."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import pytest

from octavo.core.net.guarded_http import GLOBAL_IPV6, SPECIAL_IPV4, SPECIAL_IPV6, is_public

PUBLIC = [
    *("93.184.216.34", "1.1.1.1", "100.63.255.255", "100.128.0.1", "169.253.255.255", "172.32.0.1", "192.0.1.1"),
    *("168.63.129.15", "198.17.255.255", "198.20.0.1", "223.255.255.255", "126.255.255.255", "11.0.0.1"),
    *("2606:2800:220:1::1", "2a00::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "3ffd::1", "3fff:1000::1"),
    *("::ffff:93.184.216.34", "64:ff9b::5db8:d822", "2002:5db8:d822::1", "2606::5efe:5db8:d822"),
]
SPECIAL = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"),
    *("168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("192.0.0.1", "192.0.0.9", "192.0.0.170", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1"),
    *("192.88.99.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::93.184.216.34", "::ffff:0:10.0.0.1", "::ffff:127.0.0.1", "::ffff:192.0.0.9"),
    *("::ffff:168.63.129.16", "::ffff:198.18.0.1", "100::1", "100:0:0:1::1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("64:ff9b::a83f:8110", "64:ff9b:1::5db8:d822", "64:ff9b:1::7f00:1", "200::1", "1fff::1", "4000::1"),
    *("2001::1", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1"),
    *("2001:5::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff::1", "2001:db8::1", "2620:4f:8000::1"),
    *(
        "2002:7f00:1::",
        "2002:a00:1::",
        "2002:a9fe:a9fe::1",
        "2002:a83f:8110::1",
        "2606::5efe:a00:1",
        "2606::200:5efe:a00:1",
    ),
    *("3ffe::1", "3fff::1", "3fff:fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254"),
    *("fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1", "2606:2800::1%1"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", SPECIAL)
def test_special_purpose_addresses(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("answer", [True, False])
def test_the_tables_of_the_interpreter_do_not_matter(monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    """Python versions disagree about `is_global` and similar properties, so they are not used."""
    names = ("is_global", "is_private", "is_reserved", "is_multicast", "is_loopback", "is_link_local", "is_unspecified")
    for kind in (IPv4Address, IPv6Address):
        for name in names:
            monkeypatch.setattr(kind, name, answer)
    for name in ("is_site_local", "ipv4_mapped", "sixtofour", "teredo"):
        monkeypatch.setattr(IPv6Address, name, None)
    assert all(map(is_public, PUBLIC))
    assert not any(map(is_public, SPECIAL))


@pytest.mark.parametrize("network", [*SPECIAL_IPV4, *SPECIAL_IPV6])
def test_ranges_are_refused_from_their_first_to_their_last_address(network: IPv4Network | IPv6Network) -> None:
    assert not is_public(str(network[0]))
    assert not is_public(str(network[-1]))


def test_a_range_of_ipv4_is_refused_in_every_form_of_ipv6() -> None:
    for network in SPECIAL_IPV4:
        for address in (int(network[0]), int(network[-1])):
            for number in (0xFFFF << 32 | address, 0x64FF9B << 96 | address, 0x2002 << 112 | address << 80):
                assert not is_public(str(IPv6Address(number)))


def test_all_that_is_outside_of_the_global_range_is_refused() -> None:
    for first in range(0, 0x10000, 7):
        address = IPv6Address(first << 112 | 1 << 40)
        if address not in GLOBAL_IPV6:
            assert not is_public(str(address))


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f.1", "010.0.0.1", "1.2.3.4.5", "::1::"])
def test_invalid_addresses_are_errors(text: str) -> None:
    with pytest.raises(ValueError, match="does not appear"):
        is_public(text)
