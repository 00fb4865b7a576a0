"""The outbox: messages written in the transaction of the change that they follow.

    await outbox.add(unit, "webhook", {"entry": 5}, ordering_key="entry 5")

A message counts if the unit of work does. Once that is durable the worker of this process is woken (`delivery`); were
the process to die first, another one finds the message in the table. A message is delivered at least once, and
those of one topic and ordering key in the order in which they were added, each when the one before it is delivered or
given up. What is not due yet (`not_before`) holds up nobody.
"""

from collections.abc import Callable
from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import LONGEST_NAME, MOST_BYTES, MessageTooLarge
from octavo.query.sql.ddl.tables import OwnTable
from octavo.query.sql.system_table_statement import OwnStatement

TABLE: Final = OwnTable(
    "octavo_outbox",
    (
        "topic varchar(64) NOT NULL",
        f"ordering_key varchar({LONGEST_NAME}) NOT NULL",
        "payload text NOT NULL",
        "created_at bigint NOT NULL",
        "due_at bigint NOT NULL",
        "attempts integer NOT NULL",
        "holder varchar(64)",
        "error text",
    ),
    counted=True,
    indexes=(("due_at", "topic"), ("topic", "ordering_key", "id")),
)
"""Whoever delivers a message moves `due_at` into the future: if nothing is heard of them, it is due again."""

_ADD: Final = OwnStatement("""
INSERT INTO octavo_outbox (topic, ordering_key, payload, created_at, due_at, attempts, error)
VALUES ({topic}, {ordering_key}, {payload}, {now}, {due_at}, 0, {error}) {id:returning}""")
_REMOVE: Final = OwnStatement("DELETE FROM octavo_outbox WHERE id = {id} AND attempts = 0 {id:returning}")

Wake = Callable[[], None]


class Outbox:
    """The messages of one database that are still to be delivered."""

    def __init__(self, database: Database) -> None:
        self._dialect = database.dialect
        self._wakes: set[Wake] = set()

    async def add(
        self,
        unit: UnitOfWork,
        topic: str,
        payload: Any,
        ordering_key: str | None = None,
        not_before: int | None = None,
        error: str | None = None,
    ) -> int:
        """Add a message to a unit of work; its id.

        `payload` is JSON of any shape, or bytes that are such. `not_before` is milliseconds since 1970. `error`: why a
        message that this one takes the place of was not delivered. Raises MessageTooLarge, and TypeError for what JSON
        cannot say.
        """
        added = await self.write(unit.connection, topic, payload, ordering_key, not_before, error)
        unit.after_commit(self.wake)
        return added

    async def write(
        self,
        connection: Connection,
        topic: str,
        payload: Any,
        ordering_key: str | None = None,
        not_before: int | None = None,
        error: str | None = None,
    ) -> int:
        """As `add`, for who has a transaction's connection alone: they `wake` the worker once it is committed."""
        body = payload if isinstance(payload, bytes) else orjson.dumps(payload)
        if len(body) > MOST_BYTES:
            raise MessageTooLarge(f"a message of {topic} has {len(body)} bytes; it may have {MOST_BYTES}")
        now = this_moment()
        adding = _ADD.bind(
            self._dialect,
            topic=topic,
            ordering_key=_checked(ordering_key or ""),
            payload=body.decode(),
            now=now,
            due_at=now if not_before is None else not_before,
            error=error,
        )
        return int(await connection.fetch_value(*adding))

    async def remove(self, unit: UnitOfWork, message_id: int) -> bool:
        """Take a message back, unless its delivery has begun; whether it was there."""
        removing = _REMOVE.bind(self._dialect, id=message_id)
        return await unit.connection.fetch_value(*removing) is not None

    def on_wake(self, wake: Wake) -> Callable[[], None]:
        """Call somebody when messages of this process are there; how to end that."""
        self._wakes.add(wake)
        return lambda: self._wakes.discard(wake)

    def wake(self) -> None:
        """There may be something to deliver."""
        for wake in tuple(self._wakes):
            wake()


def _checked(ordering_key: str) -> str:
    if len(ordering_key) > LONGEST_NAME:
        raise ValueError(f"an ordering key has at most {LONGEST_NAME} characters: {ordering_key!r}")
    return ordering_key
