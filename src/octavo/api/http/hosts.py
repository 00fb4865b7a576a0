"""Allowed hosts, which protect against DNS rebinding by pages of other sites.

A browser that reaches this machine by another site's name sends that name as `Host`. Clients without a `Host` header
are not browsers.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from math import inf
from typing import Final
from urllib.parse import urlsplit

from octavo.core.host_names import ANY, HOST_NAME, read_address, read_host
from octavo.core.plurals import counted

logger = logging.getLogger("octavo.api.http")

_MOST_KNOWN: Final = 1024
_QUIET_SECONDS: Final = 1.0
_MOST_TEXT: Final = 100
_LONGEST: Final = 253
_LOCAL: Final = "localhost"
_PORT: Final = re.compile(r"(:[0-9]{0,5})?", re.ASCII)


class AllowedHosts:
    """The allowed hosts: names, addresses, `*.example.com` for a domain and its subdomains, `*` for any.

    With `guesses`, no host is configured: addresses and names without a dot, such as a container's, are also allowed.
    Pages of other sites do not have such hosts. Loopback is always allowed. Raises ValueError for an invalid host.
    """

    def __init__(self, hosts: Iterable[str], *, guesses: bool = False) -> None:
        self._names = frozenset(read_host(host) for host in hosts)
        self._domains = tuple(host[1:] for host in self._names if host.startswith("*."))
        self._guesses = guesses
        self._known: dict[bytes | None, bool] = {}

    def allow(self, host: bytes | None) -> bool:
        """Return whether a `Host` header is allowed. A missing one is."""
        if host is None:
            return True
        known = self._known.get(host)
        if known is None:
            known = len(host) <= _LONGEST and self._allows(host_of(host.decode("latin-1")))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[host[:_LONGEST]] = known
        return known

    def allow_all(self, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether the hosts in the headers are allowed, including a forwarded one."""
        host, forwarded = headers.get(b"host"), headers.get(b"x-forwarded-host")
        return (self._known.get(host) or self.allow(host)) and (forwarded is None or self.allow(forwarded))

    def _allows(self, host: str) -> bool:
        if not host:
            return False
        if ANY in self._names or host in self._names or is_local(host):
            return True
        if any(host.endswith(domain) or host == domain[1:] for domain in self._domains):
            return True
        return self._guesses and ("." not in host or read_address(host) is not None)


class RefusedHosts:
    """Logs rejected hosts, at most one per second with the number of others, because anyone can send them."""

    def __init__(self) -> None:
        self._logged = -inf
        self._more = 0

    def note(self, host: bytes | None, request_id: str, now: float) -> None:
        """Log a rejected host. `now` is in seconds of a monotonic clock."""
        if now < self._logged + _QUIET_SECONDS:
            self._more += 1
            return
        more = f" ({counted(self._more, 'more request', 'more requests')} refused before)" if self._more else ""
        self._logged, self._more = now, 0
        shown = (host or b"")[:_MOST_TEXT].decode("latin-1")
        text = "Rejected the Host header %r of request %s; add the host to server.allowedHosts if it is yours%s"
        logger.info(text, shown, request_id, more)


def allowed_hosts(url: str, hosts: Iterable[str], *, guesses: bool) -> AllowedHosts:
    """Return the configured hosts and that of the public URL. `guesses` applies if neither is set.

    Raises ValueError for an invalid host.
    """
    try:
        public = urlsplit(url if "://" in url else f"//{url}").hostname
    except ValueError:
        public = None
    configured = (*hosts, *((public,) if public else ()))
    return AllowedHosts(configured, guesses=guesses and not configured)


def host_of(text: str) -> str:
    """Return the host of a `Host` header in lower case, without port and trailing dot, or an empty string.

    >>> host_of("Example.COM.:1337"), host_of("[::1]:80"), host_of("a b"), host_of("a.example@b.example")
    ('example.com', '::1', '', '')
    """
    if text.startswith("["):
        address, bracket, port = text[1:].partition("]")
        return (read_address(address) or "") if bracket and _PORT.fullmatch(port) else ""
    host, colon, port = text.partition(":")
    host = host.lower().removesuffix(".")
    return host if _PORT.fullmatch(colon + port) and HOST_NAME.fullmatch(host) else ""


def is_local(host: str) -> bool:
    """Return whether a host is this machine: `localhost`, a subdomain of it, or a loopback address."""
    if host == _LOCAL or host.endswith(f".{_LOCAL}"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
