"""Compare required and existing tables; return the differences as changes with the statements that apply them.

Changes are additive or destructive; destructive ones are only applied on request. The service works without them,
except for columns whose type contradicts the definition.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from octavo.core.values import dataclass
from octavo.query.sql.ddl.indexes import OWN_PREFIX, Index
from octavo.query.sql.ddl.tables import Column, ForeignKey, Table
from octavo.query.sql.dialects.base import Dialect, Statements

ID = "id"
_LONG = "text"  # on every database: text of unlimited length


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between required and existing tables, with its table. `str()` is a one-line description."""

    table: str

    loses_data = False

    def statements(self, dialect: Dialect) -> Statements:
        """Return the statements that apply the change."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class CreateTable(Change):
    """A missing table, with its columns. Its indexes and foreign keys are added by separate changes."""

    columns: tuple[Column, ...]
    inline_keys: tuple[ForeignKey, ...]

    def __str__(self) -> str:
        return f"create table {self.table}"

    def statements(self, dialect: Dialect) -> Statements:
        parts = [f"{dialect.quote(self.columns[0].name)} {dialect.id_column}"]
        parts += [_column_text(column, dialect) for column in self.columns[1:]]
        parts += [_key_text(key, dialect) for key in self.inline_keys]
        return (f"CREATE TABLE {dialect.quote(self.table)} ({', '.join(parts)})",)


@dataclass(frozen=True, slots=True)
class AddColumn(Change):
    """A missing column. `key` is its foreign key if the database requires both in one statement."""

    column: Column
    key: ForeignKey | None

    def __str__(self) -> str:
        return f"add column {self.table}.{self.column.name} ({self.column.type})"

    def statements(self, dialect: Dialect) -> Statements:
        text = f"ALTER TABLE {dialect.quote(self.table)} ADD COLUMN {_column_text(self.column, dialect, new=True)}"
        return (text if self.key is None else f"{text} {_reference(self.key, dialect)}",)


@dataclass(frozen=True, slots=True)
class AddIds(Change):
    """Add ids to the rows of a table without them: link tables of v4 before 4.3."""

    column: Column
    found: Table

    def __str__(self) -> str:
        return f"add ids to {self.table}"

    def statements(self, dialect: Dialect) -> Statements:
        if not dialect.inline_keys:
            table, name = dialect.quote(self.table), dialect.quote(self.column.name)
            return (f"ALTER TABLE {table} ADD COLUMN {name} {dialect.id_column}",)
        return self._in_a_new_table(dialect)

    def _in_a_new_table(self, dialect: Dialect) -> Statements:
        """Copy the rows, in insertion order, to a new table, for databases that cannot add a primary key."""
        columns = tuple(replace(column, default=None, nullable=True) for column in self.found.columns)
        keys = {key.column: key for key in self.found.foreign_keys}
        aside = CreateTable(f"octavo_new_{self.table}", (self.column, *columns), tuple(keys.values()))
        table, new = dialect.quote(self.table), dialect.quote(aside.table)
        names = ", ".join(dialect.quote(column.name) for column in columns)
        return (
            *aside.statements(dialect),
            f"INSERT INTO {new} ({names}) SELECT {names} FROM {table} ORDER BY rowid",
            f"DROP TABLE {table}",
            f"ALTER TABLE {new} RENAME TO {table}",
            *chain.from_iterable(CreateIndex(self.table, index).statements(dialect) for index in self.found.indexes),
        )


@dataclass(frozen=True, slots=True)
class CreateIndex(Change):
    """A missing index."""

    index: Index

    def __str__(self) -> str:
        unique = "unique " if self.index.unique else ""
        return f"create {unique}index {self.index.name} on {self.table} ({', '.join(self.index.columns)})"

    def statements(self, dialect: Dialect) -> Statements:
        index, table = self.index, dialect.quote(self.table)
        if index.unique and dialect.unique_constraints and index.where is None:
            columns = ", ".join(map(dialect.quote, index.columns))
            return (f"ALTER TABLE {table} ADD CONSTRAINT {dialect.quote(index.name)} UNIQUE ({columns})",)
        unique = "UNIQUE " if index.unique else ""
        where = f" WHERE {index.where}" if index.where else ""
        terms = dialect.index_terms(index)
        return (f"CREATE {unique}INDEX {dialect.quote(index.name)} ON {table} ({terms}){where}",)


@dataclass(frozen=True, slots=True)
class AddForeignKey(Change):
    """A missing foreign key, on a database that can add one to an existing table.

    `replaces`: a key with this name exists for another column or table, because a relation's target was changed.
    """

    key: ForeignKey
    replaces: bool = False

    def __str__(self) -> str:
        return f"add foreign key {self.table}.{self.key.column} to {self.key.target}"

    def statements(self, dialect: Dialect) -> Statements:
        table = dialect.quote(self.table)
        dropped = (dialect.drop_foreign_key(self.table, self.key.name),) if self.replaces else ()
        return (*dropped, f"ALTER TABLE {table} ADD {_key_text(self.key, dialect)}")


@dataclass(frozen=True, slots=True)
class DropIndex(Change):
    """An obsolete index: one that Octavo created, or one that enforces uniqueness that is no longer required."""

    index: Index

    def __str__(self) -> str:
        return f"drop index {self.index.name} on {self.table}"

    def statements(self, dialect: Dialect) -> Statements:
        return dialect.drop_index(self.table, self.index)


@dataclass(frozen=True, slots=True)
class WidenColumn(Change):
    """A column whose type is widened without changing any value. Its `indexes` are recreated, the `obsolete` ones are
    not."""

    found: Column
    wanted: Column
    indexes: tuple[Index, ...] = ()
    obsolete: tuple[Index, ...] = ()

    def __str__(self) -> str:
        return f"widen column {self.table}.{self.wanted.name} from {self.found.type} to {self.wanted.type}"

    def statements(self, dialect: Dialect) -> Statements:
        return _retyped(self.table, self.wanted, True, self.indexes, self.obsolete, dialect)


@dataclass(frozen=True, slots=True)
class ChangeType(Change):
    """A column of the wrong type. Values that do not fit the new type are lost.

    Its `indexes` are recreated, the `obsolete` ones are not. `contradicts`: reading or writing the attribute fails
    until the type is changed.
    """

    found: Column
    wanted: Column
    indexes: tuple[Index, ...] = ()
    contradicts: bool = False
    obsolete: tuple[Index, ...] = ()

    loses_data = True

    def __str__(self) -> str:
        return f"change column {self.table}.{self.wanted.name} from {self.found.type} to {self.wanted.type}"

    def drop_indexes(self, dialect: Dialect) -> Statements:
        """Return the statements that drop all indexes of the column."""
        return _dropped(self.table, (*self.indexes, *self.obsolete), dialect)

    def statements(self, dialect: Dialect) -> Statements:
        return _retyped(self.table, self.wanted, False, self.indexes, self.obsolete, dialect)


@dataclass(frozen=True, slots=True)
class DropColumn(Change):
    """A column without an attribute, with its indexes and foreign keys."""

    column: Column
    indexes: tuple[Index, ...] = ()
    keys: tuple[ForeignKey, ...] = ()

    loses_data = True

    def __str__(self) -> str:
        return f"drop column {self.table}.{self.column.name} ({self.column.type})"

    def statements(self, dialect: Dialect) -> Statements:
        keys = self.keys if dialect.keys_hold_columns else ()
        released = (dialect.drop_foreign_key(self.table, key.name) for key in keys)
        dropped = _dropped(self.table, self.indexes, dialect)
        return (
            *released,
            *dropped,
            f"ALTER TABLE {dialect.quote(self.table)} DROP COLUMN {dialect.quote(self.column.name)}",
        )


@dataclass(frozen=True, slots=True)
class DropTable(Change):
    """A table that was created for a definition that no longer exists."""

    loses_data = True

    def __str__(self) -> str:
        return f"drop table {self.table}"

    def statements(self, dialect: Dialect) -> Statements:
        return (f"DROP TABLE {dialect.quote(self.table)}",)


def _dropped(table: str, indexes: Iterable[Index], dialect: Dialect) -> Statements:
    return tuple(chain.from_iterable(dialect.drop_index(table, index) for index in indexes))


def _retyped(
    table: str, column: Column, safe: bool, kept: Iterable[Index], obsolete: Iterable[Index], dialect: Dialect
) -> Statements:
    """Return the statements that change a column, and drop and create its indexes."""
    if dialect.copies is not None:
        return dialect.copies.change_type(table, column, safe, (*kept, *obsolete), kept)
    made = chain.from_iterable(CreateIndex(table, index).statements(dialect) for index in kept)
    return (*_dropped(table, (*kept, *obsolete), dialect), *dialect.change_type(table, column, safe), *made)


def in_sequence(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes without the indexes that earlier ones drop: several columns can have the same index."""
    gone = set[tuple[str, str]]()
    for change in changes:
        match change:
            case DropIndex(table, index):
                gone.add((table, index.name))
            case WidenColumn(table) | ChangeType(table):
                dropped = {(table, index.name) for index in change.obsolete}
                change = replace(
                    change, indexes=_left(table, change.indexes, gone), obsolete=_left(table, change.obsolete, gone)
                )
                gone |= dropped
            case DropColumn(table):
                dropped = {(table, index.name) for index in change.indexes}
                change = replace(change, indexes=_left(table, change.indexes, gone))
                gone |= dropped
        yield change


