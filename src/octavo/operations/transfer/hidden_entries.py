"""Manage hidden entries: find, publish, delete and export them.

A change of options has hidden them (`database/option_changes`). The registry must not know of hidden entries, so that
they can be read and written.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from typing import Any, Final

from octavo.content.completeness import Completeness
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection, Database
from octavo.operations.transfer.entries.hidden import HiddenEntry, find_hidden
from octavo.operations.transfer.entries.reader import EntryReader as ArchiveRows
from octavo.operations.transfer.entries.tables import EntryTables
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.served_rows import HIDDEN_ENTRIES
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_AT_ONCE: Final = 500
_FORGET: Final = RawStatement(
    f"DELETE FROM {HIDDEN_ENTRIES.name} WHERE collection = {{table}} AND entry_id = {{entry}}"
)


class HiddenEntriesService:
    """Finds, publishes, deletes and exports a project's hidden entries."""

    def __init__(self, database: Database, registry: Registry) -> None:
        assert not any(uid in registry.hidden_entries for uid in registry.content_types), "it must see all entries"
        self._database = database
        self._registry = registry
        self._writer = EntryWriter(database, registry)
        self._completeness = Completeness(EntryReader(database, registry))

    async def find(
        self, content_type: ContentType, connection: Connection | None = None, ids: Collection[int] = ()
    ) -> list[HiddenEntry]:
        """Return the hidden entries of a type, or those with the given ids."""
        return await find_hidden(connection or self._database, self._database.dialect, content_type, ids)

    async def publish(self, content_type: ContentType, ids: Collection[int] = ()) -> int:
        """Serve hidden entries, in one transaction. Return their number.

        Raises ApplicationError for entries without required values, and for a second entry of a single type.
        """

        async def work(unit: EntryUnit) -> int:
            found = await self.find(content_type, unit.connection, ids)
            await self._check(unit, content_type, found)
            for entry in found:
                await self._forget(unit, content_type, entry.id)
                unit.record(content_type.uid, entry.id, ChangeKind.CREATE)
            return len(found)

        return await self._writer.run(work, grouped=False)

    async def delete(self, content_type: ContentType, ids: Collection[int] = ()) -> int:
        """Delete hidden entries with their components and links, in one transaction. Return their number."""

        async def work(unit: EntryUnit) -> int:
            found = [entry.id for entry in await self.find(content_type, unit.connection, ids)]
            for start in range(0, len(found), _AT_ONCE):
                await unit.delete_many(content_type, found[start : start + _AT_ONCE])
            for entry_id in found:
                await self._forget(unit, content_type, entry_id)
            return len(found)

        return await self._writer.run(work, grouped=False)

    async def export(self, content_type: ContentType, ids: Collection[int] = ()) -> AsyncIterator[Mapping[str, Any]]:
        """Yield hidden entries in the form of archives, with the reasons, then the links that they store."""
        dialect = self._database.dialect
        async with self._database.snapshot() as snapshot:
            hidden = {entry.id: entry for entry in await self.find(content_type, snapshot, ids)}
            tables = EntryTables(self._registry)
            rows, table = ArchiveRows(snapshot, dialect, tables), tables.of[content_type.uid]
            async for entry_id, data in rows.entries(table):
                if entry_id in hidden:
                    yield hidden[entry_id].described({"type": content_type.uid, "id": entry_id, "data": data})
            for other in tables.content_types():
                if other is not table:
                    await rows.know(other)
            async for link in rows.links(table):
                if link["left"]["ref"] in hidden:
                    yield link

    async def _check(self, unit: EntryUnit, content_type: ContentType, found: Iterable[HiddenEntry]) -> None:
        problems = []
        for entry in found:
            missing = await self._completeness.missing(content_type, entry.id, unit.connection)
            problems += [f"entry {entry.id}: {problem.message}" for problem in missing]
        if problems:
            raise ApplicationError(f"Nothing was published. {'; '.join(problems)}")
        if content_type.is_single:
            table = self._database.dialect.quote(table_name(content_type))
            served = await unit.connection.fetch_value(f"SELECT count(*) FROM {table}")
            if served > 1:
                raise ApplicationError(
                    f"{content_type.uid} is a single type and already has an entry. Delete that one first"
                )

    async def _forget(self, unit: EntryUnit, content_type: ContentType, entry_id: int) -> None:
        statement = _FORGET.bind(self._database.dialect, table=table_name(content_type), entry=entry_id)
        await unit.connection.execute(*statement)
