"""Schedules: entries to be published, or taken back, at a time; and those whose `publishedAt` is in the future.

A table of our own says what is planned, a message of the outbox wakes it when it is due. Whoever does it takes the row
away in the same transaction, so that it is done once, however often the message comes; a plan that was changed or taken
back meanwhile is not done.

What others have written that appears by its time (Strapi v4 on the same database, SQL, an import) is looked for now and
then, and planned as if it had been written here.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol

from octavo.content.schedule_failures import Failure, read_failures, remove_orphans, store_failure
from octavo.core.clock import this_moment
from octavo.database.change_feed import ChangeKind, Presence
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import LONGEST_NAME
from octavo.events.outbox import Outbox
from octavo.query.plan.present_state import FactRow
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import OwnTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.system_table_statement import OwnStatement, escape_braces
from octavo.schema.content_types import ContentType

_PRESENCES: Final = (Presence.DRAFT, Presence.LIVE, Presence.DRAFT)
_LATER: Final = 2
"""What is told of an entry (`EntryFact`): the last one is to be published later."""


def presence_of(entry: FactRow | None) -> Presence:
    """For whom an entry is there, by what was found."""
    return Presence.ABSENT if entry is None else _PRESENCES[entry.owner or 0]


def stored_moment(stored: Any) -> int:
    """A time as it is stored, in milliseconds since 1970."""
    if isinstance(stored, str):
        return round(datetime.fromisoformat(stored).replace(tzinfo=UTC).timestamp() * 1000)
    return int(stored)


def kind_of_update(was: Presence, became: Presence) -> ChangeKind:
    """How an entry changes that was published, or was not."""
    if was == became:
        return ChangeKind.UPDATE
    return ChangeKind.PUBLISH if became is Presence.LIVE else ChangeKind.UNPUBLISH


def is_to_come(entry: FactRow | None) -> bool:
    """Whether an entry that was found is to be published later."""
    return entry is not None and entry.owner == _LATER


TOPIC: Final = "publication"

TABLE: Final = OwnTable(
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

_PLANNED: Final = OwnStatement("SELECT DISTINCT entry_id FROM octavo_schedules WHERE uid = {uid}")
_READ: Final = OwnStatement("SELECT plan, due_at FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry}")
_NEXT: Final = OwnStatement("SELECT uid, entry_id, plan, due_at FROM octavo_schedules ORDER BY due_at LIMIT {most}")
_NEXT_OF: Final = OwnStatement("""
SELECT uid, entry_id, plan, due_at FROM octavo_schedules WHERE uid = {uid} ORDER BY due_at LIMIT {most}""")
_ADD: Final = OwnStatement("""
INSERT INTO octavo_schedules (uid, entry_id, plan, due_at, message_id)
VALUES ({uid}, {entry}, {plan}, {due_at}, {message})""")
_REMOVE: Final = OwnStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan} {message_id:returning}""")
_REMOVE_ALL: Final = OwnStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} {message_id:returning}""")
_TAKE: Final = OwnStatement("""
DELETE FROM octavo_schedules WHERE uid = {uid} AND entry_id = {entry} AND plan = {plan} AND due_at = {due_at}
{message_id:returning}""")


class Plan(StrEnum):
    """What is to be done with an entry."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    APPEAR = "appear"
    """Its `publishedAt` comes, and it is told that it is published."""


class Planned(NamedTuple):
    """A plan for an entry: when, in milliseconds since 1970; None: no more."""

    uid: str
    entry_id: int
    plan: Plan
    due_at: int | None


class Following(Protocol):
    """What follows for plans from a unit of work that has written entries."""

    async def follow(self, unit: UnitOfWork, planned: Iterable[Planned], gone: Mapping[str, list[int]]) -> None:
        """Set plans, and forget those of entries that are gone."""


