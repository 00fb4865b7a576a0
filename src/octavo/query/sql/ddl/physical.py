"""Convert required tables to a database's own types and names, and column types to those of definitions."""

import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final

from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import BasicDialect

_COLUMN: Final = re.compile(r"\{(\w+)\}")


def physical_tables(tables: tuple[Table, ...], dialect: BasicDialect) -> tuple[Table, ...]:
    """Return the required tables with names truncated to the database's limit and with its own types."""
    naming = _Naming(dialect.longest_name)
    taken: set[str] = {naming.shorten(table.name) for table in tables}
    return tuple(_physical_table(table, dialect, naming, taken) for table in tables)


def physical_name(name: str, dialect: BasicDialect) -> str:
    """Return the name of a table or column in the database."""
    return _Naming(dialect.longest_name).shorten(name)


class _Naming:
    """Shortens names to at most `longest` bytes."""

    def __init__(self, longest: int | None) -> None:
        self._longest = longest

    def shorten(self, name: str) -> str:
        """Return a name truncated to the maximum length."""
        if self._longest is None:
            return name
        return name.encode()[: self._longest].decode(errors="ignore")

    def free_name(self, name: str, taken: set[str]) -> str:
        """Return a truncated name; if it is taken, a hash makes it unique."""
        short = self.shorten(name)
        if short in taken and self._longest is not None:
            mark = sha256(name.encode()).hexdigest()[:8]
            short = f"{name.encode()[: self._longest - 9].decode(errors='ignore')}_{mark}"
        taken.add(short)
        return short


def _physical_table(table: Table, dialect: BasicDialect, naming: _Naming, taken: set[str]) -> Table:
    keys: set[str] = set()
    columns = tuple(
        replace(column, name=naming.shorten(column.name), type=dialect.column_types[column.type])
        for column in table.columns
    )
    types = {column.name: column.type for column in columns}
    return Table(
        name=naming.shorten(table.name),
        columns=columns,
        indexes=tuple(
            dialect.fit_index(
                replace(
                    index,
                    name=naming.free_name(index.name, taken),
                    columns=tuple(naming.shorten(column) for column in index.columns),
                    descending=frozenset(naming.shorten(column) for column in index.descending),
                    where=None
                    if index.where is None
                    else _COLUMN.sub(lambda name: dialect.quote(name[1]), index.where),
                ),
                types,
            )
            for index in table.indexes
            if (index.where is None or dialect.partial_indexes)
            and (dialect.finds_parts or not index.contains)
            and dialect.supports_index(index, types)
        ),
        foreign_keys=tuple(
            replace(
                key,
                name=naming.free_name(key.name, keys),
                column=naming.shorten(key.column),
                target=naming.shorten(key.target),
            )
            for key in table.foreign_keys
        ),
    )


# Without lengths: the names of all databases.
_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("character varying", "varchar"), "string"),
    **dict.fromkeys(("text", "longtext"), "text"),
    **dict.fromkeys(("json", "jsonb"), "json"),
    **dict.fromkeys(("numeric", "decimal"), "decimal"),
    **dict.fromkeys(("double precision", "float", "real", "double", "double unsigned"), "float"),
    **dict.fromkeys(("integer", "int", "int unsigned"), "integer"),
    **dict.fromkeys(("boolean", "tinyint"), "boolean"),
    **dict.fromkeys(("time", "time without time zone"), "time"),
    **dict.fromkeys(("datetime", "timestamp", "timestamp without time zone", "timestamp with time zone"), "datetime"),
    "bigint": "biginteger",
    "date": "date",
}


def type_word(column_type: str) -> str | None:
    """Return `string` for `varchar(255)`, or None for a type that no attribute has."""
    return _WORDS.get(re.sub(r"\([^)]*\)", "", column_type).strip().lower())
