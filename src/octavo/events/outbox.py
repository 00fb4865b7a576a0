"""The outbox: messages written in the transaction of the change that they are about.

    await outbox.add(unit, "webhook", {"entry": 5}, ordering_key="entry 5")

A message is committed or rolled back with its unit of work. After the commit, this process's worker is woken
(`delivery`); if the process dies before, another one finds the message in the table. A message is delivered at least
once. Messages with the same topic and ordering key are delivered in the order in which they were added, each after the
previous one was delivered or has failed for good. A message that is not due yet (`not_before`) blocks no others.
"""

from collections.abc import Callable
from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import LONGEST_NAME, MOST_BYTES, MessageTooLarge
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
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
"""Taking a message moves `due_at` into the future. If its worker stops responding, it becomes due again."""

_ADD: Final = RawStatement("""
INSERT INTO octavo_outbox (topic, ordering_key, payload, created_at, due_at, attempts, error)
VALUES ({topic}, {ordering_key}, {payload}, {now}, {due_at}, 0, {error}) {id:returning}""")
_REMOVE: Final = RawStatement("DELETE FROM octavo_outbox WHERE id = {id} AND attempts = 0 {id:returning}")

Wake = Callable[[], None]


class Outbox:
    """The messages of one database that have not been delivered."""

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
        """Add a message to a unit of work, and return its id.

        `payload` is any JSON value, or its bytes. `not_before` is milliseconds since 1970. `error`: why the message
        that this one replaces was not delivered. Raises MessageTooLarge, and TypeError for a payload that is not JSON.
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
        """Add a message like `add`, with only a transaction's connection. The caller has to call `wake` after the
        commit."""
        body = payload if isinstance(payload, bytes) else orjson.dumps(payload)
        if len(body) > MOST_BYTES:
            raise MessageTooLarge(f"a message of {topic} has {len(body)} bytes; the limit is {MOST_BYTES}")
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
        """Remove a message unless its delivery has started; return whether it was removed."""
        removing = _REMOVE.bind(self._dialect, id=message_id)
        return await unit.connection.fetch_value(*removing) is not None

    def on_wake(self, wake: Wake) -> Callable[[], None]:
        """Call a function when this process has added messages; return the function to unsubscribe."""
        self._wakes.add(wake)
        return lambda: self._wakes.discard(wake)

    def wake(self) -> None:
        """Notify workers that there may be messages."""
        for wake in tuple(self._wakes):
            wake()


def _checked(ordering_key: str) -> str:
    if len(ordering_key) > LONGEST_NAME:
        raise ValueError(f"an ordering key can have at most {LONGEST_NAME} characters: {ordering_key!r}")
    return ordering_key


_LIST: Final = RawStatement("""
SELECT id, topic, payload, created_at, due_at, attempts, error FROM octavo_outbox
ORDER BY due_at, id LIMIT {most}""")
_MOST_TAGS: Final = 5
"""Maximum number of tags shown for a purge, which may have hundreds."""
_COUNT: Final = "SELECT topic, count(*), min(due_at) FROM octavo_outbox GROUP BY topic"
_COUNT_DEAD: Final = "SELECT topic, count(*) FROM octavo_dead_letters GROUP BY topic"


@dataclass(frozen=True, slots=True)
class Work:
    """The messages of a topic: the number `waiting`, for how many seconds the first of them has been due, and the
    number `given_up`."""

    topic: str
    waiting: int
    late_seconds: float
    given_up: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that is not delivered yet, or is being delivered. Times are milliseconds since 1970."""

    id: int
    topic: str
    payload: Any
    created_at: int
    due_at: int
    attempts: int
    error: str | None


def describe_message(payload: Any) -> str:
    """Return the subject of a message in a few words, never its contents."""
    match payload:
        case {"tags": [*tags]}:  # a purge, for all caches or one
            listed = ", ".join(map(str, tags[:_MOST_TAGS])) + (" ..." if len(tags) > _MOST_TAGS else "")
            return f"{listed} in {payload['to']}" if "to" in payload else listed
        case {"plan": plan, "uid": uid, "id": entry_id}:
            return f"{plan} {uid} {entry_id}"
        case {"name": str(name)} | {"event": str(name)}:
            return name
    return ""


async def list_waiting(database: Database, most: int = 100) -> list[Waiting]:
    """Return the next due messages."""
    rows = await database.fetch_all(*_LIST.bind(database.dialect, most=most), long=True)
    return [Waiting(row[0], row[1], orjson.loads(row[2]), *row[3:]) for row in rows]


async def count_work(database: Database) -> list[Work]:
    """Return the number of waiting and failed messages by topic. Raises ServiceUnavailable."""
    rows = {row[0]: row for row in await database.fetch_all(_COUNT, long=True)}
    dead: dict[str, int] = {row[0]: row[1] for row in await database.fetch_all(_COUNT_DEAD, long=True)}
    now = this_moment()
    return [
        Work(topic, row[1], max(0, now - row[2]) / 1000 if row[1] else 0.0, dead.get(topic, 0))
        for topic in sorted({*rows, *dead})
        for row in (rows.get(topic, (topic, 0, now)),)
    ]
