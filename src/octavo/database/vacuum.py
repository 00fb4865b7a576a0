"""Vacuum and analyze tables after their rows were replaced.

PostgreSQL's autovacuum does this too, but minutes later. Until then the planner guesses the sizes of tables, and pages
of long lists read each row to find out whether it is visible.
"""

from collections.abc import Collection
from typing import Final

from octavo.core.outage_log import reason_of
from octavo.database.connection import Database

_MOST_NAMED: Final = 5
_NO_PRIVILEGE: Final = "the role does not own them and has no MAINTAIN privilege"


async def vacuum(database: Database, tables: Collection[str] | None = None) -> list[str]:
    """Vacuum and analyze these tables, or all in the schema, and return warnings.

    Does nothing on databases that do not need it. A failure is a warning, because the data is complete anyway.
    """
    statements = database.dialect.vacuum
    if statements is None:
        return []
    refused: list[str] = []
    try:
        async with database.apart() as connection:
            for table, is_allowed in await connection.fetch_all(statements.tables):
                if tables is not None and table not in tables:
                    continue
                if is_allowed:
                    await connection.execute_script(statements.clean(table))
                else:
                    refused.append(table)
    except Exception as error:  # drivers have different exceptions
        return [_warning("the tables", reason_of(error))]
    return [_warning(_listed(refused), _NO_PRIVILEGE)] if refused else []


def _warning(tables: str, reason: str) -> str:
    return f"VACUUM (ANALYZE) failed for {tables}: {reason}. Lists can be slow until autovacuum or an owner runs it."


def _listed(tables: list[str]) -> str:
    others = len(tables) - _MOST_NAMED
    return ", ".join(tables[:_MOST_NAMED]) + (f" and {others} more" if others > 0 else "")
