"""Tags: the names under which caches in front know answers, and which of them a change makes worthless.

all                        every answer
any                        answers that may show anything: every change purges them
api::article.article       answers that depend on entries of this type
api::article.article:5     answers that show this entry and depend on no other of its type
api::article.article:one   all of the latter: purged where too many entries change at once to name each
"""

from collections.abc import Iterable, Sequence
from typing import Final

from octavo.database.change_feed import DataChange
from octavo.schema.content_types import ADMIN_USER, LOCALE, PERMISSION, ROLE

ALL: Final = "all"
ANY: Final = "any"
MOST_ENTRIES: Final = 100
"""Entries of one type that are named one by one."""

_DECIDE_ALL: Final = frozenset({ROLE, PERMISSION, LOCALE})
"""What visitors may see, and in which locale, is decided by these."""
_ADMIN: Final = "admin::"
_ONE: Final = "one"


def entry_tag(uid: str, entry_id: object) -> str:
    """The tag of answers about one entry."""
    return f"{uid}:{entry_id}"


def entries_tag(uid: str) -> str:
    """The tag of all answers about single entries of a type."""
    return f"{uid}:{_ONE}"


def tags_of(changes: Sequence[DataChange]) -> list[str]:
    """What changes make worthless; nothing where no answer can depend on them."""
    if any(change.uid in _DECIDE_ALL for change in changes):
        return [ALL]
    seen = [change for change in changes if not change.uid.startswith(_ADMIN) or change.uid == ADMIN_USER]
    tags = {ANY: None} if seen else {}
    for change in seen:
        tags[change.uid] = tags[entry_tag(change.uid, change.id)] = None
    return merged(tags)


def merged(tags: Iterable[str]) -> list[str]:
    """Each tag once, and as few as say the same."""
    found = dict.fromkeys(tags)
    if ALL in found:
        return [ALL]
    entries: dict[str, list[str]] = {}
    for tag in found:
        uid, _, entry = tag.rpartition(":")
        if entry.isdecimal() or entry == _ONE:
            entries.setdefault(uid, []).append(tag)
    for uid, named in entries.items():
        if len(named) > MOST_ENTRIES or entries_tag(uid) in named:
            for tag in named:
                del found[tag]
            found[entries_tag(uid)] = None
    return list(found)
