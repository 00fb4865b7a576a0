"""Check whether a request comes from a page that may act for the signed-in user.

Browsers send cookies automatically, so endpoints that read or set one must check. Clients that are not browsers send
none of these headers, and only cookies that they were given.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from octavo.api.http.request import Request

_OWN_SITES: Final = (None, "same-origin", "none")


def origins_of(addresses: Iterable[str]) -> frozenset[str]:
    """Return the origins of URLs, in the form of the `Origin` header."""
    return frozenset("://".join(urlsplit(address)[:2]).lower() for address in addresses)


def is_own_page(request: Request, origins: frozenset[str]) -> bool:
    """Return whether a request comes from the service's own page, from `origins`, or from a non-browser client."""
    origin, host = (request.header("origin") or "").lower(), (request.header("host") or "").lower()
    if origin in origins:
        return True
    is_own = not origin or origin in (f"http://{host}", f"https://{host}")
    return is_own and request.header("sec-fetch-site") in _OWN_SITES
