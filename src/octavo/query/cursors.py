"""Cursors: opaque texts that mark the position in a list after which the next page starts.

A cursor holds a hash of its list (type, filters, sort, search, locale, state), the last entry's sort values and its
id. A cursor of another list is rejected, because it would silently skip or repeat entries.
"""

import base64
import binascii
import json
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from hashlib import sha256
from typing import Any, Final

from octavo.core.errors import ValidationError
from octavo.query.ast import Page, Query

MOST_SORTS: Final = 8
_MARK_BYTES: Final = 12
_LONGEST: Final = 6_000
"""Maximum characters of a cursor: it has to fit into a URL."""
NO_CURSOR: Final = "Invalid pagination: pagination.after is not a cursor of this service"
_OTHER_LIST: Final = (
    "Invalid pagination: pagination.after belongs to another list; keep filters, sort, _q, locale and publicationState"
)
_TOO_LONG: Final = "Invalid pagination: the sort values of this list are too long for pagination.after"
_TOO_MANY: Final = f"Invalid pagination: pagination.after supports at most {MOST_SORTS} attributes in sort"


def opened(page: Page, uid: str, query: Query, locale: str | None) -> Page:
    """Return a page with its cursor decoded. Raises ValidationError if the cursor does not belong to this list."""
    if len(query.sort) > MOST_SORTS:
        raise ValidationError(_TOO_MANY)
    mark = _mark(uid, query, locale)
    if not page.after:
        return replace(page, mark=mark)
    try:
        whole = base64.b64decode(page.after + "=" * (-len(page.after) % 4), altchars=b"-_", validate=True)
        keys = json.loads(whole[_MARK_BYTES:].decode())
    except (binascii.Error, ValueError, RecursionError):
        raise ValidationError(NO_CURSOR) from None
    if whole[:_MARK_BYTES] != mark:
        raise ValidationError(_OTHER_LIST)
    if not (isinstance(keys, list) and all(_is_value(key) for key in keys) and _is_id(keys[-1:])):
        raise ValidationError(NO_CURSOR)
    return replace(page, keys=tuple(keys), mark=mark)


def next_cursor(page: Page, rows: str) -> str | None:
    """Return the cursor of the next page, or None after the last page.

    `rows` is a JSON array with the sort values of each entry. Raises ValidationError if the cursor would be too long.
    """
    last_row = json.loads(rows)
    if not last_row or page.limit is None or len(last_row) < page.limit:
        return None
    keys = json.dumps(last_row[-1], separators=(",", ":"), ensure_ascii=False)
    cursor = base64.urlsafe_b64encode(page.mark + keys.encode()).decode().rstrip("=")
    if len(cursor) > _LONGEST:
        raise ValidationError(_TOO_LONG)
    return cursor


def _mark(uid: str, query: Query, locale: str | None) -> bytes:
    """Return a hash that identifies a list. Pages of the same list may differ in size and fields."""
    asked = query.filters, query.sort, query.search, query.locales, query.publication_state
    parts = repr((uid, locale, tuple(_plain(part) for part in asked)))
    return sha256(parts.encode("utf-8", "surrogatepass")).digest()[:_MARK_BYTES]


def _plain(value: Any) -> Any:
    """Return a part of a query without request positions, so that its `repr` is the same in every process."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value):
        return type(value).__name__, *(_plain(getattr(value, field.name)) for field in fields(value) if field.compare)
    return value


def _is_value(key: Any) -> bool:
    return key is None or isinstance(key, str | int | float)


def _is_id(keys: list[Any]) -> bool:
    return bool(keys) and isinstance(keys[0], int) and not isinstance(keys[0], bool) and abs(keys[0]) < 2**63
