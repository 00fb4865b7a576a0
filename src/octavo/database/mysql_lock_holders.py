"""Sessions that hold locks on tables of MySQL and MariaDB, as far as the server reports them."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from octavo.database.connection import DatabaseMisconfigured, Row, Values

_HOLDERS: Final = """
SELECT l.object_name, t.processlist_id, t.processlist_user, t.processlist_command, t.processlist_time
FROM performance_schema.metadata_locks l JOIN performance_schema.threads t ON t.thread_id = l.owner_thread_id
WHERE l.object_type = 'TABLE' AND l.object_schema = database() AND l.lock_status = 'GRANTED'
    AND l.lock_duration <> 'STATEMENT' AND t.processlist_id <> connection_id(){named}
GROUP BY 1, 2, 3, 4, 5 ORDER BY 5 DESC, 2 LIMIT 3"""
"""No rows if the performance schema is off, as it is by default on MariaDB."""
_TRANSACTIONS: Final = """
SELECT t.trx_mysql_thread_id, p.user, p.command, timestampdiff(SECOND, t.trx_started, now())
FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
WHERE p.db = database() AND t.trx_mysql_thread_id <> connection_id()
ORDER BY t.trx_started, t.trx_mysql_thread_id LIMIT 3"""
_NEEDS_PROCESS: Final = "to see the lock holder, Octavo's user needs the privilege PROCESS"

Fetch = Callable[[str, Values], Awaitable[Sequence[Row]]]


async def find_lock_holders(fetch_all: Fetch, tables: Sequence[str]) -> Sequence[str]:
    """Describe the holders of locks on these tables, or on all tables for an empty list. If the server or the user's
    privileges hide them, describe all open transactions of the database, or the missing privilege."""
    places = ", ".join(f"?{number}" for number in range(1, len(tables) + 1))
    named = f" AND l.object_name IN ({places})" if tables else ""
    with suppress(DatabaseMisconfigured):
        rows = await fetch_all(_HOLDERS.format(named=named), tuple(tables))
        if rows:
            return [_describe(f"{table}: ", *holder) for table, *holder in rows]
    try:
        return [_describe("an open transaction: ", *row) for row in await fetch_all(_TRANSACTIONS, ())]
    except DatabaseMisconfigured:
        return (_NEEDS_PROCESS,)


def _describe(what: str, process: int, user: str | None, command: str | None, seconds: int | None) -> str:
    """Describe a session. Its statement is left out, because it may contain sensitive data."""
    known = ", ".join(text for text in (f"user {user}" if user else "", command) if text)
    return f"{what}process {process} ({known}) for {seconds or 0} s"
