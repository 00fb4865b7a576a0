"""Schedules: entries to publish or unpublish at a time, entries with a future `publishedAt`, and failed runs.

A table stores the schedules; a message of the outbox is delivered when one is due. Running it deletes the row in the
same transaction, so it runs once even if the message is delivered again. A schedule that was changed or canceled
meanwhile does not run.

Entries that other software saved with a future publication date (Strapi v4 on the same database, SQL, an import) are
searched periodically and scheduled as well.

A failure belongs to a schedule with its due time; it is obsolete once the schedule is changed, canceled or run.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol

from octavo.core.clock import this_moment
from octavo.database.change_feed import ChangeKind, Presence
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import LONGEST_NAME
from octavo.events.outbox import Outbox
from octavo.query.plan.present_state import FactRow
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.schema.content_types import ContentType

LONGEST_ERROR: Final = 2000
"""The maximum number of characters."""

FAILURES_TABLE: Final = SystemTable(
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
_READ_FAILURES: Final = RawStatement(_OF_ENTRY + " AND failure.entry_id = {entry}")
_READ_ALL_FAILURES: Final = RawStatement(_OF_ENTRY + " ORDER BY failure.due_at LIMIT {most}")
_REMOVE_FAILURE: Final = RawStatement("""
DELETE FROM octavo_schedule_failures WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan}""")
_ADD_FAILURE: Final = RawStatement("""
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
    """Return the failed schedules of an entry, or of all entries of a content type."""
    if entry_id is None:
        statement = _READ_ALL_FAILURES.bind(dialect, uid=uid, most=most)
    else:
        statement = _READ_FAILURES.bind(dialect, uid=uid, entry=entry_id)
    rows: list[Any] = list(await connection.fetch_all(*statement))
    return [Failure(int(one), plan, int(due_at), int(at), error) for one, plan, due_at, at, error in rows]


async def store_failure(
    unit: UnitOfWork, dialect: Dialect, uid: str, entry_id: int, plan: str, due_at: int, error: str
) -> None:
    """Store the error of a failed schedule; replaces an earlier one."""
    key = {"uid": uid, "entry": entry_id, "plan": plan}
    await unit.connection.execute(*_REMOVE_FAILURE.bind(dialect, **key))
    adding = _ADD_FAILURE.bind(dialect, **key, due_at=due_at, now=this_moment(), error=error[:LONGEST_ERROR])
    await unit.connection.execute(*adding)


async def remove_orphans(unit: UnitOfWork, dialect: Dialect) -> None:
    """Delete failures whose schedules have been changed, canceled or run."""
    await unit.connection.execute(*_REMOVE_ORPHANS.bind(dialect))


_PRESENCES: Final = (Presence.DRAFT, Presence.LIVE, Presence.DRAFT)
_LATER: Final = 2
"""The state of an entry in `EntryFact` that will be published later."""


def presence_of(entry: FactRow | None) -> Presence:
    """Return an entry's presence from the queried state."""
    return Presence.ABSENT if entry is None else _PRESENCES[entry.owner or 0]


def stored_moment(stored: Any) -> int:
    """Return a stored time in milliseconds since 1970."""
    if isinstance(stored, str):
        return round(datetime.fromisoformat(stored).replace(tzinfo=UTC).timestamp() * 1000)
    return int(stored)


def kind_of_update(was: Presence, became: Presence) -> ChangeKind:
    """Return the kind of change from the presences before and after an update."""
    if was == became:
        return ChangeKind.UPDATE
    return ChangeKind.PUBLISH if became is Presence.LIVE else ChangeKind.UNPUBLISH


def is_published_later(entry: FactRow | None) -> bool:
    """Return whether an entry will be published later."""
    return entry is not None and entry.owner == _LATER


TOPIC: Final = "publication"

TABLE: Final = SystemTable(
    "octavo_schedules",
    (
        "uid varchar(255) NOT NULL",
        "entry_id bigint NOT NULL",
        "plan varchar(16) NOT NULL",
        "due_at bigint NOT NULL",
        "message_id bigint NOT NULL",
        "PRIMARY KEY (uid, entry_id, plan)",
    ),
)

