"""Synchronize a database with the definitions: create what is missing, and report changes that would lose data."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, LockTimeout, Row, RowReader, Transaction
from octavo.database.option_changes import OptionChanges, fill_entries, find_option_changes, hide_entries
from octavo.database.table_lock_retries import retry_locked
from octavo.database.trigger_removal import release_tables
from octavo.query.sql.ddl.changes import (
    ID,
    AddColumn,
    AddForeignKey,
    Change,
    ChangeType,
    CreateIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropTable,
    WidenColumn,
    difference,
    in_sequence,
)
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.physical import physical_name, physical_tables
from octavo.query.sql.ddl.renames import Rename, renamed
from octavo.query.sql.ddl.substring_indexes import parts_tables
from octavo.query.sql.ddl.tables import INTERNAL_TABLES, Column, ForeignKey, SystemTable, Table, wanted_tables
from octavo.query.sql.dialects.base import BasicDialect, Dialect
from octavo.query.sql.physical_names import column_name, link_table, table_name
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.served_rows import HIDDEN_ENTRIES
from octavo.query.sql.statement import Statement
from octavo.schema.attributes import LOCALIZATIONS, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry


async def found_tables(connection: RowReader, dialect: BasicDialect) -> dict[str, Table]:
    """Return all tables of the database, or of its current schema, by name."""
    statements = dialect.introspection
    indexes = _by_table(await connection.fetch_all(statements.indexes))
    keys = _by_table(await connection.fetch_all(statements.foreign_keys))
    columns = _by_table(await connection.fetch_all(statements.columns))
    return {
        name: Table(
            name=name,
            columns=tuple(Column(row[1], row[2], bool(row[3]), row[4]) for row in rows),
            indexes=tuple(_indexes(indexes.get(name, ()))),
            foreign_keys=tuple(
                ForeignKey(name=row[1], column=row[2], target=row[3], on_delete=row[4]) for row in keys.get(name, ())
            ),
        )
        for name, rows in columns.items()
    }


def _by_table(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    return {name: list(group) for name, group in groupby(rows, key=lambda row: row[0])}


def _indexes(rows: Iterable[Row]) -> Iterable[Index]:
    for _, group in groupby(rows, key=lambda row: row[1]):
        [first, *others] = group
        columns = tuple(row[4] or "" for row in (first, *others))
        yield Index(name=first[1], columns=columns, unique=bool(first[2]), where=first[3])


async def continue_ids(database: Database, registry: Registry) -> tuple[str, ...]:
    """Advance every id sequence that is behind its table; return these tables. Takes one statement."""
    tables = [table.name for table in wanted_tables(registry) if any(column.name == "id" for column in table.columns)]
    statement = database.dialect.continue_ids(tables)
    if statement is None:
        return ()
    async with database.transaction() as transaction:
        return tuple(row[0] for row in await transaction.fetch_all(statement))


async def describe_shared(
    connection: Connection, dialect: Dialect, registry: Registry, shared: Iterable[tuple[ContentType, Scalar]]
) -> list[str]:
    """Return a line for each attribute that has different values in translations."""
    descriptions = []
    for content_type, attribute in shared:
        count = int(await connection.fetch_value(_differing(dialect, registry, content_type, attribute), long=True))
        if count:
            descriptions.append(
                f"{content_type.uid}.{attribute.name} is shared across locales now, and its values differ in "
                f"{counted(count, 'entry', 'entries')}: the next save of a translation replaces them, unless the "
                "attribute is localized again"
            )
    return descriptions


def _differing(dialect: Dialect, registry: Registry, content_type: ContentType, attribute: Scalar) -> str:
    """Return the statement that counts entries whose value differs from one of their translations."""
    link, quote = link_table(registry, content_type, content_type.relation(LOCALIZATIONS)), dialect.quote
    table, column = quote(table_name(content_type)), quote(column_name(attribute))
    ours, theirs = (dialect.as_text(f"{alias}.{column}") for alias in ("a", "b"))
    return (
        f"SELECT count(DISTINCT a.id) FROM {quote(link.name)} l JOIN {table} a ON a.id = l.{quote(link.source_column)} "
        f"JOIN {table} b ON b.id = l.{quote(link.target_column)} WHERE coalesce({ours}, '') <> coalesce({theirs}, '')"
    )


_INTERNAL_NAMES = frozenset(table.name for table in INTERNAL_TABLES)
STATE_TABLE = "octavo_state"
_MANAGED_KEY = "tables"
_V4_STATE_TABLE = "strapi_database_schema"
_SHOWN_DUPLICATES = 5
_OLD_OPTIONS = (
    "Other nodes serve newer definitions in which content types have other options (drafts, locales), so entries do "
    "not follow those of this node; if the older definitions are to stay, run octavo db upgrade with them and restart"
)
_NO_UNIQUE_PREFIX = (
    "The unique index {name} on {table} ({columns}) is not created, because the database's indexes contain only the "
    "beginning of long texts; set `unique` on the attribute to check values when entries are saved"
)
_IN_TRIGGERS_WAY = (ChangeType, DropColumn, WidenColumn)
_SAVE_MANAGED = RawStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")
_FIND_MANAGED = RawStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_FIND_V4_SCHEMA = RawStatement("SELECT {schema:name} FROM strapi_database_schema ORDER BY id DESC LIMIT 1")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes between a database and the definitions, in order. `str()` of each is a one-line description."""

    ordered: tuple[Change, ...]
    aside: tuple[CreateIndex, ...] = ()
    """Declared indexes to build while their tables are in use (`declared_indexes`)."""

    @property
    def every(self) -> tuple[Change, ...]:
        """All changes."""
        return (*self.ordered, *self.aside)

    @property
    def without_drops(self) -> "Changes":
        """The changes that leave all existing indexes."""
        dropped = {change.index.name for change in self.ordered if isinstance(change, DropIndex)}
        kept = (
            change
            for change in self.ordered
            if not (isinstance(change, DropIndex | CreateIndex) and change.index.name in dropped)
        )
        return Changes(tuple(kept), self.aside)

    @property
    def additive(self) -> tuple[Change, ...]:
        """The changes that are made automatically."""
        return tuple(change for change in self.ordered if not change.loses_data)

    @property
    def losing(self) -> tuple[Change, ...]:
        """The changes that are made only on request."""
        return tuple(change for change in self.ordered if change.loses_data)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The result of a synchronization: changes made, changes left because they lose data, and those that data
    prevents."""

    applied: tuple[Change, ...] = ()
    left: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()
    options: OptionChanges | None = None
    """Changes of options that were applied to entries."""

    @property
    def type_changes(self) -> tuple[ChangeType, ...]:
        """Columns of attributes that were left with another type."""
        return tuple(
            change for change in self.left if isinstance(change, ChangeType) and change.table not in _INTERNAL_NAMES
        )


@dataclass(frozen=True, slots=True)
class Unwanted:
    """A column without an attribute, or with None a whole table, named as in definitions."""

    table: str
    column: str | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """A comparison: required tables, existing tables, tables created for definitions so far, and the changes."""

    wanted: tuple[Table, ...]
    found: Mapping[str, Table]
    managed: frozenset[str]
    changes: Changes


async def plan_changes(database: Database, registry: Registry, renames: Sequence[Rename] = ()) -> Changes:
    """Return what `synchronize` would do, including what needs permission, after the given renames."""
    return (await _compare(database, database.dialect, registry, renames)).changes


@dataclass(frozen=True, slots=True)
class Preview:
    """What `synchronize` would do, apart from options: `report`, and descriptions of changes to system tables."""

    report: SyncReport
    missing: tuple[str, ...]


async def preview_changes(database: Database, registry: Registry, own: Sequence[SystemTable] = ()) -> Preview:
    """Return what `synchronize` would do to the tables. `applied` of the report are the changes it would make."""
    state = await _compare(database, database.dialect, registry)
    own = _own_tables(own, registry, database.dialect)
    applied, warnings = await _possible(database, database.dialect, state.changes.additive, state.found)
    return Preview(
        SyncReport(tuple(applied), state.changes.losing, tuple(warnings)), tuple(_missing(own, state, database.dialect))
    )


async def synchronize(
    database: Database,
    registry: Registry,
    own: Sequence[SystemTable] = (),
    *,
    allow_data_loss: bool = False,
    default_locale: str = "en",
    insists: bool = False,
    hides_future: bool | None = None,
) -> SyncReport:
    """Synchronize the database with the definitions in one transaction; only one process at a time does this.

    Changes that lose data are only made if allowed; see `SyncReport.type_changes`. `own` are system tables to create;
    the report does not include them. Entries follow the options of their types, see `option_changes`; `default_locale`
    is for databases that have none; with `insists` also while nodes serve newer options; `hides_future` as for
    `find_option_changes`. Raises TablesLocked if others hold locks for too long.
    """
    state = await _compare(database, database.dialect, registry)
    changes = state.changes
    own = _own_tables(own, registry, database.dialect)
    find = partial(find_option_changes, registry=registry, insists=insists, hides_future=hides_future)
    options = await find(database, database.dialect, found=state.found)
    if options.keeps_indexes:
        changes = changes.without_drops
    if not (
        changes.additive
        or _missing(own, state, database.dialect)
        or options.any
        or (allow_data_loss and changes.losing)
    ):
        return SyncReport(left=changes.losing, warnings=_old_options(options))

    applied, attempted = list[Change](), list[OptionChanges]()

    async def change() -> SyncReport:
        if database.dialect.copies is None:  # the last attempt was rolled back
            applied.clear()
            attempted.clear()
        async with database.transaction(exclusive=True) as transaction:
            dialect = database.dialect
            state = await _compare(transaction, dialect, registry)
            options = await find(transaction, dialect, found=state.found)
            if options.keeps_indexes:
                state = replace(state, changes=state.changes.without_drops)
            if HIDDEN_ENTRIES.name not in state.found:
                await transaction.execute_script(HIDDEN_ENTRIES.script(dialect))
            await hide_entries(transaction, dialect, options, default_locale)
            attempted.append(options)
            options = _first(attempted)
            report = await _apply(transaction, state, dialect, allow_data_loss, applied)
            if missing := _missing(own, state, dialect):
                await transaction.execute_script(";\n".join(missing.values()))
            if options.any:
                await fill_entries(transaction, dialect, options, default_locale)
            shared = await describe_shared(transaction, dialect, registry, options.shared)
            warnings = (*report.warnings, *_old_options(options), *shared)
            return replace(report, warnings=warnings, options=options if options.any else None)

    return await retry_locked(database, change)


def _first(attempted: Sequence[OptionChanges]) -> OptionChanges:
    """Return the option changes as the first attempt saw them: columns that it has added do not show that entries
    follow the options. If another process has stored options since then, return the latest ones."""
    first, latest = attempted[0], attempted[-1]
    return first if first.record.stored == latest.record.stored else latest


def _old_options(options: OptionChanges) -> tuple[str, ...]:
    return (*((_OLD_OPTIONS,) if options.are_old else ()), *map(str, options.left))


async def drop_unwanted(
    database: Database, registry: Registry, unwanted: Collection[Unwanted], statements: Sequence[Statement] = ()
) -> None:
    """Drop columns and tables that the definitions do not require, and run further statements, in one transaction.
    Other columns and tables are never dropped. Raises TablesLocked."""
    places = {(_physical(one.table, database), one.column and _physical(one.column, database)) for one in unwanted}

    async def drop() -> None:
        async with database.transaction(exclusive=True) as transaction:
            for statement in statements:
                await transaction.execute(*statement)
            losing = (await _compare(transaction, database.dialect, registry)).changes.losing
            for change in in_sequence(each for each in losing if _place(each) in places):
                await _change_tables(transaction, (change.table,), (change,), database.dialect)

    await retry_locked(database, drop)


def _place(change: Change) -> tuple[str, str | None] | None:
    """Return the table and the column that a change drops."""
    match change:
        case DropColumn(table, column):
            return table, column.name
        case DropTable(table):
            return table, None
    return None


def _physical(name: str, database: Database) -> str:
    return physical_name(name, database.dialect)


async def undo_additions(database: Database, changes: Iterable[Change]) -> None:
    """Revert what a synchronization has added for definitions that are not served after all. The additions are empty.

    Raises TablesLocked if others hold locks for too long.
    """
    undone = [*_undone(tuple(changes))]

    async def undo() -> None:
        async with database.transaction(exclusive=True) as transaction:
            await release_tables(transaction, database.dialect)
            statements = [text for change in undone for text in change.statements(database.dialect)]
            await transaction.execute_script(";\n".join(statements))

    if undone:
        await retry_locked(database, undo)


def _undone(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes that revert additions, the last one first. A dropped table includes its columns and indexes."""
    new = {change.table for change in changes if isinstance(change, CreateTable)}
    for change in reversed(changes):
        match change:
            case CreateTable():
                yield DropTable(change.table)
            case AddColumn(column=column) if change.table not in new:
                yield DropColumn(change.table, column)
            case CreateIndex(index=index) if change.table not in new:
                yield DropIndex(change.table, index)


