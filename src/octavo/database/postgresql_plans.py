"""How PostgreSQL would run a statement: with an index that is not there yet, on a sample of the rows."""

from typing import Final

from octavo.database.connection import Transaction
from octavo.database.explaining import no_values

EXPLAIN: Final = "EXPLAIN (GENERIC_PLAN) "
"""From PostgreSQL 16 on."""
SAMPLE: Final = 50_000
"""Rows: enough for the planner to choose as it would."""


class Undone(Exception):
    """Ends a transaction that was only for looking."""


async def plan_with(connection: Transaction, table: str, more: str, text: str) -> str:
    """The plan of a statement in a transaction that is undone, where a temporary table stands in the place of the one
    with that quoted name: with its indexes, what is `more`, and a sample of its rows."""
    schema = await connection.fetch_value("SELECT quote_ident(current_schema())")
    await connection.execute_script(
        f"CREATE TEMPORARY TABLE {table} (LIKE {schema}.{table} INCLUDING INDEXES) ON COMMIT DROP;"
        f"INSERT INTO pg_temp.{table} SELECT * FROM {schema}.{table} LIMIT {SAMPLE};"
        f"{more};"
        f"ANALYZE pg_temp.{table}"
    )
    rows = await connection.fetch_all(EXPLAIN + text, no_values(text))
    return "\n".join(row[0] for row in rows)
