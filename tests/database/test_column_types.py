"""Unexpected column types on PostgreSQL: accepted types work, and rejected types do not."""

import json
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.query.operators import Test as Comparison
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.schema.scalar_types import ValueKind

pytestmark = pytest.mark.anyio

WANTED: dict[ValueKind, tuple[str, Any, ParameterKind]] = {
    ValueKind.STRING: ("string", "seven", ParameterKind.TEXT),
    ValueKind.TEXT: ("text", "seven", ParameterKind.TEXT),
    ValueKind.INTEGER: ("integer", 7, ParameterKind.INTEGER),
    ValueKind.BIG_INTEGER: ("bigint", 7, ParameterKind.INTEGER),
    ValueKind.FLOAT: ("double", 7.0, ParameterKind.NUMBER),
    ValueKind.DECIMAL: ("decimal", 7.0, ParameterKind.NUMBER),
    ValueKind.BOOLEAN: ("boolean", True, ParameterKind.BOOLEAN),
    ValueKind.DATE: ("date", "2020-01-02", ParameterKind.DATE),
    ValueKind.TIME: ("time", "10:00:00.000", ParameterKind.TIME),
    ValueKind.DATETIME: ("datetime", 1_600_000_000_000, ParameterKind.INSTANT),
    ValueKind.TIMESTAMP: ("datetime", 1_600_000_000_000, ParameterKind.INSTANT),
    ValueKind.JSON: ("json", '{"a": 1}', ParameterKind.TEXT),
}
"""Each kind of value: its column type, a value to store, and the parameter type for comparisons."""

FOUND = {
    "character varying(255)": "'plain'",
    "character varying": "'plain'",
    "character(9)": "'plain'",
    "text": "'plain'",
    "smallint": "7",
    "integer": "7",
    "bigint": "7",
    "numeric(10,2)": "7",
    "real": "7",
    "double precision": "7",
    "boolean": "true",
    "date": "'2020-01-02'",
    "timestamp(6) without time zone": "'2020-01-02'",
    "timestamp without time zone": "'2020-01-02'",
    "timestamp with time zone": "'2020-01-02'",
    "time without time zone": "'10:00'",
    "time(6) without time zone": "'10:00'",
    "time with time zone": "'10:00'",
    "json": "'[1]'",
    "jsonb": "'[1]'",
}
"""Types that a column may have, each with a stored value."""


async def serves(database: Database, kind: ValueKind, found: str) -> bool:
    """Return whether values of a kind can be written to such a column, read from it and compared with it."""
    _, value, parameter = WANTED[kind]
    bound = POSTGRESQL.bind(kind, value)
    await database.execute_script(
        f"DROP TABLE IF EXISTS t; CREATE TABLE t (id serial, c {found}); INSERT INTO t (c) VALUES ({FOUND[found]})"
    )
    try:
        await database.execute(f"INSERT INTO t (c) VALUES ({POSTGRESQL.placeholder(1, kind)})", (bound,))
        if kind is not ValueKind.JSON:
            compared = POSTGRESQL.test(Comparison.EQUAL, kind, "c", [Parameter(0, parameter)], False)
            await database.fetch_all(f"SELECT id FROM t WHERE {compared}", (value,))
        for shown in (POSTGRESQL.json_scalar(kind, "c"), POSTGRESQL.json_typed(kind, "c")):
            for (text,) in await database.fetch_all(f"SELECT {shown} FROM t"):
                json.loads(text)
    except Exception:  # any error means that the type does not work
        return False
    return True


@pytest.mark.parametrize("kind", WANTED)
async def test_accepted_column_types_work_and_rejected_types_do_not(postgresql_url: str, kind: ValueKind) -> None:
    database = PostgresqlDatabase(postgresql_url)
    await database.connect()
    wanted = POSTGRESQL.column_types[WANTED[kind][0]]
    served = {found: await serves(database, kind, found) for found in FOUND}
    await database.close()
    assert served == {found: not POSTGRESQL.contradicts(found, wanted) for found in FOUND}
    assert served[wanted]


@pytest.mark.parametrize("found", ["citext", "text[]", "mood", "uuid"])
def test_unknown_column_types_are_accepted(found: str) -> None:
    assert not POSTGRESQL.contradicts(found, "text")


def test_columns_of_sqlite_take_every_value() -> None:
    assert not any(SQLITE.contradicts(found, wanted) for found in FOUND for wanted in SQLITE.column_types.values())
