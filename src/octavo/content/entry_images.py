"""Entry images: an entry as a reader sees it, read in the transaction that changes it."""

from octavo.content.reader import EntryReader, PreparedRead
from octavo.database.connection import Connection, Database
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.schema.registry import Registry


class EntryImages:
    """Reads images. The query for each content-type is built on first use."""

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
