"""The paginated audit log, for super admins."""

from contextlib import aclosing
from typing import Any, Final

from octavo.accounts.administrators.audit import COLUMNS, Entry, read_entry
from octavo.accounts.administrators.audit_export import export_audit
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.ast import Page
from octavo.query.sql.raw_statement import RawStatement

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
        found = {name: getattr(self, name) for name in _CONDITIONS}
        return {name: value for name, value in found.items() if value is not None}


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
