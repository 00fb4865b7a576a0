"""Where the databases differ in defining tables: names, column types, defaults, and the few statements that are not the
same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from octavo.sql.dialect import literal
from octavo.sql.tables import Column, ForeignKey, Index, Table

Statements = tuple[str, ...]


def quoted(name: str) -> str:
    """A name as an identifier."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class DdlDialect:
    """One database's way of defining tables.

    `types` maps the words of `tables.Column.type`; `same_types` and `widenings` are pairs of the database's own types,
    from what is found to what is wanted: nothing to do, and safe to do. `longest_name` is in bytes.
    """

    name: str
    types: Mapping[str, str]
    id_column: str
    booleans: tuple[str, str]
    longest_name: int | None
    inline_keys: bool
    unique_constraints: bool
    same_types: frozenset[tuple[str, str]]
    widenings: frozenset[tuple[str, str]]
    change_type: Callable[[str, Column, Column, bool], Statements]
    drop_index: Callable[[str, Index], Statements]

    def literal(self, value: Any) -> str:
        """A default value; `booleans` are the words for false and true."""
        if isinstance(value, bool):
            return self.booleans[value]
        return str(value) if isinstance(value, int | float) else literal(str(value))

    def shortened(self, name: str) -> str:
        """A name as the database keeps it: cut at the longest length it knows."""
        if self.longest_name is None:
            return name
        return name.encode()[: self.longest_name].decode(errors="ignore")

    def physical(self, tables: tuple[Table, ...]) -> tuple[Table, ...]:
        """The wanted tables in the database's own types and names."""
        taken: set[str] = {self.shortened(table.name) for table in tables}
        return tuple(self._physical_table(table, taken) for table in tables)

    def _physical_table(self, table: Table, taken: set[str]) -> Table:
        keys: set[str] = set()
        return Table(
            name=self.shortened(table.name),
            columns=tuple(
                replace(column, name=self.shortened(column.name), type=self.types[column.type])
                for column in table.columns
            ),
            indexes=tuple(
                replace(
                    index,
                    name=self._free_name(index.name, taken),
                    columns=tuple(self.shortened(column) for column in index.columns),
                )
                for index in table.indexes
            ),
            foreign_keys=tuple(
                ForeignKey(
                    name=self._free_name(key.name, keys),
                    column=self.shortened(key.column),
                    target=self.shortened(key.target),
                    on_delete=key.on_delete,
                )
                for key in table.foreign_keys
            ),
        )

    def _free_name(self, name: str, taken: set[str]) -> str:
        """A name cut to length. Where the cut makes it the name of something else, a hash keeps the two apart."""
        short = self.shortened(name)
        if short in taken and self.longest_name is not None:
            mark = sha256(name.encode()).hexdigest()[:8]
            short = f"{name.encode()[: self.longest_name - 9].decode(errors='ignore')}_{mark}"
        taken.add(short)
        return short
