"""Which proxies are believed when they say for whom they ask."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

_REMEMBERED = 4096
"""Addresses whose verdict is kept: of proxies there are few, and others are told apart anew."""


class TrustedProxies:
    """Addresses and networks, such as `10.0.0.7` and `10.0.0.0/8`: `address in proxies`. Raises ValueError."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(read_network(text) for text in networks)
        self._holds = lru_cache(_REMEMBERED)(self._look_up)

    def __contains__(self, address: str) -> bool:
        return bool(self._networks) and self._holds(address)

    def _look_up(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self._networks)


def read_network(text: str) -> IPv4Network | IPv6Network:
    """A network, or the network of a single address. Raises ValueError."""
    return ip_network(text.strip(), strict=False)
