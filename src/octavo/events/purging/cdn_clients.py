"""The CDNs and reverse proxies to purge, and the requests that purge them.

The rest of a request besides its tags is configured by the operator. Tokens are only in headers, and never logged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final, Literal

from octavo.core.values import dataclass

FrontKind = Literal["purge", "fastly", "cloudflare"]

_MOST_HEADER: Final = 4000
"""Maximum bytes of tags in a header: Varnish and others accept lines of 8 kB."""
_MOST_FASTLY: Final = 256
_MOST_CLOUDFLARE: Final = 30


@dataclass(frozen=True, slots=True)
class HttpCache:
    """One CDN or reverse proxy. `url` is its API; `scope` is Fastly's service, or Cloudflare's zone.

    `method` and `header` are for the kind `purge`: Varnish, and caches that can be configured in the same way.
    """

    name: str
    kind: FrontKind
    url: str
    token: str | None = field(default=None, repr=False)
    scope: str = ""
    method: str = "PURGE"
    header: str = "Surrogate-Key"


@dataclass(frozen=True, slots=True)
class PurgeRequest:
    """A request to send. `json` is its body, or None."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    json: object = None


def purge_requests(cache: HttpCache, tags: Sequence[str]) -> Iterator[PurgeRequest]:
    """Yield the requests that purge all responses with one of these tags."""
    base = cache.url.rstrip("/")
    bearer = {"Authorization": f"Bearer {cache.token}"} if cache.token else {}
    match cache.kind:
        case "purge":
            for some in _parts(tags, len(tags)):
                yield PurgeRequest(cache.method, cache.url, {**bearer, cache.header: " ".join(some)})
        case "fastly":
            key = {"Fastly-Key": cache.token or "", "Accept": "application/json"}
            for some in _parts(tags, _MOST_FASTLY):
                url = f"{base}/service/{cache.scope}/purge"
                yield PurgeRequest("POST", url, {**key, "Surrogate-Key": " ".join(some)})
        case "cloudflare":
            for some in _parts(tags, _MOST_CLOUDFLARE):
                yield PurgeRequest("POST", f"{base}/zones/{cache.scope}/purge_cache", bearer, {"tags": some})


def _parts(tags: Sequence[str], most: int) -> Iterator[list[str]]:
    """Split the tags by number and by total bytes."""
    part: list[str] = []
    size = 0
    for tag in tags:
        if part and (len(part) == most or size + len(tag) + 1 > _MOST_HEADER):
            yield part
            part, size = [], 0
        part.append(tag)
        size += len(tag) + 1
    if part:
        yield part
