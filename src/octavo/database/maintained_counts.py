"""Maintain row counts: create the triggers, count unknown tables, fold written rows, and verify the counts.

If this is interrupted at any point, counts are either correct or marked as unknown, and unknown ones are counted.
"""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, Row
from octavo.database.synchronize import found_tables
from octavo.database.table_lock_retries import retry_locked
from octavo.query.sql.ddl.maintained_counts import counted_tables
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.maintained_counts import WAITING, CountedTable, MaintainedCounts
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_V4: Final = "SELECT count(*) FROM strapi_database_schema"
_MANY: Final = 100
"""Number of rows that are worth folding."""
_LATER_SECONDS: Final = 30.0
"""Seconds after which a failed attempt is repeated."""
_NOT_KEPT: Final = "The count of %s is not maintained; its lists are counted for each request: %s"
_ENOUGH: Final = 5_000
"""Number of folded rows after which their space is freed."""


@dataclass(frozen=True, slots=True)
class TotalState:
    """A table and its count: whether its triggers are `sound`, and whether the count is `known`."""

    table: CountedTable
    sound: bool
    known: bool
    current: bool = True
    """Whether this applies to the tables' current state."""

    @property
    def is_kept(self) -> bool:
        """Return whether lists use the maintained count."""
        return self.sound and self.known and self.current


class _NotKept(Exception):
    """A table cannot be maintained now."""