def _left(table: str, indexes: Iterable[Index], gone: Container[tuple[str, str]]) -> tuple[Index, ...]:
    return tuple(index for index in indexes if (table, index.name) not in gone)


def difference(
    wanted: Iterable[Table], found: Mapping[str, Table], dialect: Dialect, managed: Iterable[str] = ()
) -> list[Change]:
    """Return the changes from the existing tables to the required ones, in the order to apply them.

    `wanted` uses the database's own types (`Dialect.physical`). `managed` names the tables that were created for
    earlier definitions; those that exist but are no longer required are proposed for dropping.
    """
    tables = tuple(wanted)
    steps = [list(_table_changes(table, found.get(table.name), dialect)) for table in tables]
    names = {table.name for table in tables}
    gone = [DropTable(name) for name in managed if name in found and name not in names]
    every = [*chain.from_iterable(steps), *gone]
    return sorted(every, key=lambda change: _ORDER.index(type(change)))


_ORDER: list[type[Change]] = [
    DropIndex,
    DropTable,
    CreateTable,
    AddIds,
    AddColumn,
    WidenColumn,
    ChangeType,
    DropColumn,
    CreateIndex,
    AddForeignKey,
]


def summary(changes: Iterable[Change]) -> str:
    """Return a one-line summary of applied changes, for example `Tables: 2 created, 3 columns added`."""
    every = tuple(changes)
    new = {change.table for change in every if isinstance(change, CreateTable)}
    kinds = [type(change) for change in every if isinstance(change, CreateTable) or change.table not in new]
    counted = ((kinds.count(kind), one, many) for kind, (one, many) in _DONE.items())
    return f"Tables: {', '.join(f'{count} {one if count == 1 else many}' for count, one, many in counted if count)}"


