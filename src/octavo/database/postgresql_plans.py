"""Plans of statements on PostgreSQL."""

from contextlib import suppress
from typing import Final

from octavo.database.connection import TransactionFailed
from octavo.database.index_trials import no_values
from octavo.database.postgresql_transaction import PostgresqlTransaction

_NAME: Final = "octavo_explained"
SAMPLE: Final = 50_000
"""Number of rows: enough for the planner to choose as for the whole table."""


class RolledBack(Exception):
    """Rolls back a transaction that only inspects."""


async def plan_of(connection: PostgresqlTransaction, text: str) -> str:
    """Return the generic plan of a statement, as PostgreSQL 16 does with `EXPLAIN (GENERIC_PLAN)`."""
    await connection.execute_script(f"PREPARE {_NAME} AS {text}")
    try:
        async with connection.part():  # otherwise a leftover name would conflict with the next statement
            rows = await connection.fetch_all(f"EXPLAIN EXECUTE {_NAME}{_nulls(text)}")
    finally:
        with suppress(TransactionFailed):  # interrupted: the connection is closed then
            await connection.execute_script(f"DEALLOCATE {_NAME}")
    return "\n".join(row[0] for row in rows)


def _nulls(text: str) -> str:
    """Return the arguments of EXECUTE: `(NULL, NULL)`, or nothing if the statement takes no values."""
    places = ", ".join("NULL" for _ in no_values(text))
    return f"({places})" if places else ""


async def plan_with(connection: PostgresqlTransaction, table: str, more: str, text: str) -> str:
    """Return the plan of a statement in a transaction that is rolled back. A temporary table shadows the one with that
    quoted name: it has its indexes, the index `more`, and a sample of its rows."""
    schema = await connection.fetch_value("SELECT quote_ident(current_schema())")
    await connection.execute_script(
        f"CREATE TEMPORARY TABLE {table} (LIKE {schema}.{table} INCLUDING INDEXES) ON COMMIT DROP;"
        f"INSERT INTO pg_temp.{table} SELECT * FROM {schema}.{table} LIMIT {SAMPLE};"
        f"{more};"
        f"ANALYZE pg_temp.{table}"
    )
    return await plan_of(connection, text)