_PLANNED: Final = RawStatement("SELECT DISTINCT entry_id FROM octavo_schedules WHERE uid = {uid}")
_READ: Final = RawStatement("SELECT plan, due_at FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry}")
_NEXT: Final = RawStatement("SELECT uid, entry_id, plan, due_at FROM octavo_schedules ORDER BY due_at LIMIT {most}")
_NEXT_OF: Final = RawStatement("""
SELECT uid, entry_id, plan, due_at FROM octavo_schedules WHERE uid = {uid} ORDER BY due_at LIMIT {most}""")
_BETWEEN: Final = """
SELECT uid, entry_id, plan, due_at FROM octavo_schedules
WHERE due_at >= {{start}} AND due_at < {{end}} AND uid IN ({uids}) ORDER BY due_at, uid, entry_id LIMIT {{most}}"""
_ADD: Final = RawStatement("""
INSERT INTO octavo_schedules (uid, entry_id, plan, due_at, message_id)
VALUES ({uid}, {entry}, {plan}, {due_at}, {message})""")
_REMOVE: Final = RawStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan} {message_id:returning}""")
_REMOVE_ALL: Final = RawStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} {message_id:returning}""")
_TAKE: Final = RawStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan} AND due_at = {due_at}
{message_id:returning}""")


class Plan(StrEnum):
    """What to do with an entry."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    APPEAR = "appear"
    """Send the publish event when its `publishedAt` is reached."""


class Planned(NamedTuple):
    """A schedule of an entry, with its time in milliseconds since 1970; None cancels it."""

    uid: str
    entry_id: int
    plan: Plan
    due_at: int | None


class ScheduleUpdates(Protocol):
    """Updates the schedules for entries written in a unit of work."""

    async def follow(self, unit: UnitOfWork, planned: Iterable[Planned], gone: Mapping[str, list[int]]) -> None:
        """Set schedules, and delete those of deleted entries."""


def has_schedules(content_type: ContentType, entry_id: str, dialect: Dialect) -> str:
    """Return the condition that an entry has schedules, given the SQL of its id."""
    uid = dialect.literal(content_type.uid)
    return f"EXISTS (SELECT 1 FROM {TABLE.name} WHERE uid = {uid} AND entry_id = {entry_id})"  # noqa: S608 - no values


def _unscheduled_future(content_type: ContentType, dialect: Dialect) -> str:
    """Return the SQL, without its end, for entries with a future publication date and no schedule for it.

    Other software can store fractions of milliseconds; the event is then sent at the next millisecond.
    """
    moment = dialect.milliseconds("published_at")
    due_at = f"{moment} + CASE WHEN published_at > {dialect.instant(moment)} THEN 1 ELSE 0 END"
    return f"""
SELECT id, due_at FROM (
    SELECT id, {escape_braces(due_at)} AS due_at FROM {_table(content_type, dialect)}
    WHERE published_at > {{now:instant}}
) AS entry
WHERE NOT EXISTS (
    SELECT 1 FROM octavo_schedules AS known
    WHERE known.uid = {{uid}} AND known.plan = 'appear' AND known.entry_id = entry.id AND known.due_at = entry.due_at
)"""  # noqa: S608 - names of ours


def _table(content_type: ContentType, dialect: Dialect) -> str:
    return escape_braces(dialect.quote(physical_name(table_name(content_type), dialect)))


