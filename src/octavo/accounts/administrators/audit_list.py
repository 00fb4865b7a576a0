"""The audit log for super admins: a page, or the whole log as JSON lines, oldest first."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import orjson

from octavo.accounts.administrators.audit import COLUMNS, TABLE, Entry, read_entry
from octavo.core.clock import format_timestamp
from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.ast import Page
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


MOST_EXPORTED: Final = 10_000
LARGEST_EXPORT: Final = 8 * 1024 * 1024
"""Records and bytes of one export; the record that reaches the limit is the last one."""
_CONDITIONS: Final = {
    "email": "email = {email}",
    "action": "action = {action}",
    "door": "door = {door}",
    "uid": "uid = {uid}",
    "entry": "entry_id = {entry}",
    "since": "created_at >= {since}",
    "until": "created_at < {until}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Filters for the audit log; None means any value. Times are milliseconds since 1970."""

    email: str | None = None
    action: str | None = None
    door: str | None = None
    uid: str | None = None
    entry: int | None = None
    since: int | None = None
    until: int | None = None

    def given(self) -> dict[str, Any]:
        """Return the filters that are set, by name."""
        conditions = {name: getattr(self, name) for name in _CONDITIONS}
        return {name: value for name, value in conditions.items() if value is not None}


class AuditList:
    """Reads pages of the audit log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, wanted: AuditFilter, page: Page) -> tuple[list[Entry], int]:
        """Return a page of rows, newest first, and the total number of rows."""
        given, dialect = wanted.given(), self._database.dialect
        where = " AND ".join(_CONDITIONS[name] for name in given)
        rest = f"FROM octavo_audit{f' WHERE {where}' if where else ''}"
        counting = RawStatement(f"SELECT count(*) {rest}")
        reading = RawStatement(f"SELECT {COLUMNS} {rest} ORDER BY id DESC LIMIT {{most}} OFFSET {{start}}")
        total = await self._database.fetch_value(*counting.bind(dialect, **given), long=True)
        bound = reading.bind(dialect, **given, most=page.limit or 0, start=page.start)
        rows = await self._database.fetch_all(*bound, long=True)
        return [read_entry(row) for row in rows], int(total)

    async def export(self, after: int) -> bytes:
        """Return the next records after an id as JSON lines, oldest first; empty if there are none."""
        lines: list[bytes] = []
        size = 0
        async with aclosing(export_audit(self._database, after)) as records:
            async for _, line in records:
                lines.append(line)
                size += len(line)
                if len(lines) >= MOST_EXPORTED or size >= LARGEST_EXPORT:
                    break
        return b"".join(lines)

    async def actions(self) -> list[str]:
        """Return the actions that occur in the log, as filter choices."""
        rows = await self._database.fetch_all("SELECT DISTINCT action FROM octavo_audit ORDER BY action", long=True)
        return [row[0] for row in rows]
