"""Defining tables on SQLite. A table is never made anew: a column changes its type by way of a new column."""

from octavo.sql.ddl_dialect import DdlDialect, Statements, quoted
from octavo.sql.tables import Column, Index

_TYPES = {
    "increments": "integer",
    "string": "varchar(255)",
    "text": "text",
    "integer": "integer",
    "bigint": "bigint",
    "double": "float",
    "decimal": "float",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "datetime": "datetime",
    "json": "json",
    "plain datetime": "datetime",
    "plain json": "json",
}
_TEXTS = ("varchar(255)", "text")
_NUMBERS = ("integer", "bigint", "float")


def _change_type(table: str, found: Column, wanted: Column, safe: bool) -> Statements:
    del found, safe  # values are cast as far as they go in any case
    name, old = quoted(wanted.name), quoted(f"octavo_old_{wanted.name}")
    return (
        f"ALTER TABLE {quoted(table)} RENAME COLUMN {name} TO {old}",
        f"ALTER TABLE {quoted(table)} ADD COLUMN {name} {wanted.type}",
        f"UPDATE {quoted(table)} SET {name} = CAST({old} AS {wanted.type})",
        f"ALTER TABLE {quoted(table)} DROP COLUMN {old}",
    )


def _drop_index(table: str, index: Index) -> Statements:
    del table  # the names of indexes are unique in the file
    return (f"DROP INDEX IF EXISTS {quoted(index.name)}",)


SQLITE_DDL = DdlDialect(
    name="sqlite",
    types=_TYPES,
    id_column="integer PRIMARY KEY AUTOINCREMENT NOT NULL",
    booleans=("0", "1"),
    longest_name=None,
    inline_keys=True,
    unique_constraints=False,
    # A declared type is a preference only: between these the same values are stored.
    same_types=frozenset((a, b) for group in (_TEXTS, _NUMBERS) for a in group for b in group),
    widenings=frozenset(),
    change_type=_change_type,
    drop_index=_drop_index,
)
