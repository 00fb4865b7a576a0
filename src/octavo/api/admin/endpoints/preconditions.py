"""Optimistic locking over HTTP: entity tags of entries, `If-Match`, and the header of the admin pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import orjson

from octavo.api.admin.answers import NO_STORE
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.edit_conflicts import NEVER, EntryChanged
from octavo.core.errors import ValidationError
from octavo.schema.attributes import UPDATED_AT

SEEN: Final = "x-octavo-seen"
"""The header of the admin pages: the `updatedAt` of the entry that was edited, or `null` or `nothing`."""
_IF_MATCH: Final = "if-match"


class PreconditionFailed(EntryChanged):
    """The entry no longer has the entity tag of `If-Match` (RFC 9110, 13.1.1); `details.entry` is the current entry."""

    status = 412
    name = "PreconditionFailedError"


@contextmanager
def expected_version(request: Request) -> Iterator[str | None]:
    """Yield the `updatedAt` that the entry must have for this request; None if the request does not require one.

    Raises ValidationError for an `If-Match` that is not one entity tag, and PreconditionFailed in place of EntryChanged
    if the request has `If-Match`."""
    seen = request.header(SEEN)
    if seen is not None:
        yield seen
        return
    try:
        yield _tagged_version(request.header(_IF_MATCH))
    except EntryChanged as error:
        raise PreconditionFailed(details=error.details) from error


def _tagged_version(tag: str | None) -> str | None:
    """Return the version in an entity tag; None for `*`, which every entry matches."""
    if tag is None or tag.strip() == "*":
        return None
    version = tag.strip().removeprefix('"').removesuffix('"')
    if f'"{version}"' != tag.strip() or '"' in version:
        raise ValidationError('If-Match: expected the ETag of one entry, such as "2026-01-01T09:00:00.000Z"')
    return version


def entry_answer(entry: bytes, status: int = 200) -> Response:
    """Return an entry, a JSON object, with its entity tag, which is its `updatedAt`.

    A list has none: v4 answers requests for a single type with lists if the type is a collection type.
    """
    values = orjson.loads(entry)
    if not isinstance(values, dict):
        return Response(status, entry, headers=NO_STORE)
    version = values.get(UPDATED_AT) or NEVER
    return Response(status, entry, headers=((b"etag", f'"{version}"'.encode()), *NO_STORE))
