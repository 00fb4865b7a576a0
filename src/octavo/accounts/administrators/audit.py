"""The audit log: which administrator changed what, and when. Old and new values are not stored.

Data changes are logged in their own transaction, whichever API made them. Other operations (webhooks, definitions,
logos) are logged afterwards by name. Sessions and failed sign-ins are logged as well. Rows are deleted after some time
or above a maximum number.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.core.clock import read_moment, this_moment
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, DataChange
from octavo.database.connection import Database, Transaction
from octavo.database.unit_of_work import unit_of_work
from octavo.events import origin
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.system_rows import SystemRows

TABLE: Final = SystemTable(
    "octavo_audit",
    (
        "created_at bigint NOT NULL",
        "administrator_id integer NOT NULL",
        "email varchar(255)",
        "door varchar(16) NOT NULL",
        "action varchar(255) NOT NULL",
        "uid varchar(255)",
        "entry_id bigint",
        "request_id varchar(64)",
    ),
    counted=True,
    indexes=(("created_at",), ("administrator_id", "id"), ("uid", "entry_id")),
)

LOGIN: Final = "session"
REFUSED: Final = "login refused"
REMOVED_PERMISSIONS: Final = "permissions removed"
UNKNOWN_ADMINISTRATOR: Final = 0
"""The administrator id for failed sign-ins without an account, and for changes at startup."""
_REFUSED_EVERY: Final = 3_600_000
"""Milliseconds in which only one failed sign-in is logged per administrator (or without one), so that guessing
passwords does not push out other rows."""
_MOST_OF_ONE: Final = 500
"""Changes of one transaction that are logged individually; the rest is logged by type only."""
_SWEEP_AFTER: Final = 200
"""Rows that this process writes between two cleanups."""

_ROWS: Final = SystemRows(
    TABLE.name,
    ("action", "uid", "entry_id"),
    {
        "created_at": "{now}",
        "administrator_id": "{administrator}",
        "email": "{email}",
        "door": "{door}",
        "request_id": "{request}",
    },
)
_REFUSE: Final = RawStatement(f"""
INSERT INTO octavo_audit (created_at, administrator_id, email, door, action, request_id)
SELECT {{now}}, {{administrator}}, {{email}}, 'admin', '{REFUSED}', {{request}} WHERE NOT EXISTS (
  SELECT 1 FROM octavo_audit o WHERE o.administrator_id = {{administrator}} AND o.action = '{REFUSED}'
  AND o.id > coalesce((SELECT max(p.id) FROM octavo_audit p WHERE p.created_at < {{since}}), 0)
)""")  # noqa: S608 - a constant
_LAST_OLD: Final = RawStatement("SELECT max(id) FROM octavo_audit WHERE created_at < {limit}")
_FIRST_KEPT: Final = RawStatement("SELECT min(id) FROM (SELECT id FROM octavo_audit ORDER BY id DESC LIMIT {most}) o")
_FORGET: Final = RawStatement("DELETE FROM octavo_audit WHERE id <= {last}")

_NOTED: Final[ContextVar[list[bool] | None]] = ContextVar("octavo_audited", default=None)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The maximum age of rows in seconds, and their maximum number."""

    seconds: int = 90 * 86_400
    rows: int = 100_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the audit log.

    `action` is the kind of a data change, `session`, `login refused`, `permissions removed`, or an operation's name.
    """

    at: datetime | None
    administrator: int
    email: str | None
    door: str
    action: str
    uid: str | None
    entry: int | None
    request: str | None


class Audit:
    """Writes the audit log."""

    def __init__(self, database: Database, options: AuditOptions) -> None:
        self._database = database
        self._dialect = database.dialect
        self._options = options
        self._written = 0

    def join(self, feed: ChangeFeed) -> None:
        """Subscribe to a change feed to log every change by an administrator."""
        feed.keep(self.write_changes)

    async def write_changes(self, connection: Any, changes: Sequence[DataChange]) -> None:
        """Log a transaction's changes if an administrator made them."""
        actor = origin.actor()
        if not isinstance(actor, Actor) or actor.kind != "administrator" or actor.id is None:
            return
        logged = dict.fromkeys((change.uid, change.id, str(change.kind)) for change in changes)
        singly, rest = [*logged][:_MOST_OF_ONE], [*logged][_MOST_OF_ONE:]
        together = dict.fromkeys((uid, None, kind) for uid, _, kind in rest)
        rows = [(kind, uid, entry_id) for uid, entry_id, kind in (*singly, *together)]
        await self._insert(connection, actor.id, actor.email, origin.source(), rows)
        _note()

    async def write_session(self, connection: Transaction, administrator: int, email: str) -> None:
        """Log that an administrator started a session."""
        await self._insert(connection, administrator, email, "admin", [(LOGIN, None, None)])

    async def write_refused(self, administrator: int, email: str | None) -> None:
        """Log a failed sign-in for an administrator or UNKNOWN_ADMINISTRATOR, unless one was logged recently."""
        self._written += 1
        now = this_moment()
        refused = _REFUSE.bind(
            self._dialect,
            now=now,
            administrator=administrator,
            email=email,
            request=origin.request_id(),
            since=now - _REFUSED_EVERY,
        )
        async with unit_of_work(self._database) as unit:
            await unit.connection.execute(*refused)

    @contextmanager
    def watching(self) -> Iterator[list[bool]]:
        """Record whether the block logs any data change; the yielded list is then not empty."""
        noted: list[bool] = []
        token = _NOTED.set(noted)
        try:
            yield noted
        finally:
            _NOTED.reset(token)

    async def write_operation(self, actor: Actor, operation: str) -> None:
        """Log an operation other than a data change by its name."""
        async with unit_of_work(self._database) as unit:
            await self._insert(
                unit.connection, actor.id or UNKNOWN_ADMINISTRATOR, actor.email, "admin", [(operation, None, None)]
            )

    async def sweep(self, *, always: bool = False) -> None:
        """Delete expired rows and those above the maximum, once enough rows were written or if `always`."""
        if self._written < _SWEEP_AFTER and not always:
            return
        self._written = 0
        limit = this_moment() - self._options.seconds * 1000
        old = await self._database.fetch_value(*_LAST_OLD.bind(self._dialect, limit=limit))
        kept = await self._database.fetch_value(*_FIRST_KEPT.bind(self._dialect, most=self._options.rows))
        last = max(old or 0, (kept or 1) - 1)
        if last:
            async with unit_of_work(self._database) as unit:
                await unit.connection.execute(*_FORGET.bind(self._dialect, last=last))

    async def _insert(
        self,
        connection: Transaction,
        administrator: int,
        email: str | None,
        door: str,
        rows: Sequence[tuple[str, str | None, int | None]],
    ) -> None:
        """Insert rows for one administrator. Each row is action, type and entry id."""
        self._written += len(rows)
        shared = {"administrator": administrator, "email": email, "door": door, "request": origin.request_id()}
        for statement in _ROWS.insert(self._dialect, rows, now=this_moment(), **shared):
            await connection.execute(*statement)


