"""Pending messages of the outbox, for administration."""

from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.sql.raw_statement import RawStatement

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
