"""Export the audit log as JSON lines, oldest first, for the commands and the admin API.

Ids are assigned during transactions, so a later id may become visible before an earlier one. A client that continues
after the last id would never receive the earlier record. An export therefore waits for the transactions that are
writing to the log when it starts, and ends before the records of later ones.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final

import orjson

from octavo.accounts.administrators.audit import COLUMNS, TABLE, Entry, read_entry
from octavo.core.clock import format_timestamp
from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Database
from octavo.query.sql.raw_statement import RawStatement

PATIENCE: Final = 10.0
"""Seconds for which an export waits for running transactions."""
_LOOK_EVERY: Final = 0.02
_AT_ONCE: Final = 200
"""Rows of one statement: each has up to 64 kB of details."""
_LAST: Final = RawStatement("SELECT max(id) FROM octavo_audit")
_READ: Final = RawStatement(
    f"SELECT id, {COLUMNS} FROM octavo_audit "  # noqa: S608 - names only
    f"WHERE id > {{after}} AND id <= {{last}} ORDER BY id LIMIT {_AT_ONCE}"
)


class UnsettledAudit(ServiceUnavailable):
    """A transaction that writes to the audit log is still running."""

    message = "The audit log cannot be exported now: a transaction that writes to it is still running. Try again later."
    is_outage = False


async def export_audit(
    database: Database, after: int, *, patience: float = PATIENCE
) -> AsyncGenerator[tuple[int, bytes]]:
    """Yield the ids and JSON lines of the records with an id above `after`, oldest first.

    Raises UnsettledAudit if a transaction that writes to the log runs for more than `patience` seconds.
    """
    last = await _last_settled(database, after, patience)
    while rows := await database.fetch_all(*_READ.bind(database.dialect, after=after, last=last), long=True):
        for row in rows:
            after = int(row[0])
            yield after, orjson.dumps({"id": after, **entry_json(read_entry(row[1:]))}) + b"\n"


def entry_json(entry: Entry) -> dict[str, Any]:
    """Return a record as JSON values."""
    return {
        "at": None if entry.at is None else format_timestamp(round(entry.at.timestamp() * 1000)),
        "administrator": entry.administrator,
        "email": entry.email,
        "door": entry.door,
        "action": entry.action,
        "uid": entry.uid,
        "entry": entry.entry,
        "request": entry.request,
        "client": entry.client,
        "userAgent": entry.agent,
        "details": entry.details,
    }


async def _last_settled(database: Database, after: int, patience: float) -> int:
    """Return the last id, if it is above `after` once no running transaction can insert a lower one."""
    last: int = await database.fetch_value(*_LAST.bind(database.dialect)) or 0
    if last <= after:
        return last
    writing = await _writing(database)
    try:
        async with asyncio.timeout(patience):
            while writing:
                await asyncio.sleep(_LOOK_EVERY)
                writing &= await _writing(database)
    except TimeoutError:
        raise UnsettledAudit from None
    return last


async def _writing(database: Database) -> set[str]:
    """Return the running transactions that write to the log; none on a database with a single writer."""
    reading = database.dialect.table_writers(TABLE.name)
    return set() if reading is None else {row[0] for row in await database.fetch_all(reading)}