def _to_come(content_type: ContentType, dialect: Dialect) -> str:
    """Entries that appear by their time alone, of which nothing tells then: a statement that lacks its end.

    What others have written may name a moment between two milliseconds; it is told of at the second one.
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
    """The plans of one database."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._dialect = database.dialect
        self._outbox = outbox

    async def read(self, connection: Connection, uid: str, entry_id: int) -> dict[Plan, int]:
        """When what is planned for an entry."""
        rows = await connection.fetch_all(*_READ.bind(self._dialect, uid=uid, entry=entry_id))
        return {Plan(plan): int(due_at) for plan, due_at in rows}

    async def next(self, most: int, uid: str | None = None) -> list[Planned]:
        """What is planned for any entries, or for those of a content-type, the earliest first."""
        values = {"most": most} if uid is None else {"most": most, "uid": uid}
        statement = (_NEXT if uid is None else _NEXT_OF).bind(self._dialect, **values)
        rows = await self._database.fetch_all(*statement)
        return [Planned(found, int(entry_id), Plan(plan), int(due_at)) for found, entry_id, plan, due_at in rows]

    async def to_come(self, content_type: ContentType, most: int) -> list[int]:
        """Entries that appear by their time alone and are not planned: others have written them."""
        asked = OwnStatement(_to_come(content_type, self._dialect) + " ORDER BY due_at LIMIT {most}")
        statement = asked.bind(self._dialect, now=this_moment(), uid=content_type.uid, most=most)
        return [int(entry_id) for entry_id, _ in await self._database.fetch_all(*statement, long=True)]

    async def adopt(self, unit: UnitOfWork, content_type: ContentType, entry_id: int) -> bool:
        """Plan that an entry appears, if it still is to; nobody changes it until the end of the transaction."""
        table = _table(content_type, self._dialect)
        touching = OwnStatement(f"UPDATE {table} SET published_at = published_at WHERE id = {{entry}}")  # noqa: S608 - the same
        await unit.connection.execute(*touching.bind(self._dialect, entry=entry_id))
        asked = OwnStatement(_to_come(content_type, self._dialect) + " AND id = {entry}")
        statement = asked.bind(self._dialect, now=this_moment(), uid=content_type.uid, entry=entry_id)
        found = await unit.connection.fetch_row(*statement)
        if found is None or not isinstance(found[1], int):
            return False
        await self.set(unit, Planned(content_type.uid, entry_id, Plan.APPEAR, found[1]))
        return True

    async def failures(self, connection: Connection, uid: str, entry_id: int) -> list[Failure]:
        """Return what could not be carried out for an entry, and is not planned anew."""
        return await read_failures(connection, self._dialect, uid, entry_id)

    async def failures_of(self, uid: str, most: int) -> list[Failure]:
        """Return the same for all entries of a content type."""
        return await read_failures(self._database, self._dialect, uid, most=most)

    async def fail(self, unit: UnitOfWork, planned: Planned, error: str) -> None:
        """Store why a schedule could not be carried out."""
        uid, entry_id, plan, due_at = planned
        await store_failure(unit, self._dialect, uid, entry_id, plan.value, due_at or 0, error)

    async def remove_old_failures(self, unit: UnitOfWork) -> None:
        """Remove failures that mean nothing any more."""
        await remove_orphans(unit, self._dialect)

    async def set(self, unit: UnitOfWork, planned: Planned, by: int | None = None) -> None:
        """Plan something for an entry, in place of what was planned, or take that back. `by` is an administrator."""
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
        """Take a plan away to do it; False where it is done already, or meant no more."""
        uid, entry_id, plan, due_at = planned
        taking = _TAKE.bind(self._dialect, uid=uid, entry=entry_id, plan=plan.value, due_at=due_at)
        return await unit.connection.fetch_value(*taking) is not None

    async def follow(self, unit: UnitOfWork, planned: Iterable[Planned], gone: Mapping[str, list[int]]) -> None:
        """Set plans, and forget those of entries that are gone."""
        for one in planned:
            await self.set(unit, one)
        for uid, ids in gone.items():
            for entry_id in ids if len(ids) == 1 else await self._planned(unit, uid, ids):
                await self._remove(unit, _REMOVE_ALL, uid=uid, entry=entry_id)

    async def _planned(self, unit: UnitOfWork, uid: str, ids: Iterable[int]) -> list[int]:
        """Those of many entries for which anything is planned."""
        rows = await unit.connection.fetch_all(*_PLANNED.bind(self._dialect, uid=uid))
        return sorted({int(entry_id) for (entry_id,) in rows}.intersection(ids))

    async def _remove(self, unit: UnitOfWork, statement: OwnStatement, **values: Any) -> None:
        for (message_id,) in await unit.connection.fetch_all(*statement.bind(self._dialect, **values)):
            await self._outbox.remove(unit, int(message_id))
