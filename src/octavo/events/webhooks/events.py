"""What changes are called in v4, and what v4 tells of them."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.core.clock import shown_moment
from octavo.database.change_feed import ChangeKind
from octavo.events.webhooks import webhook
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import FILE, FOLDER, USER, ContentType

_ENTRY: Final[Mapping[ChangeKind, tuple[str, ...]]] = {
    ChangeKind.CREATE: (webhook.CREATE,),
    ChangeKind.UPDATE: (webhook.UPDATE,),
    ChangeKind.DELETE: (webhook.DELETE,),
    ChangeKind.PUBLISH: (webhook.UPDATE, webhook.PUBLISH),
    ChangeKind.UNPUBLISH: (webhook.UPDATE, webhook.UNPUBLISH),
}
_MEDIA: Final[Mapping[ChangeKind, tuple[str, ...]]] = {
    ChangeKind.CREATE: (webhook.MEDIA_CREATE,),
    ChangeKind.UPDATE: (webhook.UPDATE, webhook.MEDIA_UPDATE),  # v4 tells of an entry too
    ChangeKind.DELETE: (webhook.MEDIA_DELETE,),
}
NOTHING: Final[Mapping[str, Any]] = {}
_PUBLICATIONS: Final = (webhook.PUBLISH, webhook.UNPUBLISH)
_OWN: Final = frozenset({USER, FILE, FOLDER})


def is_told(uid: str) -> bool:
    """Whether changes of a type are told at all: never those of tokens, roles and administrators."""
    return uid not in BUILTIN_TYPES or uid in _OWN


def events_of(uid: str, kind: ChangeKind) -> tuple[str, ...]:
    """What a change is called, in the order of v4's telling."""
    return _MEDIA.get(kind, ()) if uid == FILE else _ENTRY[kind]


def body_of(
    event: str,
    content_type: ContentType,
    entry: bytes,
    milliseconds: int,
    *,
    names_publications: bool = True,
    more: Mapping[str, Any] = NOTHING,
) -> bytes:
    """What is sent: v4's object, around the JSON of an entry, and `more` about an event that v4 does not have. v4 sends
    no `uid` of an entry that is published or unpublished; `names_publications` does."""
    head = {"event": event, "createdAt": shown_moment(milliseconds), **more}
    if event.startswith("media."):
        return orjson.dumps(head)[:-1] + b',"media":' + entry + b"}"
    head["model"] = content_type.singular_name
    if names_publications or event not in _PUBLICATIONS:
        head["uid"] = content_type.uid
    return orjson.dumps(head)[:-1] + b',"entry":' + entry + b"}"
