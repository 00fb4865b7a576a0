"""What waits in the outbox, for people."""

from dataclasses import dataclass
from typing import Any, Final

import orjson

from octavo.database.connection import Database
from octavo.sql.own_table_statement import OwnStatement

_LIST: Final = OwnStatement("""
SELECT id, topic, payload, created_at, due_at, attempts, error FROM octavo_outbox
WHERE topic = {topic} OR {topic} = '' ORDER BY due_at, id LIMIT {most}""")


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


async def list_waiting(database: Database, topic: str = "", most: int = 100) -> list[Waiting]:
    """What is due next, of one topic or of all."""
    rows = await database.fetch_all(*_LIST.bind(database.dialect, topic=topic, most=most), long=True)
    return [Waiting(row[0], row[1], orjson.loads(row[2]), *row[3:]) for row in rows]
