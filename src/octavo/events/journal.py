"""The journal: all changes, written in their transactions, for consumers of the change feed.

Ids are assigned during transactions, so a later id may become visible before an earlier one. Rows are therefore read in
the order of their transactions, and only those that no earlier row can precede any more: every transaction with a lower
id is finished. Rows are deleted after a while (`sweep_journal`).
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, ChangeKind, DataChange, Presence
from octavo.database.connection import Connection, Database, Row
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.system_rows import SystemRows

TABLE: Final = SystemTable(
    "octavo_journal",
    (
        "transaction_id bigint NOT NULL",
        "uid varchar(255) NOT NULL",
        "entry_id bigint NOT NULL",
        "kind varchar(16) NOT NULL",
        "locale varchar(255)",
        "was integer NOT NULL",
        "became integer NOT NULL",
        "created_at bigint NOT NULL",
    ),
    counted=True,
    indexes=(("transaction_id", "id"), ("created_at",)),
)

MOST_READ: Final = 256
"""Number of rows that are read at once."""
_ROWS: Final = SystemRows(
    TABLE.name,
    ("uid", "entry_id", "kind", "locale", "was", "became"),
    {"transaction_id": "{:transaction}", "created_at": "{now}"},
)

_COLUMNS: Final = "transaction_id, uid, entry_id, kind, locale, was, became, created_at"
_READ: Final = RawStatement(f"""
SELECT id, {_COLUMNS} FROM octavo_journal
WHERE (transaction_id, id) > ({{transaction}}, {{id}}) AND transaction_id < {{:settled}}
ORDER BY transaction_id, id LIMIT {MOST_READ}""")  # noqa: S608 - names only
_LAST: Final = RawStatement("""
SELECT transaction_id, id FROM octavo_journal WHERE transaction_id < {:settled}
ORDER BY transaction_id DESC, id DESC LIMIT 1""")
_KEPT: Final = RawStatement("SELECT 1 FROM octavo_journal WHERE id = {id} AND transaction_id = {transaction}")
_FIRST: Final = RawStatement("SELECT min(id) FROM octavo_journal")


class Position(NamedTuple):
    """A position in the journal: everything up to and including it is known."""

    transaction: int
    id: int

    def __str__(self) -> str:
        return f"{self.transaction}-{self.id}"


START: Final = Position(0, 0)
_POSITION: Final = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def read_position(text: str) -> Position | None:
    """Parse a position, or return None if it is invalid."""
    match = _POSITION.fullmatch(text)
    return None if match is None else Position(int(match[1]), int(match[2]))


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One change. `created_at` is milliseconds since 1970."""

    position: Position
    change: DataChange
    created_at: int


class Journal:
    """The journal of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._dialect = database.dialect
        self._feed: ChangeFeed | None = None

    def join(self, feed: ChangeFeed) -> None:
        """Store every change of a feed from now on."""
        feed.keep(self.write)
        self._feed = feed

    def on_change(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call a function after new rows of this process; return the function to unsubscribe."""
        return (lambda: None) if self._feed is None else self._feed.subscribe(lambda _: wake())

    async def write(self, connection: Connection, changes: Sequence[DataChange]) -> None:
        """Store changes, in their transaction."""
        rows = [
            (change.uid, change.id, change.kind.value, change.locale, change.was.value, change.became.value)
            for change in changes
        ]
        for statement in _ROWS.insert(self._dialect, rows, now=this_moment()):
            await connection.execute(*statement)

    async def read(self, after: Position) -> list[JournalRow]:
        """Return the rows after a position, in order, at most MOST_READ."""
        reading = _READ.bind(self._dialect, transaction=after.transaction, id=after.id)
        return [_journal_row(row) for row in await self._database.fetch_all(*reading)]

    async def last(self) -> Position:
        """Return the position of the newest row that no earlier row can precede any more."""
        row = await self._database.fetch_row(*_LAST.bind(self._dialect))
        return START if row is None else Position(int(row[0]), int(row[1]))

    async def keeps_all_after(self, position: Position) -> bool:
        """Return whether all rows after a position still exist."""
        if position == START:
            return await self._database.fetch_value(*_FIRST.bind(self._dialect)) in (None, 1)
        statement = _KEPT.bind(self._dialect, id=position.id, transaction=position.transaction)
        return await self._database.fetch_value(*statement) is not None


def _journal_row(row: Row) -> JournalRow:
    number, transaction, uid, entry_id, kind, locale, was, became, created_at = row
    change = DataChange(uid, int(entry_id), ChangeKind(kind), locale=locale, was=Presence(was), became=Presence(became))
    return JournalRow(Position(int(transaction), int(number)), change, int(created_at))


ROW_BYTES: Final = 200
"""Estimated size of a row with its index entries."""
_ALWAYS_KEPT: Final = 100
"""Number of last ids that are never deleted, so that consumers can continue from one of them."""
_AT_ONCE: Final = 1_000
"""Number of rows that one transaction deletes, because others wait for it."""

_NEWEST: Final = RawStatement("SELECT max(id) FROM octavo_journal")
_OLD: Final = RawStatement("SELECT max(id) FROM octavo_journal WHERE created_at < {limit}")
_FIRST_OF: Final = RawStatement("""
SELECT min(id) FROM (SELECT id FROM octavo_journal ORDER BY id DESC LIMIT {most}) o""")
_NEXT: Final = RawStatement(f"SELECT max(id) FROM (SELECT id FROM octavo_journal ORDER BY id LIMIT {_AT_ONCE}) o")  # noqa: S608
_REMOVE: Final = RawStatement("DELETE FROM octavo_journal WHERE id <= {last}")


async def sweep_journal(database: Database, seconds: float, size: int) -> None:
    """Delete rows that are older than `seconds`, and the oldest ones of more than about `size` bytes."""
    dialect = database.dialect
    newest = await database.fetch_value(*_NEWEST.bind(dialect))
    if newest is None:
        return
    old = await database.fetch_value(*_OLD.bind(dialect, limit=this_moment() - int(seconds * 1000)))
    kept = await database.fetch_value(*_FIRST_OF.bind(dialect, most=max(_ALWAYS_KEPT, size // ROW_BYTES)))
    last = min(max(old or 0, kept - 1), newest - _ALWAYS_KEPT)
    step = 0
    while step < last:
        first_id = await database.fetch_value(*_NEXT.bind(dialect))
        if first_id is None or step >= min(first_id, last):
            return
        step = min(first_id, last)
        async with unit_of_work(database) as unit:
            await unit.connection.execute(*_REMOVE.bind(dialect, last=step))
