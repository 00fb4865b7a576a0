"""StorageCleanup: remove files from the storage that no row needs, also after a killed process.

    await cleanup.expect(names)  # before the files are written
    async with unit_of_work(database) as unit:
        ...  # insert the row
        await cleanup.claim(unit.connection, names)

A row of the table names a file in the storage that is to be removed at a time. Before files are written, they get rows
that are due after a day; the transaction that stores the file's own row deletes them. A transaction that deletes files
adds rows, and the files are removed after the commit. `sweep` removes the files of rows that are due.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Final

from octavo.content.media.storage.base import ClosedStorage, Storage
from octavo.content.media.stored_parts import names_in_row
from octavo.core.clock import this_moment
from octavo.core.errors import OctavoError, ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.threads import in_thread
from octavo.database.ambient import joined
from octavo.database.connection import Connection, Database
from octavo.database.leases import LeaseTaken, lease
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.statement import Statement

logger = logging.getLogger(__name__)

TABLE: Final = SystemTable(
    "octavo_storage_cleanup",
    ("object varchar(1024) PRIMARY KEY NOT NULL", "file_id integer", "due_at bigint NOT NULL"),
    copied=False,  # otherwise the copy's service would remove files of the original from a storage that both use
)

_MINUTE: Final = 60_000
_UNCLAIMED: Final = 24 * 60 * _MINUTE
"""How long files without a row stay in the storage, in milliseconds."""
_CLAIMABLE: Final = _UNCLAIMED // 2
"""How long the transaction that stores the row can take, so that it never meets a sweep."""
_REMOVED: Final = 10 * _MINUTE
"""How long the process that deleted a file has to remove it from the storage."""
_LATER: Final = 60 * _MINUTE
"""When a removal that failed is repeated."""
_ROWS_AT_ONCE: Final = 50
_SWEPT_AT_ONCE: Final = 100

_DUE: Final = RawStatement("""
SELECT object, file_id FROM octavo_storage_cleanup WHERE due_at <= {now} ORDER BY due_at, object LIMIT {most}""")
_STILL: Final = RawStatement("SELECT 1 FROM octavo_storage_cleanup WHERE object = {object} AND due_at <= {now}")
_POSTPONE: Final = RawStatement("UPDATE octavo_storage_cleanup SET due_at = {due_at} WHERE object = {object}")
_LOCATIONS: Final = RawStatement("SELECT provider, url, provider_metadata, formats FROM files WHERE id = {file}")
_ALL: Final = "SELECT object FROM octavo_storage_cleanup"
_FORGET_ALL: Final = "DELETE FROM octavo_storage_cleanup"


class StorageCleanup:
    """The files that are to be removed from one storage."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database = database
        self._storage = storage

    async def expect(self, names: Sequence[str]) -> Sequence[str]:
        """Note files that are about to be written; return those that `claim` needs.

        There are none inside of an ambient transaction: it could not be committed before the files are written.
        """
        if joined(self._database) is not None:
            return ()
        due_at = this_moment() + _UNCLAIMED
        await self._run(lambda unit: self._note(unit.connection, names, None, due_at))
        return names

    async def claim(self, connection: Connection, names: Sequence[str]) -> None:
        """Keep files whose rows the transaction stores. Raises ServiceUnavailable if that took half a day."""
        not_before = this_moment() + _UNCLAIMED - _CLAIMABLE
        claimed = 0
        for some in _parts(names):
            statement = _claim(len(some)).bind(self._database.dialect, not_before=not_before, **_numbered(some))
            claimed += len(await connection.fetch_all(*statement))
        if claimed < len(set(names)):
            raise ServiceUnavailable(reason="storing the files took too long")

    async def remove_with(self, unit: UnitOfWork, names: Sequence[str], file_id: int | None = None) -> None:
        """Remove files from the storage after the unit's commit. `file_id`: a file that can get the names again."""
        if names:
            await self._note(unit.connection, names, file_id, this_moment() + _REMOVED)
            unit.after_commit(partial(self.remove, names))

    async def remove(self, names: Sequence[str]) -> None:
        """Remove files now. If that fails, `sweep` repeats it later."""
        if not names:
            return
        try:
            await in_thread(lambda: self._storage.remove(names))
            if joined(self._database) is None:
                await self._forget(names)
        except (OctavoError, OSError) as error:
            logger.warning("cannot remove %s from the storage yet: %s", ", ".join(names), reason_of(error))

    async def sweep(self) -> int:
        """Remove files that are due; return their number. Several processes can do this at the same time.

        A closed storage keeps them until it is configured again.
        """
        if isinstance(self._storage, ClosedStorage):
            return 0
        due = _DUE.bind(self._database.dialect, now=this_moment(), most=_SWEPT_AT_ONCE)
        rows = await self._database.fetch_all(*due)
        for name, file_id in rows:
            try:
                await self._sweep_one(name, file_id)
            except LeaseTaken:
                continue
            except (OctavoError, OSError):
                postpone = _POSTPONE.bind(self._database.dialect, object=name, due_at=this_moment() + _LATER)
                await self._run(partial(_execute, postpone))
                raise
        return len(rows)

    async def _sweep_one(self, name: str, file_id: int | None) -> None:
        if file_id is None:
            await in_thread(lambda: self._storage.remove([name]))
            await self._forget([name])
            return
        async with lease(self._database, file_lock(file_id)):
            still = _STILL.bind(self._database.dialect, object=name, now=this_moment())
            if await self._database.fetch_value(*still) is None:
                return
            if not await self._is_used(name, file_id):
                await in_thread(lambda: self._storage.remove([name]))
            await self._forget([name])

    async def _is_used(self, name: str, file_id: int) -> bool:
        """Return whether the file has this part again, because it has been replaced."""
        row = await self._database.fetch_row(*_LOCATIONS.bind(self._database.dialect, file=file_id))
        return row is not None and name in names_in_row(self._storage, *row)

    async def _note(self, connection: Connection, names: Sequence[str], file_id: int | None, due_at: int) -> None:
        await _note(connection, self._database.dialect, names, file_id, due_at)

    async def _forget(self, names: Sequence[str]) -> None:
        async def work(unit: UnitOfWork) -> None:
            for some in _parts(names):
                await unit.connection.execute(*_delete(len(some)).bind(self._database.dialect, **_numbered(some)))

        await self._run(work)

    async def _run(self, work: Callable[[UnitOfWork], Awaitable[None]]) -> None:
        await run_unit(self._database, UnitOfWork, work, in_maintenance=True)


