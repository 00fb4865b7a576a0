"""The record of scheduled backups: a row in the database that all processes read and one at a time updates.

The process that moves `begun_at` forward creates the backup, and updates it periodically. After a failure the backup is
retried later; also if the process is gone, which the missing updates show.
"""

from typing import Final

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.jobs.schedule import Schedule
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_backups",
    (
        "id integer PRIMARY KEY NOT NULL CHECK (id = 1)",
        "begun_at bigint NOT NULL",
        "ended_at bigint NOT NULL",
        "verified_at bigint NOT NULL",
        "size bigint NOT NULL",
        "failures integer NOT NULL",
        "reason varchar(255) NOT NULL",
    ),
    kept=True,
)

RETRY: Final = 600_000
"""Milliseconds from a failure to the next attempt."""
ABANDONED: Final = 300_000
"""Milliseconds without an update after which an attempt counts as abandoned."""
_MOST_REASON: Final = 255

_READ: Final = "SELECT begun_at, ended_at, verified_at, size, failures, reason FROM octavo_backups WHERE id = 1"
_FIRST: Final = RawStatement("""
INSERT INTO octavo_backups (id, begun_at, ended_at, verified_at, size, failures, reason)
VALUES (1, {zero}, {zero}, {zero}, {zero}, 0, '') {id:on_conflict} failures = octavo_backups.failures""")
_TAKE: Final = RawStatement("""
UPDATE octavo_backups SET begun_at = {now} WHERE id = 1 AND begun_at = {seen} {id:returning}""")
_TOUCH: Final = RawStatement("UPDATE octavo_backups SET begun_at = {now} WHERE id = 1")
_TAKE_BACK: Final = RawStatement("UPDATE octavo_backups SET begun_at = {zero} WHERE id = 1")
_DONE: Final = RawStatement("""
UPDATE octavo_backups SET ended_at = {now}, verified_at = {moment}, size = {size}, failures = 0, reason = ''
WHERE id = 1""")
_LEAVE: Final = RawStatement("UPDATE octavo_backups SET begun_at = ended_at WHERE id = 1 AND begun_at > ended_at")
_FAILED: Final = RawStatement("""
UPDATE octavo_backups SET ended_at = {now}, failures = failures + 1, reason = {reason} WHERE id = 1""")


@dataclass(frozen=True, slots=True)
class Record:
    """The row; times in milliseconds since 1970, 0 for never. `failures` counts those since the last success."""

    begun_at: int = 0
    ended_at: int = 0
    verified_at: int = 0
    size: int = 0
    failures: int = 0
    reason: str = ""

    def is_due(self, schedule: Schedule, now: int) -> bool:
        """Return whether an attempt is due. The first backup is due at once."""
        due = schedule.latest(now)
        if due is None or self.verified_at >= due:
            return False
        if self.ended_at < self.begun_at:
            return now - self.begun_at > ABANDONED
        return self.begun_at < due or now - self.ended_at > RETRY


async def read_record(database: Database) -> Record:
    """Return the row, or an empty record."""
    row = await database.fetch_row(_READ)
    return Record() if row is None else Record(*row)


async def begin(database: Database, seen: Record) -> bool:
    """Start an attempt, unless another process has; return whether it was started. Not in maintenance mode."""
    async with unit_of_work(database) as unit:
        await unit.connection.execute(*_FIRST.bind(database.dialect, zero=0))
        taking = _TAKE.bind(database.dialect, now=max(this_moment(), seen.begun_at + 1), seen=seen.begun_at)
        return await unit.connection.fetch_value(*taking) is not None


async def renew_attempt(database: Database) -> None:
    """Record that the attempt is still running."""
    async with unit_of_work(database, in_maintenance=True) as unit:
        await unit.connection.execute(*_TOUCH.bind(database.dialect, now=this_moment()))


async def take_back(database: Database) -> None:
    """Record that the attempt was aborted, so that another process can start at once."""
    async with unit_of_work(database, in_maintenance=True) as unit:
        await unit.connection.execute(*_TAKE_BACK.bind(database.dialect, zero=0))


async def leave(database: Database) -> None:
    """Clear a running attempt in a restored database, because it was copied while the attempt was running."""
    async with unit_of_work(database, in_maintenance=True) as unit:
        await unit.connection.execute(*_LEAVE.bind(database.dialect))


async def done(database: Database, moment: int, size: int) -> None:
    """Record that a verified backup of the state at `moment` exists."""
    async with unit_of_work(database, in_maintenance=True) as unit:
        await unit.connection.execute(*_DONE.bind(database.dialect, now=this_moment(), moment=moment, size=size))


async def failed(database: Database, reason: str) -> None:
    """Record that the attempt has failed, and why."""
    async with unit_of_work(database, in_maintenance=True) as unit:
        text = reason[:_MOST_REASON]
        await unit.connection.execute(*_FAILED.bind(database.dialect, now=this_moment(), reason=text))
