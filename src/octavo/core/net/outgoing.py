"""One request to another machine, whole: guarded, bounded in time and bytes. Imports the HTTP client."""

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
    """What holds for all requests of one asker. `seconds` are for a whole request, `most_bytes` for its answer."""

    private_hosts: frozenset[str] = frozenset()
    seconds: float = 10.0
    most_bytes: int = 10 * 1024**2


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request. `content` are bytes or a text, `json` a value, `data` the fields of a form: one of them at most."""

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
    """What was answered. The names of `headers` are in small letters."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str


class RequestFailed(Exception):
    """There is no answer: nobody was found or may be asked, it took too long, or there was too much of it."""


def prepare() -> None:
    """Do now what would take the first request long."""
    tls_context()


async def ask(request: Outgoing, limits: Limits, seconds: float | None = None) -> Received:
    """Make a request and take the whole answer, whatever its status. Raises RequestFailed."""
    seconds = limits.seconds if seconds is None else seconds
    if _host(request.url) is None:
        raise RequestFailed("an address begins with https:// and names a host")
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
        raise RequestFailed(f"{_host(request.url)} cannot be asked: {str(error) or type(error).__name__}") from error
    return Received(answer.status_code, dict(answer.headers.items()), answer.content, str(answer.url))


def _host(url: str) -> str | None:
    """Whom a request is for, without what may be secret in its address; None for what is no address."""
    try:
        return httpx2.URL(url).host or None
    except httpx2.InvalidURL:
        return None
