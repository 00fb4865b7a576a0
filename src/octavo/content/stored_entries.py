"""Entries with all stored values for a project's code, including private attributes but without passwords."""

from typing import Any

import orjson

from octavo.content.reader import EntryReader, PreparedRead
from octavo.database.connection import Connection, Database
from octavo.query.answer import Object, Value
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES


class StoredEntries:
    """Reads entries by id. The query for each content-type is built on first use."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._reader = EntryReader(database, registry)
        self._prepared: dict[str, PreparedRead] = {}

    async def read(self, uid: str, entry_id: int, connection: Connection) -> dict[str, Any] | None:
        """Return the scalars of an entry; None if it does not exist."""
        prepared = self._prepared.get(uid) or self._prepare(uid)
        found = await self._reader.read_one(prepared.bind(id=entry_id), connection)
        return None if found is None else {"id": entry_id, **orjson.loads(found)}

    def _prepare(self, uid: str) -> PreparedRead:
        registry = self._reader.registry
        scalars = (one for one in registry.content_types[uid].scalars if not SCALAR_TYPES[one.type].secret)
        shown = Object(tuple((one.name, Value(one.name)) for one in scalars))
        request = ReadRequest(content_type=registry.content_types[uid], by=By.ID, projection=shown, drafts=Drafts.ANY)
        self._prepared[uid] = self._reader.prepare(plan_read(request, registry))
        return self._prepared[uid]
