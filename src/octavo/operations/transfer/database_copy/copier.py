"""Copy a project's database: one snapshot of the source, in one transaction of the target."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.option_changes import (
    fill_after,
    find_option_changes,
    mark_entries,
    marked_by,
    remember_options,
    unhide,
)
from octavo.database.synchronize import found_tables
from octavo.database.unit_of_work import unit_of_work
from octavo.events.purging.purges import Purges
from octavo.operations.runtime.prepare_database import bring_up_to_date, check_types
from octavo.operations.transfer.database_copy.plan import CopyPlan, TableCopy, plan_copy
from octavo.operations.transfer.problems import Problems, TransferError, listed
from octavo.operations.transfer.rows.plain_values import obstacle
from octavo.operations.transfer.rows.tables import ID, PlainRow, RowTable, insert_rows, read_batches
from octavo.query.sql.ddl.tables import SystemTable, Table
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.served_rows import HIDDEN_ENTRIES
from octavo.schema.registry import Registry

Progress = Callable[[int, int], None]
"""Called with the number of copied rows and of all rows."""

_NOT_COPIED: Final = "The target cannot store these values, so nothing was copied (--skip-invalid leaves them empty)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """Options of a copy.

    `replace`: delete the target's data. `rounded`: round decimals that the target cannot store. `skip_invalid`: store
    null for values that are invalid for their column.
    """

    replace: bool = False
    rounded: bool = False
    skip_invalid: bool = False


@dataclass(slots=True)
class CopyReport:
    """The result of a copy.

    Rows by table; rows left out because of missing references; tables and columns without a definition; and `invalid`
    values, which were stored as null.
    """

    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    invalid: Problems = field(default_factory=Problems)


async def copy_database(
    source: Database,
    target: Database,
    registry: Registry,
    own: Sequence[SystemTable],
    options: CopyOptions,
    progress: Progress,
    purges: Purges | None = None,
) -> CopyReport:
    """Copy all tables of the project, with their ids. Both databases are connected.

    Missing tables are created in the target first, without loss of data. `purges`: CDNs and reverse proxies of the
    target, which are purged. Raises TransferError and StartFailed.
    """
    async with source.snapshot() as snapshot:
        found = await found_tables(snapshot, source.dialect)
        plan = plan_copy(registry, (*own, HIDDEN_ENTRIES), found, source.dialect, target.dialect)
        if not plan.tables:
            raise TransferError("The source has no table of this project")
        check_types(await bring_up_to_date(target, registry, own))
        async with unit_of_work(target, exclusive=True) as unit:
            await _make_room(unit.connection, target.dialect, plan, options)
            copying = _Copying(snapshot, source, unit.connection, target, options, progress)
            report = await copying.run(plan)
            await _follow_options(snapshot, source.dialect, unit.connection, target.dialect, registry, found)
            if purges is not None:
                await purges.purge_with(unit)
            return report


async def _follow_options(
    snapshot: Connection,
    source: Dialect,
    target: Connection,
    dialect: Dialect,
    registry: Registry,
    found: Mapping[str, Table],
) -> None:
    """Hide and fill entries as a start on the source would: the target lacks columns without a definition."""
    options = await find_option_changes(snapshot, source, registry, found)
    default = options.default_locale or "en"
    for change in options.changes:
        for reason, ids in await marked_by(snapshot, source, change, default):
            await unhide(target, dialect, change.content_type, reason)
            await mark_entries(target, dialect, change.content_type, reason, ids)
        await fill_after(target, dialect, change, default)
    await remember_options(target, dialect, registry)


async def _make_room(target: Connection, dialect: Dialect, plan: CopyPlan, options: CopyOptions) -> None:
    """Delete the target's data, or raise an error if it has any and `replace` is not set."""
    tables = [*(each.target.name for each in reversed(plan.tables)), *(each.name for each in plan.own)]
    if options.replace:
        for table in tables:
            await target.execute(f"DELETE FROM {dialect.quote(table)}")
        return
    counts = {table: await target.fetch_value(f"SELECT count(*) FROM {dialect.quote(table)}") for table in tables}
    filled = [f"{table}: {counted(count, 'row')}" for table, count in sorted(counts.items()) if count]
    if filled:
        raise TransferError(listed("The target is not empty; --force replaces its data", filled))