_DONE: dict[type[Change], tuple[str, str]] = {
    CreateTable: ("created", "created"),
    AddIds: ("table given ids", "tables given ids"),
    AddColumn: ("column added", "columns added"),
    WidenColumn: ("column widened", "columns widened"),
    ChangeType: ("column converted", "columns converted"),
    CreateIndex: ("index added", "indexes added"),
    AddForeignKey: ("foreign key added", "foreign keys added"),
    DropColumn: ("column dropped", "columns dropped"),
    DropIndex: ("index dropped", "indexes dropped"),
    DropTable: ("dropped", "dropped"),
}


def _table_changes(wanted: Table, found: Table | None, dialect: Dialect) -> Iterator[Change]:
    if found is None:
        yield CreateTable(wanted.name, wanted.columns, wanted.foreign_keys if dialect.inline_keys else ())
        yield from (CreateIndex(wanted.name, index) for index in wanted.indexes)
        if not dialect.inline_keys:
            yield from (AddForeignKey(wanted.name, key) for key in wanted.foreign_keys)
        return
    yield from _column_changes(wanted, found, dialect)
    yield from _index_changes(wanted, found)
    if not dialect.inline_keys:
        known = {(key.column, key.target) for key in found.foreign_keys}
        names = {key.name for key in found.foreign_keys}
        yield from (
            AddForeignKey(wanted.name, key, replaces=key.name in names)
            for key in wanted.foreign_keys
            if (key.column, key.target) not in known
        )


