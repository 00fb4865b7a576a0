"""Dead letters: messages whose delivery has failed for good, stored for inspection and redelivery.

Age, number and bytes are limited. The oldest ones are deleted, with a message in the log.
"""

import logging
from collections.abc import Sequence
from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, Row
from octavo.database.unit_of_work import unit_of_work
from octavo.events.messages import LONGEST_NAME
from octavo.events.outbox import Outbox
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

logger = logging.getLogger(__name__)

TABLE: Final = SystemTable(
    "octavo_dead_letters",
    (
        "id bigint PRIMARY KEY NOT NULL",
        "topic varchar(64) NOT NULL",
        f"ordering_key varchar({LONGEST_NAME}) NOT NULL",
        "payload text NOT NULL",
        "size integer NOT NULL",
        "created_at bigint NOT NULL",
        "died_at bigint NOT NULL",
        "attempts integer NOT NULL",
        "error text NOT NULL",
    ),
)

MOST_AGE: Final = 30 * 24 * 3600 * 1000
"""In milliseconds."""
MOST_LETTERS: Final = 10_000
MOST_BYTES: Final = 64 * 1024**2

_BURY: Final = RawStatement("""
INSERT INTO octavo_dead_letters (id, topic, ordering_key, payload, size, created_at, died_at, attempts, error)
SELECT id, topic, ordering_key, payload, octet_length(payload), created_at, {now}, attempts, {error}
FROM octavo_outbox WHERE id = {id} AND holder = {holder}""")
_END: Final = RawStatement("DELETE FROM octavo_outbox WHERE id = {id} AND holder = {holder}")
_OLD: Final = RawStatement("SELECT id FROM octavo_dead_letters WHERE died_at < {limit} LIMIT 1")
_SIZES: Final = RawStatement("SELECT id, size FROM octavo_dead_letters ORDER BY id DESC LIMIT {most}")
_FORGET: Final = RawStatement("DELETE FROM octavo_dead_letters WHERE died_at < {limit} OR id <= {id}")
_LIST: Final = RawStatement("""
SELECT id, topic, ordering_key, payload, created_at, died_at, attempts, error FROM octavo_dead_letters
WHERE topic = {topic} OR {topic} = '' ORDER BY id DESC LIMIT {most}""")
_TAKE: Final = RawStatement("""
DELETE FROM octavo_dead_letters WHERE id = {id} {topic, ordering_key, payload:returning}""")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message whose delivery has failed for good. Times are milliseconds since 1970."""

    id: int
    topic: str
    ordering_key: str
    payload: Any
    created_at: int
    died_at: int
    attempts: int
    error: str


async def move_to_dead_letters(
    connection: Connection, dialect: Dialect, message_id: int, holder: str, error: str
) -> None:
    """Move a message that its holder has taken to the dead letters."""
    await connection.execute(*_BURY.bind(dialect, id=message_id, holder=holder, now=this_moment(), error=error))
    await connection.execute(*_END.bind(dialect, id=message_id, holder=holder))


async def forget_old(database: Database) -> None:
    """Delete letters that are too old, and the oldest ones if there are too many."""
    limit, sizes = this_moment() - MOST_AGE, _SIZES.bind(database.dialect, most=MOST_LETTERS + 1)
    last = _last_too_many(await database.fetch_all(*sizes, long=True))
    if last is None and not await database.fetch_value(*_OLD.bind(database.dialect, limit=limit)):
        return
    async with unit_of_work(database) as unit:
        forgetting = _FORGET.bind(database.dialect, limit=limit, id=last or 0)
        gone = await unit.connection.execute(*forgetting)
    logger.warning("Removed %d failed messages because of their age or number", gone)


def _last_too_many(rows: Sequence[Row]) -> int | None:
    """Return the newest letter over the limit. Rows are ids and sizes, the newest first."""
    size = 0
    for number, (letter_id, length) in enumerate(rows, 1):
        size += length
        if number > MOST_LETTERS or size > MOST_BYTES:
            return int(letter_id)
    return None


class DeadLetters:
    """The dead letters of one database, for administration."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def list(self, topic: str = "", most: int = 100) -> list[DeadLetter]:
        """Return the newest letters, of one topic or of all."""
        rows = await self._database.fetch_all(*_LIST.bind(self._database.dialect, topic=topic, most=most))
        return [DeadLetter(row[0], row[1], row[2], orjson.loads(row[3]), *row[4:]) for row in rows]

    async def send_again(self, letter_id: int) -> int | None:
        """Move a letter back to the end of the outbox; return the new id, or None if the letter does not exist."""
        async with unit_of_work(self._database) as unit:
            row = await unit.connection.fetch_row(*_TAKE.bind(self._database.dialect, id=letter_id))
            if row is None:
                return None
            topic, ordering_key, payload = row
            return await self._outbox.add(unit, topic, payload.encode(), ordering_key)
