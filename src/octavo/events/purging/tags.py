"""Cache tags: the names of responses in CDNs, and which of them a change makes outdated.

all                        every response
any                        responses that may contain anything: every change purges them
api::article.article       responses that depend on entries of this type
api::article.article:5     responses with this entry that depend on no other entry of its type
upload-1f2e3d...            an uploaded file, and images transformed from it
api::article.article:one   all of the latter: purged if too many entries change at once to list them
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from octavo.database.change_feed import DataChange
from octavo.schema.content_types import ADMIN_USER, LOCALE, PERMISSION, ROLE

ALL: Final = "all"
ANY: Final = "any"
MOST_ENTRIES: Final = 100
"""Maximum number of entries of one type that are listed individually."""

_DECIDE_ALL: Final = frozenset({ROLE, PERMISSION, LOCALE})
"""Types that determine what visitors may see, and in which locale."""
_ADMIN: Final = "admin::"
_ONE: Final = "one"


def file_tag(name: str) -> str:
    """Return the tag of an uploaded file and of images transformed from it. Names can contain separators."""
    return f"upload-{hashlib.sha256(name.encode()).hexdigest()[:20]}"


def entry_tag(uid: str, entry_id: object) -> str:
    """Return the tag of responses about one entry."""
    return f"{uid}:{entry_id}"


def entries_tag(uid: str) -> str:
    """Return the tag of all responses about single entries of a type."""
    return f"{uid}:{_ONE}"


def tags_of(changes: Sequence[DataChange]) -> list[str]:
    """Return the tags that changes make outdated; none if no response can depend on them."""
    if any(change.uid in _DECIDE_ALL for change in changes):
        return [ALL]
    seen = [change for change in changes if not change.uid.startswith(_ADMIN) or change.uid == ADMIN_USER]
    tags = {ANY: None} if seen else {}
    for change in seen:
        tags[change.uid] = tags[entry_tag(change.uid, change.id)] = None
    return merged(tags)


def merged(tags: Iterable[str]) -> list[str]:
    """Remove duplicate tags, and those that others include."""
    unique = dict.fromkeys(tags)
    if ALL in unique:
        return [ALL]
    entries: dict[str, list[str]] = {}
    for tag in unique:
        uid, _, entry = tag.rpartition(":")
        if entry.isdecimal() or entry == _ONE:
            entries.setdefault(uid, []).append(tag)
    for uid, named in entries.items():
        if len(named) > MOST_ENTRIES or entries_tag(uid) in named:
            for tag in named:
                del unique[tag]
            unique[entries_tag(uid)] = None
    return list(unique)