def _column_changes(wanted: Table, found: Table, dialect: Dialect) -> Iterator[Change]:
    columns = {column.name: column for column in found.columns}
    keys = {key.column: key for key in wanted.foreign_keys} if dialect.inline_keys else {}
    # Columns are widened first, and their indexes must fit while other columns still have their former types.
    early = {column.name: column.type for column in found.columns}
    late = early | {each.name: each.type for each in wanted.columns if _is_widened(each, columns, dialect)}
    named = {index.name: index for index in wanted.indexes}  # existing indexes have no known direction
    for column in wanted.columns:
        present = columns.pop(column.name, None)
        if present is None and column.name == ID:
            yield AddIds(wanted.name, column, found)
            continue
        if present is None:
            yield AddColumn(wanted.name, column, keys.get(column.name))
            continue
        pair = (present.type, column.type)
        if present.type == column.type or pair in dialect.same_types:
            continue
        types = early if pair in dialect.widenings else late
        types[column.name] = column.type
        obsolete, there = _obsolete_indexes(wanted, found), _indexes_on(found, column.name)
        fitted = [dialect.fit_index(named.get(index.name, index), types) for index in there if index not in obsolete]
        kept = tuple(one for one in fitted if not one.is_part_unique and dialect.supports_index(one, types))
        unfit = tuple(one for one in fitted if one not in kept)
        if pair in dialect.widenings:
            yield WidenColumn(wanted.name, present, column, *((kept, unfit) if dialect.limits_index_texts else ()))
        else:
            gone = (*(index for index in there if index in obsolete), *unfit)
            if dialect.copies is not None:  # the change drops what an interrupted one has left
                columns.pop(dialect.copies.name(column.name), None)
            yield ChangeType(wanted.name, present, column, kept, dialect.contradicts(*pair), gone)
    for column in columns.values():
        held = tuple(key for key in found.foreign_keys if key.column == column.name)
        yield DropColumn(wanted.name, column, _indexes_on(found, column.name), held)


def _is_widened(wanted: Column, found: Mapping[str, Column], dialect: Dialect) -> bool:
    present = found.get(wanted.name)
    return present is not None and (present.type, wanted.type) in dialect.widenings


def _indexes_on(table: Table, column: str) -> tuple[Index, ...]:
    return tuple(index for index in table.indexes if column in index.columns)


def _index_changes(wanted: Table, found: Table) -> Iterator[Change]:
    obsolete = _obsolete_indexes(wanted, found)
    kept = {index.name for index in found.indexes if index not in obsolete}
    yield from (DropIndex(wanted.name, index) for index in obsolete)
    missing = [index for index in wanted.indexes if index.name not in kept]
    yield from (CreateIndex(wanted.name, index) for index in missing if not _is_too_long(index, wanted, found))


def _is_too_long(index: Index, wanted: Table, found: Table) -> bool:
    """Return whether an index that Octavo created covers texts longer than defined, which no index can hold."""
    if index.contains:
        return False
    short = {column.name for column in wanted.columns if column.type != _LONG}
    long = {column.name for column in found.columns if column.type == _LONG}
    return index.name.startswith(OWN_PREFIX) and not short.isdisjoint(long.intersection(index.columns))


def _obsolete_indexes(wanted: Table, found: Table) -> list[Index]:
    """Return conflicting indexes: Octavo's that differ from the required ones, and unique ones of former UIDs."""
    named = {index.name: index.introspected_columns for index in wanted.indexes}
    once_unique = {f"{found.name}_{column.name}_unique": (column.name,) for column in wanted.columns}
    return [
        index
        for index in found.indexes
        if (index.name.startswith(OWN_PREFIX) and named.get(index.name) != index.columns)
        or (index.unique and index.name not in named and once_unique.get(index.name) == index.columns)
    ]


def _column_text(column: Column, dialect: Dialect, *, new: bool = False) -> str:
    """Return a column's definition. A column added to existing rows is nullable."""
    text = f"{dialect.quote(column.name)} {column.type}"
    if column.default is not None:
        text += f" DEFAULT {dialect.default(column.default)}"
    if not column.nullable and (column.default is not None or not new):
        text += " NOT NULL"
    return text


def _key_text(key: ForeignKey, dialect: Dialect) -> str:
    return f"CONSTRAINT {dialect.quote(key.name)} FOREIGN KEY ({dialect.quote(key.column)}) {_reference(key, dialect)}"


def _reference(key: ForeignKey, dialect: Dialect) -> str:
    return f"REFERENCES {dialect.quote(key.target)} ({dialect.quote('id')}) ON DELETE {key.on_delete}"
