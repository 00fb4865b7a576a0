"""Outgoing requests to URLs from settings: HTTPS only, public hosts only, no redirects.

A name is resolved once, all its addresses are checked, and the connection uses a checked one, which prevents DNS
rebinding. Hosts that the operator lists are exempt. Importing this module imports the HTTP client, so import it only
when needed.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

import httpx2

from octavo.core.net.calls import following

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
"""All addresses that IANA has allocated. Outside are loopback, unique local, link-local, site-local, multicast,
discard-only (100::/64), local translation (64:ff9b:1::/48), segment routing (5f00::/16), and unallocated ones."""
SPECIAL_IPV6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID and the like
            "2001:db8::/32",  # documentation
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # 6bone test network, returned
            "3fff::/20",  # documentation
        ),
    )
)
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_ISATAP: Final = (0x00005EFE, 0x02005EFE)
"""The upper halves of interface identifiers whose lower half is an IPv4 address (ISATAP)."""
_IPV4: Final = 0xFFFFFFFF


def is_public(address: str) -> bool:
    """Return whether an address belongs to the public internet, not to this machine or a local network.

    Addresses with a zone are link-local. Raises ValueError for text that is not an address.
    """
    text, zone, _ = address.partition("%")
    found = ip_address(text)
    if zone:
        return False
    return _is_public_ipv4(found) if isinstance(found, IPv4Address) else _is_public_ipv6(found)


def _is_public_ipv4(address: IPv4Address) -> bool:
    return not any(address in network for network in SPECIAL_IPV4)


def _is_public_ipv6(address: IPv6Address) -> bool:
    """Return whether an IPv6 address is public. If it embeds an IPv4 address, that address decides."""
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED:
        return _is_public_ipv4(IPv4Address(number & _IPV4))
    if address not in GLOBAL_IPV6 or any(address in network for network in SPECIAL_IPV6):
        return False
    if address in _SIX_TO_FOUR and not _is_public_ipv4(IPv4Address(number >> 80 & _IPV4)):
        return False
    return number >> 32 & _IPV4 not in _ISATAP or _is_public_ipv4(IPv4Address(number & _IPV4))


MOST_BYTES: Final = 1 << 20
"""Maximum bytes of a response."""

_NO_CONNECTIONS_KEPT: Final = httpx2.Limits(max_connections=20, max_keepalive_connections=0)


class RefusedAddress(httpx2.RequestError):
    """Requests to this URL are not allowed."""


class PrivateAddress(RefusedAddress):
    """The host is in a private network and not exempt."""


@cache
def tls_context() -> ssl.SSLContext:
    """Return the shared SSL context: loading the certificates takes a considerable part of a second."""
    return httpx2.create_ssl_context(trust_env=False)


class GuardedTransport(httpx2.AsyncBaseTransport):
    """A transport for `httpx2` clients. `exempt` are hosts (`name` or `name:port`) that may be private and use HTTP.

    `plain`: HTTP is allowed for any host. `raw`: response bodies are not decoded. A response has at most `most_bytes`
    bytes. Connections are not reused: a connection opened for one name must not be used for another at the same
    address.
    """

    def __init__(
        self,
        exempt: frozenset[str] = frozenset(),
        *,
        plain: bool = False,
        raw: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._exempt = exempt
        self._plain = plain
        self._raw = raw
        self._most_bytes = most_bytes
        self._inner = httpx2.AsyncHTTPTransport(verify=tls_context(), trust_env=False, limits=_NO_CONNECTIONS_KEPT)

    async def address_of(self, request: httpx2.Request) -> str:
        """Return the address to connect to. Raises RefusedAddress, ConnectError."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        exempt = bool(self._exempt & {url.host, f"{url.host}:{port}"})
        if url.scheme != "https" and not ((exempt or self._plain) and url.scheme == "http"):
            raise RefusedAddress(f"{url.host} must be requested with https", request=request)
        return await self._resolve(request, url.host, port, exempt)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url, address = request.url, await self.address_of(request)
        request.extensions = {**request.extensions, "sni_hostname": url.host}
        request.url = url.copy_with(host=address)
        request.headers["accept-encoding"] = "identity"
        with following(request.method, _trace_attributes(request.method, url)) as call:
            for name, value in call.headers.items():
                request.headers.setdefault(name, value)
            response = await self._inner.handle_async_request(request)
            call.answered(response.status_code)
        if not self._raw and response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise RefusedAddress(f"{url.host} returned a compressed response without a request for it", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, request, self._most_bytes)
        return response

    async def _resolve(self, request: httpx2.Request, host: str, port: int, exempt: bool) -> str:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(f"{host} cannot be resolved: {error}", request=request) from error
        addresses = [str(entry[4][0]) for entry in found]
        if not exempt and not all(map(is_public, addresses)):
            raise PrivateAddress(f"{host} is not a public address", request=request)
        return addresses[0]


def _trace_attributes(method: str, url: httpx2.URL) -> dict[str, str | int]:
    """Return the attributes of a request for tracing: its host. Paths and queries may be secret."""
    port = url.port or (443 if url.scheme == "https" else 80)
    return {"http.request.method": method, "url.scheme": url.scheme, "server.address": url.host, "server.port": port}


class _Bounded(httpx2.AsyncByteStream):
    """A response body with a size limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, request: httpx2.Request, most: int) -> None:
        self._inner = inner
        self._most = most
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for chunk in self._inner:
            received += len(chunk)
            if received > self._most:
                raise RefusedAddress("the response is too large", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
