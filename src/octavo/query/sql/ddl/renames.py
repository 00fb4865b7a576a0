"""Renames of tables, columns, indexes and foreign keys that follow from renamed definitions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from octavo.core.values import dataclass
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column, ForeignKey, Table

Kind = Literal["table", "column", "index", "foreign_key"]


@dataclass(frozen=True, slots=True)
class Rename:
    """A rename. `table` is the name of its table at that time."""

    kind: Kind
    table: str
    old: str
    new: str


def renames(before: Sequence[Table], after: Sequence[Table]) -> Iterator[Rename]:
    """Yield the renames from the tables `before` to the tables `after`, in order.

    Both come from definitions that differ in names only, so they have the same parts in the same order. Raises
    ValueError if they do not.
    """
    for old, new in zip(before, after, strict=True):
        if old.name != new.name:
            yield Rename("table", new.name, old.name, new.name)
        yield from _parts("column", new.name, old.columns, new.columns)
        yield from _parts("index", new.name, _kept(old), _kept(new))
        yield from _parts("foreign_key", new.name, old.foreign_keys, new.foreign_keys)


def renamed(found: Mapping[str, Table], steps: Iterable[Rename]) -> dict[str, Table]:
    """Return tables as they are after renames. An existing column with the new name is replaced."""
    tables = dict(found)
    for step in steps:
        if step.kind == "table" and step.old in tables:
            tables[step.new] = replace(tables.pop(step.old), name=step.new)
        elif step.table in tables:
            tables[step.table] = _renamed_in(tables[step.table], step)
    return tables


def _renamed_in(table: Table, step: Rename) -> Table:
    def name(found: str) -> str:
        return step.new if found == step.old else found

    match step.kind:
        case "column" if any(column.name == step.old for column in table.columns):
            columns = (replace(one, name=name(one.name)) for one in table.columns if one.name != step.new)
            indexes = (replace(one, columns=tuple(map(name, one.columns))) for one in table.indexes)
            keys = (replace(one, column=name(one.column)) for one in table.foreign_keys)
            return replace(table, columns=tuple(columns), indexes=tuple(indexes), foreign_keys=tuple(keys))
        case "index":
            return replace(table, indexes=tuple(replace(one, name=name(one.name)) for one in table.indexes))
        case "foreign_key":
            return replace(table, foreign_keys=tuple(replace(one, name=name(one.name)) for one in table.foreign_keys))
    return table


def _kept(table: Table) -> tuple[Index, ...]:
    """Return a table's indexes except the declared ones, which are recreated."""
    return tuple(index for index in table.indexes if not index.declared)


def _parts(
    kind: Kind, table: str, before: Sequence[Column | Index | ForeignKey], after: Sequence[Column | Index | ForeignKey]
) -> Iterator[Rename]:
    for old, new in zip(before, after, strict=True):
        if old.name != new.name:
            yield Rename(kind, table, old.name, new.name)
