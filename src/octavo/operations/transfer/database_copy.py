"""Copy a project's database: one snapshot of the source, in one transaction of the target."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field, replace
from typing import Final, Protocol

from octavo.access.authentication import user_token_versions
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, RowReader
from octavo.database.mysql_locks import TABLE as LOCKS_TABLE
from octavo.database.option_changes import (
    fill_after,
    find_option_changes,
    mark_entries,
    marked_by,
    remember_options,
    unhide,
)
from octavo.database.synchronize import STATE_TABLE, found_tables
from octavo.database.unit_of_work import unit_of_work
from octavo.events.purging.purges import Purges
from octavo.operations.runtime.prepare_database import bring_up_to_date, check_types
from octavo.operations.transfer.problems import Problems, TransferError, listed
from octavo.operations.transfer.rows.plain_values import KIND_OF_WORD, obstacle
from octavo.operations.transfer.rows.tables import ID, PlainRow, RowTable, insert_rows, read_batches, row_bytes
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import ForeignKey, SystemTable, Table, wanted_tables
from octavo.query.sql.dialects.base import BasicDialect, Dialect
from octavo.query.sql.dialects.maintained_counts import PREFIX
from octavo.query.sql.served_rows import HIDDEN_ENTRIES
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

_OF_DATABASE: Final = frozenset({STATE_TABLE, LOCKS_TABLE})
"""Tables that describe the database itself."""
_CASCADE: Final = "CASCADE"
_UNSIGNED: Final = " unsigned"
_STATEMENT_BYTES: Final = 20_000
"""More than the bytes of an INSERT around the values of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopy:
    """A table to copy, in the source and in the target, with the same columns in the same order.

    `where` selects the rows to copy, with the source's names. `emptied` are columns read with an expression, because
    their references can be missing. `later` are columns filled when all rows of the table exist. `unsigned` are columns
    that cannot store negative numbers in the target.
    """

    source: RowTable
    target: RowTable
    where: str = "1 = 1"
    emptied: Mapping[str, str]
    later: tuple[str, ...] = ()
    unsigned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The tables to copy in order, with tables and columns of the source that have no definition (`unknown`).

    `own` are Octavo's own tables, `counted` those of them with an id sequence. `outdated` are own tables that are
    not copied: their rows in the target refer to entries, users and files, which are others after the copy.
    `revokes`: tokens for the target's former users must become invalid.
    """

    tables: tuple[TableCopy, ...]
    unknown: tuple[str, ...]
    own: tuple[RowTable, ...]
    counted: tuple[str, ...]
    outdated: tuple[str, ...]
    revokes: bool


def plan_copy(
    registry: Registry, own: Sequence[SystemTable], found: Mapping[str, Table], source: BasicDialect, target: Dialect
) -> CopyPlan:
    """Compare the definitions with the tables in the source."""
    wanted = wanted_tables(registry)
    named = [
        (words, here, there)
        for words, here, there in zip(
            wanted, physical_tables(wanted, source), physical_tables(wanted, target), strict=True
        )
        if here.name in found and here.name not in _OF_DATABASE
    ]
    copies = {here.name: _table_copy(words, here, there, found[here.name], source) for words, here, there in named}
    own_names = {table.name for table in own}
    return CopyPlan(
        tuple(copies[name] for name in _ordered([here for _, here, _ in named])),
        tuple(_unknown(found, {here.name: here for _, here, _ in named}, own_names)),
        tuple(_own_table(found[name]) for name in sorted(table.name for table in own if table.copied) if name in found),
        tuple(table.name for table in own if table.counted and table.name in found),
        tuple(table.name for table in own if not table.kept and not (table.copied and table.name in found)),
        user_token_versions.TABLE in own and user_token_versions.TABLE.name not in found,
    )


def _table_copy(words: Table, here: Table, there: Table, found: Table, dialect: BasicDialect) -> TableCopy:
    present = {column.name for column in found.columns}
    columns = [each for each in zip(words.columns, here.columns, there.columns, strict=True) if each[1].name in present]
    pairs = [(mine.name, theirs.name, KIND_OF_WORD[word.type]) for word, mine, theirs in columns]
    keys = [key for key in here.foreign_keys if key.column in present]
    return TableCopy(
        source=RowTable(here.name, {mine: kind for mine, _, kind in pairs}),
        target=RowTable(there.name, {theirs: kind for _, theirs, kind in pairs}),
        where=" AND ".join(["1 = 1", *_conditions(keys, dialect)]),
        emptied={key.column: _emptied(key, dialect) for key in keys if key.on_delete != _CASCADE},
        later=tuple(key.column for key in keys if key.target == here.name and key.on_delete != _CASCADE),
        unsigned=frozenset(mine.name for _, mine, theirs in columns if theirs.type.endswith(_UNSIGNED)),
    )


def _conditions(keys: Iterable[ForeignKey], dialect: BasicDialect) -> Iterator[str]:
    """Yield conditions that exclude rows whose owner was deleted. SQLite may not have enforced foreign keys."""
    for key in keys:
        if key.on_delete == _CASCADE:
            column = dialect.quote(key.column)
            yield f"({column} IS NULL OR {column} IN (SELECT id FROM {dialect.quote(key.target)}))"


def _emptied(key: ForeignKey, dialect: BasicDialect) -> str:
    column = dialect.quote(key.column)
    return f"CASE WHEN {column} IN (SELECT id FROM {dialect.quote(key.target)}) THEN {column} END"


def _ordered(tables: Sequence[Table]) -> list[str]:
    """Return the tables with referenced ones first. Only a table's references to itself can be circular."""
    names = {table.name for table in tables}
    done: dict[str, None] = {}
    waiting = list(tables)
    while waiting:
        ready = [table for table in waiting if _needs(table, names) <= done.keys()] or waiting[:1]
        done.update((table.name, None) for table in ready)
        waiting = [table for table in waiting if table.name not in done]
    return list(done)