def _own_tables(own: Sequence[SystemTable], registry: Registry, dialect: Dialect) -> tuple[SystemTable, ...]:
    totals = () if dialect.totals is None else dialect.totals.tables
    return (*own, HIDDEN_ENTRIES, *totals, *parts_tables(registry, dialect))


def _missing(own: Sequence[SystemTable], state: _State, dialect: Dialect) -> dict[str, str]:
    """Return the scripts that complete the system tables, by their descriptions."""
    scripts: dict[str, str] = {}
    for table in own:
        found = state.found.get(table.name)
        columns = None if found is None else {column.name for column in found.columns}
        scripts.update(table.changes(columns, dialect))
    return scripts


async def _compare(
    connection: Connection, dialect: Dialect, registry: Registry, renames: Sequence[Rename] = ()
) -> _State:
    wanted = physical_tables(wanted_tables(registry), dialect)
    tables = renamed(await found_tables(connection, dialect), renames)
    managed = await _managed_tables(connection, dialect, tables)
    ordered = difference(wanted, tables, dialect, managed)
    aside = tuple(each for each in ordered if dialect.aside and isinstance(each, CreateIndex) and each.index.declared)
    changes = Changes(tuple(each for each in ordered if each not in aside), aside)
    return _State(wanted, tables, managed, changes)