async def _execute(statement: Statement, unit: UnitOfWork) -> None:
    await unit.connection.execute(*statement)


async def _note(
    connection: Connection, dialect: Dialect, names: Sequence[str], file_id: int | None, due_at: int
) -> None:
    for some in _parts(names):
        statement = _insert(len(some)).bind(dialect, file=file_id, due_at=due_at, **_numbered(some))
        await connection.execute(*statement)


async def remove_later(connection: Connection, dialect: Dialect, names: Sequence[str]) -> None:
    """Have `sweep` remove files from the storage, some time after the commit."""
    await _note(connection, dialect, names, None, this_moment() + _REMOVED)


async def objects_to_remove(connection: Connection) -> set[str]:
    """Return the names of all files that are to be removed."""
    return {name for (name,) in await connection.fetch_all(_ALL)}


async def forget_all(connection: Connection) -> None:
    """Cancel all pending removals. Files without a row stay in the storage."""
    await connection.execute(_FORGET_ALL)


def file_lock(file_id: int) -> str:
    """Return the name of the lock for changes of a file."""
    return f"octavo: file {file_id}"


def _parts(names: Iterable[str]) -> list[list[str]]:
    """Return the names in parts, each name once: rows of files from v4 can share a file."""
    unique = list(dict.fromkeys(names))
    return [unique[start : start + _ROWS_AT_ONCE] for start in range(0, len(unique), _ROWS_AT_ONCE)]


def _numbered(names: Sequence[str]) -> dict[str, str]:
    return {f"object{number}": name for number, name in enumerate(names)}


@lru_cache(maxsize=_ROWS_AT_ONCE)
def _insert(count: int) -> RawStatement:
    rows = ", ".join(f"({{object{number}}}, {{file}}, {{due_at}})" for number in range(count))
    return RawStatement(
        f"INSERT INTO octavo_storage_cleanup (object, file_id, due_at) VALUES {rows} "  # noqa: S608
        "{object:on_conflict} file_id = {file_id:proposed}, due_at = {due_at:proposed}"
    )


@lru_cache(maxsize=_ROWS_AT_ONCE)
def _claim(count: int) -> RawStatement:
    return RawStatement(f"{_delete(count).text} AND due_at > {{not_before}} {{object:returning}}")


@lru_cache(maxsize=_ROWS_AT_ONCE)
def _delete(count: int) -> RawStatement:
    names = ", ".join(f"{{object{number}}}" for number in range(count))
    return RawStatement(f"DELETE FROM octavo_storage_cleanup WHERE object IN ({names})")  # noqa: S608