class CountMaintenance:
    """Maintains the counts of one registry's content types on one database, which has the tables for it."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._totals = database.dialect.totals
        self._tables = tuple(counted_tables(registry))
        self._folded = 0
        self._is_steady = False
        self._later: dict[tuple[str, bool], float] = {}
        self._failed: set[tuple[str, bool]] = set()
        self._made: Counter[str] = Counter()

    async def has_tables(self) -> bool:
        """Return whether the database has the tables for it."""
        tables = await found_tables(self._database, self._database.dialect)
        return self._totals is not None and all(table.name in tables for table in self._totals.tables)

    async def is_wanted(self) -> bool:
        """Return the default for maintaining counts: if v4 did not create the database, or if counts exist already."""
        if self._totals is None:
            return False
        if await self._database.fetch_value(self._totals.begun):
            return True
        return not await self._database.fetch_value(_V4)

    async def is_quiet(self) -> bool:
        """Return whether there is nothing to do, with one statement; False if that cannot be determined."""
        totals = self._totals
        if totals is None or totals.look is None or not self._is_steady:
            return False
        rows_of_table: defaultdict[str, list[Row]] = defaultdict(list)
        for what, *row in await self._database.fetch_all(totals.look):
            rows_of_table[what].append(row)
        known = {table for table, _, _ in rows_of_table["known"]}
        triggers = _by_table(rows_of_table["trigger"])
        return (
            bool(rows_of_table["begun"])
            and sum(int(number) for _, _, number in rows_of_table["waiting"]) < _MANY
            and all(table.name in known and triggers[table.name] == totals.wanted(table) for table in self._tables)
        )

    async def states(self, connection: Connection | None = None) -> tuple[TotalState, ...]:
        """Return the state of each existing table."""
        totals, ask = self._totals, connection or self._database
        if totals is None:
            return ()
        known = {row[0]: bool(row[1]) for row in await ask.fetch_all(totals.known)}
        if totals.follows_schema and self._is_steady and all(known.get(table.name) for table in self._tables):
            return tuple(TotalState(table, True, True) for table in self._tables)
        triggers = await _triggers(ask, totals)
        tables = self._tables if self._is_steady and not totals.follows_schema else await self._found(ask)
        return tuple(
            TotalState(
                table, triggers[table.name] == totals.wanted(table), table.name in known, known.get(table.name, True)
            )
            for table in tables
        )

    async def keep(self) -> tuple[CountedTable, ...]:
        """Create missing triggers and count unknown tables, unless another process does so; return the counted tables.

        Errors are logged, and the work is repeated later.
        """
        totals, counted = self._totals, list[CountedTable]()
        if totals is None or not [state for state in await self.states() if self._is_due(state)]:
            return ()
        self._is_steady = False
        with suppress(_NotKept):
            states = await self._repair_all(totals, counted)
            self._is_steady = {state.table.name for state in states} == {table.name for table in self._tables}
        return tuple(counted)

    async def _repair_all(self, totals: MaintainedCounts, counted: list[CountedTable]) -> tuple[TotalState, ...]:
        async with self._database.apart() as connection:
            if totals.take is not None and not await connection.fetch_value(totals.take):
                raise _NotKept
            if totals.functions is not None and not await connection.fetch_value(totals.has_functions or ""):
                await connection.execute_script(totals.functions)
            states = await self.states(connection)
            due = [state for state in states if self._is_due(state)]
            counted.extend([state.table for state in due if await self._repair(state, connection, totals)])
            confirmed = [
                totals.confirm(state.table) for state in states if state in due or (state.sound and state.known)
            ]
            if any(confirmed):
                await connection.execute_script(";\n".join(confirmed))
            return states

    def _is_due(self, state: TotalState) -> bool:
        return not state.is_kept and time.monotonic() >= self._later.get((state.table.name, state.sound), 0.0)

    async def _repair(self, state: TotalState, connection: Connection, totals: MaintainedCounts) -> bool:
        """Create triggers or count a table, as needed; return whether it was counted."""
        table, attempt = state.table, (state.table.name, state.sound)
        try:
            if not state.sound:
                self._made[table.name] += 1  # nodes with other definitions may need different triggers: back off
                self._later[attempt] = time.monotonic() + min(self._made[table.name] - 1, _LATER_SECONDS)
                triggers = (await _triggers(connection, totals))[table.name]
                await connection.execute_script(totals.install(table, tuple(triggers)))
            if state.sound and state.known:
                return False
            await connection.execute_script(totals.recount(table))
        except ServiceUnavailable:
            raise
        except Exception as error:  # drivers have different exceptions; other tables may succeed
            is_new = attempt not in self._failed
            self._failed.add(attempt)
            self._later[attempt] = time.monotonic() + _LATER_SECONDS
            logger.log(logging.WARNING if is_new else logging.DEBUG, _NOT_KEPT, table.name, reason_of(error))
            raise _NotKept from error
        return True

    async def fold(self) -> None:
        """Combine the rows of many writers."""
        if self._totals is None or self._totals.fold is None:
            return
        waiting = int(await self._database.fetch_value(WAITING))
        if waiting < _MANY:
            return
        await self._database.execute(self._totals.fold)
        self._folded += waiting
        if self._folded > _ENOUGH and self._totals.clean is not None:
            self._folded = 0
            async with self._database.apart() as connection:
                await connection.execute(self._totals.clean)

    async def compare(self) -> tuple[CountedTable, ...]:
        """Count all known tables, and mark those with wrong counts as unknown; return these."""
        totals, wrong = self._totals, []
        for state in await self.states():
            if totals is None or not state.is_kept:
                continue
            if await self._database.fetch_value(totals.differences(state.table), long=True) is not None:
                logger.warning("Corrected the count of %s: another program bypassed its triggers", state.table.name)
                await self._database.execute_script(totals.forget(state.table))
                wrong.append(state.table)
        return tuple(wrong)

    async def remove(self) -> int:
        """Remove all triggers and return their number. The tables stay, because other processes may still read them."""
        totals, database = self._totals, self._database
        if totals is None:
            return 0

        self._is_steady = False
        self._later.clear()

        async def remove() -> int:
            async with database.transaction(exclusive=True) as transaction:
                found = [(row[0], row[1]) for row in await transaction.fetch_all(totals.triggers)]
                await transaction.execute_script(totals.remove(found))
                return len(found)

        return await retry_locked(database, remove)

    async def _found(self, connection: Connection) -> tuple[CountedTable, ...]:
        tables = await found_tables(connection, self._database.dialect)
        return tuple(
            replace(table, unique=_unique_keys(tables[table.name])) for table in self._tables if table.name in tables
        )


async def _triggers(connection: Connection, totals: MaintainedCounts) -> defaultdict[str, dict[str, str]]:
    """Return the marks of all existing triggers, by table and name."""
    return _by_table(await connection.fetch_all(totals.triggers))


def _by_table(rows: Iterable[Row]) -> defaultdict[str, dict[str, str]]:
    by_table: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for table, name, mark in rows:
        by_table[table][name] = mark
    return by_table


def _unique_keys(table: Table) -> tuple[tuple[str, ...], ...]:
    return tuple(index.columns for index in table.indexes if index.unique and all(index.columns))
