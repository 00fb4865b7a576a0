"""Trusted proxies, whose forwarding headers are believed."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

_REMEMBERED = 4096
"""Number of addresses whose result is cached. There are few proxies; other addresses are checked again."""


class TrustedProxies:
    """Trusted addresses and networks, such as `10.0.0.7` and `10.0.0.0/8`.

    With `unix`, peers without an address are trusted: those of a Unix socket, whose permissions decide who connects.
    Use `address in proxies`. Raises ValueError.
    """

    def __init__(self, networks: Iterable[str] = (), *, unix: bool = False) -> None:
        self._unix = unix
        self._networks = tuple(read_network(text) for text in networks)
        self.is_empty = not self._networks and not unix
        """Whether no address is trusted."""
        self._holds = lru_cache(_REMEMBERED)(self._look_up)

    def __contains__(self, address: str) -> bool:
        return (bool(self._networks) and self._holds(address)) or (self._unix and not address)

    def _look_up(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self._networks)


def read_network(text: str) -> IPv4Network | IPv6Network:
    """Parse a network, or a single address as a network. Raises ValueError."""
    return ip_network(text.strip(), strict=False)
