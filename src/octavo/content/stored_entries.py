"""Entries for a project's code: with all stored values except passwords, or as a reader sees them."""

from typing import Any

import orjson

from octavo.content.reader import EntryReader, PreparedRead
from octavo.database.connection import Connection, Database
from octavo.query.answer import Object, Value
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES


class StoredEntries:
    """Reads entries by id. The query for each content type is built on first use."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._reader = EntryReader(database, registry)
        self._prepared: dict[str, PreparedRead] = {}

    async def read(self, uid: str, entry_id: int, connection: Connection) -> dict[str, Any] | None:
        """Return the scalars of an entry; None if it does not exist."""
        prepared = self._prepared.get(uid) or self._prepare(uid)
        entry = await self._reader.read_one(prepared.bind(id=entry_id), connection)
        return None if entry is None else {"id": entry_id, **orjson.loads(entry)}

    def _prepare(self, uid: str) -> PreparedRead:
        registry = self._reader.registry
        scalars = (one for one in registry.content_types[uid].scalars if not SCALAR_TYPES[one.type].secret)
        shown = Object(tuple((one.name, Value(one.name)) for one in scalars))
        request = ReadRequest(content_type=registry.content_types[uid], by=By.ID, projection=shown, drafts=Drafts.ANY)
        self._prepared[uid] = self._reader.prepare(plan_read(request, registry))
        return self._prepared[uid]


class EntryImages:
    """Reads images. The query for each content type is built on first use."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._reader = EntryReader(database, registry)
        self._prepared: dict[str, PreparedRead] = {}

    async def read(self, uid: str, entry_id: int, connection: Connection) -> bytes | None:
        """Return an entry, flat, as JSON; None if it does not exist."""
        prepared = self._prepared.get(uid) or self._prepare(uid)
        return await self._reader.read_one(prepared.bind(id=entry_id), connection)

    def _prepare(self, uid: str) -> PreparedRead:
        registry = self._reader.registry
        request = ReadRequest(content_type=registry.content_types[uid], by=By.ID, projection=Form.FLAT)
        self._prepared[uid] = self._reader.prepare(plan_read(request, registry))
        return self._prepared[uid]