async def _apply(
    connection: Transaction, state: _State, dialect: Dialect, allow_data_loss: bool, applied: list[Change]
) -> SyncReport:
    """Make the changes, and add them to `applied`, which has those that earlier attempts have committed."""
    planned = state.changes.ordered if allow_data_loss else state.changes.additive
    possible, warnings = await _possible(connection, dialect, planned, state.found)
    for touched, group in groupby(in_sequence(possible), lambda change: _touched(change, state.found)):
        changes = tuple(group)
        for part in (changes,) if dialect.copies is None else zip(changes, strict=True):
            await _change_tables(connection, touched, part, dialect)
            applied.extend(part)
    await _save_managed(connection, state, dialect, allow_data_loss)
    return SyncReport(tuple(applied), () if allow_data_loss else state.changes.losing, tuple(warnings))


async def _possible(
    connection: Connection, dialect: Dialect, changes: Iterable[Change], found: Mapping[str, Table]
) -> tuple[list[Change], list[str]]:
    """Return the changes that the stored data allows, and why it prevents the others."""
    possible, warnings = list[Change](), list[str]()
    for change in changes:
        obstacle = await _obstacle(connection, dialect, change, found)
        if obstacle is None:
            possible.append(change)
        else:
            warnings.append(obstacle)
    return possible, warnings


