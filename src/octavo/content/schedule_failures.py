"""Failed schedules and their errors, shown with the entry.

A failure belongs to a schedule with its due time; it is obsolete once the schedule is changed, canceled or run.
"""

from typing import Any, Final, NamedTuple

from octavo.core.clock import this_moment
from octavo.database.connection import Connection
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

LONGEST_ERROR: Final = 2000
"""The maximum number of characters."""

TABLE: Final = SystemTable(
    "octavo_schedule_failures",
    (
        "uid varchar(255) NOT NULL",
        "entry_id bigint NOT NULL",
        "plan varchar(16) NOT NULL",
        "due_at bigint NOT NULL",
        "failed_at bigint NOT NULL",
        "error text NOT NULL",
        "PRIMARY KEY (uid, entry_id, plan)",
    ),
)

_OF_ENTRY: Final = """
SELECT failure.entry_id, failure.plan, failure.due_at, failure.failed_at, failure.error
FROM octavo_schedule_failures AS failure JOIN octavo_schedules AS planned
ON planned.uid = failure.uid AND planned.entry_id = failure.entry_id
AND planned.plan = failure.plan AND planned.due_at = failure.due_at
WHERE failure.uid = {uid}"""
_READ: Final = RawStatement(_OF_ENTRY + " AND failure.entry_id = {entry}")
_READ_ALL: Final = RawStatement(_OF_ENTRY + " ORDER BY failure.due_at LIMIT {most}")
_REMOVE: Final = RawStatement("""
DELETE FROM octavo_schedule_failures WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan}""")
_ADD: Final = RawStatement("""
INSERT INTO octavo_schedule_failures (uid, entry_id, plan, due_at, failed_at, error)
VALUES ({uid}, {entry}, {plan}, {due_at}, {now}, {error})""")
_REMOVE_ORPHANS: Final = RawStatement("""
DELETE FROM octavo_schedule_failures WHERE NOT EXISTS (
    SELECT 1 FROM octavo_schedules AS planned
    WHERE planned.uid = octavo_schedule_failures.uid AND planned.entry_id = octavo_schedule_failures.entry_id
    AND planned.plan = octavo_schedule_failures.plan AND planned.due_at = octavo_schedule_failures.due_at
)""")


class Failure(NamedTuple):
    """A schedule that failed. Times are milliseconds since 1970; `plan` is `publish`, `unpublish` or `appear`."""

    entry_id: int
    plan: str
    due_at: int
    failed_at: int
    error: str


async def read_failures(
    connection: Connection, dialect: Dialect, uid: str, entry_id: int | None = None, most: int = 200
) -> list[Failure]:
    """Return the failed schedules of an entry, or of all entries of a content-type."""
    if entry_id is None:
        statement = _READ_ALL.bind(dialect, uid=uid, most=most)
    else:
        statement = _READ.bind(dialect, uid=uid, entry=entry_id)
    rows: list[Any] = list(await connection.fetch_all(*statement))
    return [Failure(int(one), plan, int(due_at), int(at), error) for one, plan, due_at, at, error in rows]


async def store_failure(
    unit: UnitOfWork, dialect: Dialect, uid: str, entry_id: int, plan: str, due_at: int, error: str
) -> None:
    """Store the error of a failed schedule; replaces an earlier one."""
    key = {"uid": uid, "entry": entry_id, "plan": plan}
    await unit.connection.execute(*_REMOVE.bind(dialect, **key))
    adding = _ADD.bind(dialect, **key, due_at=due_at, now=this_moment(), error=error[:LONGEST_ERROR])
    await unit.connection.execute(*adding)


async def remove_orphans(unit: UnitOfWork, dialect: Dialect) -> None:
    """Delete failures whose schedules have been changed, canceled or run."""
    await unit.connection.execute(*_REMOVE_ORPHANS.bind(dialect))
