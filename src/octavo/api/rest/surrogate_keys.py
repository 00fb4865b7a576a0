"""Surrogate keys: headers that tell CDNs and reverse proxies what a response contains, so that changes purge it.

Only responses to requests without credentials have them; others are not cached. They contain the types that a response
depends on (`query.plan.sources`), and the entry if it depends on no other entry of its type. A response that project
code takes part in can contain anything, so every change purges it.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.http.router import Finish, Route
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Guarded
from octavo.content.controllers.read_tracking import last_read
from octavo.core.values import dataclass
from octavo.events.purging.tags import ALL, ANY, entries_tag, entry_tag, file_tag
from octavo.schema.content_types import FILE

_WITH_COMMAS: Final = frozenset({"cache-tag"})
"""Headers whose tags are separated by commas. Others use spaces."""
_MOST_KEPT: Final = 1024
"""Number of cached headers, by set of types."""
_LONGEST_ID: Final = 20


def is_keyed(uid: str) -> bool:
    """Return whether CDNs cache reads of a type: those of the project, and files."""
    return uid.startswith("api::") or uid == FILE


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """`headers`: their names. `prefix`: of every tag. `largest`: maximum bytes of a header.

    A response that needs a longer header is purged by every change.
    """

    headers: tuple[str, ...]
    prefix: str = ""
    largest: int = 4096


class SurrogateKeys:
    """Adds surrogate keys to responses."""

    def __init__(self, options: KeyOptions) -> None:
        self._options = options
        self._anything = self._of_tags((ALL, ANY))
        self._of_types = lru_cache(_MOST_KEPT)(self._name_types)

    def finish(self, route: Route, uid: str, then: Finish | None) -> Finish:
        """Return a function that adds the keys to a route's responses, and calls `then` afterwards."""
        handler = route.handler
        endpoints = getattr(handler.endpoint, "__self__", None) if isinstance(handler, Guarded) else None
        is_own = isinstance(endpoints, ContentEndpoints)
        return _Keyed(self, uid if is_own else None, then)

    def headers(self, uid: str | None) -> Headers:
        """Return the headers of a response that a content type's own endpoints have read. None: others take part."""
        read = None if uid is None else last_read(uid)
        if uid is None or read is None:
            return self._anything
        sources, entry_id = read
        if entry_id is None or not sources.own_entry_alone:
            return self._of_types(sources.types, None)
        named = self._of_types(sources.types, uid)
        if named is self._anything:
            return named
        entry = (self._options.prefix + entry_tag(uid, entry_id)).encode()
        return tuple([(name, b"%b%b%b" % (value, _between(name), entry)) for name, value in named])

    def of_file(self, name: str) -> Headers:
        """Return the headers of an uploaded file with this name in the storage."""
        return self._of_tags((ALL, file_tag(name)))

    def _name_types(self, types: frozenset[str], but: str | None) -> Headers:
        """Return the headers of a response that depends on types. The tag of the type `but` is added by entry."""
        tags = [ALL, *sorted(types - {but})]
        room = self._options.largest
        if but is not None:
            tags.append(entries_tag(but))
            room -= len(self._options.prefix) + len(but) + _LONGEST_ID + 2
        headers = self._of_tags(tags)
        return headers if all(len(value) <= room for _, value in headers) else self._anything

    def _of_tags(self, tags: Iterable[str]) -> Headers:
        named = [(self._options.prefix + tag).encode() for tag in tags]
        names = [name.lower().encode() for name in self._options.headers]
        return tuple([(name, _between(name).join(named)) for name in names])


def _between(name: bytes) -> bytes:
    return b"," if name.decode() in _WITH_COMMAS else b" "


@dataclass(frozen=True, slots=True)
class _Keyed:
    """Adds keys to responses of a read."""

    keys: SurrogateKeys
    uid: str | None
    then: Finish | None

    def __call__(self, request: Request, response: Response) -> Response:
        if response.status == 200 and type(response) is Response and b"authorization" not in request.headers:
            response.headers = (*response.headers, *self.keys.headers(self.uid))
        return response if self.then is None else self.then(request, response)
