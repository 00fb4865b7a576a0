"""The plan of a database copy: a project's tables in an order in which references are always satisfied."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from octavo.core.values import dataclass
from octavo.database.synchronize import STATE_TABLE
from octavo.operations.transfer.rows.plain_values import KIND_OF_WORD
from octavo.operations.transfer.rows.tables import RowTable
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import ForeignKey, SystemTable, Table, wanted_tables
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.maintained_counts import PREFIX
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

_CASCADE: Final = "CASCADE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopy:
    """A table to copy, in the source and in the target, with the same columns in the same order.

    `where` selects the rows to copy, with the source's names. `emptied` are columns read with an expression, because
    their references can be missing. `later` are columns filled when all rows of the table exist.
    """

    source: RowTable
    target: RowTable
    where: str = "1 = 1"
    emptied: Mapping[str, str]
    later: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The tables to copy in order, with tables and columns of the source that have no definition (`unknown`).

    `own` are Octavo's own tables, `counted` those of them with an id sequence.
    """

    tables: tuple[TableCopy, ...]
    unknown: tuple[str, ...]
    own: tuple[RowTable, ...]
    counted: tuple[str, ...]


def plan_copy(
    registry: Registry, own: Sequence[SystemTable], found: Mapping[str, Table], source: Dialect, target: Dialect
) -> CopyPlan:
    """Compare the definitions with the tables in the source."""
    wanted = wanted_tables(registry)
    named = [
        (words, here, there)
        for words, here, there in zip(
            wanted, physical_tables(wanted, source), physical_tables(wanted, target), strict=True
        )
        if here.name in found and here.name != STATE_TABLE  # which describes the database itself
    ]
    copies = {here.name: _table_copy(words, here, there, found[here.name], source) for words, here, there in named}
    own_names = {table.name for table in own}
    return CopyPlan(
        tuple(copies[name] for name in _ordered([here for _, here, _ in named])),
        tuple(_unknown(found, {here.name: here for _, here, _ in named}, own_names)),
        tuple(_own_table(found[name]) for name in sorted(table.name for table in own if table.copied) if name in found),
        tuple(table.name for table in own if table.counted and table.name in found),
    )


def _table_copy(words: Table, here: Table, there: Table, found: Table, dialect: Dialect) -> TableCopy:
    present = {column.name for column in found.columns}
    pairs = [
        (mine.name, theirs.name, KIND_OF_WORD[word.type])
        for word, mine, theirs in zip(words.columns, here.columns, there.columns, strict=True)
        if mine.name in present
    ]
    keys = [key for key in here.foreign_keys if key.column in present]
    return TableCopy(
        source=RowTable(here.name, {mine: kind for mine, _, kind in pairs}),
        target=RowTable(there.name, {theirs: kind for _, theirs, kind in pairs}),
        where=" AND ".join(["1 = 1", *_conditions(keys, dialect)]),
        emptied={key.column: _emptied(key, dialect) for key in keys if key.on_delete != _CASCADE},
        later=tuple(key.column for key in keys if key.target == here.name and key.on_delete != _CASCADE),
    )


def _conditions(keys: Iterable[ForeignKey], dialect: Dialect) -> Iterator[str]:
    """Yield conditions that exclude rows whose owner was deleted. SQLite may not have enforced foreign keys."""
    for key in keys:
        if key.on_delete == _CASCADE:
            column = dialect.quote(key.column)
            yield f"({column} IS NULL OR {column} IN (SELECT id FROM {dialect.quote(key.target)}))"


def _emptied(key: ForeignKey, dialect: Dialect) -> str:
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
        elif name not in own and name != STATE_TABLE and not name.startswith(PREFIX):
            yield name


def _own_table(found: Table) -> RowTable:
    """Describe one of Octavo's own tables, which have only text and integer columns."""
    return RowTable(
        found.name,
        {column.name: ValueKind.BIG_INTEGER if "int" in column.type else ValueKind.TEXT for column in found.columns},
    )
