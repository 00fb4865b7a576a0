"""The audit log: which administrator changed what, when, and from where. Old and new values are only stored for
permissions.

Data changes are logged in their own transaction, whichever API made them. Other operations (webhooks, definitions,
logos) are logged afterwards by name. Sessions and failed sign-ins are logged as well, and changes of accounts, roles,
permissions and tokens by commands. Rows are deleted after some time or above a maximum number.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Final, TypeAlias

import orjson

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
from octavo.schema.content_types import (
    ADMIN_PERMISSION,
    ADMIN_ROLE,
    ADMIN_USER,
    API_TOKEN,
    PERMISSION,
    ROLE,
    TRANSFER_TOKEN,
    USER,
)

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
    added=("client varchar(64)", "user_agent varchar(255)", "details text"),
)

LOGIN: Final = "session"
REFUSED: Final = "login refused"
REMOVED_PERMISSIONS: Final = "permissions removed"
ROTATED_SECRET: Final = "secret rotated:"
ANNOUNCED_SECRET: Final = "secret announced:"
UNKNOWN_ADMINISTRATOR: Final = 0
"""The administrator id for failed sign-ins without an account, and for changes at startup."""
_REFUSED_EVERY: Final = 3_600_000
"""Milliseconds in which only one failed sign-in is logged per administrator (or without one), so that guessing
passwords does not push out other rows."""
COMMAND: Final = "command"
"""The door of changes by commands."""
_OF_COMMANDS: Final = frozenset(
    {USER, ROLE, PERMISSION, API_TOKEN, TRANSFER_TOKEN, ADMIN_USER, ADMIN_ROLE, ADMIN_PERMISSION}
)
"""The content types whose changes by commands are logged."""
_LONGEST_CLIENT: Final = 64
_LONGEST_AGENT: Final = 255
_MOST_DETAILS: Final = 64 * 1024
_MOST_OF_ONE: Final = 500
"""Changes of one transaction that are logged individually; the rest is logged by type only."""
_SWEEP_AFTER: Final = 200
"""Rows that this process writes between two cleanups."""

_ROWS: Final = SystemRows(
    TABLE.name,
    ("action", "uid", "entry_id", "details"),
    {
        "created_at": "{now}",
        "administrator_id": "{administrator}",
        "email": "{email}",
        "door": "{door}",
        "request_id": "{request}",
        "client": "{client}",
        "user_agent": "{agent}",
    },
)
_REFUSE: Final = RawStatement(f"""
INSERT INTO octavo_audit (created_at, administrator_id, email, door, action, request_id, client, user_agent)
SELECT {{now}}, {{administrator}}, {{email}}, 'admin', '{REFUSED}', {{request}}, {{client}}, {{agent}}
WHERE NOT EXISTS (
  SELECT 1 FROM octavo_audit o WHERE o.administrator_id = {{administrator}} AND o.action = '{REFUSED}'
  AND o.id > coalesce((SELECT max(p.id) FROM octavo_audit p WHERE p.created_at < {{since}}), 0)
)""")  # noqa: S608 - a constant
_LAST_OLD: Final = RawStatement("SELECT max(id) FROM octavo_audit WHERE created_at < {limit}")
_FIRST_KEPT: Final = RawStatement("SELECT min(id) FROM (SELECT id FROM octavo_audit ORDER BY id DESC LIMIT {most}) o")
_FORGET: Final = RawStatement("DELETE FROM octavo_audit WHERE id <= {last}")

_Row: TypeAlias = tuple[str, str | None, int | None, str | None]
"""Action, type, entry id, and details as JSON."""

_NOTED: Final[ContextVar[list[bool] | None]] = ContextVar("octavo_audited", default=None)


COLUMNS: Final = (
    "created_at, administrator_id, email, door, action, uid, entry_id, request_id, client, user_agent, details"
)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The maximum age of rows in seconds, and their maximum number."""

    seconds: int = 90 * 86_400
    rows: int = 100_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the audit log.

    `action` is the kind of a data change, `session`, `login refused`, `permissions removed`, or an operation's name.
    `client` is the address, `agent` the user agent or the command. `details` are the permissions before and after.
    """

    at: datetime | None
    administrator: int
    email: str | None
    door: str
    action: str
    uid: str | None
    entry: int | None
    request: str | None
    client: str | None = None
    agent: str | None = None
    details: Any = None


def read_entry(row: Sequence[Any]) -> Entry:
    """Return the entry of a row with `COLUMNS`."""
    at, details = read_moment(row[0]), None if row[-1] is None else orjson.loads(row[-1])
    return Entry(*(at, *row[1:-1], details))


class Audit:
    """Writes the audit log."""

    def __init__(self, database: Database, options: AuditOptions) -> None:
        self._database = database
        self._dialect = database.dialect
        self._options = options
        self._written = 0

    def join(self, feed: ChangeFeed) -> None:
        """Subscribe to a change feed to log every change by an administrator."""
        feed.keep(self.write_changes, _may_log)

    async def write_changes(self, connection: Any, changes: Sequence[DataChange]) -> None:
        """Log a transaction's changes if an administrator made them."""
        actor = origin.actor()
        if isinstance(actor, Actor) and actor.kind == "administrator" and actor.id is not None:
            await self._insert(connection, actor.id, actor.email, origin.source(), _rows(changes))
            _note()
        elif origin.COMMAND.text and actor is origin.SERVICE:
            rows = _rows([change for change in changes if change.uid in _OF_COMMANDS])
            await self._insert(connection, UNKNOWN_ADMINISTRATOR, None, COMMAND, rows)

    async def write_session(self, connection: Transaction, administrator: int, email: str) -> None:
        """Log that an administrator started a session."""
        await self._insert(connection, administrator, email, "admin", [(LOGIN, None, None, None)])

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
            client=_client(),
            agent=_agent(),
            since=now - _REFUSED_EVERY,
        )
        async with unit_of_work(self._database, in_maintenance=True) as unit:
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
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await self._insert(
                unit.connection,
                actor.id or UNKNOWN_ADMINISTRATOR,
                actor.email,
                "admin",
                [(operation, None, None, None)],
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
            async with unit_of_work(self._database, in_maintenance=True) as unit:
                await unit.connection.execute(*_FORGET.bind(self._dialect, last=last))

    async def _insert(
        self,
        connection: Transaction,
        administrator: int,
        email: str | None,
        door: str,
        rows: Sequence[_Row],
    ) -> None:
        """Insert rows for one administrator."""
        self._written += len(rows)
        shared = {"administrator": administrator, "email": email, "door": door, **_from()}
        for statement in _ROWS.insert(self._dialect, rows, now=this_moment(), **shared):
            await connection.execute(*statement)


async def write_permissions_removed(connection: Transaction, dialect: Dialect, uids: Iterable[str]) -> None:
    """Log the deletion of permissions for removed content types or controllers, under the administrator whose request
    caused it or under the system."""
    actor = origin.actor()
    asks = actor if isinstance(actor, Actor) and actor.kind == "administrator" else None
    rows = [(REMOVED_PERMISSIONS, uid, None, None) for uid in uids]
    shared = {
        "administrator": (asks and asks.id) or UNKNOWN_ADMINISTRATOR,
        "email": asks and asks.email,
        "door": "admin" if asks else "system",
        **_from(),
    }
    for statement in _ROWS.insert(dialect, rows, now=this_moment(), **shared):
        await connection.execute(*statement)


async def write_command(connection: Transaction, dialect: Dialect, action: str) -> None:
    """Log what a command did outside the database, such as the rotation of a secret."""
    shared = {"administrator": UNKNOWN_ADMINISTRATOR, "email": None, "door": COMMAND, **_from()}
    for statement in _ROWS.insert(dialect, [(action, None, None, None)], now=this_moment(), **shared):
        await connection.execute(*statement)


def _rows(changes: Sequence[DataChange]) -> list[_Row]:
    """Return a row for each changed entry, and one by type for those above the limit."""
    logged: dict[tuple[str, int, str], Mapping[str, Any] | None] = {}
    for change in changes:
        key = change.uid, change.id, str(change.kind)
        logged[key] = logged.get(key) or change.details
    singly, rest = [*logged.items()][:_MOST_OF_ONE], [*logged][_MOST_OF_ONE:]
    rows: list[_Row] = [(kind, uid, entry_id, _text(details)) for (uid, entry_id, kind), details in singly]
    return rows + [(kind, uid, None, None) for uid, kind in dict.fromkeys((uid, kind) for uid, _, kind in rest)]


def _may_log() -> bool:
    """Return whether changes by the current caller may be logged."""
    return getattr(origin.actor(), "kind", None) == "administrator" or bool(origin.COMMAND.text)


def _text(details: Mapping[str, Any] | None) -> str | None:
    text = None if details is None else orjson.dumps(details).decode()
    return text if text is None or len(text) <= _MOST_DETAILS else '{"tooLarge": true}'


def _from() -> dict[str, str | None]:
    """Return the request, its client, and the client's software, or the command."""
    return {"request": origin.request_id(), "client": _client(), "agent": _agent()}


def _client() -> str | None:
    return origin.client()[:_LONGEST_CLIENT] or None


def _agent() -> str | None:
    return (origin.user_agent() or origin.COMMAND.text)[:_LONGEST_AGENT] or None


def _note() -> None:
    noted = _NOTED.get()
    if noted is not None:
        noted.append(True)


async def read_audit(
    database: Database, *, email: str | None = None, uid: str | None = None, entry: int | None = None, most: int = 50
) -> list[Entry]:
    """Return the latest rows, newest first, optionally for one administrator, content type or entry."""
    conditions = {"email": email, "uid": uid, "entry_id": entry}
    given = {name: value for name, value in conditions.items() if value is not None}
    where = " AND ".join(f"{name} = {{{name}}}" for name in given)
    statement = RawStatement(
        f"SELECT {COLUMNS} FROM octavo_audit"  # noqa: S608
        f"{f' WHERE {where}' if where else ''} ORDER BY id DESC LIMIT {{most}}"
    )
    rows = await database.fetch_all(*statement.bind(database.dialect, **given, most=most), long=True)
    return [read_entry(row) for row in rows]
