"""Whether a request comes from a page that may speak for the person in front of the browser.

Browsers send cookies on their own account, so whatever takes or sets one has to ask. Programs that are no browsers send
neither of the headers, and no cookies that they were not given.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from octavo.api.http.request import Request

_OWN_SITES: Final = (None, "same-origin", "none")


def origins_of(addresses: Iterable[str]) -> frozenset[str]:
    """The origins of addresses, in the form in which browsers tell theirs."""
    return frozenset("://".join(urlsplit(address)[:2]).lower() for address in addresses)


def is_own_page(request: Request, origins: frozenset[str]) -> bool:
    """Whether no browser says that a page of somebody else's is asking; `origins` are those of our own front ends."""
    origin, host = (request.header("origin") or "").lower(), (request.header("host") or "").lower()
    if origin in origins:
        return True
    is_own = not origin or origin in (f"http://{host}", f"https://{host}")
    return is_own and request.header("sec-fetch-site") in _OWN_SITES
