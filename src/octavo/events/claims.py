"""Claims: the messages that a worker has taken. Taking a message moves its due time into the future.

Every function is one statement or one short transaction. `holder` is the worker's name. In maintenance mode no messages
are taken, but the results of those that were taken before are recorded.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, Row, Values
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.dead_letters import move_to_dead_letters
from octavo.events.messages import Message
from octavo.query.sql.raw_statement import RawStatement

MOST_TAKEN: Final = 64
_SIZES: Final = (8, MOST_TAKEN)
"""Numbers of messages in a statement. There are few, so that few statements are prepared."""
_NO_ID: Final = -1


def _for_ids(text: str) -> dict[int, RawStatement]:
    """Return the statements for various numbers of ids, which replace `IDS`."""
    return {
        size: RawStatement(text.replace("IDS", ", ".join(f"{{id{number}}}" for number in range(size))))
        for size in _SIZES
    }


_DUE_TOPICS: Final = RawStatement("SELECT DISTINCT topic FROM octavo_outbox WHERE due_at <= {now}")
# A message that was due before, and is retried or in progress, precedes later ones with its key.
_FIND: Final = RawStatement("""
SELECT o.id FROM octavo_outbox o WHERE o.topic = {topic} AND o.due_at <= {now} AND (o.ordering_key = '' OR NOT EXISTS (
  SELECT 1 FROM octavo_outbox e WHERE e.topic = o.topic AND e.ordering_key = o.ordering_key AND e.id < o.id
  AND (e.due_at <= {now} OR e.attempts > 0)))
ORDER BY o.due_at, o.id LIMIT {most}""")
_CLAIM: Final = _for_ids("""
UPDATE octavo_outbox SET holder = {holder}, attempts = attempts + 1, due_at = {until}
WHERE id IN (IDS) AND due_at <= {now}
{id, topic, ordering_key, payload, attempts, created_at:returning}""")
_RENEW: Final = RawStatement("UPDATE octavo_outbox SET due_at = {until} WHERE topic = {topic} AND holder = {holder}")
_RELEASE: Final = RawStatement("""
UPDATE octavo_outbox SET due_at = {now}, attempts = attempts - 1, holder = NULL WHERE holder = {holder}""")
_DELIVERED: Final = _for_ids("DELETE FROM octavo_outbox WHERE id IN (IDS)")
_AGAIN: Final = RawStatement("""
UPDATE octavo_outbox SET due_at = {due_at}, error = {error}, holder = NULL WHERE id = {id} AND holder = {holder}""")


class End(Enum):
    """The result of a delivery."""

    DELIVERED = "delivered"
    AGAIN = "will be retried"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A message and its result. `pause` is in seconds, until the next attempt."""

    message: Message
    end: End
    error: str = ""
    pause: float = 0.0


class Claims:
    """One worker's operations on the table."""

    def __init__(self, database: Database, holder: str) -> None:
        self._database = database
        self._dialect = database.dialect
        self._holder = holder

    async def due_topics(self) -> set[str]:
        """Return the topics with due messages."""
        due = _DUE_TOPICS.bind(self._dialect, now=this_moment())
        return {row[0] for row in await self._database.fetch_all(*due)}

    async def take(self, topic: str, most: int, lease: float) -> list[Message]:
        """Take up to `most` (and MOST_TAKEN) due messages of a topic, for `lease` seconds."""
        finding = _FIND.bind(self._dialect, topic=topic, now=this_moment(), most=min(most, MOST_TAKEN))
        ids = [row[0] for row in await self._database.fetch_all(*finding, long=True)]
        if not ids:
            return []

        async def claim(unit: UnitOfWork) -> Sequence[Row]:
            now = this_moment()
            until = now + int(lease * 1000)
            statement, slots = _slots(_CLAIM, ids)
            claiming = statement.bind(self._dialect, holder=self._holder, until=until, now=now, **slots)
            return await unit.connection.fetch_all(*claiming)

        rows = await run_unit(self._database, UnitOfWork, claim, grouped=False)
        return [_message(row) for row in sorted(rows, key=lambda row: int(row[0]))]

    async def renew(self, topic: str, lease: float) -> None:
        """Renew the lease of a topic's messages in progress."""
        until = this_moment() + int(lease * 1000)
        await self._execute(*_RENEW.bind(self._dialect, topic=topic, holder=self._holder, until=until))

    async def release(self) -> None:
        """Release all messages that are not settled. The attempts do not count."""
        await self._execute(*_RELEASE.bind(self._dialect, holder=self._holder, now=this_moment()))

    async def _execute(self, text: str, values: Values) -> None:
        async def write(unit: UnitOfWork) -> None:
            await unit.connection.execute(text, values)

        await run_unit(self._database, UnitOfWork, write, grouped=False, in_maintenance=True)

    async def record(self, outcomes: Sequence[Outcome]) -> None:
        """Record the results of messages."""

        async def write(unit: UnitOfWork) -> None:
            delivered = [one.message.id for one in outcomes if one.end is End.DELIVERED]
            for start in range(0, len(delivered), MOST_TAKEN):
                remove, slots = _slots(_DELIVERED, delivered[start : start + MOST_TAKEN])
                await unit.connection.execute(*remove.bind(self._dialect, **slots))
            for one in outcomes:
                if one.end is not End.DELIVERED:
                    await self._record_outcome(unit.connection, one)

        await run_unit(self._database, UnitOfWork, write, grouped=False, in_maintenance=True)

    async def _record_outcome(self, connection: Connection, outcome: Outcome) -> None:
        if outcome.end is End.GIVEN_UP:
            await move_to_dead_letters(connection, self._dialect, outcome.message.id, self._holder, outcome.error)
            return
        again = _AGAIN.bind(
            self._dialect,
            id=outcome.message.id,
            holder=self._holder,
            due_at=this_moment() + int(outcome.pause * 1000),
            error=outcome.error,
        )
        await connection.execute(*again)


def _slots(statements: Mapping[int, RawStatement], ids: Sequence[int]) -> tuple[RawStatement, dict[str, Any]]:
    """Return the smallest statement for these ids, and its values."""
    size = next(size for size in _SIZES if len(ids) <= size)
    return statements[size], {f"id{number}": ids[number] if number < len(ids) else _NO_ID for number in range(size)}


def _message(row: Row) -> Message:
    message_id, topic, ordering_key, payload, attempts, created_at = row
    return Message(int(message_id), topic, ordering_key, orjson.loads(payload), attempts, created_at)
