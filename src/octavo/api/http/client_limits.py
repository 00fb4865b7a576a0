"""Limits with a share for each client, so that one client cannot exhaust the total.

A client is an address, or the /64 network of an IPv6 address. Clients that cannot be distinguished have no share: those
behind a trusted proxy that forwards no address, and those behind a proxy that `server.trustedProxies` does not list.
With a share, such a proxy would turn the limit of one client into an outage for all of them.
"""

import logging
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final, Protocol

from octavo.api.http.proxies import TrustedProxies
from octavo.core.errors import RateLimitError, ServiceUnavailable

logger = logging.getLogger("octavo.api.http")

FORWARDING: Final = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"})
"""Headers in which a proxy sends the client's address."""
_LONGEST: Final = 64
"""Maximum characters of an address, because a proxy can send any text."""
_NETWORK_BITS: Final = 64
_MOST_WARNED: Final = 100
_warned: set[str] = set()


class Counted(Protocol):
    """A request, as seen by limits."""

    @property
    def is_arriving(self) -> bool:
        """Whether its body is still arriving."""

    @property
    def client_key(self) -> str | None:
        """The client that it counts for."""


def client_of(peer: str, client: str, headers: Mapping[bytes, bytes], trusted: TrustedProxies) -> str | None:
    """Return the client that a request counts for, or None if clients cannot be distinguished.

    `peer` is the address of the connection, empty for a Unix socket. `client` is the address that `trusted` proxies
    forward.
    """
    if peer not in trusted:
        if not peer:
            return None
        if FORWARDING.isdisjoint(headers):
            return network_of(peer[:_LONGEST])
        _warn_of_proxy(peer)
        return None
    return None if client in trusted else network_of(client[:_LONGEST])


@lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Return the client that an address belongs to, which can be any short text."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> _NETWORK_BITS << _NETWORK_BITS)}/{_NETWORK_BITS}"


def _warn_of_proxy(address: str) -> None:
    if address in _warned or len(_warned) >= _MOST_WARNED:
        return
    _warned.add(address)
    logger.warning(
        "%s sends forwarded headers, but server.trustedProxies does not list it: limits per client do not apply to its"
        " requests, and the client address in logs is %s. Add it if it is your proxy",
        address,
        address,
    )


def share_of(total: int, share: int) -> int:
    """Return the share of a client: the configured one, or a quarter of the total."""
    return share or max(1, total // 4)


def count_of(requests: Iterable[Counted], client: str) -> int:
    """Return the number of a client's running requests."""
    return sum(not request.is_arriving and request.client_key == client for request in requests)


class ClientLimit:
    """An amount limited in total and for each client. `what` describes it in messages."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._total = 0
        self._of_clients: dict[str, int] = {}

    @property
    def total(self) -> int:
        """The amount that all clients use."""
        return self._total

    def take(self, client: str | None, amount: int, most: int, share: int) -> None:
        """Use an amount for a client, up to `most` in total and `share` for each client.

        Raises RateLimitError if the client's share is exceeded, and ServiceUnavailable if the total is.
        """
        taken = self._of_clients.get(client, 0) if client is not None else 0
        if client is not None and taken + amount > share:
            raise RateLimitError(f"Too many {self._what} from your address, retry later")
        if self._total + amount > most:
            raise ServiceUnavailable(f"Too many {self._what}", reason=f"{self._total} of {most} are in use")
        self._total += amount
        if client is not None:
            self._of_clients[client] = taken + amount

    def release(self, client: str | None, amount: int) -> None:
        """Release an amount that a client used."""
        self._total -= amount
        if client is not None:
            left = self._of_clients[client] - amount
            if left > 0:
                self._of_clients[client] = left
            else:
                del self._of_clients[client]
