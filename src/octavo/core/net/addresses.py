"""Public addresses: which of them belong to the internet at large.

The ranges are listed here, because `ipaddress` knows other ones in each version of Python. The lists are the special-
purpose registries of IANA for IPv4 and IPv6, complete, with ranges that are reserved elsewhere (multicast, future use,
deprecated forms) and an address that a cloud provider uses for its own services. Ranges that those registries call
globally reachable (anycast of relays and the like) are left out as well: no service is offered there.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

SPECIAL_IPV4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private use
            "100.64.0.0/10",  # shared by carriers
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's services for its machines
            "169.254.0.0/16",  # link-local, metadata of clouds
            "172.16.0.0/12",  # private use
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunneling
            "192.88.99.0/24",  # relays of 6to4, deprecated
            "192.168.0.0/16",  # private use
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # future use, broadcast
        ),
    )
)
GLOBAL_IPV6: Final = IPv6Network("2000::/3")
"""All that IANA has given out. What is outside is loopback, unique local, link-local, site-local, multicast, discard-
only (100::/64), local translation (64:ff9b:1::/48), segment routing (5f00::/16), or nothing yet."""
SPECIAL_IPV6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID and the like
            "2001:db8::/32",  # documentation
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # a network for tests, returned
            "3fff::/20",  # documentation
        ),
    )
)
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_ISATAP: Final = (0x00005EFE, 0x02005EFE)
"""The upper halves of interface identifiers whose lower half is an IPv4 address."""
_IPV4: Final = 0xFFFFFFFF


def is_public(address: str) -> bool:
    """Return whether an address belongs to the internet at large, and not to this machine or a network around it.

    Addresses with a zone belong to one link. Raises ValueError for text that is no address.
    """
    text, zone, _ = address.partition("%")
    found = ip_address(text)
    if zone:
        return False
    return _is_public_ipv4(found) if isinstance(found, IPv4Address) else _is_public_ipv6(found)


def _is_public_ipv4(address: IPv4Address) -> bool:
    return not any(address in network for network in SPECIAL_IPV4)


def _is_public_ipv6(address: IPv6Address) -> bool:
    """An address that stands for an IPv4 address is as public as that one."""
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED:
        return _is_public_ipv4(IPv4Address(number & _IPV4))
    if address not in GLOBAL_IPV6 or any(address in network for network in SPECIAL_IPV6):
        return False
    if address in _SIX_TO_FOUR and not _is_public_ipv4(IPv4Address(number >> 80 & _IPV4)):
        return False
    return number >> 32 & _IPV4 not in _ISATAP or _is_public_ipv4(IPv4Address(number & _IPV4))
