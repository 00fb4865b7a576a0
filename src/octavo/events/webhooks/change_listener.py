"""Adds a message for each webhook that subscribes to a change, in the change's transaction.

The payload is the entry at the end of that transaction; for a deleted entry, its last state.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import orjson

from octavo.core.clock import format_timestamp, this_moment
from octavo.database.change_feed import ChangeKind, DataChange
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import MessageTooLarge
from octavo.events.outbox import Outbox
from octavo.events.webhooks import webhook as event_names
from octavo.events.webhooks.messages import TOPIC, Sent, new_id
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import SCHEDULE_FAILED, Webhook
from octavo.query.ast import Query
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import FILE, FOLDER, USER, ContentType
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_ENTRY: Final[Mapping[ChangeKind, tuple[str, ...]]] = {
    ChangeKind.CREATE: (event_names.CREATE,),
    ChangeKind.UPDATE: (event_names.UPDATE,),
    ChangeKind.DELETE: (event_names.DELETE,),
    ChangeKind.PUBLISH: (event_names.UPDATE, event_names.PUBLISH),
    ChangeKind.UNPUBLISH: (event_names.UPDATE, event_names.UNPUBLISH),
}
_MEDIA: Final[Mapping[ChangeKind, tuple[str, ...]]] = {
    ChangeKind.CREATE: (event_names.MEDIA_CREATE,),
    ChangeKind.UPDATE: (event_names.UPDATE, event_names.MEDIA_UPDATE),  # v4 also sends an entry event
    ChangeKind.DELETE: (event_names.MEDIA_DELETE,),
}
NOTHING: Final[Mapping[str, Any]] = {}
_PUBLICATIONS: Final = (event_names.PUBLISH, event_names.UNPUBLISH)
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


class PreparedRead(Protocol):
    """A prepared read of one entry (`octavo.content.reader`)."""

    def bind(self, **values: Any) -> Any:
        """Return the read with its values."""


class EntryReader(Protocol):
    """Reads an entry inside a transaction (`octavo.content.reader.EntryReader`)."""

    async def read_one(self, prepared: Any, connection: Any) -> bytes | None:
        """Return the entry as JSON; None if there is none."""


Prepare = Callable[[ContentType, Any], PreparedRead]
"""Prepares reading an entry by id, with its populate, without private attributes."""
Choose = Callable[[UnitOfWork, DataChange], Query | None]
"""Returns the query for the body of a change if the webhook does not populate; None: as without a request."""
_MOST_PREPARED: Final = 256


class WebhookChangeListener:
    """Observes the changes of one registry's entries."""

    def __init__(
        self,
        registry: Registry,
        webhooks: Webhooks,
        outbox: Outbox,
        reader: EntryReader,
        prepare: Prepare,
        choose: Choose | None = None,
    ) -> None:
        self._registry = registry
        self._webhooks = webhooks
        self._outbox = outbox
        self._reader = reader
        self._prepare = prepare
        self._choose = choose
        self._prepared: dict[tuple[str, str], PreparedRead] = {}

    async def before_delete(self, unit: UnitOfWork, uid: str, entry_id: int) -> None:
        """Read an entry before it is deleted."""
        await self._add_messages(unit, DataChange(uid, entry_id, ChangeKind.DELETE))

    def writes(self) -> bool:
        """Return whether there are webhooks."""
        return bool(self._webhooks.current)

    async def before_commit(self, unit: UnitOfWork, changes: Sequence[DataChange]) -> None:
        """Add the messages, as the last step before the commit."""
        for change in changes if self._webhooks.current else ():
            if change.kind is not ChangeKind.DELETE:
                await self._add_messages(unit, change)

    async def schedule_failed(self, unit: UnitOfWork, uid: str, entry_id: int, data: Mapping[str, Any]) -> None:
        """Add the messages for an entry's failed schedule."""
        await self._add_messages(unit, DataChange(uid, entry_id, ChangeKind.UPDATE), (SCHEDULE_FAILED,), data)

    async def _add_messages(
        self,
        unit: UnitOfWork,
        change: DataChange,
        events: tuple[str, ...] | None = None,
        more: Mapping[str, Any] = NOTHING,
    ) -> None:
        known = self._webhooks.current
        if not known or not triggers_webhooks(change.uid):
            return
        events = events_of(change.uid, change.kind) if events is None else events
        wanting = [one for one in known if one.enabled and one.wants_type(change.uid) and set(events) & set(one.events)]
        chosen = self._choose(unit, change) if wanting and self._choose is not None else None
        shown: dict[str, bytes | None] = {}
        for webhook in wanting:
            populate = chosen if webhook.populate is None else webhook.populate
            key = repr(populate)
            if key not in shown:
                shown[key] = await self._read(unit, change, populate, key)
            entry = shown[key]
            if entry is not None and webhook.wants_locale(_locale(entry) if webhook.locales else None):
                for event in events:
                    if event in webhook.events:
                        await self._add(unit, webhook, change, event, entry, more)

    async def _read(self, unit: UnitOfWork, change: DataChange, populate: Any, key: str) -> bytes | None:
        prepared = self._prepared.get((change.uid, key))
        if prepared is None:
            if len(self._prepared) >= _MOST_PREPARED:
                self._prepared.clear()
            prepared = self._prepare(self._registry.content_types[change.uid], populate)
            self._prepared[change.uid, key] = prepared
        return await self._reader.read_one(prepared.bind(id=change.id), unit.connection)

    async def _add(
        self,
        unit: UnitOfWork,
        webhook: Webhook,
        change: DataChange,
        event: str,
        entry: bytes,
        more: Mapping[str, Any],
    ) -> None:
        content_type = self._registry.content_types[change.uid]
        message_id, key = new_id(), f"{webhook.id} {change.uid} {change.id}"
        names = self._choose is None
        build = partial(body_of, event, content_type, names_publications=names, more=more)
        body = build(entry, this_moment())
        try:
            await self._outbox.add(unit, TOPIC, Sent(message_id, webhook.id, event, body.decode()).payload(), key)
        except MessageTooLarge as error:
            logger.warning(
                "Webhook %s gets %s %d without related entries: %s", webhook.name, change.uid, change.id, error
            )
            body = build(orjson.dumps({"id": change.id}), this_moment())
            await self._outbox.add(unit, TOPIC, Sent(message_id, webhook.id, event, body.decode()).payload(), key)


def _locale(entry: bytes) -> str | None:
    locale = orjson.loads(entry).get("locale")
    return locale if isinstance(locale, str) else None