async def write_permissions_removed(connection: Transaction, dialect: Dialect, uids: Iterable[str]) -> None:
    """Log the deletion of permissions for removed content-types or controllers, under the administrator whose request
    caused it or under the system."""
    actor = origin.actor()
    asks = actor if isinstance(actor, Actor) and actor.kind == "administrator" else None
    rows = [(REMOVED_PERMISSIONS, uid, None) for uid in uids]
    shared = {
        "administrator": (asks and asks.id) or UNKNOWN_ADMINISTRATOR,
        "email": asks and asks.email,
        "door": "admin" if asks else "system",
        "request": origin.request_id(),
    }
    for statement in _ROWS.insert(dialect, rows, now=this_moment(), **shared):
        await connection.execute(*statement)


def _note() -> None:
    noted = _NOTED.get()
    if noted is not None:
        noted.append(True)


async def read_audit(
    database: Database, *, email: str | None = None, uid: str | None = None, entry: int | None = None, most: int = 50
) -> list[Entry]:
    """Return the latest rows, newest first, optionally for one administrator, content-type or entry."""
    conditions = {"email": email, "uid": uid, "entry_id": entry}
    given = {name: value for name, value in conditions.items() if value is not None}
    where = " AND ".join(f"{name} = {{{name}}}" for name in given)
    statement = RawStatement(
        "SELECT created_at, administrator_id, email, door, action, uid, entry_id, request_id FROM octavo_audit"  # noqa: S608
        f"{f' WHERE {where}' if where else ''} ORDER BY id DESC LIMIT {{most}}"
    )
    rows = await database.fetch_all(*statement.bind(database.dialect, **given, most=most), long=True)
    return [Entry(read_moment(at), *more) for at, *more in rows]
