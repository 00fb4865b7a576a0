"""How PostgreSQL would run a statement: with an index that is not there yet, on a sample of the rows."""

from contextlib import suppress
from typing import Final

from octavo.database.connection import TransactionFailed
from octavo.database.explain import no_values
from octavo.database.postgresql_transaction import PostgresqlTransaction

_NAME: Final = "octavo_explained"
SAMPLE: Final = 50_000
"""Rows: enough for the planner to choose as it would."""


class Undone(Exception):
    """Ends a transaction that was only for looking."""


async def plan_of(connection: PostgresqlTransaction, text: str) -> str:
    """The plan of a statement for any values: connections make generic plans of what is prepared. (PostgreSQL has
    `EXPLAIN (GENERIC_PLAN)` from 16 on.)"""
    await connection.execute_script(f"PREPARE {_NAME} AS {text}")
    try:
        async with connection.part():  # else a name that is left would be in the way of the next statement
            rows = await connection.fetch_all(f"EXPLAIN EXECUTE {_NAME}{_nulls(text)}")
    finally:
        with suppress(TransactionFailed):  # interrupted: then the connection is closed
            await connection.execute_script(f"DEALLOCATE {_NAME}")
    return "\n".join(row[0] for row in rows)


def _nulls(text: str) -> str:
    """What a statement is executed with: `(NULL, NULL)`; nothing where it takes no values."""
    places = ", ".join("NULL" for _ in no_values(text))
    return f"({places})" if places else ""


async def plan_with(connection: PostgresqlTransaction, table: str, more: str, text: str) -> str:
    """The plan of a statement in a transaction that is undone, where a temporary table stands in the place of the one
    with that quoted name: with its indexes, what is `more`, and a sample of its rows."""
    schema = await connection.fetch_value("SELECT quote_ident(current_schema())")
    await connection.execute_script(
        f"CREATE TEMPORARY TABLE {table} (LIKE {schema}.{table} INCLUDING INDEXES) ON COMMIT DROP;"
        f"INSERT INTO pg_temp.{table} SELECT * FROM {schema}.{table} LIMIT {SAMPLE};"
        f"{more};"
        f"ANALYZE pg_temp.{table}"
    )
    return await plan_of(connection, text)
