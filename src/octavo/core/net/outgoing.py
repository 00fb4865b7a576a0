"""Send one HTTP request, with limits for hosts, time and size. Importing this module imports the HTTP client."""

import asyncio
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

import httpx2

from octavo.core.net.guarded_http import GuardedTransport, RefusedAddress, tls_context
from octavo.core.values import dataclass

MOST_REDIRECTS: Final = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for all requests of one caller. `seconds` are for a whole request, `most_bytes` for its response."""

    private_hosts: frozenset[str] = frozenset()
    seconds: float = 10.0
    most_bytes: int = 10 * 1024**2


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request. At most one of `content` (bytes or text), `json` (a value) and `data` (form fields) is set."""

    method: str
    url: str
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    data: Mapping[str, Any] | None = None
    content: bytes | str | None = None
    follow_redirects: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """A response. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str


class RequestFailed(Exception):
    """There is no response: the host is unknown or not allowed, it took too long, or the response is too large."""


def prepare() -> None:
    """Load what would delay the first request."""
    tls_context()


async def ask(request: Outgoing, limits: Limits, seconds: float | None = None) -> Received:
    """Send a request and return the complete response, whatever its status. Raises RequestFailed."""
    seconds = limits.seconds if seconds is None else seconds
    if _host(request.url) is None:
        raise RequestFailed("a URL must begin with https:// and contain a host")
    transport = GuardedTransport(limits.private_hosts, most_bytes=limits.most_bytes)
    try:
        async with (
            asyncio.timeout(seconds) as limit,
            httpx2.AsyncClient(
                transport=transport, trust_env=False, timeout=seconds, max_redirects=MOST_REDIRECTS
            ) as client,
        ):
            answer = await client.request(
                request.method,
                request.url,
                params=request.params,
                headers=dict(request.headers),
                json=request.json,
                data=request.data,
                content=request.content,
                follow_redirects=request.follow_redirects,
            )
    except RefusedAddress as error:
        raise RequestFailed(str(error)) from error
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise RequestFailed(f"{_host(request.url)} took longer than {seconds:g} s") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise RequestFailed(
            f"{_host(request.url)} cannot be requested: {str(error) or type(error).__name__}"
        ) from error
    return Received(answer.status_code, dict(answer.headers.items()), answer.content, str(answer.url))


def _host(url: str) -> str | None:
    """Return the host of a URL for messages, without anything that may be secret, or None if the URL is invalid."""
    try:
        return httpx2.URL(url).host or None
    except httpx2.InvalidURL:
        return None