class _Copying:
    """A running copy."""

    def __init__(
        self,
        snapshot: Connection,
        source: Database,
        connection: Connection,
        target: Database,
        options: CopyOptions,
        progress: Progress,
    ) -> None:
        self._snapshot = snapshot
        self._source = source.dialect
        self._connection = connection
        self._target = target.dialect
        self._options = options
        self._progress = progress
        self._problems = Problems()
        self._done = 0
        self._total = 0

    async def run(self, plan: CopyPlan) -> CopyReport:
        """Copy all tables in order, then advance the id sequences."""
        report = CopyReport(unknown=plan.unknown)
        sizes = {each.source.name: await self._count(each.source.name) for each in plan.tables}
        self._total = sum(sizes.values())
        for each in plan.tables:
            rows = await self._copy(each)
            report.rows[each.source.name] = rows
            if rows != sizes[each.source.name]:
                report.left_out[each.source.name] = sizes[each.source.name] - rows
        if self._options.skip_invalid:
            report.invalid = self._problems
        else:
            self._problems.refuse(_NOT_COPIED)
        for own in plan.own:
            await self._copy_own(own)
        await self._check(plan, report.rows)
        counters = self._target.continue_ids([*(each.target.name for each in plan.tables), *plan.counted])
        if counters is not None:
            await self._connection.fetch_all(counters)
        return report

    async def _count(self, table: str) -> int:
        return int(await self._snapshot.fetch_value(f"SELECT count(*) FROM {self._source.quote(table)}"))

    async def _copy(self, each: TableCopy) -> int:
        """Copy a table. After the first problem, rows are only checked, to report all problems."""
        count = 0
        names = list(each.source.columns)
        async for rows in read_batches(
            self._snapshot, self._source, each.source, each.where, each.emptied, self._problems
        ):
            self._look_at(each.source, rows)
            if self._goes_on():
                firsts = [_without(row, names, each.later) for row in rows] if each.later else rows
                await insert_rows(self._connection, self._target, each.target, firsts)
            count += len(rows)
            self._done += len(rows)
            self._progress(self._done, self._total)
        if each.later and self._goes_on():
            await self._fill_later(each)
        return count

    def _goes_on(self) -> bool:
        return self._options.skip_invalid or not self._problems.count

    def _look_at(self, table: RowTable, rows: Sequence[PlainRow]) -> None:
        limits, rounded = self._target.column_limits, self._options.rounded
        columns = list(table.columns.items())
        id_at = list(table.columns).index(ID)
        for row in rows:
            for at, (name, kind) in enumerate(columns):
                problem = obstacle(kind, row[at], limits, rounded=rounded)
                if problem is not None:
                    self._problems.add(f"{table.place(name, row[id_at])}: {problem}")
                    row[at] = None

    async def _fill_later(self, each: TableCopy) -> None:
        """Fill the columns that refer to rows of the same table."""
        names = [ID, *each.later]
        quote, mark = self._target.quote, self._target.mark
        changes = ", ".join(f"{quote(name)} = {mark(at)}" for at, name in enumerate(each.later, 2))
        text = f"UPDATE {quote(each.target.name)} SET {changes} WHERE {quote(ID)} = {mark(1)}"
        table = each.source.with_columns(names)
        async for rows in read_batches(self._snapshot, self._source, table, each.where, _only(each, names), Problems()):
            for row in rows:
                if any(value is not None for value in row[1:]):
                    await self._connection.execute(text, row)

    async def _copy_own(self, table: RowTable) -> None:
        names = ", ".join(map(self._source.quote, table.columns))
        rows = await self._snapshot.fetch_all(f"SELECT {names} FROM {self._source.quote(table.name)}")
        await insert_rows(self._connection, self._target, table, [list(row) for row in rows])

    async def _check(self, plan: CopyPlan, rows: Mapping[str, int]) -> None:
        """Compare the number of rows in the target."""
        for each in plan.tables:
            count = await self._connection.fetch_value(f"SELECT count(*) FROM {self._target.quote(each.target.name)}")
            if count != rows[each.source.name]:
                raise TransferError(f"{each.target.name}: copied {counted(count, 'row')} of {rows[each.source.name]}")


def _without(row: PlainRow, names: Sequence[str], later: Sequence[str]) -> PlainRow:
    return [None if name in later else value for name, value in zip(names, row, strict=True)]


def _only(each: TableCopy, names: Sequence[str]) -> dict[str, str]:
    return {name: text for name, text in each.emptied.items() if name in names}