def _needs(table: Table, names: set[str]) -> set[str]:
    return {key.target for key in table.foreign_keys if key.target != table.name} & names


def _unknown(found: Mapping[str, Table], wanted: Mapping[str, Table], own: set[str]) -> Iterator[str]:
    for name, table in found.items():
        if name in wanted:
            known = {column.name for column in wanted[name].columns}
            yield from (f"{name}.{column.name}" for column in table.columns if column.name not in known)
        elif name not in own and name not in _OF_DATABASE and not name.startswith(PREFIX):
            yield name


def _own_table(found: Table) -> RowTable:
    """Describe one of Octavo's own tables, which have only text and integer columns."""
    return RowTable(
        found.name,
        {column.name: ValueKind.BIG_INTEGER if "int" in column.type else ValueKind.TEXT for column in found.columns},
    )


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


class CopySource(Protocol):
    """A database to copy from; it is connected."""

    @property
    def dialect(self) -> BasicDialect: ...

    def snapshot(self) -> AbstractAsyncContextManager[RowReader]:
        """Open a consistent snapshot (`Database.snapshot`)."""


async def copy_database(
    source: CopySource,
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
        tables = spelled_as_defined(await found_tables(snapshot, source.dialect), registry, source.dialect)
        plan = plan_copy(registry, (*own, HIDDEN_ENTRIES), tables, source.dialect, target.dialect)
        if not plan.tables:
            raise TransferError("The source has no table of this project")
        check_types(await bring_up_to_date(target, registry, own))
        async with unit_of_work(target, exclusive=True) as unit:
            await _make_room(unit.connection, target.dialect, plan, options)
            copying = _Copying(snapshot, source, unit.connection, target, options, progress)
            report = await copying.run(plan)
            await _follow_options(snapshot, source.dialect, unit.connection, target.dialect, registry, tables)
            if purges is not None:
                await purges.purge_with(unit)
            return report


def spelled_as_defined(found: Mapping[str, Table], registry: Registry, source: BasicDialect) -> Mapping[str, Table]:
    """Return the tables by the names of the definitions, where the database ignores the case of names."""
    if not source.table_names_ignore_case:
        return found
    names = {table.name.lower(): table.name for table in physical_tables(wanted_tables(registry), source)}
    spelled = (replace(table, name=names.get(name.lower(), name)) for name, table in found.items())
    return {table.name: table for table in spelled}


async def _follow_options(
    snapshot: RowReader,
    source: BasicDialect,
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
        for table in (*tables, *plan.outdated):
            await target.execute(f"DELETE FROM {dialect.quote(table)}")
        if plan.revokes:
            await target.execute(f"UPDATE {user_token_versions.TABLE.name} SET version = version + 1")
        return
    counts = {table: await target.fetch_value(f"SELECT count(*) FROM {dialect.quote(table)}") for table in tables}
    filled = [f"{table}: {counted(count, 'row')}" for table, count in sorted(counts.items()) if count]
    if filled:
        raise TransferError(listed("The target is not empty; --force replaces its data", filled))


class _Copying:
    """A running copy."""

    def __init__(
        self,
        snapshot: RowReader,
        source: CopySource,
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
            self._find_unsuitable(each, rows)
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

    def _find_unsuitable(self, each: TableCopy, rows: Sequence[PlainRow]) -> None:
        """Find the values that the target cannot store."""
        limits, rounded, largest = self._target.column_limits, self._options.rounded, self._target.largest_statement
        columns = [(at, kind, name in each.unsigned) for at, (name, kind) in enumerate(each.source.columns.items())]
        for row in rows:
            for at, kind, unsigned in columns:
                value = row[at]
                problem = obstacle(kind, value, limits, rounded=rounded)
                if problem is None and unsigned and value is not None and value < 0:
                    problem = "is negative"
                if problem is not None:
                    self._refuse(each.source, row, at, problem)
            if largest is not None and (size := row_bytes(row)) > largest - _STATEMENT_BYTES:
                problem = f"the row has {size} bytes, too many for the server's max_allowed_packet ({largest})"
                self._refuse(each.source, row, _longest(row), problem)

    def _refuse(self, table: RowTable, row: PlainRow, at: int, problem: str) -> None:
        """Report a value and leave it empty. Raises TransferError for an id, which cannot be empty."""
        names = list(table.columns)
        told = f"{table.place(names[at], row[names.index(ID)])}: {problem}"
        if names[at] != ID:
            row[at] = None
        elif self._options.skip_invalid:
            raise TransferError(told)
        self._problems.add(told)

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
        """Copy one of Octavo's own tables. Those that can have many rows have an id."""
        if table.columns.get(ID) is ValueKind.BIG_INTEGER:
            async for batch in read_batches(self._snapshot, self._source, table):
                await insert_rows(self._connection, self._target, table, batch)
            return
        names = ", ".join(map(self._source.quote, table.columns))
        rows = await self._snapshot.fetch_all(f"SELECT {names} FROM {self._source.quote(table.name)}")
        await insert_rows(self._connection, self._target, table, [list(row) for row in rows])

    async def _check(self, plan: CopyPlan, rows: Mapping[str, int]) -> None:
        """Compare the number of rows in the target."""
        for each in plan.tables:
            count = await self._connection.fetch_value(f"SELECT count(*) FROM {self._target.quote(each.target.name)}")
            if count != rows[each.source.name]:
                raise TransferError(f"{each.target.name}: copied {counted(count, 'row')} of {rows[each.source.name]}")


def _longest(row: PlainRow) -> int:
    """Return the position of the longest text."""
    return max(range(len(row)), key=lambda at: len(row[at]) if isinstance(row[at], str) else 0)


def _without(row: PlainRow, names: Sequence[str], later: Sequence[str]) -> PlainRow:
    return [None if name in later else value for name, value in zip(names, row, strict=True)]


def _only(each: TableCopy, names: Sequence[str]) -> dict[str, str]:
    return {name: text for name, text in each.emptied.items() if name in names}