def _touched(change: Change, found: Mapping[str, Table]) -> tuple[str, ...]:
    """Return the existing tables that a change locks."""
    names = (change.table, change.key.target) if isinstance(change, AddForeignKey) else (change.table,)
    return tuple(name for name in names if name in found)


async def _change_tables(
    connection: Transaction, tables: tuple[str, ...], changes: Iterable[Change], dialect: Dialect
) -> None:
    """Make changes that lock the same tables. Raises LockTimeout, which names them."""
    changes = tuple(changes)
    if any(isinstance(change, _IN_TRIGGERS_WAY) for change in changes):
        await release_tables(connection, dialect)
    statements = [text for change in changes for text in change.statements(dialect)]
    try:
        if statements:
            await connection.execute_script(";\n".join(statements))
    except LockTimeout as error:
        error.tables = tables
        raise


async def _managed_tables(connection: Connection, dialect: Dialect, found: Mapping[str, Table]) -> frozenset[str]:
    """Return the tables that Octavo or Strapi v4 created for definitions. No other table is ever dropped."""
    names: set[str] = set()
    if STATE_TABLE in found:
        text = await connection.fetch_value(*_FIND_MANAGED.bind(dialect, key=_MANAGED_KEY))
        names.update(json.loads(text or "[]"))
    if _V4_STATE_TABLE in found:
        text = await connection.fetch_value(*_FIND_V4_SCHEMA.bind(dialect))
        names.update(table["name"] for table in json.loads(text or "{}").get("tables", ()))
    return frozenset(names)


