"""Schedules: entries to be published, or taken back, at a time; and those whose `publishedAt` is in the future.

A table of our own says what is planned, a message of the outbox wakes it when it is due. Whoever does it takes the row
away in the same transaction, so that it is done once, however often the message comes; a plan that was changed or taken
back meanwhile is not done.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol

from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import LONGEST_NAME
from octavo.events.outbox import Outbox
from octavo.sql.ddl.tables import OwnTable
from octavo.sql.own_table_statement import OwnStatement

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

    async def set(self, unit: UnitOfWork, planned: Planned) -> None:
        """Plan something for an entry, in place of what was planned, or take that back."""
        uid, entry_id, plan, due_at = planned
        await self._remove(unit, _REMOVE, uid=uid, entry=entry_id, plan=plan.value)
        if due_at is None:
            return
        payload = {"uid": uid, "id": entry_id, "plan": plan.value, "dueAt": due_at}
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
