"""Build the indexes that content types declare, concurrently with other use of their tables if the database can.

One process at a time builds them. An index that another process left incomplete is dropped and rebuilt.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Final

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.substring_indexes import SubstringIndexMaintenance
from octavo.database.synchronize import found_tables
from octavo.database.table_lock_retries import retry_locked
from octavo.query.sql.ddl.changes import CreateIndex, difference
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.dialects.base import Dialect, IndexStatements
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

NEXT_LOOK_SECONDS: Final = 1.0
"""How long a process waits for another one that is building indexes."""
_NO_PARTS: Final = (
    "%s is declared but cannot be created, because the database has no pg_trgm. Have its administrator run CREATE "
    "EXTENSION pg_trgm, then restart. Until then, searches run without the index"
)


@dataclass(frozen=True, slots=True)
class _Work:
    """Indexes to build, and the names of invalid ones."""

    missing: tuple[CreateIndex, ...]
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The result: the created indexes, and those not created, with what to do. Both as text."""

    made: tuple[str, ...]
    left: tuple[str, ...]


async def finish_indexes(database: Database, registry: Registry) -> Finished:
    """Create all declared indexes, including substring indexes, which the service otherwise builds while running.

    Raises ServiceUnavailable if the database cannot be reached.
    """
    made = [str(change) for change in await make_declared_indexes(database, registry)]
    filled = await SubstringIndexMaintenance(database, registry).keep()
    made += [f"trigram index of {parts.table}.{parts.column}" for parts in filled]
    dialect = database.dialect
    left = list(not_made(registry, dialect))
    if dialect.aside is not None:
        missing = (await _find_work(database, dialect, registry, dialect.aside)).missing
        word = await database.fetch_value(dialect.aside.parts_word) if missing else None
        left += [_describe_missing(change, finds_parts=word is not None) for change in missing]
    return Finished(tuple(made), tuple(left))


def _describe_missing(change: CreateIndex, *, finds_parts: bool) -> str:
    if change.index.contains and not finds_parts:
        return _NO_PARTS % f"A trigram index of {change.table} ({', '.join(change.index.columns)})"
    return f"{change}: could not be created; see the log"


def declares_indexes(registry: Registry) -> bool:
    """Return whether any content type declares an index."""
    return any(each.declared_indexes for each in registry.content_types.values())


def not_made(registry: Registry, dialect: Dialect) -> Iterator[str]:
    """Describe the declared indexes that this database does not support."""
    if dialect.finds_parts or dialect.parts is not None:
        return
    for table in wanted_tables(registry):
        for index in table.indexes:
            if index.contains:
                columns = ", ".join(index.columns)
                yield f"A trigram index is declared on {table.name} ({columns}), but this database does not support it"


async def make_declared_indexes(database: Database, registry: Registry) -> tuple[CreateIndex, ...]:
    """Create all missing indexes, waiting for other processes that do so, and return them. Errors are logged.

    Raises ServiceUnavailable if the database cannot be reached.
    """
    aside = database.dialect.aside
    if aside is None:
        return ()
    made: tuple[CreateIndex, ...] = ()
    tried: set[str] = set()
    while True:
        work = await _find_work(database, database.dialect, registry, aside)
        if tried.issuperset(change.index.name for change in work.missing) and tried.issuperset(work.broken):
            return made
        async with database.apart() as connection:
            if await connection.fetch_value(aside.take):
                work = await _find_work(connection, database.dialect, registry, aside)
                tried = {*(change.index.name for change in work.missing), *work.broken}
                made = await _make(database, connection, aside, work)
                continue
        await asyncio.sleep(NEXT_LOOK_SECONDS)


async def _find_work(connection: Connection, dialect: Dialect, registry: Registry, aside: IndexStatements) -> _Work:
    wanted = tuple(
        table for table in physical_tables(wanted_tables(registry), dialect) if any(i.declared for i in table.indexes)
    )
    states: dict[str, bool] = {row[0]: row[1] for row in await connection.fetch_all(aside.states)}
    tables = await found_tables(connection, dialect)
    missing = [
        CreateIndex(change.table, change.index)
        for change in difference((table for table in wanted if table.name in tables), tables, dialect)
        if isinstance(change, CreateIndex) and change.index.declared
    ]
    missing += [
        CreateIndex(table.name, index)
        for table in wanted
        for index in table.indexes
        if index.declared and states.get(index.name) is False
    ]
    return _Work(tuple(missing), tuple(name for name, whole in states.items() if not whole))


async def _make(
    database: Database, connection: Connection, aside: IndexStatements, work: _Work
) -> tuple[CreateIndex, ...]:
    dialect = database.dialect
    for name in work.broken:
        logger.info("Dropping the incomplete index %s", name)
        await connection.execute(aside.drop(dialect.quote(name)))
    word = await _parts_word(connection, aside) if any(change.index.contains for change in work.missing) else None
    return tuple([change for change in work.missing if await _make_one(database, connection, aside, change, word)])


async def _make_one(
    database: Database, connection: Connection, aside: IndexStatements, change: CreateIndex, word: str | None
) -> bool:
    dialect = database.dialect
    index, name, table = change.index, dialect.quote(change.index.name), dialect.quote(change.table)
    if index.contains and word is None:
        logger.warning(_NO_PARTS, f"A trigram index of {change.table} ({', '.join(index.columns)})")
        return False
    text = aside.create(name, table, dialect.index_terms(index))
    if index.contains and word is not None:
        text = aside.create_for_parts(name, table, tuple(map(dialect.quote, index.columns)), word)
    begin = time.monotonic()
    try:
        await retry_locked(database, lambda: connection.execute(text))
    except ServiceUnavailable:
        raise
    except Exception as error:  # drivers have different exceptions; other indexes may succeed
        logger.warning("Could not %s: %s", change, reason_of(error))
        await connection.execute(aside.drop(name))  # the incomplete index
        return False
    logger.info("Created index %s on %s in %.1f s", index.name, change.table, time.monotonic() - begin)
    return True


async def _parts_word(connection: Connection, aside: IndexStatements) -> str | None:
    """Return the operator class of substring indexes, or None if the extension is missing and cannot be installed."""
    word: str | None = await connection.fetch_value(aside.parts_word)
    if word is None:
        try:
            await connection.execute(aside.parts)
        except ServiceUnavailable:
            raise
        except Exception as error:  # not installed, or not allowed
            logger.info("Trigram indexes: %s", reason_of(error))
        word = await connection.fetch_value(aside.parts_word)
    return word
