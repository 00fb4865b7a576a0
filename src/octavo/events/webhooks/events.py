"""The names and payloads of webhook events in v4."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.core.clock import format_timestamp
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
    ChangeKind.UPDATE: (webhook.UPDATE, webhook.MEDIA_UPDATE),  # v4 also sends an entry event
    ChangeKind.DELETE: (webhook.MEDIA_DELETE,),
}
NOTHING: Final[Mapping[str, Any]] = {}
_PUBLICATIONS: Final = (webhook.PUBLISH, webhook.UNPUBLISH)
_OWN: Final = frozenset({USER, FILE, FOLDER})


def triggers_webhooks(uid: str) -> bool:
    """Return whether changes of a type trigger webhooks: never those of tokens, roles and administrators."""
    return uid not in BUILTIN_TYPES or uid in _OWN


def events_of(uid: str, kind: ChangeKind) -> tuple[str, ...]:
    """Return the event names of a change, in v4's order."""
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
    """Return the body: v4's object with the JSON of an entry, and `more` for events that v4 does not have. v4 sends no
    `uid` for publish and unpublish events; `names_publications` adds it."""
    head = {"event": event, "createdAt": format_timestamp(milliseconds), **more}
    if event.startswith("media."):
        return orjson.dumps(head)[:-1] + b',"media":' + entry + b"}"
    head["model"] = content_type.singular_name
    if names_publications or event not in _PUBLICATIONS:
        head["uid"] = content_type.uid
    return orjson.dumps(head)[:-1] + b',"entry":' + entry + b"}"