async def _save_managed(connection: Transaction, state: _State, dialect: Dialect, dropped: bool) -> None:
    wanted = {table.name for table in state.wanted}
    kept = set() if dropped else state.managed & state.found.keys()
    names = json.dumps(sorted(wanted | kept))
    await connection.execute(*_SAVE_MANAGED.bind(dialect, key=_MANAGED_KEY, value=names))


async def _obstacle(connection: Connection, dialect: Dialect, change: Change, found: Mapping[str, Table]) -> str | None:
    """Return why the stored data prevents a change, or None."""
    if isinstance(change, CreateIndex):
        name = change.index.name
        if change.index.is_part_unique:
            return _NO_UNIQUE_PREFIX.format(name=name, table=change.table, columns=", ".join(change.index.columns))
        owner = next((one.name for one in found.values() if any(name == each.name for each in one.indexes)), None)
        if owner is not None and owner != change.table:
            return f"The index {name} of {change.table} is not created, because {owner} has an index of that name"
    table = found.get(change.table)
    if table is None:
        return None
    columns = {column.name for column in table.columns}
    match change:
        case CreateIndex(index=index) if index.unique and columns.issuperset(index.columns):
            text = duplicates_text(dialect, change.table, index.columns, has_ids=ID in columns)
            doubles = _shown(await connection.fetch_all(text))
            if doubles:
                return f"{change.table} ({', '.join(index.columns)}) should be unique, but has duplicates: {doubles}"
        case AddForeignKey(key=key) if key.column in columns and key.target in found:
            orphans = await connection.fetch_value(orphans_text(dialect, change.table, key))
            if orphans:
                have = "has" if orphans == 1 else "have"
                return f"{counted(orphans, 'row')} of {change.table} {have} a {key.column} that is not in {key.target}"
    return None


def _shown(rows: Sequence[Row]) -> str:
    shown = [", ".join(repr(value) for value in row) for row in rows]
    return "; ".join(shown[:_SHOWN_DUPLICATES] + ["..."] * (len(shown) > _SHOWN_DUPLICATES))


def duplicates_text(dialect: Dialect, table: str, columns: tuple[str, ...], *, has_ids: bool = True) -> str:
    """Return the statement that finds duplicate values in columns that should be unique, in the order of ids."""
    names = [dialect.quote(column) for column in columns]
    filled = " AND ".join(f"{name} IS NOT NULL" for name in names)
    first = "min(id)" if has_ids else ", ".join(names)
    return (
        f"SELECT {', '.join(map(dialect.as_text, names))} FROM {dialect.quote(table)} WHERE {filled} "
        f"GROUP BY {', '.join(names)} HAVING count(*) > 1 ORDER BY {first} LIMIT {_SHOWN_DUPLICATES + 1}"
    )


def orphans_text(dialect: Dialect, table: str, key: ForeignKey) -> str:
    """Return the statement that counts rows whose foreign key has no target."""
    name = dialect.quote(key.column)
    return (
        f"SELECT count(*) FROM {dialect.quote(table)} s WHERE s.{name} IS NOT NULL "
        f"AND NOT EXISTS (SELECT 1 FROM {dialect.quote(key.target)} t WHERE t.id = s.{name})"
    )


async def find_unserved_content(connection: Connection, dialect: Dialect, losing: Iterable[Change]) -> tuple[str, ...]:
    """Return a line for each column or table with content among changes that lose data."""
    lines = []
    for change in losing:
        table = dialect.quote(change.table)
        if isinstance(change, DropColumn):
            place = f"{change.table}.{change.column.name}"
            text = f"SELECT count(*) FROM {table} WHERE {dialect.quote(change.column.name)} IS NOT NULL"
        elif isinstance(change, DropTable):
            place, text = change.table, f"SELECT count(*) FROM {table}"
        else:
            continue
        count = int(await connection.fetch_value(text, long=True))
        if count:
            values = counted(count, "value" if isinstance(change, DropColumn) else "row")
            lines.append(f"{place}: {values} will not be served, because the definitions do not have it")
    return tuple(lines)
