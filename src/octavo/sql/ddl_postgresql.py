"""Defining tables on PostgreSQL."""

from octavo.sql.ddl_dialect import DdlDialect, Statements, quoted
from octavo.sql.tables import Column, Index

_VARCHAR = "character varying(255)"
_TIMESTAMP = "timestamp(6) without time zone"
_TYPES = {
    "increments": "integer",
    "string": _VARCHAR,
    "text": "text",
    "integer": "integer",
    "bigint": "bigint",
    "double": "double precision",
    "decimal": "numeric(10,2)",
    "boolean": "boolean",
    "date": "date",
    "time": "time without time zone",
    "datetime": _TIMESTAMP,
    "json": "jsonb",
    "plain datetime": "timestamp without time zone",
    "plain json": "json",
}


def _change_type(table: str, found: Column, wanted: Column, safe: bool) -> Statements:
    del found
    name = quoted(wanted.name)
    alter = (
        f"ALTER TABLE {quoted(table)} ALTER COLUMN {name} DROP DEFAULT, "
        f"ALTER COLUMN {name} TYPE {wanted.type} USING {name}::text::{wanted.type}"
    )
    if safe:
        return (alter,)
    anew = f"ALTER TABLE {quoted(table)} DROP COLUMN {name}, ADD COLUMN {name} {wanted.type}"
    return (f"DO $octavo$ BEGIN {alter}; EXCEPTION WHEN others THEN {anew}; END $octavo$",)


def _drop_index(table: str, index: Index) -> Statements:
    name = quoted(index.name)
    return (f"ALTER TABLE {quoted(table)} DROP CONSTRAINT IF EXISTS {name}", f"DROP INDEX IF EXISTS {name}")


POSTGRESQL_DDL = DdlDialect(
    name="postgresql",
    types=_TYPES,
    id_column="serial PRIMARY KEY",
    booleans=("false", "true"),
    longest_name=63,
    inline_keys=False,
    unique_constraints=True,
    # Older databases hold these where new ones hold those; values come and go in the same way.
    same_types=frozenset({("json", "jsonb"), ("timestamp without time zone", _TIMESTAMP)}),
    widenings=frozenset({(_VARCHAR, "text"), ("integer", "bigint"), ("integer", "double precision")}),
    change_type=_change_type,
    drop_index=_drop_index,
)