class Schedules:
    """The schedules in one database."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._dialect = database.dialect
        self._outbox = outbox

    async def read(self, connection: Connection, uid: str, entry_id: int) -> dict[Plan, int]:
        """Return the times of an entry's schedules."""
        rows = await connection.fetch_all(*_READ.bind(self._dialect, uid=uid, entry=entry_id))
        return {Plan(plan): int(due_at) for plan, due_at in rows}

    async def next(self, most: int, uid: str | None = None) -> list[Planned]:
        """Return the next schedules, earliest first, of all content types or of one."""
        values = {"most": most} if uid is None else {"most": most, "uid": uid}
        statement = (_NEXT if uid is None else _NEXT_OF).bind(self._dialect, **values)
        rows = await self._database.fetch_all(*statement)
        return [Planned(found, int(entry_id), Plan(plan), int(due_at)) for found, entry_id, plan, due_at in rows]

    async def between(self, start: int, end: int, uids: Sequence[str], most: int) -> list[Planned]:
        """Return the schedules of content types from `start` to before `end`, earliest first."""
        if not uids:
            return []
        names = {f"uid{index}": uid for index, uid in enumerate(uids)}
        asked = RawStatement(_BETWEEN.format(uids=", ".join(f"{{{name}}}" for name in names)))
        statement = asked.bind(self._dialect, start=start, end=end, most=most, **names)
        rows = await self._database.fetch_all(*statement)
        return [Planned(found, int(entry_id), Plan(plan), int(due_at)) for found, entry_id, plan, due_at in rows]

    async def find_unscheduled(self, content_type: ContentType, most: int) -> list[int]:
        """Return entries with a future publication date and no schedule: other software saved them."""
        asked = RawStatement(_unscheduled_future(content_type, self._dialect) + " ORDER BY due_at LIMIT {most}")
        statement = asked.bind(self._dialect, now=this_moment(), uid=content_type.uid, most=most)
        return [int(entry_id) for entry_id, _ in await self._database.fetch_all(*statement, long=True)]

    async def adopt(self, unit: UnitOfWork, content_type: ContentType, entry_id: int) -> bool:
        """Schedule the event of an entry that will appear, and lock the entry; return whether it still will."""
        table = _table(content_type, self._dialect)
        touching = RawStatement(f"UPDATE {table} SET published_at = published_at WHERE id = {{entry}}")  # noqa: S608 - the same
        await unit.connection.execute(*touching.bind(self._dialect, entry=entry_id))
        asked = RawStatement(_unscheduled_future(content_type, self._dialect) + " AND id = {entry}")
        statement = asked.bind(self._dialect, now=this_moment(), uid=content_type.uid, entry=entry_id)
        adopted = await unit.connection.fetch_row(*statement)
        if adopted is None or not isinstance(adopted[1], int):
            return False
        await self.set(unit, Planned(content_type.uid, entry_id, Plan.APPEAR, adopted[1]))
        return True

    async def failures(self, connection: Connection, uid: str, entry_id: int) -> list[Failure]:
        """Return the failed schedules of an entry, unless they have been set again."""
        return await read_failures(connection, self._dialect, uid, entry_id)

    async def failures_of(self, uid: str, most: int) -> list[Failure]:
        """Return the failed schedules of a content type."""
        return await read_failures(self._database, self._dialect, uid, most=most)

    async def fail(self, unit: UnitOfWork, planned: Planned, error: str) -> None:
        """Store the error of a failed schedule."""
        uid, entry_id, plan, due_at = planned
        await store_failure(unit, self._dialect, uid, entry_id, plan.value, due_at or 0, error)

    async def remove_old_failures(self, unit: UnitOfWork) -> None:
        """Delete obsolete failures."""
        await remove_orphans(unit, self._dialect)

    async def set(self, unit: UnitOfWork, planned: Planned, by: int | None = None) -> None:
        """Set or cancel a schedule; replaces the previous one. `by` is the administrator who sets it."""
        uid, entry_id, plan, due_at = planned
        await self._remove(unit, _REMOVE, uid=uid, entry=entry_id, plan=plan.value)
        if due_at is None:
            return
        payload = {"uid": uid, "id": entry_id, "plan": plan.value, "dueAt": due_at}
        if by is not None:
            payload["by"] = by
        key = f"{uid} {entry_id}"[-LONGEST_NAME:]
        message = await self._outbox.add(unit, TOPIC, payload, key, not_before=due_at)
        adding = _ADD.bind(self._dialect, uid=uid, entry=entry_id, plan=plan.value, due_at=due_at, message=message)
        await unit.connection.execute(*adding)

    async def take(self, unit: UnitOfWork, planned: Planned) -> bool:
        """Delete a schedule in order to run it; return False if it has run, changed or been canceled."""
        uid, entry_id, plan, due_at = planned
        taking = _TAKE.bind(self._dialect, uid=uid, entry=entry_id, plan=plan.value, due_at=due_at)
        return await unit.connection.fetch_value(*taking) is not None

    async def follow(self, unit: UnitOfWork, planned: Iterable[Planned], gone: Mapping[str, list[int]]) -> None:
        """Set schedules, and delete those of deleted entries."""
        for one in planned:
            await self.set(unit, one)
        for uid, ids in gone.items():
            for entry_id in ids if len(ids) == 1 else await self._planned(unit, uid, ids):
                await self._remove(unit, _REMOVE_ALL, uid=uid, entry=entry_id)

    async def _planned(self, unit: UnitOfWork, uid: str, ids: Iterable[int]) -> list[int]:
        """Return the entries among these that have schedules."""
        rows = await unit.connection.fetch_all(*_PLANNED.bind(self._dialect, uid=uid))
        return sorted({int(entry_id) for (entry_id,) in rows}.intersection(ids))

    async def _remove(self, unit: UnitOfWork, statement: RawStatement, **values: Any) -> None:
        for (message_id,) in await unit.connection.fetch_all(*statement.bind(self._dialect, **values)):
            await self._outbox.remove(unit, int(message_id))
