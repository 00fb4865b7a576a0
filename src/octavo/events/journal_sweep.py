"""Delete journal rows that are too old, and the oldest ones if there are too many."""

from typing import Final

from octavo.core.clock import this_moment
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement

ROW_BYTES: Final = 200
"""Estimated size of a row with its index entries."""
_ALWAYS_KEPT: Final = 100
"""Number of last ids that are never deleted, so that consumers can continue from one of them."""
_AT_ONCE: Final = 1_000
"""Number of rows that one transaction deletes, because others wait for it."""

_LAST: Final = RawStatement("SELECT max(id) FROM octavo_journal")
_OLD: Final = RawStatement("SELECT max(id) FROM octavo_journal WHERE created_at < {limit}")
_FIRST_OF: Final = RawStatement("""
SELECT min(id) FROM (SELECT id FROM octavo_journal ORDER BY id DESC LIMIT {most}) o""")
_NEXT: Final = RawStatement(f"SELECT max(id) FROM (SELECT id FROM octavo_journal ORDER BY id LIMIT {_AT_ONCE}) o")  # noqa: S608
_REMOVE: Final = RawStatement("DELETE FROM octavo_journal WHERE id <= {last}")


async def sweep_journal(database: Database, seconds: float, size: int) -> None:
    """Delete rows that are older than `seconds`, and the oldest ones of more than about `size` bytes."""
    dialect = database.dialect
    newest = await database.fetch_value(*_LAST.bind(dialect))
    if newest is None:
        return
    old = await database.fetch_value(*_OLD.bind(dialect, limit=this_moment() - int(seconds * 1000)))
    kept = await database.fetch_value(*_FIRST_OF.bind(dialect, most=max(_ALWAYS_KEPT, size // ROW_BYTES)))
    last = min(max(old or 0, kept - 1), newest - _ALWAYS_KEPT)
    step = 0
    while step < last:
        found = await database.fetch_value(*_NEXT.bind(dialect))
        if found is None or step >= min(found, last):
            return
        step = min(found, last)
        async with unit_of_work(database) as unit:
            await unit.connection.execute(*_REMOVE.bind(dialect, last=step))
