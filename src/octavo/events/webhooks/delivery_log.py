"""The delivery log: one row for each message to a webhook, with its body and the last response. Age and total size are
limited; the oldest rows are deleted first."""

from collections.abc import Sequence
from typing import Final

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Database, Row
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.webhooks.messages import Answer, Sent
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_webhook_deliveries",
    (
        "message_id varchar(64) NOT NULL",
        "webhook_id integer NOT NULL",
        "event varchar(64) NOT NULL",
        "url text NOT NULL",
        "body text NOT NULL",
        "size integer NOT NULL",
        "attempts integer NOT NULL",
        "delivered integer NOT NULL",
        "status integer",
        "answer text NOT NULL",
        "error text",
        "milliseconds integer NOT NULL",
        "created_at bigint NOT NULL",
        "sent_at bigint NOT NULL",
    ),
    counted=True,
    indexes=(("message_id",), ("webhook_id", "id"), ("sent_at",)),
)

_MOST_ROWS: Final = 20_000

_COLUMNS: Final = (
    "message_id, webhook_id, event, url, body, attempts, delivered, status, answer, error, milliseconds, created_at,"
    " sent_at"
)
_AGAIN: Final = RawStatement("""
UPDATE octavo_webhook_deliveries SET attempts = attempts + 1, delivered = {delivered}, status = {status},
  answer = {answer}, error = {error}, milliseconds = {milliseconds}, sent_at = {now}, url = {url}
WHERE message_id = {message_id} AND webhook_id = {webhook_id} {id:returning}""")
_FIRST: Final = RawStatement("""
INSERT INTO octavo_webhook_deliveries (message_id, webhook_id, event, url, body, size, attempts, delivered, status,
  answer, error, milliseconds, created_at, sent_at)
VALUES ({message_id}, {webhook_id}, {event}, {url}, {body}, {size}, 1, {delivered}, {status}, {answer}, {error},
  {milliseconds}, {now}, {now})""")
_LIST: Final = RawStatement(
    f"SELECT {_COLUMNS} FROM octavo_webhook_deliveries WHERE webhook_id = {{webhook_id}}"  # noqa: S608 - names only
    " ORDER BY id DESC LIMIT {most}"
)
_FIND: Final = RawStatement(
    f"SELECT {_COLUMNS} FROM octavo_webhook_deliveries WHERE message_id = {{message_id}}"  # noqa: S608 - names only
)
_OLD: Final = RawStatement("SELECT id FROM octavo_webhook_deliveries WHERE sent_at < {limit} LIMIT 1")
_SIZES: Final = RawStatement("SELECT id, size FROM octavo_webhook_deliveries ORDER BY id DESC LIMIT {most}")
_FORGET: Final = RawStatement("DELETE FROM octavo_webhook_deliveries WHERE sent_at < {limit} OR id <= {id}")
_FORGET_ALL: Final = RawStatement("DELETE FROM octavo_webhook_deliveries WHERE webhook_id = {webhook_id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message to a webhook and its last result. Times are milliseconds since 1970."""

    message_id: str
    webhook_id: int
    event: str
    url: str
    body: str
    attempts: int
    delivered: bool
    status: int | None
    answer: str
    error: str | None
    milliseconds: int
    created_at: int
    sent_at: int


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """How long deliveries are stored, in milliseconds, and how many bytes of them."""

    age: int
    size: int


async def note(unit: UnitOfWork, dialect: Dialect, sent: Sent, url: str, answer: Answer) -> None:
    """Record an attempt."""
    connection = unit.connection
    came = {
        "message_id": sent.id,
        "webhook_id": sent.webhook,
        "url": url,
        "delivered": int(answer.error is None),
        "status": answer.status,
        "answer": answer.text,
        "error": answer.error,
        "milliseconds": answer.milliseconds,
        "now": this_moment(),
    }
    if await connection.fetch_value(*_AGAIN.bind(dialect, **came)) is None:
        await connection.execute(*_FIRST.bind(dialect, event=sent.event, body=sent.body, size=len(sent.body), **came))


async def forget_webhook(unit: UnitOfWork, database: Database, webhook_id: int) -> None:
    """Delete the deliveries of a webhook."""
    await unit.connection.execute(*_FORGET_ALL.bind(database.dialect, webhook_id=webhook_id))


async def forget_old(database: Database, kept: RetentionLimits) -> None:
    """Delete deliveries that are too old, and the oldest ones over the size limit."""
    dialect, limit = database.dialect, this_moment() - kept.age
    sizes = await database.fetch_all(*_SIZES.bind(dialect, most=_MOST_ROWS + 1), long=True)
    last = _last_too_many(sizes, kept.size)
    if last is None and await database.fetch_value(*_OLD.bind(dialect, limit=limit)) is None:
        return
    forgetting = _FORGET.bind(dialect, limit=limit, id=last or 0)

    async def forget(unit: UnitOfWork) -> None:
        await unit.connection.execute(*forgetting)

    await run_unit(database, UnitOfWork, forget, grouped=False, in_maintenance=True)  # a part of deliveries


def _last_too_many(sizes: Sequence[Row], most: int) -> int | None:
    size = 0
    for number, (row_id, length) in enumerate(sizes, 1):
        size += length
        if number > _MOST_ROWS or size > most:
            return int(row_id)
    return None


async def list_deliveries(database: Database, webhook_id: int, most: int) -> list[Delivery]:
    """Return the newest messages to a webhook."""
    rows = await database.fetch_all(*_LIST.bind(database.dialect, webhook_id=webhook_id, most=most), long=True)
    return [_delivery(row) for row in rows]


async def find_delivery(database: Database, message_id: str) -> Delivery | None:
    """Return the message with an id."""
    row = await database.fetch_row(*_FIND.bind(database.dialect, message_id=message_id))
    return None if row is None else _delivery(row)


def _delivery(row: Row) -> Delivery:
    names = [name.strip() for name in _COLUMNS.split(",")]
    values = dict(zip(names, row, strict=True))
    return Delivery(**{**values, "delivered": bool(values["delivered"])})
