"""Fronts: the caches that are told what to forget, and the requests by which each is told.

What a request says beside its tags is the operator's; tokens are in headers alone, and never in what is logged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final, Literal

from octavo.core.values import dataclass

FrontKind = Literal["purge", "fastly", "cloudflare"]

_MOST_HEADER: Final = 4000
"""Bytes of tags in a header: Varnish and others take lines of 8 kB."""
_MOST_FASTLY: Final = 256
_MOST_CLOUDFLARE: Final = 30


@dataclass(frozen=True, slots=True)
class Front:
    """One cache. `url` is where it is asked; `scope` is Fastly's service, or Cloudflare's zone.

    `method` and `header` are those of `purge`: what Varnish, and whatever can be set up like it, is asked with.
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
    """What is sent. `json` is a body, or none."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    json: object = None


def purge_requests(front: Front, tags: Sequence[str]) -> Iterator[PurgeRequest]:
    """The requests that let a cache forget all answers with one of these tags."""
    base = front.url.rstrip("/")
    bearer = {"Authorization": f"Bearer {front.token}"} if front.token else {}
    match front.kind:
        case "purge":
            for some in _parts(tags, len(tags)):
                yield PurgeRequest(front.method, front.url, {**bearer, front.header: " ".join(some)})
        case "fastly":
            key = {"Fastly-Key": front.token or "", "Accept": "application/json"}
            for some in _parts(tags, _MOST_FASTLY):
                url = f"{base}/service/{front.scope}/purge"
                yield PurgeRequest("POST", url, {**key, "Surrogate-Key": " ".join(some)})
        case "cloudflare":
            for some in _parts(tags, _MOST_CLOUDFLARE):
                yield PurgeRequest("POST", f"{base}/zones/{front.scope}/purge_cache", bearer, {"tags": some})


def _parts(tags: Sequence[str], most: int) -> Iterator[list[str]]:
    """The tags in parts of at most so many, and so many bytes."""
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
